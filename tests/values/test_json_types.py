"""The JSON types of attribute values, and the words in which DynamoDB's parser refuses others."""

from __future__ import annotations

from typing import Any

import pytest

from singletable.errors import RequestRefused
from singletable.values.accept import accept_item, accept_value
from singletable.values.json_types import read_item, read_value
from tests.values.generated import nested

MAP = "Unrecognized collection type java.util.Map<java.lang.String, com.amazonaws.dynamodb.v20120810.AttributeValue>"
VALUE = "Unrecognized collection type class com.amazonaws.dynamodb.v20120810.AttributeValue"
STRUCTURE = "Start of structure or map found where not expected"
ENCODED = "only base-64-encoded strings are convertible to bytes"
LAST = "Invalid last non-pad Base64 character dectected"
SURROGATE = "A string holds a surrogate that is not one of a pair, and has no UTF-8"

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
def test_another_json_type_is_a_serialization_exception(value: Any, message: str) -> None:
    for read in (read_value, accept_value):
        with pytest.raises(RequestRefused) as refused:
            read(value)
        assert (refused.value.code, refused.value.message) == ("SerializationException", message)


@pytest.mark.parametrize(("item", "message"), [*MAPS, ({"a": {"S": "a"}, "b": {"S": 5}}, STRINGS[2][1])])
def test_an_item_is_read_as_a_map_is(item: Any, message: str) -> None:
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
def test_what_the_parser_passes_over_is_taken_out_and_what_it_converts_is_converted(value: Any, read: Any) -> None:
    read_value(value)
    assert value == read


@pytest.mark.parametrize("kind", ["M", "L"])
def test_reading_stops_below_the_deepest_level(kind: str) -> None:
    with pytest.raises(RequestRefused):
        read_value(nested(31, leaf={"S": 5}, kind=kind))
    read_value(nested(32, leaf={"S": 5}, kind=kind))
    read_value(nested(100_000, kind=kind))
