"""Writes consume the units that were captured from the service, by table, global and local index."""

from __future__ import annotations

import pytest

from singletable.engine.engine import Engine
from tests.engine.items.captured_write_units import ROWS, Row
from tests.engine.table_requests import Document, create_indexed, projection, put, texts, update


def _done(engine: Engine, row: Row) -> Document:
    options = {"ReturnConsumedCapacity": "INDEXES"}
    if row.write == "put":
        return put(engine, texts(**row.changes), **options)
    assert row.before is not None
    key = texts(pk=row.before["pk"], sk=row.before["sk"])
    if row.write == "delete":
        return engine.call("DeleteItem", {"TableName": "table", "Key": key, **options})
    if row.write == "remove":
        return update(engine, key, f"REMOVE {', '.join(row.changes)}", **options)
    clauses = ", ".join(f"{name} = :{name}" for name in row.changes)
    values = {f":{name}": {"S": text} for name, text in row.changes.items()}
    return update(engine, key, f"SET {clauses}", ExpressionAttributeValues=values, **options)


@pytest.mark.parametrize("row", ROWS, ids=[row.claim for row in ROWS])
def test_the_consumed_capacity_of_a_write_equals_the_captured_units(row: Row) -> None:
    with Engine() as engine:
        create_indexed(engine, gsi=projection("proj"), lsi=projection("proj") if row.is_included else None)
        if row.before is not None:
            put(engine, texts(**row.before))
        consumed = _done(engine, row)["ConsumedCapacity"]
    table, global_index, local_index = row.units
    expected: Document = {
        "TableName": "table",
        "CapacityUnits": sum(units or 0 for units in row.units),
        "Table": {"CapacityUnits": table},
    }
    if global_index is not None:
        expected["GlobalSecondaryIndexes"] = {"gsi": {"CapacityUnits": global_index}}
    if local_index is not None:
        expected["LocalSecondaryIndexes"] = {"lsi": {"CapacityUnits": local_index}}
    assert consumed == expected


def test_the_consumed_capacity_of_a_transaction_doubles_for_the_table_but_not_its_indexes() -> None:
    with Engine() as engine:
        create_indexed(engine, gsi=projection("proj"))
        item = texts(pk="a", sk="1", gsiPk="g")
        answer = engine.call(
            "TransactWriteItems",
            {"TransactItems": [{"Put": {"TableName": "table", "Item": item}}], "ReturnConsumedCapacity": "INDEXES"},
        )
    (consumed,) = answer["ConsumedCapacity"]
    assert consumed["Table"]["CapacityUnits"] == 2
    assert consumed["GlobalSecondaryIndexes"]["gsi"]["CapacityUnits"] == 1
    assert consumed["CapacityUnits"] == consumed["WriteCapacityUnits"] == 3


def test_the_consumed_capacity_of_an_index_ignores_reordered_sets() -> None:
    with Engine() as engine:
        create_indexed(engine)
        for members in (["a", "b"], ["b", "a"]):
            item = {**texts(pk="a", sk="1", gsiPk="g"), "tags": {"SS": members}}
            consumed = put(engine, item, ReturnConsumedCapacity="INDEXES")["ConsumedCapacity"]
    assert "GlobalSecondaryIndexes" not in consumed
