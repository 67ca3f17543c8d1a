"""UpdateItem on tables with indexes, its size limit, and its consumed capacity."""

from __future__ import annotations

import gc

import pytest

from singletable.engine.engine import Engine
from singletable.expressions.update_expression import ItemUpdate
from tests.engine.table_requests import (
    INVALID,
    Document,
    Refused,
    assert_refused,
    column,
    create,
    create_hash,
    create_indexed,
    definitions,
    get,
    index,
    item,
    put,
    query,
    refusals,
    refused,
    scan,
    texts,
    update,
    values,
)

KEY = texts(pk="a", sk="1")


@pytest.fixture
def engine(empty_engine: Engine) -> Engine:
    create_indexed(empty_engine)
    put(empty_engine, {**KEY, **item(gsiPk="g", lsiSk="l", n=5)})
    return empty_engine


def test_update_item_moves_an_index_entry_with_its_key(engine: Engine) -> None:
    update(engine, KEY, "SET gsiPk = :moved", ExpressionAttributeValues=values(moved="h"))
    assert query(engine, "gsiPk = :g", values(g="g"), IndexName="gsi")["Items"] == []
    assert column(query(engine, "gsiPk = :g", values(g="h"), IndexName="gsi")["Items"]) == ["1"]


def test_update_item_removes_an_item_from_an_index_and_adds_it_with_its_key(engine: Engine) -> None:
    update(engine, KEY, "REMOVE gsiPk")
    assert scan(engine, IndexName="gsi")["Items"] == []
    assert len(scan(engine, IndexName="lsi")["Items"]) == 1
    update(engine, KEY, "SET gsiPk = :g", ExpressionAttributeValues=values(g="g"))
    assert len(scan(engine, IndexName="gsi")["Items"]) == 1


def test_update_item_writes_the_new_attributes_to_an_index_entry(engine: Engine) -> None:
    update(engine, KEY, "SET n = n + :one", ExpressionAttributeValues=values(one=1))
    for name in ("gsi", "lsi"):
        assert column(scan(engine, IndexName=name)["Items"], "n") == ["6"]


def set_to(value: Document, name: str = "gsiPk") -> Document:
    return {"UpdateExpression": f"SET {name} = :v", "ExpressionAttributeValues": {":v": value}}


SCALARS = "Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: "
MISMATCH = f"{INVALID}Type mismatch for Index Key"
UNSUPPORTED = "The update expression attempted to update the secondary index key to unsupported type"


@refusals(
    Refused("a number", set_to({"N": "1"}), f"{MISMATCH} gsiPk Expected: S Actual: N IndexName: gsi"),
    Refused("a null", set_to({"NULL": True}, "lsiSk"), f"{MISMATCH} lsiSk Expected: S Actual: NULL IndexName: lsi"),
    Refused(
        "an addition",
        {"UpdateExpression": "ADD gsiPk :v", "ExpressionAttributeValues": {":v": {"N": "1"}}},
        f"{MISMATCH} gsiPk Expected: S Actual: N IndexName: gsi",
    ),
    Refused(
        "a sum, whatever it is a sum of",
        {"UpdateExpression": "SET x = absent, gsiPk = n + :v", "ExpressionAttributeValues": {":v": {"N": "1"}}},
        f"{MISMATCH} gsiPk Expected: S Actual: N IndexName: gsi",
    ),
    Refused("a copy of another attribute", {"UpdateExpression": "SET gsiPk = n"}, UNSUPPORTED),
    Refused(
        "an empty string",
        set_to({"S": ""}),
        "One or more parameter values are not valid. The update expression attempted to update a secondary index key "
        "to a value that is not supported. The AttributeValue for a key attribute cannot contain an empty string "
        "value.",
    ),
    Refused("a place in it", set_to({"S": "x"}, "gsiPk.x"), f"{SCALARS}IndexKey: gsiPk"),
    Refused("reading a place in it", {"UpdateExpression": "SET x = lsiSk[0]"}, f"{SCALARS}IndexKey: lsiSk"),
)
def test_update_item_rejects_a_value_that_is_invalid_for_an_index_key(engine: Engine, row: Refused) -> None:
    before = get(engine, KEY)
    assert_refused(engine, "UpdateItem", row, TableName="table", Key=KEY)
    assert get(engine, KEY) == before


def test_update_item_changes_other_attributes_of_an_item_with_an_invalid_index_key_value(empty_engine: Engine) -> None:
    """The item is not in the index that was created later, and an update of another attribute ignores the value."""
    create(empty_engine)
    put(empty_engine, {**KEY, **item(gsiPk=1)})
    updates = [{"Create": index("gsi", "gsiPk")}]
    request = {"AttributeDefinitions": definitions(gsiPk="S"), "GlobalSecondaryIndexUpdates": updates}
    empty_engine.call("UpdateTable", {"TableName": "table", **request})
    empty_engine.backfill.wait()
    update(empty_engine, KEY, "SET n = :n", ExpressionAttributeValues=values(n=2))
    assert get(empty_engine, KEY) == {**KEY, **item(gsiPk=1, n=2)}
    assert scan(empty_engine, IndexName="gsi")["Items"] == []


TOO_LARGE = "Item size to update has exceeded the maximum allowed size"


@pytest.mark.parametrize(
    ("key", "expression", "others", "ceiling"),
    [
        # Captured from AWS: the size of an update excludes the key, and adds 3 bytes plus 19 bytes for every value.
        ("k", "SET b = :v", 0, 409_581),
        ("k", "SET b = :v, c = :w", 2, 409_562),
        ("k" * 20, "SET b = :v", 0, 409_600),
        ("k" * 500, "SET b = :v", 0, 409_600),
    ],
)
def test_update_item_has_a_size_limit_slightly_below_that_of_put_item(
    empty_engine: Engine, key: str, expression: str, others: int, ceiling: int
) -> None:
    create_hash(empty_engine)
    fits = ceiling - len("pk") - len(key) - len("b") - others

    def request(length: int) -> Document:
        given = values(v="x" * length) | (values(w="z") if others else {})
        return {
            "TableName": "hash",
            "Key": texts(pk=key),
            "UpdateExpression": expression,
            "ExpressionAttributeValues": given,
        }

    assert refused(empty_engine, "UpdateItem", request(fits + 1)).message == TOO_LARGE
    assert get(empty_engine, texts(pk=key), "hash") is None
    empty_engine.call("UpdateItem", request(fits))


def test_update_item_counts_entries_of_local_indexes_towards_the_400_kb(engine: Engine) -> None:
    request = {"TableName": "table", "Key": KEY, **set_to({"S": "x" * 204_800}, "big")}
    assert refused(engine, "UpdateItem", request).message == TOO_LARGE
    update(engine, KEY, "REMOVE lsiSk")
    engine.call("UpdateItem", request)


@pytest.mark.parametrize(
    ("requested", "expected"),
    [
        ("TOTAL", {"TableName": "table", "CapacityUnits": 4.0}),
        (
            "INDEXES",
            {
                "TableName": "table",
                "CapacityUnits": 4.0,
                "Table": {"CapacityUnits": 1.0},
                "GlobalSecondaryIndexes": {"gsi": {"CapacityUnits": 2.0}},
                "LocalSecondaryIndexes": {"lsi": {"CapacityUnits": 1.0}},
            },
        ),
        ("NONE", None),
        (None, None),
    ],
)
def test_update_item_returns_consumed_capacity_on_request(
    engine: Engine, requested: str | None, expected: Document | None
) -> None:
    answer = update(
        engine, KEY, "SET gsiPk = :v", ExpressionAttributeValues=values(v="moved"), ReturnConsumedCapacity=requested
    )
    assert answer.get("ConsumedCapacity") == expected


def test_update_item_does_not_cache_an_update_expression_with_long_names(engine: Engine) -> None:
    name = "n" * 3000
    update(engine, KEY, "SET #n = :n", ExpressionAttributeNames={"#n": name}, ExpressionAttributeValues=values(n=1))
    gc.collect()
    kept = [each for each in gc.get_objects() if isinstance(each, ItemUpdate) and name in each.attributes]
    assert kept == []


@pytest.mark.parametrize("requested", ["SIZE", "NONE", None])
def test_update_item_returns_item_collection_metrics_on_request(engine: Engine, requested: str | None) -> None:
    expected = {"ItemCollectionKey": texts(pk="a"), "SizeEstimateRangeGB": [0.0, 1.0]} if requested == "SIZE" else None
    assert (
        update(engine, KEY, "REMOVE n", ReturnItemCollectionMetrics=requested).get("ItemCollectionMetrics") == expected
    )


def test_update_item_returns_a_simulated_transaction_conflict(engine: Engine) -> None:
    engine.faults.conflicts_next = 1
    request = {"TableName": "table", "Key": KEY, "UpdateExpression": "REMOVE n"}
    assert refused(engine, "UpdateItem", request).code == "TransactionConflictException"
    assert get(engine, KEY) == {**KEY, **item(gsiPk="g", lsiSk="l", n=5)}
