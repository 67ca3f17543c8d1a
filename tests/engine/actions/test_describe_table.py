"""DescribeTable: the current sizes of a table and its indexes."""

from __future__ import annotations

from pathlib import Path

from singletable.engine.engine import Engine
from tests.engine.table_requests import (
    Document,
    Refused,
    assert_refused,
    create_indexed,
    delete,
    item,
    projection,
    put,
    refusals,
    texts,
    update,
)


def described(engine: Engine, name: str = "table") -> Document:
    table: Document = engine.call("DescribeTable", {"TableName": name})["Table"]
    return table


def sizes(engine: Engine) -> dict[str, tuple[int, int]]:
    """Return the items and bytes of the table and its indexes, by name."""
    table = described(engine)
    found = {"table": (table["ItemCount"], table["TableSizeBytes"])}
    for each in (*table["GlobalSecondaryIndexes"], *table["LocalSecondaryIndexes"]):
        found[each["IndexName"]] = (each["ItemCount"], each["IndexSizeBytes"])
    return found


def test_describe_table_returns_the_sizes_of_items_and_index_entries(empty_engine: Engine) -> None:
    create_indexed(empty_engine, gsi=projection(kind="KEYS_ONLY"), lsi=projection("kept"))
    # The bytes of names and values: pk 2 + 1, sk 2 + 1, gsiPk 5 + 1, lsiSk 5 + 1, kept 4 + 4, other 5 + 5.
    put(empty_engine, texts(pk="a", sk="1", gsiPk="g", lsiSk="l", kept="kept", other="other"))
    assert sizes(empty_engine) == {"table": (1, 36), "gsi": (1, 12), "lsi": (1, 20)}
    put(empty_engine, texts(pk="a", sk="2", gsiPk="g"))
    assert sizes(empty_engine) == {"table": (2, 48), "gsi": (2, 24), "lsi": (1, 20)}


def test_the_table_sizes_that_describe_table_returns_change_with_updates_and_deletes(empty_engine: Engine) -> None:
    create_indexed(empty_engine)
    key = texts(pk="a", sk="1")
    put(empty_engine, {**key, **texts(gsiPk="g", lsiSk="l")})
    update(empty_engine, key, "REMOVE gsiPk SET lsiSk = :long", ExpressionAttributeValues={":long": {"S": "longer"}})
    assert sizes(empty_engine) == {"table": (1, 17), "gsi": (0, 0), "lsi": (1, 17)}
    delete(empty_engine, key)
    assert sizes(empty_engine) == {"table": (0, 0), "gsi": (0, 0), "lsi": (0, 0)}


def test_describe_table_describes_no_indexes_of_a_table_without_indexes(engine: Engine) -> None:
    assert "GlobalSecondaryIndexes" not in described(engine)
    assert "LocalSecondaryIndexes" not in described(engine)


def test_describe_table_returns_the_same_description_after_reopening_the_store(tmp_path: Path) -> None:
    url = f"file:{tmp_path / 'store'}"
    with Engine(url) as engine:
        create_indexed(engine)
        put(engine, item(pk="a", sk="1", gsiPk="g", n=5))
        before = described(engine)
    with Engine(url) as engine:
        assert described(engine) == before


@refusals(
    Refused(
        "a missing table",
        {"TableName": "missing"},
        "Requested resource not found: Table: missing not found",
        "ResourceNotFoundException",
    ),
    Refused("no name", {}, "The parameter 'TableName' is required but was not present in the request"),
    Refused(
        "a name with other characters",
        {"TableName": "no blanks"},
        "1 validation error detected: Value 'no blanks' at 'tableName' failed to satisfy constraint: Member must "
        "satisfy regular expression pattern: [a-zA-Z0-9_.-]+",
    ),
)
def test_describe_table_rejects_an_invalid_request(engine: Engine, row: Refused) -> None:
    assert_refused(engine, "DescribeTable", row)
