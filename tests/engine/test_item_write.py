"""Writes of one item: what holds for all of them, by themselves and in a transaction."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from singletable.engine.engine import Engine
from tests.engine.tables import Document, create_indexed, put, refused, scan, texts, told_fields

KEY = texts(pk="a", sk="1")
SCALARS = "Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: "


@pytest.fixture
def engine() -> Iterator[Engine]:
    with Engine() as made:
        create_indexed(made)
        put(made, KEY)
        yield made


WRITES = pytest.mark.parametrize(
    ("action", "request_"),
    [
        ("PutItem", {"Item": {**KEY, **texts(v="new")}}),
        ("UpdateItem", {"Key": KEY, "UpdateExpression": "SET v = pk"}),
        ("UpdateItem", {"Key": KEY}),
        ("DeleteItem", {"Key": KEY}),
    ],
)
PLACES = pytest.mark.parametrize(
    ("place", "words"),
    [("pk.x", "Key: pk"), ("sk[0]", "Key: sk"), ("gsiPk.x", "IndexKey: gsiPk"), ("lsiSk[1].x", "IndexKey: lsiSk")],
)


@WRITES
@PLACES
def test_a_condition_looks_into_no_key(engine: Engine, action: str, request_: Document, place: str, words: str) -> None:
    condition = {"ConditionExpression": f"attribute_not_exists(v) AND attribute_not_exists({place})"}
    refusal = refused(engine, action, {"TableName": "table", **request_, **condition})
    assert (refusal.code, refusal.message) == ("ValidationException", SCALARS + words)
    assert scan(engine)["Items"] == [KEY]


@pytest.mark.parametrize("word", ["Delete", "ConditionCheck"])
def test_in_a_transaction_such_a_condition_is_the_reason(engine: Engine, word: str) -> None:
    check = {word: {"TableName": "table", "Key": KEY, "ConditionExpression": "attribute_not_exists(pk.x)"}}
    refusal = refused(engine, "TransactWriteItems", {"TransactItems": [check]})
    assert told_fields(refusal)["CancellationReasons"] == [{"Code": "ValidationError", "Message": f"{SCALARS}Key: pk"}]


def test_a_condition_may_look_into_any_other_attribute(engine: Engine) -> None:
    put(engine, {**KEY, "m": {"M": texts(x="y")}}, ConditionExpression="attribute_not_exists(m.x)")
    put(engine, KEY, ConditionExpression="attribute_exists(m.x) AND attribute_exists(pk)")
    assert scan(engine)["Items"] == [KEY]
