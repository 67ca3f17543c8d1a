"""TransactGetItems: up to 100 items of one snapshot, in the order of the request."""

from __future__ import annotations

from typing import Any

import pytest

from singletable.engine.engine import Engine
from tests.engine.table_requests import (
    INVALID,
    NOT_FOUND,
    Document,
    Refused,
    assert_refused,
    error_fields,
    item,
    put,
    refusals,
    refused,
    texts,
)


def getting(key: Document, table: str = "hash", **more: Any) -> Document:
    return {"Get": {"TableName": table, "Key": key, **more}}


def transaction(*gets: Document) -> Document:
    return {"TransactItems": list(gets)}


def test_transact_get_items_returns_items_in_the_order_of_the_request(engine: Engine) -> None:
    put(engine, item(pk="a", n=1), "hash")
    put(engine, item(pk="c", n=3), "hash")
    put(engine, texts(pk="p", sk="1", v="v"))
    answer = engine.call(
        "TransactGetItems",
        transaction(
            getting(texts(pk="c")),
            getting(texts(pk="b")),
            getting(texts(pk="p", sk="1"), "table", ProjectionExpression="v"),
            getting(texts(pk="a"), ProjectionExpression="#n", ExpressionAttributeNames={"#n": "n"}),
        ),
    )
    assert answer == {"Responses": [{"Item": item(pk="c", n=3)}, {}, {"Item": texts(v="v")}, {"Item": item(n=1)}]}


def test_transact_get_items_accepts_100_keys(engine: Engine) -> None:
    gets = [getting(texts(pk=f"{number}")) for number in range(100)]
    assert engine.call("TransactGetItems", transaction(*gets)) == {"Responses": [{}] * 100}


@pytest.mark.parametrize(
    ("requested", "expected"),
    [
        (
            "TOTAL",
            [
                {"TableName": "hash", "CapacityUnits": 6.0, "ReadCapacityUnits": 6.0},
                {"TableName": "table", "CapacityUnits": 2.0, "ReadCapacityUnits": 2.0},
            ],
        ),
        (
            "INDEXES",
            [
                {
                    "TableName": "hash",
                    "CapacityUnits": 6.0,
                    "ReadCapacityUnits": 6.0,
                    "Table": {"CapacityUnits": 6.0, "ReadCapacityUnits": 6.0},
                },
                {
                    "TableName": "table",
                    "CapacityUnits": 2.0,
                    "ReadCapacityUnits": 2.0,
                    "Table": {"CapacityUnits": 2.0, "ReadCapacityUnits": 2.0},
                },
            ],
        ),
        ("NONE", None),
        (None, None),
    ],
)
def test_transact_get_items_rounds_every_item_separately_and_consumes_double_units(
    engine: Engine, requested: str | None, expected: list[Document] | None
) -> None:
    put(engine, texts(pk="large", v="x" * 5000), "hash")
    request = transaction(
        getting(texts(pk="p", sk="1"), "table"), getting(texts(pk="large")), getting(texts(pk="absent"))
    )
    answer = engine.call("TransactGetItems", {**request, "ReturnConsumedCapacity": requested})
    assert answer.get("ConsumedCapacity") == expected


A = getting(texts(pk="a"))


@refusals(
    Refused(
        "nothing to read",
        transaction(),
        "1 validation error detected: Value '[]' at 'transactItems' failed to satisfy constraint: Member must have "
        "length greater than or equal to 1",
    ),
    Refused(
        "no get",
        transaction(A, {}),
        "1 validation error detected: Value null at 'transactItems.2.member.get' failed to satisfy constraint: Member "
        "must not be null",
    ),
    Refused("one item twice", transaction(A, A), "Transaction request cannot include multiple operations on one item"),
    Refused(
        "a missing table",
        transaction(A, getting(texts(pk="a"), "missing")),
        NOT_FOUND,
        "ResourceNotFoundException",
    ),
    Refused(
        "an invalid projection",
        transaction(A, getting(texts(pk="b"), ProjectionExpression="!!!")),
        'Invalid ProjectionExpression: Syntax error; token: "!", near: "!!"',
    ),
    Refused(
        "an unused name",
        transaction(getting(texts(pk="b"), ProjectionExpression="v", ExpressionAttributeNames={"#v": "v"})),
        "Value provided in ExpressionAttributeNames unused in expressions: keys: {#v}",
    ),
    Refused(
        "an invalid value",
        transaction(A, getting({"pk": {"SS": []}})),
        f"{INVALID}An string set  may not be empty",
    ),
)
def test_transact_get_items_rejects_an_invalid_transaction(engine: Engine, row: Refused) -> None:
    assert_refused(engine, "TransactGetItems", row)


def test_transact_get_items_rejects_more_than_100_items(engine: Engine) -> None:
    gets = [getting(texts(pk=f"{number}")) for number in range(101)]
    refusal = refused(engine, "TransactGetItems", transaction(*gets))
    assert refusal.message.startswith("1 validation error detected: Value '[")
    assert refusal.message.endswith(
        "]' at 'transactItems' failed to satisfy constraint: Member must have length less than or equal to 100"
    )


def test_transact_get_items_rejects_more_than_4_mb(engine: Engine) -> None:
    for number in range(12):
        put(engine, texts(pk=f"{number}", v="x" * 350_000), "hash")
    gets = [getting(texts(pk=f"{number}")) for number in range(12)]
    assert refused(engine, "TransactGetItems", transaction(*gets)).code == "ValidationException"
    assert len(engine.call("TransactGetItems", transaction(*gets[:11]))["Responses"]) == 11


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ({}, "The provided key element does not match the schema"),
        (texts(pk="a", sk="1"), "The provided key element does not match the schema"),
        (item(pk=1), "The provided key element does not match the schema"),
        (
            texts(pk=""),
            "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an "
            "empty string value. Key: pk",
        ),
    ],
)
def test_transact_get_items_returns_an_invalid_key_as_the_cancellation_reason(
    engine: Engine, key: Document, words: str
) -> None:
    refusal = refused(engine, "TransactGetItems", transaction(A, getting(key)))
    assert (refusal.code, refusal.message) == (
        "TransactionCanceledException",
        "Transaction cancelled, please refer cancellation reasons for specific reasons [None, ValidationError]",
    )
    assert error_fields(refusal)["CancellationReasons"] == [
        {"Code": "None"},
        {"Code": "ValidationError", "Message": words},
    ]


def test_transact_get_items_returns_a_projection_into_a_key_as_the_cancellation_reason(engine: Engine) -> None:
    gets = transaction(A, getting(texts(pk="b"), ProjectionExpression="pk.x"))
    refusal = refused(engine, "TransactGetItems", gets)
    assert refusal.code == "TransactionCanceledException"
    assert error_fields(refusal)["CancellationReasons"][1]["Message"] == (
        "Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: Key: pk"
    )
