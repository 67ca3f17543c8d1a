"""Write units of item changes: as the engine counts them."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from singletable.client.request_steps import Call
from singletable.engine.engine import Engine
from singletable.evolve.snapshot_records import IndexSnapshot, KeyAttributeSnapshot
from singletable.migrations.change_units import change_units
from tests.migrations.orders import session_of


def keys(*names: str) -> tuple[KeyAttributeSnapshot, ...]:
    return tuple(KeyAttributeSnapshot(name=name) for name in names)


TABLE = IndexSnapshot(alias="key", name="", kind="table", partition=keys("PK"))
INDEXES = [
    IndexSnapshot(alias="a", name="All", partition=keys("A")),
    IndexSnapshot(alias="b", name="Keys", partition=keys("B"), projection="KEYS_ONLY"),
    IndexSnapshot(alias="c", name="Some", partition=keys("C"), projection="INCLUDE", included=("text",)),
]
VALUES = st.sampled_from(["x", "y", "z" * 1100])
ATTRIBUTES = st.dictionaries(st.sampled_from(["A", "B", "C", "text", "other"]), VALUES)


def table() -> dict[str, Any]:
    def projection(index: IndexSnapshot) -> dict[str, Any]:
        included = {"NonKeyAttributes": list(index.included)} if index.included else {}
        return {"ProjectionType": index.projection, **included}

    names = ["PK", *(index.attributes[0] for index in INDEXES)]
    return {
        "TableName": "Units",
        "BillingMode": "PAY_PER_REQUEST",
        "KeySchema": [{"AttributeName": "PK", "KeyType": "HASH"}],
        "AttributeDefinitions": [{"AttributeName": name, "AttributeType": "S"} for name in names],
        "GlobalSecondaryIndexes": [
            {
                "IndexName": index.name,
                "KeySchema": [{"AttributeName": index.attributes[0], "KeyType": "HASH"}],
                "Projection": projection(index),
            }
            for index in INDEXES
        ],
    }


@given(ATTRIBUTES, ATTRIBUTES)
def test_the_units_of_a_change_are_those_that_the_engine_consumes(
    before: dict[str, str], after: dict[str, str]
) -> None:
    session = session_of(Engine("memory:"))
    session.send(Call("CreateTable", table()))
    old, new = ({"PK": {"S": "k"}} | {name: {"S": each} for name, each in given.items()} for given in (before, after))
    session.send(Call("PutItem", {"TableName": "Units", "Item": old}))
    put = Call("PutItem", {"TableName": "Units", "Item": new, "ReturnConsumedCapacity": "TOTAL"})
    consumed = json.loads(session.send(put))["ConsumedCapacity"]["CapacityUnits"]
    assert change_units(old, new, TABLE, [TABLE, *INDEXES]) == consumed
