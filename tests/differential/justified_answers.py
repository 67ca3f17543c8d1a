"""Answers that differ from DynamoDB Local's by intent: items, pages, units and descriptions of tables."""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation
from typing import Any

from tests.differential.ask import Exchange
from tests.differential.compare import ABSENT, REFUSAL, Difference
from tests.differential.justification import WRITES, Justified, at

SUM = re.compile(r"ConsumedCapacity(\[\])?\.CapacityUnits")
SUM_OR_TABLE = re.compile(r"ConsumedCapacity(\[\])?\.(Table\.)?CapacityUnits")


def _is_spelt_otherwise(exchange: Exchange, difference: Difference) -> bool:
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
    if difference.path == REFUSAL:
        return not exchange.ours.is_refused and "starting key" in exchange.theirs.message
    return difference.path in ("Pages", "KeyOf")


def _updates_without_action(exchange: Exchange, difference: Difference) -> bool:
    updates = exchange.request.get("AttributeUpdates")
    if not isinstance(updates, dict) or exchange.action != "UpdateItem":
        return False
    return any(isinstance(each, dict) and "Action" not in each for each in updates.values())


# Units


def _is_more(difference: Difference) -> bool:
    """Local counts more units."""
    if isinstance(difference.ours, float) and isinstance(difference.theirs, float):
        return difference.theirs > difference.ours
    return bool(difference.ours == ABSENT)


def _is_less(difference: Difference) -> bool:
    both = isinstance(difference.ours, float) and isinstance(difference.theirs, float)
    return both and bool(difference.theirs < difference.ours)


def _doubles_indexes(exchange: Exchange, difference: Difference) -> bool:
    """Units of an index, twice, and the sum that they are part of."""
    if exchange.action != "TransactWriteItems" or not difference.path.endswith(".CapacityUnits"):
        return False
    if "SecondaryIndexes" in difference.path:
        return isinstance(difference.ours, float) and bool(difference.theirs == 2 * difference.ours)
    is_sum = SUM.fullmatch(difference.path) is not None
    return is_sum and bool(difference.ours < difference.theirs <= 2 * difference.ours)


def _tells_the_last(exchange: Exchange, difference: Difference) -> bool:
    is_several = exchange.action == "TransactWriteItems" and len(exchange.request["TransactItems"]) > 1
    return is_several and difference.path.endswith(".CapacityUnits") and _is_less(difference)


def _deletes_nothing(exchange: Exchange, difference: Difference) -> bool:
    if SUM_OR_TABLE.fullmatch(difference.path) is None:
        return False
    if exchange.action == "BatchWriteItem":
        return "DeleteRequest" in str(exchange.request) and difference.ours < difference.theirs <= 2 * difference.ours
    return exchange.action == "TransactWriteItems" and "'Delete'" in str(exchange.request)


def _reads_nothing(exchange: Exchange, difference: Difference) -> bool:
    """Keys of a batch that are not there, and pages without any item."""
    if re.match(r"ConsumedCapacity.*\bCapacityUnits$", difference.path) is None:
        return False
    if exchange.action == "BatchGetItem":
        return _is_less(difference)
    return exchange.action in ("Query", "Scan") and exchange.ours.document.get("ScannedCount") == 0


def _counts_what_never_was(exchange: Exchange, difference: Difference) -> bool:
    """Units for an item that has one key attribute of an index before, and the other after."""
    if exchange.action not in WRITES:
        return False
    if re.search(r"ConsumedCapacity.*SecondaryIndexes", difference.path) is not None:
        return _is_more(difference)
    has_index_key = re.search(r"'i\d'", str(exchange.request)) is not None
    return has_index_key and SUM.fullmatch(difference.path) is not None and _is_more(difference)


def _counts_more_for_local_indexes(exchange: Exchange, difference: Difference) -> bool:
    """A unit more for the entry of a local index, and for the sum that it is part of."""
    if exchange.action not in WRITES:
        return False
    if re.search(r"ConsumedCapacity.*LocalSecondaryIndexes", difference.path) is not None:
        return _is_more(difference)
    has_local = re.search(r"'(texts|numbers|passing\d+)'", str(exchange.request)) is not None
    return has_local and SUM.fullmatch(difference.path) is not None and _is_more(difference)


def _reads_a_local_index(exchange: Exchange, difference: Difference) -> bool:
    is_local = str(exchange.request.get("IndexName", "")).startswith("local")
    return is_local and exchange.action in ("Query", "Scan") and SUM_OR_TABLE.fullmatch(difference.path) is not None


def _scans_an_index(exchange: Exchange, difference: Difference) -> bool:
    is_of_index = exchange.action == "Scan" and "IndexName" in exchange.request
    return is_of_index and re.match(r"ConsumedCapacity\.", difference.path) is not None and _is_more(difference)


ANSWERS: tuple[Justified, ...] = (
    Justified(
        "numbers in one spelling",
        'outer zeroes are trimmed ("Supported data types and naming rules"); Local returns what was sent',
        _is_spelt_otherwise,
    ),
    Justified(
        "updates without an action",
        'put the value ("AttributeValueUpdate", Action); Local does nothing',
        _updates_without_action,
    ),
    Justified(
        "parts of what was updated",
        "UPDATED_OLD and UPDATED_NEW return the places that an update names (dynalite's tests); Local returns whole "
        "attributes",
        lambda exchange, difference: (
            exchange.request.get("ReturnValues") in ("UPDATED_OLD", "UPDATED_NEW")
            and difference.path.startswith("Attributes.")
        ),
    ),
    Justified(
        "attributes that an index lacks",
        "are not seen by the filter of a Scan (published captures); Local looks into the table",
        lambda exchange, difference: (
            exchange.action == "Scan"
            and "IndexName" in exchange.request
            and bool({"FilterExpression", "ScanFilter"} & set(exchange.request))
            and re.match(r"(Items|Count)\b", difference.path) is not None
        ),
    ),
    Justified(
        "the end of a page",
        'a page that reached its Limit ends with a LastEvaluatedKey ("Query", Limit); Local leaves it out where '
        "nothing can follow, and refuses to start there",
        _ends_a_page,
    ),
    Justified(
        "read and write units of a transaction",
        "are told beside CapacityUnits (live-validated suite); Local leaves them out",
        at(r"^Transact\w+: ConsumedCapacity\[\].*\.(Read|Write)CapacityUnits", theirs=ABSENT),
    ),
    Justified(
        "index writes of a transaction",
        "count once, while those of the table are doubled (published captures); Local doubles both",
        _doubles_indexes,
    ),
    Justified(
        "condition checks",
        "cost the write units of the item that they look at (published captures); Local counts a read",
        lambda exchange, difference: (
            exchange.action == "TransactWriteItems"
            and "ConditionCheck" in str(exchange.request)
            and SUM_OR_TABLE.fullmatch(difference.path) is not None
            and _is_less(difference)
        ),
    ),
    Justified(
        "several writes of a transaction",
        'are summed up ("Managing complex workflows with DynamoDB transactions", capacity); Local tells the last',
        _tells_the_last,
    ),
    Justified(
        "reads that find nothing",
        'cost the minimum ("Query", "Queries that do not return results"); Local tells 0',
        _reads_nothing,
    ),
    Justified(
        "deletes that find nothing",
        'cost one unit ("DynamoDB provisioned capacity mode", writes); Local doubles it in a batch, and does not in a '
        "transaction",
        _deletes_nothing,
    ),
    Justified(
        "index entries that never were",
        "cost nothing (published captures); Local counts an item that had one key attribute of an index before, and "
        "has the other after",
        _counts_what_never_was,
    ),
    Justified(
        "sizes of local index entries",
        "are those of the attributes that they hold (published captures); Local adds to them",
        _counts_more_for_local_indexes,
    ),
    Justified(
        "fetching what a local index lacks",
        'costs the read of each whole item ("Local secondary indexes", read capacity units); Local counts otherwise',
        _reads_a_local_index,
    ),
    Justified(
        "sizes of index entries",
        'a Scan of an index reads what the index holds ("Global secondary indexes", read capacity units); Local counts '
        "whole items",
        _scans_an_index,
    ),
    Justified(
        "capacity that was not asked for",
        'is not told ("ReturnConsumedCapacity", NONE); Local tells it beside ItemCollectionMetrics',
        lambda exchange, difference: (
            difference.path == "ConsumedCapacity" and exchange.request.get("ReturnConsumedCapacity") in (None, "NONE")
        ),
    ),
    Justified(
        "capacity of statements",
        'is told when asked for ("ExecuteStatement", ReturnConsumedCapacity); Local never tells it',
        at(r"^(Batch)?Execute\w+: ConsumedCapacity$", theirs=ABSENT),
    ),
    Justified(
        "item collection metrics",
        'are told when asked for and the table has local indexes ("ItemCollectionMetrics"); Local never tells them',
        at("ItemCollectionMetrics", theirs=ABSENT),
    ),
    Justified(
        "the status of a table that changes",
        "is CREATING, UPDATING or DELETING in the answer (live-validated suite); Local is done when it answers",
        at(r"(Table|Index)Status$", theirs="ACTIVE"),
    ),
    Justified(
        "filling a new index",
        'is told as Backfilling ("GlobalSecondaryIndexDescription"); Local is done when it answers',
        at(r"GlobalSecondaryIndexes\[\]\.Backfilling$"),
    ),
    Justified(
        "units while they change",
        "are told as they were by the answer of UpdateTable (live-validated suite); Local tells the new ones",
        at(r"^UpdateTable: TableDescription\.ProvisionedThroughput\.(Read|Write)CapacityUnits$"),
    ),
    Justified(
        "units of an index",
        'stand in its description, zeroes where each request is paid for ("ProvisionedThroughputDescription"); Local '
        "leaves them out",
        at(r"GlobalSecondaryIndexes\[\]\.ProvisionedThroughput", theirs=ABSENT),
    ),
    Justified(
        "ceilings that nobody set",
        "are not told (live-validated suite); Local tells them as -1",
        at("OnDemandThroughput$", ours=ABSENT, theirs={"MaxReadRequestUnits": -1, "MaxWriteRequestUnits": -1}),
    ),
    Justified(
        "warm throughput",
        'stands in descriptions ("TableWarmThroughputDescription"); Local does not know it',
        at("WarmThroughput$", theirs=ABSENT),
    ),
    Justified(
        "table classes",
        'are told once they were chosen ("TableClassSummary"); Local does not know them',
        at("TableClassSummary$", theirs=ABSENT),
    ),
    Justified(
        "settings that Local forgets",
        "another billing mode takes away neither the protection of a table nor its decreases of today",
        at(r"Table\w*\.(DeletionProtectionEnabled|ProvisionedThroughput\.NumberOfDecreasesToday)$"),
    ),
)
