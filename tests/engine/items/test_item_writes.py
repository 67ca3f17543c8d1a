"""Rules for all item writes, alone and in a transaction."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from singletable.engine.engine import Engine
from tests.engine.table_requests import Document, create_indexed, error_fields, put, refused, scan, texts

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
def test_request_expressions_reject_a_write_condition_with_a_nested_key_path(
    engine: Engine, action: str, request_: Document, place: str, words: str
) -> None:
    condition = {"ConditionExpression": f"attribute_not_exists(v) AND attribute_not_exists({place})"}
    error = refused(engine, action, {"TableName": "table", **request_, **condition})
    assert (error.code, error.message) == ("ValidationException", SCALARS + words)
    assert scan(engine)["Items"] == [KEY]


@pytest.mark.parametrize("word", ["Delete", "ConditionCheck"])
def test_a_nested_key_path_in_request_expressions_of_a_transaction_is_a_cancellation_reason(
    engine: Engine, word: str
) -> None:
    check = {word: {"TableName": "table", "Key": KEY, "ConditionExpression": "attribute_not_exists(pk.x)"}}
    error = refused(engine, "TransactWriteItems", {"TransactItems": [check]})
    assert error_fields(error)["CancellationReasons"] == [{"Code": "ValidationError", "Message": f"{SCALARS}Key: pk"}]


def test_request_expressions_accept_a_write_condition_with_nested_paths_into_other_attributes(engine: Engine) -> None:
    put(engine, {**KEY, "m": {"M": texts(x="y")}}, ConditionExpression="attribute_not_exists(m.x)")
    put(engine, KEY, ConditionExpression="attribute_exists(m.x) AND attribute_exists(pk)")
    assert scan(engine)["Items"] == [KEY]
