"""BatchWriteItem: up to 25 puts and deletes in several tables."""

from __future__ import annotations

import pytest

from singletable.engine.engine import Engine
from tests.engine.table_requests import (
    INVALID,
    NOT_FOUND,
    Document,
    Refused,
    assert_refused,
    create_indexed,
    get,
    item,
    put,
    refusals,
    scan,
    texts,
)


def putting(item_: Document) -> Document:
    return {"PutRequest": {"Item": item_}}


def deleting(key: Document) -> Document:
    return {"DeleteRequest": {"Key": key}}


def batch(engine: Engine, parameters: Document | None = None, **tables: list[Document]) -> Document:
    return engine.call("BatchWriteItem", {"RequestItems": tables, **(parameters or {})})


def test_batch_write_item_puts_and_deletes_items(engine: Engine) -> None:
    put(engine, texts(pk="old", v="v"), "hash")
    put(engine, texts(pk="replaced", v="v"), "hash")
    answer = batch(
        engine,
        hash=[putting(texts(pk="new")), deleting(texts(pk="old")), putting(texts(pk="replaced", v="w"))],
    )
    assert answer == {"UnprocessedItems": {}}
    found = scan(engine, "hash")["Items"]
    assert sorted(found, key=str) == sorted([texts(pk="new"), texts(pk="replaced", v="w")], key=str)


def test_batch_write_item_may_delete_a_missing_item(engine: Engine) -> None:
    assert batch(engine, hash=[deleting(texts(pk="never"))]) == {"UnprocessedItems": {}}


def test_batch_write_item_writes_several_tables(engine: Engine) -> None:
    answer = batch(engine, hash=[putting(texts(pk="a"))], table=[putting(texts(pk="a", sk="1"))])
    assert answer == {"UnprocessedItems": {}}
    assert get(engine, texts(pk="a"), "hash") == texts(pk="a")
    assert get(engine, texts(pk="a", sk="1")) == texts(pk="a", sk="1")
    batch(engine, hash=[deleting(texts(pk="a"))], table=[deleting(texts(pk="a", sk="1"))])
    assert scan(engine)["Items"] == scan(engine, "hash")["Items"] == []


def test_batch_write_item_may_write_one_key_in_two_tables(engine: Engine) -> None:
    create_indexed(engine, "other")
    item_ = putting(texts(pk="a", sk="1"))
    assert batch(engine, table=[item_], other=[item_]) == {"UnprocessedItems": {}}


def test_batch_write_item_updates_indexes(engine: Engine) -> None:
    create_indexed(engine, "indexed")
    put(engine, texts(pk="a", sk="1", gsiPk="g", lsiSk="l"), "indexed")
    batch(engine, indexed=[deleting(texts(pk="a", sk="1")), putting(texts(pk="a", sk="2", gsiPk="h", lsiSk="l"))])
    for name in ("gsi", "lsi"):
        assert scan(engine, "indexed", IndexName=name)["Items"] == [texts(pk="a", sk="2", gsiPk="h", lsiSk="l")]


@pytest.mark.parametrize("size", [10, 20_000, 400_000])
def test_batch_write_item_writes_25_items_of_any_size(engine: Engine, size: int) -> None:
    answer = batch(engine, hash=[putting(texts(pk=f"{number}", v="x" * size)) for number in range(25)])
    assert answer == {"UnprocessedItems": {}}
    for number in range(25):
        assert get(engine, texts(pk=f"{number}"), "hash", ProjectionExpression="pk") == texts(pk=f"{number}")


@pytest.mark.parametrize(
    ("requested", "expected"),
    [
        (
            "TOTAL",
            [{"TableName": "hash", "CapacityUnits": 3.0}, {"TableName": "indexed", "CapacityUnits": 2.0}],
        ),
        (
            "INDEXES",
            [
                {"TableName": "hash", "CapacityUnits": 3.0, "Table": {"CapacityUnits": 3.0}},
                {
                    "TableName": "indexed",
                    "CapacityUnits": 2.0,
                    "Table": {"CapacityUnits": 1.0},
                    "GlobalSecondaryIndexes": {"gsi": {"CapacityUnits": 1.0}},
                },
            ],
        ),
        ("NONE", None),
        (None, None),
    ],
)
def test_batch_write_item_returns_consumed_capacity_per_table(
    engine: Engine, requested: str | None, expected: list[Document] | None
) -> None:
    create_indexed(engine, "indexed")
    answer = batch(
        engine,
        {"ReturnConsumedCapacity": requested},
        indexed=[putting(texts(pk="a", sk="1", gsiPk="g"))],
        hash=[putting(texts(pk="a", v="x" * 1500)), deleting(texts(pk="b"))],
    )
    assert answer.get("ConsumedCapacity") == expected


@pytest.mark.parametrize("requested", ["SIZE", "NONE", None])
def test_batch_write_item_returns_item_collection_metrics_for_tables_with_local_indexes(
    engine: Engine, requested: str | None
) -> None:
    create_indexed(engine, "indexed")
    answer = batch(
        engine,
        {"ReturnItemCollectionMetrics": requested},
        indexed=[putting(texts(pk="a", sk="1")), deleting(texts(pk="b", sk="1"))],
        hash=[putting(texts(pk="a"))],
    )
    expected = [{"ItemCollectionKey": texts(pk=key), "SizeEstimateRangeGB": [0.0, 1.0]} for key in ("a", "b")]
    assert answer.get("ItemCollectionMetrics") == ({"indexed": expected} if requested == "SIZE" else None)


def requested(**tables: list[Document]) -> Document:
    return {"RequestItems": tables}


A = putting(texts(pk="a"))
NO_MATCH = "The provided key element does not match the schema"
ONE_OF = "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes"


@refusals(
    Refused("nothing to write", requested(), "The requestItems parameter is required for BatchWriteItem"),
    Refused(
        "no writes",
        requested(hash=[]),
        "1 validation error detected: Value '{hash=[]}' at 'requestItems' failed to satisfy constraint: Map value must "
        "satisfy constraint: [Member must have length less than or equal to 25, Member must have length greater than "
        "or equal to 1]",
    ),
    Refused(
        "26 writes in two tables",
        requested(
            hash=[putting(texts(pk=f"{number}")) for number in range(25)],
            table=[putting(texts(pk="a", sk="1"))],
        ),
        "Too many items requested for the BatchWriteItem call",
    ),
    Refused("neither put nor delete", requested(hash=[A, {}]), ONE_OF),
    Refused("both put and delete", requested(hash=[{**A, **deleting(texts(pk="b"))}]), ONE_OF),
    Refused(
        "one key twice",
        requested(hash=[A, deleting(texts(pk="a"))]),
        "Provided list of item keys contains duplicates",
    ),
    Refused("a missing table", requested(missing=[A]), NOT_FOUND, "ResourceNotFoundException"),
    Refused(
        "a missing table with one that is",
        requested(hash=[A], missing=[A]),
        NOT_FOUND,
        "ResourceNotFoundException",
    ),
    Refused("a put without a key", requested(hash=[A, putting(texts(v="v"))]), NO_MATCH),
    Refused("a put with a part of the key", requested(table=[putting(texts(pk="a"))]), NO_MATCH),
    Refused("a put with a key of another type", requested(hash=[A, putting(item(pk=1))]), NO_MATCH),
    Refused("a put with a key that is not a scalar", requested(hash=[A, putting({"pk": {"BOOL": True}})]), NO_MATCH),
    Refused("a delete of another key", requested(hash=[A, deleting(texts(pk="b", sk="1"))]), NO_MATCH),
    Refused(
        "an empty key",
        requested(hash=[A, deleting(texts(pk=""))]),
        "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty "
        "string value. Key: pk",
    ),
    Refused(
        "an invalid value, before a missing table",
        requested(missing=[putting({"v": {"SS": ["a", "a"]}})]),
        f"{INVALID}Input collection [a, a] contains duplicates.",
    ),
    Refused(
        "an item that is too large, before a missing table",
        requested(missing=[putting(texts(pk="a", v="x" * 409_600))]),
        "Item size has exceeded the maximum allowed size",
    ),
)
def test_batch_write_item_rejects_an_invalid_batch_and_writes_nothing(engine: Engine, row: Refused) -> None:
    assert_refused(engine, "BatchWriteItem", row)
    assert scan(engine, "hash")["Items"] == scan(engine)["Items"] == []


def test_batch_write_item_rejects_more_than_25_writes(engine: Engine) -> None:
    row = requested(hash=[putting(texts(pk=f"{number}")) for number in range(26)])
    with pytest.raises(
        Exception, match=r"^ValidationException: 1 validation error detected: Value '\{hash=\["
    ) as expected:
        engine.call("BatchWriteItem", row)
    assert str(expected.value).endswith(
        "]}' at 'requestItems' failed to satisfy constraint: Map value must satisfy constraint: [Member must have "
        "length less than or equal to 25, Member must have length greater than or equal to 1]"
    )
    assert scan(engine, "hash")["Items"] == []
