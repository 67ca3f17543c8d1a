"""Parameters from before expressions: refused by name, and in DynamoDB's words where they stand beside expressions."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from singletable.engine.engine import Engine
from tests.engine.tables import Document, create, put, refused, scan, texts, values

KEY = texts(pk="a", sk="1")
EXPECTED: Document = {"Expected": {"pk": {"Exists": False}}}
IS_A: Document = {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "a"}]}


@pytest.fixture
def engine() -> Iterator[Engine]:
    with Engine() as made:
        create(made)
        put(made, KEY)
        yield made


@pytest.mark.parametrize(
    ("action", "request_", "parameter"),
    [
        ("GetItem", {"Key": KEY, "AttributesToGet": ["n"]}, "AttributesToGet"),
        ("PutItem", {"Item": KEY, **EXPECTED}, "Expected"),
        ("PutItem", {"Item": KEY, "ConditionalOperator": "AND"}, "ConditionalOperator"),
        ("DeleteItem", {"Key": KEY, **EXPECTED}, "Expected"),
        ("UpdateItem", {"Key": KEY, "AttributeUpdates": {"n": {"Action": "DELETE"}}, **EXPECTED}, "AttributeUpdates"),
        ("UpdateItem", {"Key": KEY, **EXPECTED}, "Expected"),
        ("Query", {"KeyConditions": {"pk": IS_A}}, "KeyConditions"),
        ("Query", {"KeyConditions": {"pk": IS_A}, "QueryFilter": {"n": IS_A}}, "QueryFilter"),
        ("Query", {"KeyConditions": {"pk": IS_A}, "AttributesToGet": ["n"]}, "AttributesToGet"),
        ("Scan", {"ScanFilter": {"n": IS_A}}, "ScanFilter"),
        ("Scan", {"AttributesToGet": ["n"]}, "AttributesToGet"),
    ],
)
def test_a_parameter_from_before_expressions_is_refused_by_name(
    engine: Engine, action: str, request_: Document, parameter: str
) -> None:
    refusal = refused(engine, action, {"TableName": "table", **request_})
    assert refusal.code == "ValidationException"
    assert refusal.message == f"{parameter} is not served by this engine: use an expression instead"
    assert scan(engine)["Items"] == [KEY]


def test_it_is_refused_in_a_batch_too(engine: Engine) -> None:
    request = {"RequestItems": {"table": {"Keys": [KEY], "AttributesToGet": ["n"]}}}
    refusal = refused(engine, "BatchGetItem", request)
    assert refusal.message == "AttributesToGet is not served by this engine: use an expression instead"


@pytest.mark.parametrize(
    ("action", "request_", "legacy", "expressions"),
    [
        ("PutItem", {"Item": KEY, **EXPECTED, "ConditionExpression": "x"}, "Expected", "ConditionExpression"),
        (
            "UpdateItem",
            {"Key": KEY, "AttributeUpdates": {}, "UpdateExpression": "x", "ConditionExpression": "x"},
            "AttributeUpdates",
            "UpdateExpression, ConditionExpression",
        ),
        (
            "GetItem",
            {"Key": KEY, "AttributesToGet": ["n"], "ProjectionExpression": "n"},
            "AttributesToGet",
            "ProjectionExpression",
        ),
        (
            "Query",
            {
                "AttributesToGet": ["n"],
                "QueryFilter": {},
                "ConditionalOperator": "OR",
                "KeyConditions": {},
                "ProjectionExpression": "n",
                "FilterExpression": "n = :n",
                "KeyConditionExpression": "pk = :n",
                "ExpressionAttributeValues": values(n="n"),
            },
            "AttributesToGet, QueryFilter, ConditionalOperator, KeyConditions",
            "ProjectionExpression, FilterExpression, KeyConditionExpression",
        ),
        ("Scan", {"ScanFilter": {}, "FilterExpression": "x"}, "ScanFilter", "FilterExpression"),
    ],
)
def test_it_does_not_stand_beside_expressions(
    engine: Engine, action: str, request_: Document, legacy: str, expressions: str
) -> None:
    assert refused(engine, action, {"TableName": "table", **request_}).message == (
        "Can not use both expression and non-expression parameters in the same request: Non-expression parameters: "
        f"{{{legacy}}} Expression parameters: {{{expressions}}}"
    )
