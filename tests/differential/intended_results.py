"""Results that differ from DynamoDB Local by intent: items, pages, units and descriptions of tables."""

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
    """Match an update that only removes, from a missing item: Local creates the item, and writes its stream record."""
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
    """Match units for an item that has one key attribute of an index before, and the other after."""
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
        'Leading and trailing zeroes are trimmed ("Supported data types and naming rules"). Local returns '
        "the number as sent",
        _is_other_notation,
    ),
    IntendedDifference(
        "AttributeUpdates without an action",
        'An entry of AttributeUpdates without an action puts the value ("AttributeValueUpdate", Action). '
        "Local does nothing",
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
        'A page that reaches its Limit ends with a LastEvaluatedKey ("Query", Limit). Local omits the key if '
        "no item can follow, and does not accept such a key as ExclusiveStartKey",
        _ends_a_page,
    ),
    IntendedDifference(
        "read and write units of a transaction",
        "A transaction returns ReadCapacityUnits or WriteCapacityUnits in addition to CapacityUnits "
        "(live-validated suite). Local omits them",
        at(r"^Transact\w+: ConsumedCapacity\[\].*\.(Read|Write)CapacityUnits", theirs=ABSENT),
    ),
    IntendedDifference(
        "index writes of a transaction",
        "In a transaction, index writes are billed once, while writes to the table are billed twice "
        "(published captures). Local bills both twice",
        _doubles_indexes,
    ),
    IntendedDifference(
        "condition checks",
        "A condition check costs the write units of the checked item (published captures). Local counts a read instead",
        lambda exchange, difference: (
            exchange.action == "TransactWriteItems"
            and "ConditionCheck" in str(exchange.request)
            and SUM_OR_TABLE.fullmatch(difference.path) is not None
            and _is_less(difference)
        ),
    ),
    IntendedDifference(
        "several writes of a transaction",
        'The units of all writes in a transaction are added up ("Managing complex workflows with DynamoDB '
        'transactions", capacity). Local returns only the units of the last write',
        _reports_the_last,
    ),
    IntendedDifference(
        "reads without results",
        'A read that returns no items costs the minimum ("Query", "Queries that do not return results"). '
        "Local returns 0",
        _reads_nothing,
    ),
    IntendedDifference(
        "deletes of missing items",
        'Deleting an item that does not exist costs one unit ("DynamoDB provisioned capacity mode", writes). '
        "Local counts two units in a batch, and one unit in a transaction",
        _deletes_nothing,
    ),
    IntendedDifference(
        "items without index entries",
        "A write of an item without an index entry costs nothing in the index (published captures). Local "
        "counts a write that removes one key attribute of the index and adds the other",
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
        'Fetching an attribute that is not projected costs a read of the whole item ("Local secondary '
        'indexes", read capacity units). Local counts differently',
        _reads_a_local_index,
    ),
    IntendedDifference(
        "sizes of index entries",
        'A Scan of an index reads its projected attributes ("Global secondary indexes", read capacity '
        "units). Local counts whole items",
        _scans_an_index,
    ),
    IntendedDifference(
        "capacity that was not requested",
        'Consumed capacity is not returned unless the request asks for it ("ReturnConsumedCapacity", NONE). '
        "Local returns it together with ItemCollectionMetrics",
        lambda exchange, difference: (
            difference.path == "ConsumedCapacity" and exchange.request.get("ReturnConsumedCapacity") in (None, "NONE")
        ),
    ),
    IntendedDifference(
        "capacity of statements",
        'The consumed capacity of a statement is returned on request ("ExecuteStatement", '
        "ReturnConsumedCapacity). Local never returns the capacity of statements",
        at(r"^(Batch)?Execute\w+: ConsumedCapacity$", theirs=ABSENT),
    ),
    IntendedDifference(
        "item collection metrics",
        "Item collection metrics are returned on request if the table has local indexes "
        '("ItemCollectionMetrics"). Local never returns these metrics',
        at("ItemCollectionMetrics", theirs=ABSENT),
    ),
    IntendedDifference(
        "status of a changing table",
        "The response contains CREATING, UPDATING or DELETING (live-validated suite). Local has already "
        "finished the change when it responds",
        at(r"(Table|Index)Status$", theirs="ACTIVE"),
    ),
    IntendedDifference(
        "filling a new index",
        "While a new index is being filled, the table description contains Backfilling "
        '("GlobalSecondaryIndexDescription"). Local has already finished the change when it responds',
        at(r"GlobalSecondaryIndexes\[\]\.Backfilling$"),
    ),
    IntendedDifference(
        "throughput while it changes",
        "UpdateTable returns the old throughput (live-validated suite). Local returns the new one",
        at(r"^UpdateTable: TableDescription\.ProvisionedThroughput\.(Read|Write)CapacityUnits$"),
    ),
    IntendedDifference(
        "updates that only remove",
        "An update that only removes attributes or elements of sets does not create a missing item, and its paths "
        'are not checked (AttributeUpdates in "UpdateItem"; Alternator\'s tests, run on DynamoDB). Local creates the '
        "item",
        _creates_by_removal,
    ),
    IntendedDifference(
        "description of a deleted table",
        'DeleteTable does not return the schema, the indexes and the creation time ("DeleteTable", examples; '
        "Alternator's tests, run on DynamoDB). Local returns the whole description",
        _describes_a_deleted_table,
    ),
    IntendedDifference(
        "malformed stream ARNs",
        "A malformed stream ARN is rejected as invalid (tests of the AWS SDK for JavaScript, and Alternator's, run on "
        "DynamoDB). Local does not find the stream",
        _is_malformed_stream,
    ),
    IntendedDifference(
        "throughput of an index",
        "The table description contains the throughput of each index, with zeroes for on-demand billing "
        '("ProvisionedThroughputDescription"). Local omits it',
        at(r"GlobalSecondaryIndexes\[\]\.ProvisionedThroughput", theirs=ABSENT),
    ),
    IntendedDifference(
        "maximum throughput that is not set",
        "A maximum throughput that is not set is not returned (live-validated suite). Local returns -1",
        at("OnDemandThroughput$", ours=ABSENT, theirs={"MaxReadRequestUnits": -1, "MaxWriteRequestUnits": -1}),
    ),
    IntendedDifference(
        "warm throughput",
        'Table descriptions contain the warm throughput ("TableWarmThroughputDescription"). Local does not support it',
        at("WarmThroughput$", theirs=ABSENT),
    ),
    IntendedDifference(
        "table classes",
        'A table description contains the table class once it has been set ("TableClassSummary"). Local does '
        "not support table classes",
        at("TableClassSummary$", theirs=ABSENT),
    ),
    IntendedDifference(
        "settings after a change of billing mode",
        "A change of the billing mode keeps deletion protection and the number of decreases on the current "
        "day. Local loses both",
        at(r"Table\w*\.(DeletionProtectionEnabled|ProvisionedThroughput\.NumberOfDecreasesToday)$"),
    ),
)
