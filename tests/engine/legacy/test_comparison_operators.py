"""ComparisonOperator conditions: the items that match, and the values that are invalid."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from singletable.engine.engine import Engine
from tests.engine.table_requests import INVALID, Document, column, create_hash, put, refused, scan, texts

SAME_TYPE = f"{INVALID}AttributeValues inside AttributeValueList must be of same type"
BOUNDS = "The BETWEEN condition was provided a range where the lower bound is greater than the upper bound"

ITEMS: dict[str, Document] = {
    "text": {"v": {"S": "hello"}},
    "empty": {"v": {"S": ""}},
    "number": {"v": {"N": "5"}},
    "binary": {"v": {"B": "aGVsbG8="}},
    "true": {"v": {"BOOL": True}},
    "null": {"v": {"NULL": True}},
    "texts": {"v": {"SS": ["a", "hello"]}},
    "numbers": {"v": {"NS": ["1", "5"]}},
    "list": {"v": {"L": [{"S": "hello"}, {"N": "5"}, {"BOOL": True}]}},
    "map": {"v": {"M": {"a": {"N": "5"}}}},
    "nothing": {},
}


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    with Engine() as made:
        create_hash(made)
        for name, attributes in ITEMS.items():
            put(made, {**texts(pk=name), **attributes}, "hash")
        yield made


def holding(engine: Engine, operator: str, *given: Document) -> set[str]:
    condition = {"ComparisonOperator": operator, "AttributeValueList": list(given)}
    return set(column(scan(engine, "hash", ScanFilter={"v": condition})["Items"], "pk"))


ALL = set(ITEMS)
THERE = ALL - {"nothing"}


@pytest.mark.parametrize(
    ("operator", "given", "names"),
    [
        ("EQ", [{"S": "hello"}], {"text"}),
        ("EQ", [{"N": "5.0"}], {"number"}),
        ("EQ", [{"SS": ["hello", "a"]}], {"texts"}),
        ("EQ", [{"M": {"a": {"N": "5"}}}], {"map"}),
        ("EQ", [{"L": [{"S": "hello"}, {"N": "5"}, {"BOOL": True}]}], {"list"}),
        ("EQ", [{"BOOL": True}], {"true"}),
        ("NE", [{"S": "hello"}], ALL - {"text"}),
        ("LT", [{"S": "i"}], {"text", "empty"}),
        ("LE", [{"N": "5"}], {"number"}),
        ("GT", [{"N": "4.99"}], {"number"}),
        ("GE", [{"B": "aGVsbG8="}], {"binary"}),
        ("BETWEEN", [{"N": "5"}, {"N": "5"}], {"number"}),
        ("IN", [{"S": "x"}, {"S": "hello"}], {"text"}),
        ("BEGINS_WITH", [{"S": "he"}], {"text"}),
        ("BEGINS_WITH", [{"S": ""}], {"text", "empty"}),
        ("BEGINS_WITH", [{"B": "aGU="}], {"binary"}),
        ("CONTAINS", [{"S": "hello"}], {"text", "texts", "list"}),
        ("CONTAINS", [{"N": "5"}], {"numbers", "list"}),
        ("CONTAINS", [{"BOOL": True}], {"list"}),
        ("CONTAINS", [{"NULL": True}], set()),
        ("NOT_CONTAINS", [{"S": "hello"}], THERE - {"text", "texts", "list"}),
        ("NULL", [], {"nothing"}),
        ("NOT_NULL", [], THERE),
    ],
)
def test_a_legacy_comparison_operator_matches_the_expected_items(
    engine: Engine, operator: str, given: list[Document], names: set[str]
) -> None:
    assert holding(engine, operator, *given) == names


EVERY_KIND: dict[str, Any] = {
    "S": "a",
    "N": "1",
    "B": "AA==",
    "SS": ["a"],
    "NS": ["1"],
    "BS": ["AA=="],
    "BOOL": True,
    "NULL": True,
    "L": [],
    "M": {},
}
ORDERED = ["S", "N", "B"]


@pytest.mark.parametrize(
    ("operator", "count", "kinds"),
    [
        ("EQ", 1, list(EVERY_KIND)),
        ("NE", 1, list(EVERY_KIND)),
        ("LT", 1, ORDERED),
        ("LE", 1, ORDERED),
        ("GT", 1, ORDERED),
        ("GE", 1, ORDERED),
        ("IN", 1, ORDERED),
        ("BETWEEN", 2, ORDERED),
        ("BEGINS_WITH", 1, ["S", "B"]),
        ("CONTAINS", 1, [*ORDERED, "BOOL", "NULL"]),
        ("NOT_CONTAINS", 1, [*ORDERED, "BOOL", "NULL"]),
    ],
)
def test_a_legacy_comparison_operator_accepts_the_expected_types(
    engine: Engine, operator: str, count: int, kinds: list[str]
) -> None:
    for kind, content in EVERY_KIND.items():
        given = [{kind: content}] * count
        if kind in kinds:
            holding(engine, operator, *given)
        else:
            condition = {"v": {"ComparisonOperator": operator, "AttributeValueList": given}}
            assert refused(engine, "Scan", {"TableName": "hash", "ScanFilter": condition}).message == (
                f"{INVALID}ComparisonOperator {operator} is not valid for {kind} AttributeValue type"
            )


@pytest.mark.parametrize("operator", ["EQ", "NE", "LT", "LE", "GT", "GE", "CONTAINS", "NOT_CONTAINS", "BEGINS_WITH"])
@pytest.mark.parametrize("count", [None, 0, 2])
def test_most_legacy_comparison_operators_accept_one_value(engine: Engine, operator: str, count: int | None) -> None:
    assert_wrong_number(engine, operator, count)


@pytest.mark.parametrize(
    ("operator", "count"), [("NULL", 1), ("NOT_NULL", 1), ("IN", None), ("IN", 0), ("BETWEEN", 1), ("BETWEEN", 3)]
)
def test_the_other_legacy_comparison_operators_accept_none_two_or_several_values(
    engine: Engine, operator: str, count: int | None
) -> None:
    assert_wrong_number(engine, operator, count)


def assert_wrong_number(engine: Engine, operator: str, count: int | None) -> None:
    condition: Document = {"ComparisonOperator": operator}
    if count is not None:
        condition["AttributeValueList"] = [{"S": "a"}] * count
    assert refused(engine, "Scan", {"TableName": "hash", "ScanFilter": {"v": condition}}).message == (
        f"{INVALID}Invalid number of argument(s) for the {operator} ComparisonOperator"
    )


@pytest.mark.parametrize(
    ("operator", "given", "words"),
    [
        ("IN", [{"S": "a"}, {"N": "1"}], SAME_TYPE),
        ("BETWEEN", [{"S": "a"}, {"N": "1"}], SAME_TYPE),
        ("BETWEEN", [{"S": "b"}, {"S": "a"}], BOUNDS),
        ("BETWEEN", [{"N": "10"}, {"N": "9"}], BOUNDS),
        ("BETWEEN", [{"B": "/w=="}, {"B": "AA=="}], BOUNDS),
        # An invalid value is reported before too many values.
        ("EQ", [{"N": "1"}, {"N": "x"}], "The parameter cannot be converted to a numeric value: x"),
        ("EQ", [{"SS": []}], f"{INVALID}An string set  may not be empty"),
        (
            "EQ",
            [{}],
            "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes",
        ),
    ],
)
def test_legacy_comparison_operators_check_their_values(
    engine: Engine, operator: str, given: list[Document], words: str
) -> None:
    condition = {"v": {"ComparisonOperator": operator, "AttributeValueList": given}}
    assert refused(engine, "Scan", {"TableName": "hash", "ScanFilter": condition}).message == words


@pytest.mark.parametrize(
    ("name", "words"),
    [("", "Empty attribute name"), ("x" * 65_536, "Attribute name is too large, must be less than 65536 bytes")],
    ids=["empty", "long"],
)
def test_legacy_comparison_operators_check_attribute_names(engine: Engine, name: str, words: str) -> None:
    request = {"TableName": "hash", "ScanFilter": {name: {"ComparisonOperator": "NULL"}}}
    assert refused(engine, "Scan", request).message == words


def test_legacy_comparison_operators_read_a_dot_as_part_of_an_attribute_name(engine: Engine) -> None:
    condition = {"v.a": {"ComparisonOperator": "NULL"}}
    assert scan(engine, "hash", ScanFilter=condition)["Count"] == len(ITEMS)


def test_the_error_for_an_unknown_legacy_comparison_operator_lists_the_valid_ones(engine: Engine) -> None:
    request = {"TableName": "hash", "ScanFilter": {"v": {"ComparisonOperator": "LIKE"}}}
    assert refused(engine, "Scan", request).message == (
        "1 validation error detected: Value 'LIKE' at 'scanFilter.v.member.comparisonOperator' failed to satisfy "
        "constraint: Member must satisfy enum value set: [IN, NULL, BETWEEN, LT, NOT_CONTAINS, EQ, GT, NOT_NULL, NE, "
        "LE, BEGINS_WITH, GE, CONTAINS]"
    )


def test_a_legacy_comparison_operator_condition_of_the_wrong_type_has_the_error_of_dynamodb(engine: Engine) -> None:
    refusal = refused(engine, "Scan", {"TableName": "hash", "ScanFilter": {"v": []}})
    assert refusal.code == "SerializationException"
    assert refusal.message == "Unrecognized collection type class com.amazonaws.dynamodb.v20120810.Condition"


# ConditionalOperator

IS_HELLO = {"v": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "hello"}]}}
IS_NUMBER_KEY = {"pk": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "number"}]}}


@pytest.mark.parametrize(
    ("parameters", "names"),
    [({}, []), ({"ConditionalOperator": "AND"}, []), ({"ConditionalOperator": "OR"}, ["number", "text"])],
)
def test_several_legacy_comparison_operators_are_combined_by_the_conditional_operator(
    engine: Engine, parameters: Document, names: list[str]
) -> None:
    found = scan(engine, "hash", ScanFilter={**IS_HELLO, **IS_NUMBER_KEY}, **parameters)
    assert sorted(column(found["Items"], "pk")) == names


@pytest.mark.parametrize("operator", ["AND", "OR"])
@pytest.mark.parametrize(
    ("action", "request_"),
    [
        ("Scan", {}),
        ("Scan", {"ScanFilter": {}}),
        ("Query", {"KeyConditions": IS_NUMBER_KEY}),
        ("PutItem", {"Item": texts(pk="new")}),
        ("UpdateItem", {"Key": texts(pk="new"), "Expected": {}}),
        ("DeleteItem", {"Key": texts(pk="text")}),
    ],
)
def test_a_legacy_conditional_operator_without_comparison_operators_is_rejected(
    engine: Engine, action: str, request_: Document, operator: str
) -> None:
    request = {"TableName": "hash", **request_, "ConditionalOperator": operator}
    assert refused(engine, action, request).message == ("ConditionalOperator cannot be used without Filter or Expected")


@pytest.mark.parametrize(
    ("action", "request_"),
    [
        ("Scan", {"ScanFilter": IS_HELLO}),
        ("Query", {"KeyConditions": IS_NUMBER_KEY, "QueryFilter": IS_HELLO}),
        ("DeleteItem", {"Key": texts(pk="text"), "Expected": IS_HELLO}),
    ],
)
def test_a_legacy_conditional_operator_with_one_comparison_operator_is_rejected(
    engine: Engine, action: str, request_: Document
) -> None:
    request = {"TableName": "hash", **request_, "ConditionalOperator": "OR"}
    assert refused(engine, action, request).message == (
        "ConditionalOperator can only be used when Filter or Expected has two or more elements"
    )
