"""Query of indexes: their items, order and projections."""

from __future__ import annotations

from typing import Any

import pytest

from singletable.engine.engine import Engine
from tests.engine.table_requests import (
    INVALID,
    Document,
    Refused,
    assert_refused,
    column,
    create,
    create_indexed,
    definitions,
    index,
    item,
    multi_key_schema,
    pages,
    projection,
    put,
    query,
    refusals,
    texts,
    values,
)

WHOLE = texts(pk="p", sk="1", gsiPk="g", lsiSk="l", kept="k", more="m")
KEYS = texts(pk="p", sk="1", gsiPk="g", lsiSk="l")


def by_index(engine: Engine, name: str, **parameters: Any) -> Document:
    """Query the partition of WHOLE in an index."""
    if name == "gsi":
        return query(engine, "gsiPk = :g", values(g="g"), IndexName="gsi", **parameters)
    return query(engine, "pk = :p", values(p="p"), IndexName="lsi", **parameters)


def of(item_: Document, *names: str) -> Document:
    return {name: item_[name] for name in names}


@pytest.mark.parametrize("select", [None, "ALL_PROJECTED_ATTRIBUTES"])
@pytest.mark.parametrize(
    ("name", "holds", "expected"),
    [
        ("gsi", projection(kind="ALL"), WHOLE),
        ("gsi", projection(kind="KEYS_ONLY"), of(WHOLE, "pk", "sk", "gsiPk")),
        ("gsi", projection("kept"), of(WHOLE, "pk", "sk", "gsiPk", "kept")),
        ("lsi", projection(kind="ALL"), WHOLE),
        ("lsi", projection(kind="KEYS_ONLY"), of(WHOLE, "pk", "sk", "lsiSk")),
        ("lsi", projection("kept"), of(WHOLE, "pk", "sk", "lsiSk", "kept")),
    ],
)
def test_query_returns_the_projected_attributes_of_an_index(
    empty_engine: Engine, name: str, holds: Document, expected: Document, select: str | None
) -> None:
    create_indexed(empty_engine, gsi=holds, lsi=holds)
    put(empty_engine, WHOLE)
    assert by_index(empty_engine, name, Select=select)["Items"] == [expected]


def test_query_of_an_index_returns_no_items_without_its_key(empty_engine: Engine) -> None:
    create_indexed(empty_engine)
    put(empty_engine, WHOLE)
    put(empty_engine, texts(pk="p", sk="2"))
    put(empty_engine, texts(pk="p", sk="3", gsiPk="other"))
    assert column(by_index(empty_engine, "gsi")["Items"]) == ["1"]
    assert column(by_index(empty_engine, "lsi")["Items"]) == ["1"]


def test_query_of_a_local_index_sorts_a_partition_by_another_key(empty_engine: Engine) -> None:
    create_indexed(empty_engine)
    for sort, other in (("1", "c"), ("2", "a"), ("3", "b"), ("4", "b#1"), ("5", "b")):
        put(empty_engine, texts(pk="p", sk=sort, lsiSk=other))
    put(empty_engine, texts(pk="q", sk="1", lsiSk="b"))

    def found(condition: str, forward: bool = True, **given: str) -> list[Any]:
        answer = query(
            empty_engine,
            f"pk = :p {condition}",
            values(p="p", **given),
            IndexName="lsi",
            ConsistentRead=True,
            ScanIndexForward=forward,
        )
        return column(answer["Items"])

    assert found("") == ["2", "3", "5", "4", "1"]
    assert found("", forward=False) == ["1", "4", "5", "3", "2"]
    assert found("AND lsiSk = :b", b="b") == ["3", "5"]
    assert found("AND begins_with(lsiSk, :b)", b="b") == ["3", "5", "4"]
    assert found("AND lsiSk BETWEEN :a AND :b", a="a", b="b") == ["2", "3", "5"]
    assert found("AND lsiSk > :b", b="b") == ["4", "1"]


@pytest.fixture
def composite(empty_engine: Engine) -> Engine:
    """Return an engine with a global index on `g` and the number `n`, and items with equal keys in it."""
    create(
        empty_engine,
        AttributeDefinitions=definitions(pk="S", sk="S", g="S", n="N"),
        GlobalSecondaryIndexes=[index("gsi", "g", "n")],
    )
    for partition, sort, number in (("b", "1", 10), ("a", "2", 9), ("a", "1", 10), ("c", "1", -1), ("a", "3", 10)):
        put(empty_engine, item(pk=partition, sk=sort, g="g", n=number))
    put(empty_engine, item(pk="d", sk="1", g="other", n=5))
    return empty_engine


def test_query_of_a_global_index_sorts_by_the_key_of_the_index(composite: Engine) -> None:
    found = query(composite, "g = :g", values(g="g"), IndexName="gsi")["Items"]
    assert column(found, "n") == ["-1", "9", "10", "10", "10"]
    found = query(composite, "g = :g AND n < :n", values(g="g", n=10), IndexName="gsi")["Items"]
    assert column(found, "n") == ["-1", "9"]
    assert query(composite, "g = :g", values(g="absent"), IndexName="gsi")["Items"] == []


@pytest.mark.parametrize("forward", [True, False])
@pytest.mark.parametrize("limit", [1, 2, 3, 4, 5, 6])
def test_query_pages_of_an_index_do_not_lose_or_repeat_items_with_equal_keys(
    composite: Engine, limit: int, forward: bool
) -> None:
    request = {
        "TableName": "table",
        "IndexName": "gsi",
        "KeyConditionExpression": "g = :g",
        "ExpressionAttributeValues": values(g="g"),
        "ScanIndexForward": forward,
    }
    whole = composite.call("Query", request)["Items"]
    answers = pages(composite, "Query", {**request, "Limit": limit})
    assert [each for answer in answers for each in answer["Items"]] == whole
    assert len(whole) == 5
    assert set(answers[0].get("LastEvaluatedKey", {"pk", "sk", "g", "n"})) == {"pk", "sk", "g", "n"}


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ({"Select": "ALL_ATTRIBUTES"}, WHOLE),
        ({"ProjectionExpression": "more"}, of(WHOLE, "more")),
        ({"ProjectionExpression": "kept, more, sk"}, of(WHOLE, "kept", "more", "sk")),
        ({"ProjectionExpression": "kept"}, of(WHOLE, "kept")),
    ],
)
def test_query_of_a_local_index_fetches_unprojected_attributes(
    empty_engine: Engine, parameters: Document, expected: Document
) -> None:
    create_indexed(empty_engine, lsi=projection("kept"))
    put(empty_engine, WHOLE)
    assert by_index(empty_engine, "lsi", **parameters)["Items"] == [expected]


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        (
            {"Select": "ALL_ATTRIBUTES"},
            f"{INVALID}Select type ALL_ATTRIBUTES is not supported for global secondary index gsi because its "
            "projection type is not ALL",
        ),
        (
            {"ProjectionExpression": "kept, more"},
            f"{INVALID}Global secondary index gsi does not project [more]",
        ),
    ],
)
def test_query_of_a_global_index_rejects_unprojected_attributes(
    empty_engine: Engine, parameters: Document, words: str
) -> None:
    create_indexed(empty_engine, gsi=projection("kept"))
    request = {
        "TableName": "table",
        "IndexName": "gsi",
        "KeyConditionExpression": "gsiPk = :g",
        "ExpressionAttributeValues": values(g="g"),
        **parameters,
    }
    assert_refused(empty_engine, "Query", Refused("", request, words))


@pytest.fixture
def multiple(empty_engine: Engine) -> Engine:
    """Return an engine with a global index on the partition keys `a`, `b` and the sort keys `x`, `y`, `z`."""
    kinds = {"a": "S", "b": "N", "x": "S", "y": "N", "z": "S"}
    create(
        empty_engine,
        AttributeDefinitions=definitions(pk="S", sk="S", **kinds),
        GlobalSecondaryIndexes=[{**index("gsi", "a"), "KeySchema": multi_key_schema("ab", "xyz")}],
    )
    rows = [("x", 10, "1"), ("x", 9, "2"), ("x#", 1, "1"), ("w", 5, "9"), ("x", 9, "1"), ("x", 9, "10")]
    for number, (x, y, z) in enumerate(rows):
        put(empty_engine, item(pk="p", sk=str(number), a="a", b=1, x=x, y=y, z=z))
    put(empty_engine, item(pk="p", sk="other partition", a="a", b=2, x="x", y=9, z="1"))
    put(empty_engine, item(pk="p", sk="no member", a="a", b=1, x="x", y=9))
    return empty_engine


MULTIPLE = [
    ("", {}, ["3", "4", "5", "1", "0", "2"]),
    ("AND x = :x", {"x": "x"}, ["4", "5", "1", "0"]),
    ("AND x > :x", {"x": "w"}, ["4", "5", "1", "0", "2"]),
    ("AND begins_with(x, :x)", {"x": "x"}, ["4", "5", "1", "0", "2"]),
    ("AND x = :x AND y = :y", {"x": "x", "y": 9}, ["4", "5", "1"]),
    ("AND x = :x AND y < :y", {"x": "x", "y": 10}, ["4", "5", "1"]),
    ("AND x = :x AND y BETWEEN :y AND :w", {"x": "x", "y": 10, "w": 11}, ["0"]),
    ("AND x = :x AND y = :y AND z = :z", {"x": "x", "y": 9, "z": "10"}, ["5"]),
    ("AND x = :x AND y = :y AND begins_with(z, :z)", {"x": "x", "y": 9, "z": "1"}, ["4", "5"]),
]


@pytest.mark.parametrize(("condition", "given", "expected"), MULTIPLE)
def test_query_uses_several_key_attributes_of_an_index_from_left_to_right(
    multiple: Engine, condition: str, given: dict[str, str | int], expected: list[str]
) -> None:
    whole = values(a="a", b=1, **given)
    request: Document = {
        "TableName": "table",
        "IndexName": "gsi",
        "KeyConditionExpression": f"a = :a AND b = :b {condition}",
        "ExpressionAttributeValues": whole,
    }
    assert column(multiple.call("Query", request)["Items"]) == expected
    assert column(multiple.call("Query", {**request, "ScanIndexForward": False})["Items"]) == expected[::-1]
    answers = pages(multiple, "Query", {**request, "Limit": 1})
    assert [sort for answer in answers for sort in column(answer["Items"])] == expected
    if expected:
        assert set(answers[0]["LastEvaluatedKey"]) == {"pk", "sk", "a", "b", "x", "y", "z"}


def requested(condition: str, **given: str | int) -> Document:
    return {"KeyConditionExpression": condition, "ExpressionAttributeValues": values(**given)}


EQUALITY = "must have equality conditions specified in the query"


@refusals(
    Refused("a part of the partition", requested("a = :a", a="a"), f"HASH key attributes b {EQUALITY}"),
    Refused(
        "a range of the partition",
        requested("a = :a AND b > :b", a="a", b=1),
        f"HASH key attributes b {EQUALITY}",
    ),
    Refused(
        "a sort attribute after one without a test",
        requested("a = :a AND b = :b AND y = :y", a="a", b=1, y=1),
        f"RANGE key attributes x {EQUALITY} because a condition is present on key attribute y",
    ),
    Refused(
        "a sort attribute after a range",
        requested("a = :a AND b = :b AND x > :x AND y = :y", a="a", b=1, x="x", y=1),
        f"RANGE key attributes x {EQUALITY} because a condition is present on key attribute y",
    ),
    Refused(
        "another type",
        requested("a = :a AND b = :b", a="a", b="1"),
        f"{INVALID}Condition parameter type does not match schema type",
    ),
    Refused(
        "an attribute that is not a key",
        requested("a = :a AND b = :b AND kept = :k", a="a", b=1, k="k"),
        "Query condition missed key schema element: x",
    ),
)
def test_query_rejects_an_invalid_condition_on_several_key_attributes(multiple: Engine, row: Refused) -> None:
    assert_refused(multiple, "Query", row, TableName="table", IndexName="gsi")


@pytest.mark.parametrize(
    ("name", "units"),
    [
        ("gsi", {"Table": {"CapacityUnits": 0.0}, "GlobalSecondaryIndexes": {"gsi": {"CapacityUnits": 0.5}}}),
        ("lsi", {"Table": {"CapacityUnits": 0.0}, "LocalSecondaryIndexes": {"lsi": {"CapacityUnits": 0.5}}}),
    ],
)
def test_query_consumes_the_capacity_of_the_index_that_it_reads(
    empty_engine: Engine, name: str, units: Document
) -> None:
    create_indexed(empty_engine)
    put(empty_engine, WHOLE)
    total = {"TableName": "table", "CapacityUnits": 0.5}
    assert by_index(empty_engine, name, ReturnConsumedCapacity="TOTAL")["ConsumedCapacity"] == total
    assert by_index(empty_engine, name, ReturnConsumedCapacity="INDEXES")["ConsumedCapacity"] == {**total, **units}
    assert "ConsumedCapacity" not in by_index(empty_engine, name, ReturnConsumedCapacity="NONE")
