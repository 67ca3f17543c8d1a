"""Expected: writes that succeed only if the item matches."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from singletable.engine.engine import Engine
from tests.engine.table_requests import (
    INVALID,
    Document,
    Refused,
    assert_refused,
    create,
    get,
    item,
    put,
    refusals,
    refused,
    texts,
)

KEY = texts(pk="a", sk="1")
OLD = {**KEY, **item(n=1, t="old")}


@pytest.fixture
def engine() -> Iterator[Engine]:
    with Engine() as made:
        create(made)
        put(made, OLD)
        yield made


WRITES: list[tuple[str, Document, Document | None]] = [
    ("PutItem", {"Item": {**KEY, **item(n=2)}}, {**KEY, **item(n=2)}),
    ("UpdateItem", {"Key": KEY, "AttributeUpdates": {"n": {"Value": {"N": "2"}}}}, {**OLD, **item(n=2)}),
    ("DeleteItem", {"Key": KEY}, None),
]


@pytest.mark.parametrize(("action", "request_", "after"), WRITES, ids=[action for action, _, _ in WRITES])
@pytest.mark.parametrize(
    ("expected", "holds"),
    [
        ({}, True),
        ({"n": {"Value": {"N": "1.0"}}}, True),
        ({"n": {"Value": {"N": "1"}, "Exists": True}}, True),
        ({"n": {"Value": {"N": "2"}}}, False),
        ({"n": {"Value": {"S": "1"}}}, False),
        ({"x": {"Value": {"N": "1"}}}, False),
        ({"x": {"Exists": False}}, True),
        ({"n": {"Exists": False}}, False),
        ({"n": {"ComparisonOperator": "GT", "Value": {"N": "0"}}}, True),
        ({"n": {"ComparisonOperator": "GT", "AttributeValueList": [{"N": "1"}]}}, False),
        ({"n": {"ComparisonOperator": "IN", "Value": {"N": "1"}}}, True),
        ({"n": {"ComparisonOperator": "NULL"}}, False),
        ({"n": {"ComparisonOperator": "NOT_NULL", "AttributeValueList": []}}, True),
        ({"n": {"Value": {"N": "1"}}, "t": {"Value": {"S": "new"}}}, False),
    ],
)
def test_a_write_succeeds_if_the_item_matches_the_legacy_expected_parameter(
    engine: Engine, action: str, request_: Document, after: Document | None, expected: Document, holds: bool
) -> None:
    request = {"TableName": "table", **request_, "Expected": expected}
    if holds:
        engine.call(action, request)
        assert get(engine, KEY) == after
    else:
        refusal = refused(engine, action, request)
        assert (refusal.code, refusal.message) == ("ConditionalCheckFailedException", "The conditional request failed")
        assert get(engine, KEY) == OLD


def test_legacy_expected_conditions_with_or_need_one_match(engine: Engine) -> None:
    expected = {"n": {"Value": {"N": "2"}}, "x": {"Exists": False}}
    put(engine, KEY, Expected=expected, ConditionalOperator="OR")
    assert get(engine, KEY) == KEY


def test_legacy_expected_conditions_see_no_attributes_of_a_missing_item(engine: Engine) -> None:
    key = texts(pk="b", sk="1")
    put(engine, key, Expected={"pk": {"Exists": False}})
    assert get(engine, key) == key


def test_a_failed_legacy_expected_condition_can_return_the_item(engine: Engine) -> None:
    request = {"Item": KEY, "Expected": {"pk": {"Exists": False}}, "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}
    refusal = refused(engine, "PutItem", {"TableName": "table", **request})
    assert set(refusal.fields) == {"Item"}


VALUE: Document = {"S": "a"}
OPERATOR: Document = {"ComparisonOperator": "LT"}


@refusals(
    Refused("nothing", {}, f"{INVALID}Value must be provided when Exists is null for Attribute: a"),
    Refused("exists", {"Exists": True}, f"{INVALID}Value must be provided when Exists is true for Attribute: a"),
    Refused(
        "does not exist and has a value",
        {"Exists": False, "Value": VALUE},
        f"{INVALID}Value cannot be used when Exists is false for Attribute: a",
    ),
    Refused(
        "an operator alone",
        OPERATOR,
        f"{INVALID}Value or AttributeValueList must be used with ComparisonOperator: LT for Attribute: a",
    ),
    Refused(
        "an operator and existence",
        {**OPERATOR, "Exists": True, "Value": VALUE, "AttributeValueList": [VALUE]},
        f"{INVALID}Exists and ComparisonOperator cannot be used together for Attribute: a",
    ),
    Refused(
        "a value and a list",
        {"Value": VALUE, "AttributeValueList": [VALUE]},
        f"{INVALID}Value and AttributeValueList cannot be used together for Attribute: a",
    ),
    Refused(
        "a list alone",
        {"AttributeValueList": [VALUE]},
        f"{INVALID}AttributeValueList can only be used with a ComparisonOperator for Attribute: a",
    ),
    Refused(
        "a list and existence",
        {"AttributeValueList": [VALUE], "Exists": False},
        f"{INVALID}AttributeValueList can only be used with a ComparisonOperator for Attribute: a",
    ),
    Refused(
        "an empty list",
        {**OPERATOR, "AttributeValueList": []},
        f"{INVALID}Invalid number of argument(s) for the LT ComparisonOperator",
    ),
    Refused(
        "one value where there should be two",
        {"ComparisonOperator": "BETWEEN", "Value": VALUE},
        f"{INVALID}Invalid number of argument(s) for the BETWEEN ComparisonOperator",
    ),
    Refused(
        "a value where there should be none",
        {"ComparisonOperator": "NULL", "Value": VALUE},
        f"{INVALID}Invalid number of argument(s) for the NULL ComparisonOperator",
    ),
    Refused("a bad number", {"Value": {"N": "b"}}, "The parameter cannot be converted to a numeric value: b"),
    Refused(
        "a type that the operator does not take",
        {**OPERATOR, "Value": {"SS": ["a"]}},
        f"{INVALID}ComparisonOperator LT is not valid for SS AttributeValue type",
    ),
)
def test_contradicting_parameters_of_legacy_expected_conditions_are_rejected(engine: Engine, row: Refused) -> None:
    row = row._replace(request={"Expected": {"a": row.request}})
    for action, request in (("PutItem", {"Item": KEY}), ("UpdateItem", {"Key": KEY}), ("DeleteItem", {"Key": KEY})):
        # This is checked before the table.
        assert_refused(engine, action, row, TableName="missing", **request)


def test_the_first_invalid_attribute_of_legacy_expected_conditions_is_reported(engine: Engine) -> None:
    expected = {"b": OPERATOR, "a": {}}
    words = refused(engine, "DeleteItem", {"TableName": "table", "Key": KEY, "Expected": expected}).message
    assert words.endswith("for Attribute: b")


@refusals(
    Refused(
        "the item",
        {"Item": {"pk": {}}, "Expected": {"a": {}}},
        "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes",
    ),
    Refused(
        "what is returned",
        {"Item": KEY, "Expected": {"a": {}}, "ReturnValues": "ALL_NEW"},
        "ReturnValues can only be ALL_OLD or NONE",
    ),
    Refused(
        "its size",
        {"Item": {**KEY, "v": {"S": "x" * 409_600}}, "Expected": {"a": {}}},
        "Item size has exceeded the maximum allowed size",
    ),
)
def test_put_item_reports_other_errors_before_invalid_legacy_expected_conditions(engine: Engine, row: Refused) -> None:
    assert_refused(engine, "PutItem", row, TableName="table")


def between(low: str, high: str) -> Document:
    return {"ComparisonOperator": "BETWEEN", "AttributeValueList": [{"S": low}, {"S": high}]}


@pytest.mark.parametrize(
    ("fits", "is_too_much"),
    [
        ({"v": {"Value": {"S": "x" * 409_599}}}, {"v": {"Value": {"S": "x" * 409_600}}}),
        ({"v": between("x" * 204_799, "x" * 204_800)}, {"v": between("x" * 204_800, "x" * 204_800)}),
        (
            {"v": {"Value": {"S": "x" * 409_598}}, "w": {"Exists": False}},
            {"v": {"Value": {"S": "x" * 409_599}}, "w": {"Exists": False}},
        ),
    ],
)
def test_legacy_expected_conditions_are_limited_to_the_size_of_an_item(
    engine: Engine, fits: Document, is_too_much: Document
) -> None:
    for action, name in (("PutItem", "Item"), ("UpdateItem", "Key"), ("DeleteItem", "Key")):
        request: Document = {"TableName": "table", name: KEY}
        assert refused(engine, action, {**request, "Expected": fits}).code == "ConditionalCheckFailedException"
        refusal = refused(engine, action, {**request, "Expected": is_too_much})
        assert refusal.message == "Item size has exceeded the maximum allowed size"
