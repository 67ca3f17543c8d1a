"""Intended differences of results from DynamoDB Local: items, pages, units and descriptions of tables."""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation
from typing import Any

from tests.differential.compare import ABSENT, ERROR, Difference
from tests.differential.difference_matchers import WRITES, IntendedDifference, at
from tests.differential.exchange import Exchange

SUM = re.compile(r"ConsumedCapacity(\[\])?\.CapacityUnits")
SUM_OR_TABLE = re.compile(r"ConsumedCapacity(\[\])?\.(Table\.)?CapacityUnits")


def _is_other_notation(exchange: Exchange, difference: Difference) -> bool:
    is_number = re.search(r"\.(N|NS\[\])$", difference.path) is not None
    return is_number and _number(difference.ours) == _number(difference.theirs)


def _number(text: Any) -> Decimal | None:
    try:
        return Decimal(str(text))
    except InvalidOperation:
        return None


def _ends_a_page(exchange: Exchange, difference: Difference) -> bool:
    if exchange.action != "Query":
        return False
    if difference.path == "LastEvaluatedKey":
        is_full = exchange.ours.document["ScannedCount"] == exchange.request.get("Limit")
        return bool(difference.theirs == ABSENT) and is_full
    if difference.path == ERROR:
        return not exchange.ours.is_error and "starting key" in exchange.theirs.message
    return difference.path in ("Pages", "KeyOf")


def _updates_without_action(exchange: Exchange, difference: Difference) -> bool:
    updates = exchange.request.get("AttributeUpdates")
    if not isinstance(updates, dict) or exchange.action != "UpdateItem":
        return False
    return any(isinstance(each, dict) and "Action" not in each for each in updates.values())


def _only_removes(update: Any) -> bool:
    if not isinstance(update, dict):
        return False
    changes = update.get("AttributeUpdates")
    if isinstance(changes, dict) and changes:
        return all(isinstance(each, dict) and each.get("Action") == "DELETE" for each in changes.values())
    text = update.get("UpdateExpression")
    return isinstance(text, str) and re.search(r"\b(SET|ADD)\b", text, re.IGNORECASE) is None


def _describes_a_deleted_table(exchange: Exchange, difference: Difference) -> bool:
    return exchange.action == "DeleteTable" and bool(difference.ours == ABSENT)


def _is_malformed_stream(exchange: Exchange, difference: Difference) -> bool:
    return difference.path == ERROR and exchange.ours.is_error and "Invalid StreamArn" in exchange.ours.message


def _creates_by_removal(exchange: Exchange, difference: Difference) -> bool:
    """Match an update of a missing item that only removes. Local creates the item, and writes its stream record."""
    parts = [each.get("Update") for each in exchange.request.get("TransactItems") or () if isinstance(each, dict)]
    if not any(_only_removes(update) for update in (exchange.request, *parts)):
        return False
    if difference.path == ERROR:
        return not exchange.ours.is_error and "document path" in str(exchange.theirs.document)
    is_item = difference.path in ("stored", "Attributes") and difference.ours in (None, ABSENT)
    return is_item or (difference.path.endswith("CapacityUnits") and exchange.action == "UpdateItem")


# Units


def _is_more(difference: Difference) -> bool:
    """Return whether Local counts more units."""
    if isinstance(difference.ours, float) and isinstance(difference.theirs, float):
        return difference.theirs > difference.ours
    return bool(difference.ours == ABSENT)


def _is_less(difference: Difference) -> bool:
    both = isinstance(difference.ours, float) and isinstance(difference.theirs, float)
    return both and bool(difference.theirs < difference.ours)


def _doubles_indexes(exchange: Exchange, difference: Difference) -> bool:
    """Match doubled units of an index, and the sum that contains them."""
    if exchange.action != "TransactWriteItems" or not difference.path.endswith(".CapacityUnits"):
        return False
    if "SecondaryIndexes" in difference.path:
        return isinstance(difference.ours, float) and bool(difference.theirs == 2 * difference.ours)
    is_sum = SUM.fullmatch(difference.path) is not None
    return is_sum and bool(difference.ours < difference.theirs <= 2 * difference.ours)


def _reports_the_last(exchange: Exchange, difference: Difference) -> bool:
    is_several = exchange.action == "TransactWriteItems" and len(exchange.request["TransactItems"]) > 1
    return is_several and difference.path.endswith(".CapacityUnits") and _is_less(difference)


def _deletes_nothing(exchange: Exchange, difference: Difference) -> bool:
    if SUM_OR_TABLE.fullmatch(difference.path) is None:
        return False
    if exchange.action == "BatchWriteItem":
        return "DeleteRequest" in str(exchange.request) and difference.ours < difference.theirs <= 2 * difference.ours
    return exchange.action == "TransactWriteItems" and "'Delete'" in str(exchange.request)


def _reads_nothing(exchange: Exchange, difference: Difference) -> bool:
    """Match missing keys of a batch, and pages without items."""
    if re.match(r"ConsumedCapacity.*\bCapacityUnits$", difference.path) is None:
        return False
    if exchange.action == "BatchGetItem":
        return _is_less(difference)
    return exchange.action in ("Query", "Scan") and exchange.ours.document.get("ScannedCount") == 0


def _counts_what_never_was(exchange: Exchange, difference: Difference) -> bool:
    """Match units for an item that had one key attribute of an index before, and has the other one after."""
    if exchange.action not in WRITES:
        return False
    if re.search(r"ConsumedCapacity.*SecondaryIndexes", difference.path) is not None:
        return _is_more(difference)
    has_index_key = re.search(r"'i\d'", str(exchange.request)) is not None
    return has_index_key and SUM.fullmatch(difference.path) is not None and _is_more(difference)


def _counts_more_for_local_indexes(exchange: Exchange, difference: Difference) -> bool:
    """Match an additional unit for the entry of a local index, and the sum that contains it."""
    if exchange.action not in WRITES:
        return False
    if re.search(r"ConsumedCapacity.*LocalSecondaryIndexes", difference.path) is not None:
        return _is_more(difference)
    has_local = re.search(r"'(texts|numbers|temporary\d+)'", str(exchange.request)) is not None
    return has_local and SUM.fullmatch(difference.path) is not None and _is_more(difference)


def _reads_a_local_index(exchange: Exchange, difference: Difference) -> bool:
    is_local = str(exchange.request.get("IndexName", "")).startswith("local")
    return is_local and exchange.action in ("Query", "Scan") and SUM_OR_TABLE.fullmatch(difference.path) is not None


def _scans_an_index(exchange: Exchange, difference: Difference) -> bool:
    is_of_index = exchange.action == "Scan" and "IndexName" in exchange.request
    return is_of_index and re.match(r"ConsumedCapacity\.", difference.path) is not None and _is_more(difference)


RESULTS: tuple[IntendedDifference, ...] = (
    IntendedDifference(
        "number normalization",
        'DynamoDB removes leading and trailing zeroes of a number ("Supported data types and naming rules"). '
        "Local returns the number as sent",
        _is_other_notation,
    ),
    IntendedDifference(
        "AttributeUpdates without an action",
        'If an entry of AttributeUpdates has no action, DynamoDB puts the value ("AttributeValueUpdate", '
        "Action). Local does nothing",
        _updates_without_action,
    ),
    IntendedDifference(
        "UPDATED_OLD and UPDATED_NEW",
        "UPDATED_OLD and UPDATED_NEW return only the paths that an update names (dynalite's tests). Local "
        "returns whole attributes",
        lambda exchange, difference: (
            exchange.request.get("ReturnValues") in ("UPDATED_OLD", "UPDATED_NEW")
            and difference.path.startswith("Attributes.")
        ),
    ),
    IntendedDifference(
        "attributes that an index does not project",
        "The filter of a Scan does not see attributes that the index does not project (published captures). "
        "Local reads these attributes from the table",
        lambda exchange, difference: (
            exchange.action == "Scan"
            and "IndexName" in exchange.request
            and bool({"FilterExpression", "ScanFilter"} & set(exchange.request))
            and re.match(r"(Items|Count)\b", difference.path) is not None
        ),
    ),
    IntendedDifference(
        "the end of a page",
        'If a page reaches its Limit, its response contains a LastEvaluatedKey ("Query", Limit), unless the partition '
        "can have only one item. Local omits the key whenever no item can follow, and does not accept such a key as "
        "ExclusiveStartKey",
        _ends_a_page,
    ),
    IntendedDifference(
        "read and write units of a transaction",
        "The response to a transaction contains ReadCapacityUnits or WriteCapacityUnits, in addition to "
        "CapacityUnits (live-validated suite). Local omits these fields",
        at(r"^Transact\w+: ConsumedCapacity\[\].*\.(Read|Write)CapacityUnits", theirs=ABSENT),
    ),
    IntendedDifference(
        "index writes of a transaction",
        "For a transaction, DynamoDB bills index writes once, and writes to the table twice (published "
        "captures). Local bills both twice",
        _doubles_indexes,
    ),
    IntendedDifference(
        "condition checks",
        "A condition check costs the write units of the checked item (published captures). Local counts the "
        "units of a read",
        lambda exchange, difference: (
            exchange.action == "TransactWriteItems"
            and "ConditionCheck" in str(exchange.request)
            and SUM_OR_TABLE.fullmatch(difference.path) is not None
            and _is_less(difference)
        ),
    ),
    IntendedDifference(
        "several writes of a transaction",
        'DynamoDB adds up the units of all writes in a transaction ("Managing complex workflows with DynamoDB'
        ' transactions", capacity). Local returns only the units of the last write',
        _reports_the_last,
    ),
    IntendedDifference(
        "reads without results",
        'A read without results costs the minimum number of units ("Query", "Queries that do not return '
        'results"). Local returns 0',
        _reads_nothing,
    ),
    IntendedDifference(
        "deletes of missing items",
        'A delete of a missing item costs one unit ("DynamoDB provisioned capacity mode", writes). In a '
        "batch, Local counts two units; in a transaction, Local counts one unit",
        _deletes_nothing,
    ),
    IntendedDifference(
        "items without index entries",
        "If an item has no index entry before and after a write, the write costs nothing in the index "
        "(published captures). If a write removes one key attribute of the index and adds the other, Local "
        "counts an index write",
        _counts_what_never_was,
    ),
    IntendedDifference(
        "sizes of local index entries",
        "The size of a local index entry is the size of its projected attributes (published captures). Local "
        "computes a larger size",
        _counts_more_for_local_indexes,
    ),
    IntendedDifference(
        "fetches from a local index",
        "If a read of a local index requests an attribute that the index does not project, the read also "
        'costs a read of the whole item ("Local secondary indexes", read capacity units). Local counts other '
        "units",
        _reads_a_local_index,
    ),
    IntendedDifference(
        "sizes of index entries",
        'For a Scan of an index, DynamoDB counts only the projected attributes ("Global secondary indexes", '
        "read capacity units). Local counts whole items",
        _scans_an_index,
    ),
    IntendedDifference(
        "capacity that was not requested",
        'DynamoDB returns the consumed capacity only if the request asks for it ("ReturnConsumedCapacity", '
        "NONE). If a request asks for ItemCollectionMetrics, Local also returns the consumed capacity",
        lambda exchange, difference: (
            difference.path == "ConsumedCapacity" and exchange.request.get("ReturnConsumedCapacity") in (None, "NONE")
        ),
    ),
    IntendedDifference(
        "capacity of statements",
        'DynamoDB returns the consumed capacity of a statement on request ("ExecuteStatement", '
        "ReturnConsumedCapacity). Local never returns the capacity of statements",
        at(r"^(Batch)?Execute\w+: ConsumedCapacity$", theirs=ABSENT),
    ),
    IntendedDifference(
        "item collection metrics",
        "If the table has local indexes, DynamoDB returns item collection metrics on request "
        '("ItemCollectionMetrics"). Local never returns these metrics',
        at("ItemCollectionMetrics", theirs=ABSENT),
    ),
    IntendedDifference(
        "status of a changing table",
        "The response to a change contains the status CREATING, UPDATING or DELETING (live-validated suite). "
        "When Local responds, the change is already complete",
        at(r"(Table|Index)Status$", theirs="ACTIVE"),
    ),
    IntendedDifference(
        "filling a new index",
        "While DynamoDB fills a new index, the table description contains Backfilling "
        '("GlobalSecondaryIndexDescription"). When Local responds, the index is already complete',
        at(r"GlobalSecondaryIndexes\[\]\.Backfilling$"),
    ),
    IntendedDifference(
        "throughput while it changes",
        "The response to UpdateTable contains the old throughput (live-validated suite). Local returns the "
        "new throughput",
        at(r"^UpdateTable: TableDescription\.ProvisionedThroughput\.(Read|Write)CapacityUnits$"),
    ),
    IntendedDifference(
        "updates that only remove",
        "If an update only removes attributes or elements of sets, DynamoDB does not create a missing item, "
        'and does not check the paths of the update (AttributeUpdates in "UpdateItem"; Alternator\'s tests, '
        "run on DynamoDB). Local creates the item",
        _creates_by_removal,
    ),
    IntendedDifference(
        "description of a deleted table",
        "The response to DeleteTable does not contain the schema, the indexes and the creation time "
        '("DeleteTable", examples; Alternator\'s tests, run on DynamoDB). Local returns the whole description',
        _describes_a_deleted_table,
    ),
    IntendedDifference(
        "malformed stream ARNs",
        "DynamoDB rejects a malformed stream ARN as invalid (tests of the AWS SDK for JavaScript and of "
        "Alternator, run on DynamoDB). Local reports that the stream does not exist",
        _is_malformed_stream,
    ),
    IntendedDifference(
        "throughput of an index",
        "The table description contains the throughput of each index; for on-demand billing, the values are "
        'zero ("ProvisionedThroughputDescription"). Local omits the throughput',
        at(r"GlobalSecondaryIndexes\[\]\.ProvisionedThroughput", theirs=ABSENT),
    ),
    IntendedDifference(
        "maximum throughput that is not set",
        "If no maximum throughput is set, DynamoDB does not return one (live-validated suite). Local returns -1",
        at("OnDemandThroughput$", ours=ABSENT, theirs={"MaxReadRequestUnits": -1, "MaxWriteRequestUnits": -1}),
    ),
    IntendedDifference(
        "warm throughput",
        'Table descriptions contain the warm throughput ("TableWarmThroughputDescription"). Local does not '
        "support warm throughput",
        at("WarmThroughput$", theirs=ABSENT),
    ),
    IntendedDifference(
        "table classes",
        'After a request has set the table class, the table description contains it ("TableClassSummary"). '
        "Local does not support table classes",
        at("TableClassSummary$", theirs=ABSENT),
    ),
    IntendedDifference(
        "settings after a change of billing mode",
        "After a change of the billing mode, a table still has its deletion protection and its number of "
        "decreases on the current day. In Local, the table loses both",
        at(r"Table\w*\.(DeletionProtectionEnabled|ProvisionedThroughput\.NumberOfDecreasesToday)$"),
    ),
)
