"""Legacy parameters cannot be combined with expressions. The errors are those of DynamoDB."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import FrameType

import pytest

from singletable.engine.engine import Engine
from tests.engine.table_requests import Document, column, create, item, put, refused, scan, texts, values

KEY = texts(pk="a", sk="1")
EXPECTED: Document = {"Expected": {"pk": {"Exists": False}}}
IS_A: Document = {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "a"}]}
KEYS: Document = {"KeyConditions": {"pk": IS_A}}


@pytest.fixture
def engine() -> Iterator[Engine]:
    with Engine() as made:
        create(made)
        put(made, {**KEY, **item(n=1)})
        put(made, {**texts(pk="a", sk="2"), **item(n=2)})
        yield made


@pytest.mark.parametrize(
    ("action", "request_", "legacy", "expressions"),
    [
        ("PutItem", {"Item": KEY, **EXPECTED, "ConditionExpression": "x"}, "Expected", "ConditionExpression"),
        (
            "DeleteItem",
            {"Key": KEY, **EXPECTED, "ConditionalOperator": "OR", "ConditionExpression": "x"},
            "Expected, ConditionalOperator",
            "ConditionExpression",
        ),
        (
            "UpdateItem",
            {"Key": KEY, "AttributeUpdates": {}, "UpdateExpression": "x", "ConditionExpression": "x"},
            "AttributeUpdates",
            "UpdateExpression, ConditionExpression",
        ),
        ("UpdateItem", {"Key": KEY, **EXPECTED, "UpdateExpression": "x"}, "Expected", "UpdateExpression"),
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
        ("Query", {**KEYS, "AttributesToGet": ["n"], "FilterExpression": "x"}, "AttributesToGet", "FilterExpression"),
        ("Scan", {"ScanFilter": {}, "FilterExpression": "x"}, "ScanFilter", "FilterExpression"),
        ("Scan", {"ConditionalOperator": "OR", "FilterExpression": "x"}, "ConditionalOperator", "FilterExpression"),
    ],
)
def test_legacy_parameters_cannot_be_combined_with_expressions(
    engine: Engine, action: str, request_: Document, legacy: str, expressions: str
) -> None:
    assert refused(engine, action, {"TableName": "table", **request_}).message == (
        "Can not use both expression and non-expression parameters in the same request: Non-expression parameters: "
        f"{{{legacy}}} Expression parameters: {{{expressions}}}"
    )


def test_a_batch_cannot_mix_legacy_parameters_and_expressions(engine: Engine) -> None:
    create(engine, "other")
    request = {
        "RequestItems": {
            "table": {"Keys": [KEY], "AttributesToGet": ["n"]},
            "other": {"Keys": [KEY], "ProjectionExpression": "n"},
        }
    }
    assert refused(engine, "BatchGetItem", request).message == (
        "Can not use both expression and non-expression parameters in the same request: Non-expression parameters: "
        "{AttributesToGet} Expression parameters: {ProjectionExpression}"
    )


def test_legacy_parameters_may_combine_key_conditions_with_other_expressions(engine: Engine) -> None:
    request = {
        "TableName": "table",
        **KEYS,
        "FilterExpression": "n > :n",
        "ProjectionExpression": "sk",
        "ExpressionAttributeValues": values(n=1),
    }
    assert engine.call("Query", request)["Items"] == [texts(sk="2")]


@pytest.mark.parametrize(
    ("action", "request_", "words"),
    [
        ("Query", {**KEYS, "ExpressionAttributeNames": {"#n": "n"}}, "ExpressionAttributeNames"),
        ("GetItem", {"Key": KEY, "AttributesToGet": ["n"], "ExpressionAttributeNames": {}}, "ExpressionAttributeNames"),
        (
            "Query",
            {**KEYS, "QueryFilter": {"n": {"ComparisonOperator": "EQ"}}, "ExpressionAttributeNames": {"#n": "n"}},
            "ExpressionAttributeNames",
        ),
    ],
)
def test_legacy_parameters_cannot_be_combined_with_expression_attribute_names(
    engine: Engine, action: str, request_: Document, words: str
) -> None:
    refusal = refused(engine, action, {"TableName": "table", **request_})
    assert refusal.message == f"{words} can only be specified when using expressions"


@pytest.mark.parametrize(
    ("action", "request_", "missing"),
    [
        ("Query", KEYS, "FilterExpression and KeyConditionExpression are null"),
        ("PutItem", {"Item": KEY, **EXPECTED}, "ConditionExpression is null"),
        ("UpdateItem", {"Key": KEY, **EXPECTED}, "UpdateExpression and ConditionExpression are null"),
        ("Scan", {"ScanFilter": {}}, "FilterExpression is null"),
    ],
)
def test_legacy_parameters_cannot_be_combined_with_expression_attribute_values(
    engine: Engine, action: str, request_: Document, missing: str
) -> None:
    request = {"TableName": "table", **request_, "ExpressionAttributeValues": values(n=1)}
    assert refused(engine, action, request).message == (
        f"ExpressionAttributeValues can only be specified when using expressions: {missing}"
    )


def test_a_request_with_rejected_legacy_parameters_changes_nothing(engine: Engine) -> None:
    refused(engine, "PutItem", {"TableName": "table", "Item": texts(pk="a", sk="3"), "ConditionalOperator": "AND"})
    assert column(scan(engine)["Items"]) == ["1", "2"]


def many(each: Document, count: int) -> Document:
    return {f"n{number}": each for number in range(count)}


@pytest.mark.parametrize(
    ("action", "parameter", "each", "calls_max"),
    [
        ("PutItem", "Expected", {"Exists": False}, 6),
        ("PutItem", "Expected", {"ComparisonOperator": "NE", "AttributeValueList": [{"S": "x"}]}, 12),
        ("Scan", "ScanFilter", {"ComparisonOperator": "NULL"}, 8),
        ("UpdateItem", "AttributeUpdates", {"Value": {"S": "x"}, "Action": "PUT"}, 26),
    ],
)
def test_thousands_of_legacy_parameters_cost_few_function_calls_each(
    engine: Engine, action: str, parameter: str, each: Document, calls_max: int
) -> None:
    target: Document = {"PutItem": {"Item": KEY}, "UpdateItem": {"Key": KEY}}.get(action, {})

    def calls(count: int) -> int:
        made = 0

        def count_call(frame: FrameType, event: str, argument: object) -> None:
            nonlocal made
            made += event == "call"

        sys.setprofile(count_call)
        try:
            engine.call(action, {"TableName": "table", **target, parameter: many(each, count)})
        finally:
            sys.setprofile(None)
        return made

    calls(10)
    # A garbage collection can add a few hundred calls of finalizers.
    assert calls(2010) - calls(10) <= 2000 * calls_max + 500
