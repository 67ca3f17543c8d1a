"""What DynamoDB refuses in attribute values, its words and which of them come first, however they are checked."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from singletable.errors import RequestRefused
from singletable.values.accept import accept_item, accept_value
from singletable.values.checks import check_item, check_nesting, check_value
from tests.values.generated import nested

EMPTY = "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"
SEVERAL = "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes"
TOO_DEEP = (
    "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit"
)
NOT_NUMERIC = "The parameter cannot be converted to a numeric value"
INVALID = "One or more parameter values were invalid: "
NULL = "Null attribute value types must have the value of true"


def refusal(check: Any, argument: Any) -> tuple[str, str]:
    with pytest.raises(RequestRefused) as refused:
        check(argument)
    return refused.value.code, refused.value.message


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({}, EMPTY),
        ({"a": ""}, EMPTY),
        ({"S": None}, EMPTY),
        ({"M": {"a": {}}}, EMPTY),
        ({"L": [{}]}, EMPTY),
        ({"L": [{"a": {}}]}, EMPTY),
        ({"S": "a", "N": "1"}, SEVERAL),
        ({"S": "a", "BOOL": True}, SEVERAL),
        ({"L": [], "M": {}}, SEVERAL),
        ({"NULL": False}, INVALID + NULL),
        ({"NULL": "no"}, INVALID + NULL),
        ({"SS": []}, INVALID + "An string set  may not be empty"),
        ({"NS": []}, INVALID + "An number set  may not be empty"),
        ({"BS": []}, INVALID + "Binary sets should not be empty"),
        ({"SS": ["a", "a"]}, INVALID + "Input collection [a, a] contains duplicates."),
        ({"SS": ["b", "a", "b"]}, INVALID + "Input collection [b, a, b] contains duplicates."),
        ({"NS": ["1", "1.0"]}, "Input collection contains duplicates"),
        ({"BS": ["Yg==", "Yg=="]}, INVALID + "Input collection [Yg==, Yg==]of type BS contains duplicates."),
        ({"SS": ["a", None]}, INVALID + "An string set may not have a null string as a member"),
        ({"NS": ["1", None]}, NOT_NUMERIC),
        ({"BS": [None]}, INVALID + "Binary sets may not contain null values"),
        ({"N": ""}, NOT_NUMERIC),
        ({"N": "b"}, NOT_NUMERIC + ": b"),
        ({"NS": ["1", ""]}, NOT_NUMERIC),
        ({"NS": ["1", "b"]}, NOT_NUMERIC + ": b"),
        ({"L": [{"M": {"a": {"N": "b"}}}]}, NOT_NUMERIC + ": b"),
        ({"L": [None]}, "The supplied Item contains a null AttributeValue"),
        ({"M": {"a": None}}, "The supplied Item contains a null AttributeValue: a is null"),
        ({"M": {"": {"S": "a"}}}, "Empty attribute name"),
        ({"M": {"é" * 32_768: {"S": "a"}}}, "Attribute name is too large, must be less than 65536 bytes"),
        (nested(32), TOO_DEEP),
        (nested(32, kind="L"), TOO_DEEP),
        (nested(100_000), TOO_DEEP),
    ],
)  # fmt: skip
def test_a_wrong_value_is_refused_in_dynamodbs_words(value: Any, message: str) -> None:
    for check in (check_value, accept_value):
        assert refusal(check, value) == ("ValidationException", message)
    for check_all in (check_item, accept_item):
        assert refusal(check_all, {"key": {"S": "a"}, "value": value}) == ("ValidationException", message)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"S": "a", "N": "b"}, NOT_NUMERIC + ": b"),
        ({"S": "", "N": ""}, NOT_NUMERIC),
        ({"S": "a", "SS": []}, INVALID + "An string set  may not be empty"),
        ({"NULL": False, "S": "a"}, INVALID + NULL),
        ({"M": {"": {"N": "b"}}}, NOT_NUMERIC + ": b"),
        (nested(32, leaf={"N": "b"}), TOO_DEEP),
        ({"M": {"a": {"N": "b"}, "d": nested(40)}}, NOT_NUMERIC + ": b"),
        ({"M": {"d": nested(40), "a": {"N": "b"}}}, TOO_DEEP),
    ],
)
def test_of_two_things_wrong_with_a_value_dynamodb_names_this_one(value: Any, message: str) -> None:
    for check in (check_value, accept_value):
        assert refusal(check, value) == ("ValidationException", message)


@pytest.mark.parametrize(
    ("item", "code", "message"),
    [
        (
            {"a": {"SS": []}, "b": {"S": 5}},
            "SerializationException",
            "NUMBER_VALUE cannot be converted to String",
        ),
        ({"a": {"SS": []}, "b": {"N": "x"}}, "ValidationException", INVALID + "An string set  may not be empty"),
        ({"b": {"N": "x"}, "a": {"SS": []}}, "ValidationException", NOT_NUMERIC + ": x"),
        ({"d": nested(100), "": {"S": "x"}}, "ValidationException", "Empty attribute name"),
        ({"a": None}, "ValidationException", "The supplied Item contains a null AttributeValue: a is null"),
        (
            {"a" * 65_536: {"S": "x"}},
            "ValidationException",
            "Attribute name is too large, must be less than 65536 bytes",
        ),
    ],
)
def test_of_two_things_wrong_with_an_item_dynamodb_names_this_one(item: Any, code: str, message: str) -> None:
    for check in (check_item, accept_item):
        assert refusal(check, item) == (code, message)


@pytest.mark.parametrize(
    ("value", "accepted"),
    [
        ({"S": ""}, {"S": ""}),
        ({"B": ""}, {"B": ""}),
        ({"SS": ["", "a"]}, {"SS": ["", "a"]}),
        ({"BS": ["", "YQ=="]}, {"BS": ["", "YQ=="]}),
        ({"L": []}, {"L": []}),
        ({"M": {}}, {"M": {}}),
        ({"BOOL": False}, {"BOOL": False}),
        ({"N": "1E2"}, {"N": "100"}),
        ({"NS": ["1E2", "1"]}, {"NS": ["100", "1"]}),
        ({"L": [{"M": {"a": {"N": "1.50"}}}]}, {"L": [{"M": {"a": {"N": "1.5"}}}]}),
        ({"M": {"a" * 65_535: {"S": ""}}}, {"M": {"a" * 65_535: {"S": ""}}}),
        (nested(31), nested(31)),
        (nested(31, leaf={"L": []}, kind="L"), nested(31, leaf={"L": []}, kind="L")),
    ],
)
def test_a_right_value_is_taken_with_its_numbers_in_plain_notation(value: Any, accepted: Any) -> None:
    taken = copy.deepcopy(value)
    accept_value(taken)
    check_value(value)
    assert value == taken == accepted


def test_an_item_put_together_too_deep_is_refused() -> None:
    check_nesting({"a": nested(31), "b": nested(31, leaf={"M": {}}, kind="L")})
    assert refusal(check_nesting, {"a": {"S": "a"}, "b": nested(32)}) == ("ValidationException", TOO_DEEP)
    assert refusal(check_nesting, {"b": nested(32, kind="L")}) == ("ValidationException", TOO_DEEP)
