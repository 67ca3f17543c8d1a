"""Writes consume what the service was seen to consume: rows captured against it, by table, global and local index."""

from __future__ import annotations

import pytest

from singletable.engine.engine import Engine
from tests.engine.captured_writes import ROWS, Row
from tests.engine.tables import Document, create_indexed, projection, put, texts, update


def _done(engine: Engine, row: Row) -> Document:
    asked = {"ReturnConsumedCapacity": "INDEXES"}
    if row.write == "put":
        return put(engine, texts(**row.changes), **asked)
    assert row.before is not None
    key = texts(pk=row.before["pk"], sk=row.before["sk"])
    if row.write == "delete":
        return engine.call("DeleteItem", {"TableName": "table", "Key": key, **asked})
    if row.write == "remove":
        return update(engine, key, f"REMOVE {', '.join(row.changes)}", **asked)
    clauses = ", ".join(f"{name} = :{name}" for name in row.changes)
    values = {f":{name}": {"S": text} for name, text in row.changes.items()}
    return update(engine, key, f"SET {clauses}", ExpressionAttributeValues=values, **asked)


@pytest.mark.parametrize("row", ROWS, ids=[row.claim for row in ROWS])
def test_a_write_consumes_what_was_captured(row: Row) -> None:
    with Engine() as engine:
        create_indexed(engine, gsi=projection("proj"), lsi=projection("proj") if row.is_included else None)
        if row.before is not None:
            put(engine, texts(**row.before))
        told = _done(engine, row)["ConsumedCapacity"]
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
    assert told == expected


def test_a_transaction_doubles_the_table_and_not_its_indexes() -> None:
    with Engine() as engine:
        create_indexed(engine, gsi=projection("proj"))
        item = texts(pk="a", sk="1", gsiPk="g")
        answer = engine.call(
            "TransactWriteItems",
            {"TransactItems": [{"Put": {"TableName": "table", "Item": item}}], "ReturnConsumedCapacity": "INDEXES"},
        )
    (told,) = answer["ConsumedCapacity"]
    assert told["Table"]["CapacityUnits"] == 2
    assert told["GlobalSecondaryIndexes"]["gsi"]["CapacityUnits"] == 1
    assert told["CapacityUnits"] == told["WriteCapacityUnits"] == 3


def test_sets_in_another_order_leave_an_index_entry_as_it_was() -> None:
    with Engine() as engine:
        create_indexed(engine)
        for members in (["a", "b"], ["b", "a"]):
            item = {**texts(pk="a", sk="1", gsiPk="g"), "tags": {"SS": members}}
            told = put(engine, item, ReturnConsumedCapacity="INDEXES")["ConsumedCapacity"]
    assert "GlobalSecondaryIndexes" not in told
