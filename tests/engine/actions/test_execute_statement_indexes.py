"""ExecuteStatement on indexes: projected attributes, consumed units and filters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from singletable.engine.engine import Engine
from tests.engine.partiql.statement_requests import all_pages, error_message, execute, selected
from tests.engine.table_requests import INVALID, create, definitions, index, multi_key_schema, projection, put, texts

NOT_ON_INDEX = "This operation is not supported on an index"
LACKING = f"{INVALID}Secondary index inc does not project one or more filter attributes:"


@pytest.fixture
def engine() -> Iterator[Engine]:
    with Engine() as made:
        create(
            made,
            AttributeDefinitions=definitions(pk="S", sk="S", g="S", l="S"),
            GlobalSecondaryIndexes=[index("all", "g"), index("inc", "g", holds=projection("held"))],
            LocalSecondaryIndexes=[index("keys", "pk", "l", holds=projection(kind="KEYS_ONLY"))],
        )
        put(made, texts(pk="p", sk="1", g="x", l="b", held="h1", other="o1"))
        put(made, texts(pk="p", sk="2", g="y", l="a", held="h2", other="o2"))
        put(made, texts(pk="p", sk="3", other="o3"))
        put(made, texts(pk="p", sk="4", g="x", l="c", held="h4", other="o4"))
        yield made


def capacity(engine: Engine, statement: str, **options: Any) -> dict[str, Any]:
    expected: dict[str, Any] = execute(engine, statement, ReturnConsumedCapacity="INDEXES", **options)[
        "ConsumedCapacity"
    ]
    return expected


def sorts(engine: Engine, statement: str) -> list[str]:
    return [item["sk"]["S"] for item in selected(engine, statement)]


def test_execute_statement_returns_the_projected_attributes_of_an_index(engine: Engine) -> None:
    assert sorts(engine, 'SELECT * FROM "table"."all" WHERE g = \'x\'') == ["1", "4"]
    assert selected(engine, 'SELECT * FROM "table"."inc" WHERE g = \'y\'') == [texts(pk="p", sk="2", g="y", held="h2")]
    assert selected(engine, "SELECT * FROM \"table\".\"keys\" WHERE pk = 'p' AND l < 'b'") == [
        texts(pk="p", sk="2", l="a")
    ]
    assert sorts(engine, 'SELECT * FROM "table"."keys" WHERE pk = \'p\' ORDER BY l DESC') == ["4", "1", "2"]


def test_execute_statement_consumes_the_units_of_the_index_that_it_reads(engine: Engine) -> None:
    expected = capacity(engine, 'SELECT * FROM "table"."all" WHERE g = \'x\'')
    assert expected["Table"] == {"CapacityUnits": 0.0}
    assert expected["GlobalSecondaryIndexes"] == {"all": {"CapacityUnits": 0.5}}
    once = capacity(engine, 'SELECT * FROM "table"."keys" WHERE pk = \'p\'')
    twice = capacity(engine, 'SELECT * FROM "table"."keys" WHERE pk = \'p\'', ConsistentRead=True)
    assert (once["CapacityUnits"], twice["CapacityUnits"]) == (0.5, 1.0)


def test_execute_statement_fetches_unprojected_attributes_of_a_local_index_for_table_units(engine: Engine) -> None:
    statement = 'SELECT other FROM "table"."keys" WHERE pk = \'p\''
    assert selected(engine, statement) == [texts(other="o2"), texts(other="o1"), texts(other="o4")]
    assert capacity(engine, statement)["Table"] == {"CapacityUnits": 1.5}
    assert capacity(engine, statement, Limit=1)["Table"] == {"CapacityUnits": 0.5}


def test_execute_statement_rejects_unprojected_columns_of_a_global_index(engine: Engine) -> None:
    words = f"{INVALID}Global secondary index inc does not project [zz, other]"
    assert error_message(engine, 'SELECT zz, held, other FROM "table"."inc" WHERE g = \'x\'') == words


@pytest.mark.parametrize(
    ("where", "lacking"),
    [
        ("g = 'x' AND other = 'o1'", "[other]"),
        ("g = 'x' AND NOT (other = 'o1' OR held = 'h')", "[other]"),
        ("g = 'x' AND (zz = '1' OR aa = '2' OR mm = '3')", "[zz, aa, mm]"),
        ("g IN ['x', 'y'] AND other IS MISSING", "[other]"),
        ("(g = 'x' OR g = 'y') AND begins_with(other, 'o')", "[other]"),
        ("(g = 'b' AND u1 = '1') OR (g = 'q' AND u2 = '1')", "[u2]"),
        ("(g = 'q' AND u1 = '1') OR (g = 'b' AND u2 = '1')", "[u1]"),
    ],
)
def test_execute_statement_filters_a_keyed_read_of_an_index_only_on_projected_attributes(
    engine: Engine, where: str, lacking: str
) -> None:
    assert error_message(engine, f'SELECT pk FROM "table"."inc" WHERE {where}') == f"{LACKING} {lacking}"


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ("g = 'x' AND held = 'h1'", ["1"]),
        ("other = 'o1'", []),
        ("NOT other = 'o1'", ["1", "2", "4"]),
        ("g > 'a' AND other = 'o1'", []),
        ("(g = 'x' AND other = 'o1') OR (g = 'y')", ["2"]),
        ("(g = 'x' AND other = 'o1') OR aa = '1'", []),
        ("g = 'x' AND (g = 'z' OR other IS MISSING)", ["1", "4"]),
    ],
)
def test_execute_statement_sees_unprojected_attributes_of_an_index_as_missing(
    engine: Engine, where: str, expected: list[str]
) -> None:
    assert sorted(sorts(engine, f'SELECT sk FROM "table"."inc" WHERE {where}')) == expected


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ('SELECT * FROM "table"."none" WHERE pk = \'p\'', "The table does not have the specified index"),
        ('SELECT * FROM "table"."table" WHERE pk = \'p\'', "The table does not have the specified index"),
        (
            "UPDATE \"table\".\"all\" SET a = 1 WHERE pk = 'p' AND sk = '1'",
            "This operation is not supported on an index",
        ),
        ("DELETE FROM \"table\".\"none\" WHERE pk = 'p' AND sk = '1'", "This operation is not supported on an index"),
    ],
)
def test_execute_statement_rejects_a_missing_index_and_writes_to_an_index(
    engine: Engine, statement: str, words: str
) -> None:
    assert error_message(engine, statement) == words


def test_execute_statement_rejects_consistent_reads_of_a_global_index(engine: Engine) -> None:
    words = "Strongly consistent read is not supported on Global Secondary Indexes"
    assert error_message(engine, 'SELECT * FROM "table"."all"', ConsistentRead=True) == words


def test_execute_statement_reads_an_index_in_pages(engine: Engine) -> None:
    pages = all_pages(engine, 'SELECT sk FROM "table"."all" WHERE g = \'x\'', Limit=1)
    assert [[item["sk"]["S"] for item in page["Items"]] for page in pages] == [["1"], ["4"], []]
    token = pages[0]["NextToken"]
    words = "NextToken does not match request"
    assert error_message(engine, 'SELECT sk FROM "table"."inc" WHERE g = \'x\'', NextToken=token) == words


def test_execute_statement_uses_key_attributes_of_an_index_from_left_to_right(empty_engine: Engine) -> None:
    create(
        empty_engine,
        AttributeDefinitions=definitions(pk="S", sk="S", a="S", b="S", c="N", d="N"),
        GlobalSecondaryIndexes=[
            {"IndexName": "many", "KeySchema": multi_key_schema("ab", "cd"), "Projection": projection(kind="ALL")}
        ],
    )
    for c in (1, 2):
        for d in (1, 2):
            numbers = {"c": {"N": str(c)}, "d": {"N": str(d)}}
            put(empty_engine, {**texts(pk="p", sk=f"{c}{d}", a="x", b="y"), **numbers})
    select = "SELECT sk FROM \"table\".\"many\" WHERE a = 'x' AND b = 'y'"
    assert sorts(empty_engine, f"{select} AND c = 1 AND d > 1") == ["12"]
    assert sorts(empty_engine, f"{select} AND c > 1 AND d = 1") == ["21"]
    assert sorts(empty_engine, f"{select} AND d IN [1, 2] AND c = 2") == ["21", "22"]
    assert sorts(empty_engine, 'SELECT sk FROM "table"."many" WHERE a = \'x\' AND c = 1') == ["11", "12"]
