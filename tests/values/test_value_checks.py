"""Invalid attribute values: DynamoDB's messages, and which error it reports first."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from singletable.errors import RequestRefused
from singletable.values.item_validation import accept_item, accept_value
from singletable.values.value_checks import check_item, check_nesting, check_value, read_item, read_value
from tests.values.generated import nested

EMPTY = "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"
SEVERAL = "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes"
TOO_DEEP = (
    "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit"
)
NOT_NUMERIC = "The parameter cannot be converted to a numeric value"
INVALID = "One or more parameter values were invalid: "
NULL = "Null attribute value types must have the value of true"


def error_of(check: Any, argument: Any) -> tuple[str, str]:
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
def test_value_checks_reject_an_invalid_value_with_dynamodbs_message(value: Any, message: str) -> None:
    for check in (check_value, accept_value):
        assert error_of(check, value) == ("ValidationException", message)
    for check_all in (check_item, accept_item):
        assert error_of(check_all, {"key": {"S": "a"}, "value": value}) == ("ValidationException", message)


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
def test_value_checks_report_the_same_one_of_two_errors_in_a_value_as_dynamodb(value: Any, message: str) -> None:
    for check in (check_value, accept_value):
        assert error_of(check, value) == ("ValidationException", message)


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
def test_value_checks_report_the_same_one_of_two_errors_in_an_item_as_dynamodb(
    item: Any, code: str, message: str
) -> None:
    for check in (check_item, accept_item):
        assert error_of(check, item) == (code, message)


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
def test_value_checks_accept_a_valid_value_with_its_numbers_in_canonical_form(value: Any, accepted: Any) -> None:
    taken = copy.deepcopy(value)
    accept_value(taken)
    check_value(value)
    assert value == taken == accepted


def test_value_checks_reject_an_item_nested_too_deep() -> None:
    check_nesting({"a": nested(31), "b": nested(31, leaf={"M": {}}, kind="L")})
    assert error_of(check_nesting, {"a": {"S": "a"}, "b": nested(32)}) == ("ValidationException", TOO_DEEP)
    assert error_of(check_nesting, {"b": nested(32, kind="L")}) == ("ValidationException", TOO_DEEP)


MAP = "Unrecognized collection type java.util.Map<java.lang.String, com.amazonaws.dynamodb.v20120810.AttributeValue>"
VALUE = "Unrecognized collection type class com.amazonaws.dynamodb.v20120810.AttributeValue"
STRUCTURE = "Start of structure or map found where not expected"
ENCODED = "only base-64-encoded strings are convertible to bytes"
LAST = "Invalid last non-pad Base64 character dectected"
SURROGATE = "A string contains an unpaired surrogate, which has no UTF-8 encoding"

STRINGS: list[tuple[Any, str]] = [
    (True, "TRUE_VALUE cannot be converted to String"),
    (False, "FALSE_VALUE cannot be converted to String"),
    (23, "NUMBER_VALUE cannot be converted to String"),
    (34.56, "DECIMAL_VALUE cannot be converted to String"),
    ([], "Unrecognized collection type class java.lang.String"),
    ({}, STRUCTURE),
    (b"bytes", "Unexpected value type in payload"),
    ("\ud800", SURROGATE),
]
BOOLEANS: list[tuple[Any, str]] = [
    ("23", "Unexpected token received from parser"),
    (1, "NUMBER_VALUE cannot be converted to Boolean"),
    (34.56, "DECIMAL_VALUE cannot be converted to Boolean"),
    ([], "Unrecognized collection type class java.lang.Boolean"),
    ({}, STRUCTURE),
]
BINARIES: list[tuple[Any, str]] = [
    (True, ENCODED),
    (23, ENCODED),
    (34.56, ENCODED),
    (b"bytes", ENCODED),
    ([], "Unrecognized collection type class java.nio.ByteBuffer"),
    ({}, STRUCTURE),
    ("23456", "Base64 encoded length is expected a multiple of 4 bytes but found: 5"),
    ("=+/=", LAST),
    ("+/+=", LAST),
    ("YR==", LAST),
    ("Y===", LAST),
    ("Y_==", LAST),
    ("!aaa", "Invalid Base64 character: '!'"),
    ("aa=a", "Invalid Base64 character: '='"),
]
LISTS: list[tuple[Any, str]] = [(other, "Unexpected field type") for other in ("23", True, 23, 34.56)] + [
    ({}, STRUCTURE)
]
MAPS: list[tuple[Any, str]] = [(other, "Unexpected field type") for other in ("23", True, 23, 34.56)] + [([], MAP)]
VALUES: list[tuple[Any, str]] = [
    *((other, "Unexpected value type in payload") for other in ("23", True, 23, 34.56)),
    ([], VALUE),
]

REFUSALS: list[tuple[Any, str]] = [
    *VALUES,
    *(({kind: content}, message) for kind in ("S", "N") for content, message in STRINGS),
    *(({kind: content}, message) for kind in ("BOOL", "NULL") for content, message in BOOLEANS),
    *(({"B": content}, message) for content, message in BINARIES),
    *(({kind: content}, message) for kind in ("SS", "NS", "BS", "L") for content, message in LISTS),
    *(({kind: [content]}, message) for kind in ("SS", "NS") for content, message in STRINGS),
    *(({"BS": ["YQ==", content]}, message) for content, message in BINARIES),
    *(({"M": content}, message) for content, message in MAPS),
    *(({"L": [{"S": "a"}, content]}, message) for content, message in VALUES),
    *(({"M": {"a": content}}, message) for content, message in VALUES),
    ({"M": {"a": {"L": [{"BS": "23"}]}}}, "Unexpected field type"),
    ({"M": {"\ud800": {"S": "a"}}}, SURROGATE),
]


@pytest.mark.parametrize(("value", "message"), REFUSALS)
def test_value_checks_report_another_json_type_as_a_serialization_exception(value: Any, message: str) -> None:
    for read in (read_value, accept_value):
        with pytest.raises(RequestRefused) as refused:
            read(value)
        assert (refused.value.code, refused.value.message) == ("SerializationException", message)


@pytest.mark.parametrize(("item", "message"), [*MAPS, ({"a": {"S": "a"}, "b": {"S": 5}}, STRINGS[2][1])])
def test_value_checks_treat_an_item_like_a_map(item: Any, message: str) -> None:
    for read in (read_item, accept_item):
        with pytest.raises(RequestRefused) as refused:
            read(item)
        assert (refused.value.code, refused.value.message) == ("SerializationException", message)


@pytest.mark.parametrize(
    ("value", "read"),
    [
        ({"S": None}, {}),
        ({"S": "a", "N": None}, {"S": "a"}),
        ({"S": "a", "X": 5}, {"S": "a"}),
        ({"M": {"a": {"X": {}, "L": [{"Y": 1}]}}}, {"M": {"a": {"L": [{}]}}}),
        ({"BOOL": "true"}, {"BOOL": True}),
        ({"BOOL": "No"}, {"BOOL": False}),
        ({"NULL": "YES"}, {"NULL": True}),
        ({"SS": ["a", None]}, {"SS": ["a", None]}),
        ({"L": [None]}, {"L": [None]}),
    ],
)
def test_value_checks_remove_ignored_content_and_convert_convertible_content(value: Any, read: Any) -> None:
    read_value(value)
    assert value == read


@pytest.mark.parametrize("kind", ["M", "L"])
def test_value_checks_stop_below_the_deepest_level(kind: str) -> None:
    with pytest.raises(RequestRefused):
        read_value(nested(31, leaf={"S": 5}, kind=kind))
    read_value(nested(32, leaf={"S": 5}, kind=kind))
    read_value(nested(100_000, kind=kind))
