"""Reads consume the units that were captured from the service or are documented.

Four figures are published with workshops of the service, for items of these sizes. The figures of local indexes were
captured from AWS.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from singletable.engine.engine import Engine
from tests.engine.table_requests import (
    Document,
    create,
    create_hash,
    create_indexed,
    get,
    pages,
    projection,
    put,
    query,
    scan,
    texts,
    values,
)

UNIT = 4096


@pytest.fixture
def engine() -> Iterator[Engine]:
    with Engine() as made:
        create(made)
        create_hash(made)
        yield made


def sized(size: int, **keys: str) -> Document:
    """Return an item of this size with these attributes and a filler."""
    rest = size - sum(len(name) + len(value) for name, value in keys.items()) - len("rest")
    return {**texts(**keys), **texts(rest="x" * rest)}


def total(answer: Document) -> float:
    """Return the consumed units of a response, which are all from one table."""
    consumed = answer["ConsumedCapacity"]
    units: float = (consumed[0] if isinstance(consumed, list) else consumed)["CapacityUnits"]
    return units


def put_sized(engine: Engine, count: int, size_bytes: int, **keys: str) -> None:
    """Return this many items with this total size."""
    for number in range(count):
        of_item = size_bytes // count + (number < size_bytes % count)
        put(engine, sized(of_item, sk=f"{number:04}", **keys))


@pytest.mark.parametrize(
    ("size", "units"),
    [(100, 1), (UNIT - 1, 1), (UNIT, 1), (UNIT + 1, 2), (2 * UNIT, 2), (2 * UNIT + 1, 3), (400_000, 98)],
)
def test_the_consumed_capacity_of_reading_one_item_is_rounded_up_to_4_kb(engine: Engine, size: int, units: int) -> None:
    put(engine, sized(size, pk="a"), "hash")
    request: Document = {"TableName": "hash", "Key": texts(pk="a"), "ReturnConsumedCapacity": "TOTAL"}
    assert total(engine.call("GetItem", request)) == units * 0.5
    assert total(engine.call("GetItem", {**request, "ConsistentRead": True})) == units
    assert total(engine.call("GetItem", {**request, "ProjectionExpression": "pk"})) == units * 0.5
    transaction: Document = {
        "TransactItems": [{"Get": {"TableName": "hash", "Key": texts(pk="a")}}],
        "ReturnConsumedCapacity": "TOTAL",
    }
    assert total(engine.call("TransactGetItems", transaction)) == units * 2


def test_the_consumed_capacity_of_reading_a_missing_item_is_the_minimum(engine: Engine) -> None:
    options: Document = {"ReturnConsumedCapacity": "TOTAL"}
    request: Document = {"TableName": "hash", "Key": texts(pk="a"), **options}
    assert total(engine.call("GetItem", request)) == 0.5
    assert total(engine.call("GetItem", {**request, "ConsistentRead": True})) == 1
    assert total(query(engine, "pk = :p", values(p="a"), **options)) == 0.5
    assert total(scan(engine, ConsistentRead=True, **options)) == 1
    assert get(engine, texts(pk="a"), "hash") is None


def test_the_consumed_capacity_of_a_batch_rounds_every_item_separately(engine: Engine) -> None:
    for number in range(3):
        put(engine, sized(UNIT + 1, pk=f"{number}"), "hash")
    keys = [texts(pk=f"{number}") for number in range(5)]
    for consistent, units in ((False, 3 * 2 * 0.5 + 2 * 0.5), (True, 3 * 2 + 2)):
        request = {
            "RequestItems": {"hash": {"Keys": keys, "ConsistentRead": consistent}},
            "ReturnConsumedCapacity": "TOTAL",
        }
        assert total(engine.call("BatchGetItem", request)) == units


@pytest.mark.parametrize(
    ("items", "size_bytes", "units"),
    [(4, 11_793, 1.5), (3, 267, 0.5), (835, 117_366, 14.5), (100, UNIT * 10, 5.0), (100, UNIT * 10 + 1, 5.5)],
)
def test_the_consumed_capacity_of_a_page_is_summed_and_rounded_once(
    engine: Engine, items: int, size_bytes: int, units: float
) -> None:
    put_sized(engine, items, size_bytes, pk="p")
    options: Document = {"ReturnConsumedCapacity": "TOTAL"}
    for answer in (query(engine, "pk = :p", values(p="p"), **options), scan(engine, **options)):
        assert (answer["Count"], total(answer)) == (items, units)
    for answer in (
        query(engine, "pk = :p", values(p="p"), ConsistentRead=True, **options),
        scan(engine, ConsistentRead=True, **options),
    ):
        assert total(answer) == units * 2


@pytest.mark.parametrize(
    ("narrowed", "given"),
    [
        ({"FilterExpression": "begins_with(rest, :none)"}, values(none="y")),
        ({"FilterExpression": "rest >= :half"}, values(half="x" * 2945)),
        ({"FilterExpression": "attribute_exists(absent)"}, {}),
        ({"ProjectionExpression": "sk"}, {}),
        ({"Select": "COUNT"}, {}),
    ],
)
def test_filters_and_projections_do_not_reduce_the_consumed_capacity(
    engine: Engine, narrowed: Document, given: Document
) -> None:
    put_sized(engine, 4, 11_793, pk="p")
    options = {**narrowed, "ReturnConsumedCapacity": "TOTAL"}
    assert total(query(engine, "pk = :p", {**values(p="p"), **given}, **options)) == 1.5
    assert total(scan(engine, ExpressionAttributeValues=given or None, **options)) == 1.5


def test_the_consumed_capacity_of_a_page_counts_what_it_scanned(engine: Engine) -> None:
    put_sized(engine, 10, 10 * UNIT, pk="p")
    request: Document = {
        "TableName": "table",
        "KeyConditionExpression": "pk = :p",
        "ExpressionAttributeValues": values(p="p"),
        "Limit": 3,
        "ReturnConsumedCapacity": "TOTAL",
    }
    assert [total(answer) for answer in pages(engine, "Query", request)] == [1.5, 1.5, 1.5, 0.5]


def indexed(engine: Engine, name: str, holds: Document, **request: Any) -> Document:
    """Return the units of reading three items of 9,000 bytes through an index, by table and index."""
    create_indexed(engine, "indexed", gsi=holds, lsi=holds)
    for number in range(3):
        put(engine, sized(9_000, pk="p", sk=f"{number}", gsiPk="g", lsiSk="l", proj="k"), "indexed")
    condition, given = ("gsiPk = :v", values(v="g")) if name == "gsi" else ("pk = :v", values(v="p"))
    answer = query(engine, condition, given, "indexed", IndexName=name, ReturnConsumedCapacity="INDEXES", **request)
    consumed: Document = answer["ConsumedCapacity"]
    kind = "GlobalSecondaryIndexes" if name == "gsi" else "LocalSecondaryIndexes"
    assert consumed["CapacityUnits"] == consumed["Table"]["CapacityUnits"] + consumed[kind][name]["CapacityUnits"]
    return {"table": consumed["Table"]["CapacityUnits"], "index": consumed[kind][name]["CapacityUnits"]}


@pytest.mark.parametrize("name", ["gsi", "lsi"])
@pytest.mark.parametrize(
    ("holds", "units"), [(projection(kind="ALL"), 3.5), (projection(kind="KEYS_ONLY"), 0.5), (projection("proj"), 0.5)]
)
def test_the_consumed_capacity_of_an_index_read_follows_the_size_of_its_entries(
    engine: Engine, name: str, holds: Document, units: float
) -> None:
    assert indexed(engine, name, holds) == {"table": 0, "index": units}


@pytest.mark.parametrize("options", [{"ProjectionExpression": "rest"}, {"Select": "ALL_ATTRIBUTES"}])
@pytest.mark.parametrize(("consistent", "factor"), [(False, 0.5), (True, 1)])
def test_the_consumed_capacity_of_a_local_index_counts_fetched_items_one_by_one(
    engine: Engine, options: Document, consistent: bool, factor: float
) -> None:
    consumed = indexed(engine, "lsi", projection("proj"), ConsistentRead=consistent, **options)
    assert consumed == {"table": 3 * 3 * factor, "index": 1 * factor}


def test_the_consumed_capacity_of_a_local_index_has_no_fetches_if_all_is_projected(engine: Engine) -> None:
    assert indexed(engine, "lsi", projection("proj"), ProjectionExpression="proj, sk") == {"table": 0, "index": 0.5}
