"""KeyConditions, QueryFilter and ScanFilter: the items of a page, and invalid parameters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from singletable.engine.engine import Engine
from tests.engine.table_requests import (
    INVALID,
    NOT_FOUND,
    Document,
    Refused,
    assert_refused,
    column,
    create,
    create_hash,
    create_indexed,
    definitions,
    item,
    multi_key_schema,
    pages,
    projection,
    put,
    refusals,
    refused,
    texts,
)

NOT_INDEXABLE = "Attempted conditional constraint is not an indexable operation"
NOT_SUPPORTED = "Query key condition not supported"
EMPTY = "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"


def by(operator: str, *given: str | int) -> Document:
    values = [{"S": each} if isinstance(each, str) else {"N": str(each)} for each in given]
    return {"ComparisonOperator": operator, "AttributeValueList": values}


IN_A = {"pk": by("EQ", "a")}


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    with Engine() as made:
        create_indexed(made, lsi=projection(kind="KEYS_ONLY"))
        create_hash(made)
        for number in range(6):
            put(made, {**texts(pk="a", sk=str(number), gsiPk="g", lsiSk=str(9 - number)), **item(n=number % 3)})
        put(made, texts(pk="b", sk="0"))
        put(made, texts(pk="a"), "hash")
        yield made


def found(engine: Engine, keys: Document, **parameters: Any) -> list[Any]:
    answer = engine.call("Query", {"TableName": "table", "KeyConditions": keys, **parameters})
    return column(answer["Items"])


@pytest.mark.parametrize(
    ("condition", "sort_keys"),
    [
        (None, "012345"),
        (by("EQ", "2"), "2"),
        (by("LT", "2"), "01"),
        (by("LE", "2"), "012"),
        (by("GT", "2"), "345"),
        (by("GE", "2"), "2345"),
        (by("BETWEEN", "2", "4"), "234"),
        (by("BEGINS_WITH", "3"), "3"),
    ],
)
def test_legacy_key_conditions_select_a_range(engine: Engine, condition: Document | None, sort_keys: str) -> None:
    keys = IN_A if condition is None else {"sk": condition, **IN_A}
    assert found(engine, keys) == list(sort_keys)
    assert found(engine, keys, ScanIndexForward=False) == list(reversed(sort_keys))


def test_legacy_key_conditions_select_a_range_of_an_index(engine: Engine) -> None:
    assert found(engine, {**IN_A, "lsiSk": by("LE", "6")}, IndexName="lsi") == ["5", "4", "3"]
    assert found(engine, {"gsiPk": by("EQ", "g")}, IndexName="gsi") == list("012345")


def test_legacy_read_parameters_start_a_page_where_the_last_one_stopped(engine: Engine) -> None:
    request = {"TableName": "table", "KeyConditions": IN_A, "QueryFilter": {"n": by("NE", 0)}, "Limit": 2}
    answers = pages(engine, "Query", request)
    assert [(answer["Count"], answer["ScannedCount"]) for answer in answers] == [(1, 2), (1, 2), (2, 2), (0, 0)]


def test_legacy_key_conditions_may_name_several_key_attributes_of_an_index() -> None:
    with Engine() as engine:
        keys = {"KeySchema": multi_key_schema("xy", "z"), "IndexName": "many", "Projection": projection(kind="ALL")}
        kinds = definitions(pk="S", sk="S", x="S", y="S", z="S")
        create(engine, AttributeDefinitions=kinds, GlobalSecondaryIndexes=[keys])
        put(engine, texts(pk="a", sk="1", x="x", y="y", z="1"))
        put(engine, texts(pk="a", sk="2", x="x", y="y", z="2"))
        conditions = {"z": by("GT", "1"), "x": by("EQ", "x"), "y": by("EQ", "y")}
        assert found(engine, conditions, IndexName="many") == ["2"]


@refusals(
    Refused("none", {}, "Conditions can be of length 1 or 2 only"),
    Refused(
        "three",
        {**IN_A, "sk": by("EQ", "1"), "n": by("EQ", 1)},
        "Conditions can be of length 1 or 2 only",
    ),
    Refused("no partition", {"sk": by("EQ", "a")}, "Query condition missed key schema element: pk"),
    Refused("no key", {"n": by("NULL")}, "Query condition missed key schema element: pk"),
    Refused(
        "an attribute that is not a key", {**IN_A, "n": by("EQ", 1)}, "Query condition missed key schema element: sk"
    ),
    Refused("a partition below", {"pk": by("LT", "a")}, NOT_SUPPORTED),
    Refused("partitions with a prefix", {"pk": by("BEGINS_WITH", "a")}, NOT_SUPPORTED),
    *(Refused(f"a partition by {op}", {"pk": by(op, "a")}, NOT_INDEXABLE) for op in ("NE", "IN", "CONTAINS")),
    *(Refused(f"sort keys by {op}", {**IN_A, "sk": by(op, "a")}, NOT_INDEXABLE) for op in ("NE", "NOT_CONTAINS")),
    *(Refused(f"sort keys by {op}", {**IN_A, "sk": by(op)}, NOT_INDEXABLE) for op in ("NULL", "NOT_NULL")),
    Refused(
        "a number for a text",
        {"pk": by("EQ", 1)},
        f"{INVALID}Condition parameter type does not match schema type",
    ),
    Refused(
        "a number for a text of the sort key",
        {**IN_A, "sk": by("GT", 1)},
        f"{INVALID}Condition parameter type does not match schema type",
    ),
    Refused("no value", {"pk": by("EQ")}, f"{INVALID}Invalid number of argument(s) for the EQ ComparisonOperator"),
    Refused(
        "a bad value among three conditions",
        {"pk": {**by("EQ"), "AttributeValueList": [{}]}, **{name: by("EQ", "a") for name in "xy"}},
        EMPTY,
    ),
    Refused(
        "bounds in the wrong order",
        {**IN_A, "sk": by("BETWEEN", "b", "a")},
        "The BETWEEN condition was provided a range where the lower bound is greater than the upper bound",
    ),
    Refused(
        "an empty key",
        {"pk": by("EQ", "")},
        "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty "
        "string value. Key: pk",
    ),
)
def test_invalid_legacy_key_conditions_are_rejected(engine: Engine, row: Refused) -> None:
    assert_refused(engine, "Query", row._replace(request={"KeyConditions": row.request}), TableName="table")


def test_legacy_key_conditions_of_a_table_without_sort_key_may_name_one_attribute(engine: Engine) -> None:
    request = {"TableName": "hash", "KeyConditions": {**IN_A, "n": by("NE", "a")}}
    assert refused(engine, "Query", request).message == NOT_SUPPORTED


def test_a_legacy_query_filter_without_key_conditions_is_rejected(engine: Engine) -> None:
    assert refused(engine, "Query", {"TableName": "table", "QueryFilter": {}}).message == (
        "Either the KeyConditions or KeyConditionExpression parameter must be specified in the request."
    )


def test_a_missing_table_is_reported_before_invalid_legacy_key_conditions(engine: Engine) -> None:
    request = {"TableName": "missing", "KeyConditions": {"pk": by("NE", "a")}}
    assert refused(engine, "Query", request).message == NOT_FOUND


# Filters


@pytest.mark.parametrize(
    ("conditions", "parameters", "sort_keys"),
    [
        ({}, {}, "012345"),
        ({"n": by("GE", 1)}, {}, "1245"),
        ({"n": by("EQ", 1), "lsiSk": by("GT", "6")}, {}, "1"),
        ({"n": by("EQ", 1), "lsiSk": by("GT", "8")}, {"ConditionalOperator": "OR"}, "014"),
        ({"x": by("NULL")}, {}, "012345"),
    ],
)
def test_legacy_query_and_scan_filters_return_the_matching_items(
    engine: Engine, conditions: Document, parameters: Document, sort_keys: str
) -> None:
    assert found(engine, IN_A, QueryFilter=conditions, **parameters) == list(sort_keys)
    both = {**conditions, "gsiPk": by("NOT_NULL")}
    if not parameters:
        answer = engine.call("Scan", {"TableName": "table", "ScanFilter": both})
        assert (column(answer["Items"]), answer["ScannedCount"]) == (list(sort_keys), 7)


@pytest.mark.parametrize(("index", "name"), [(None, "pk"), (None, "sk"), ("lsi", "lsiSk")])
def test_a_legacy_query_filter_cannot_name_a_key_of_the_query(engine: Engine, index: str | None, name: str) -> None:
    request: Document = {"TableName": "table", "KeyConditions": IN_A, "QueryFilter": {name: by("EQ", "1")}}
    if index is not None:
        request["IndexName"] = index
    assert refused(engine, "Query", request).message == (
        f"QueryFilter can only contain non-primary key attributes: Primary key attribute: {name}"
    )


def test_a_legacy_scan_filter_may_name_keys(engine: Engine) -> None:
    answer = engine.call("Scan", {"TableName": "table", "ScanFilter": {"sk": by("EQ", "0")}})
    assert sorted(column(answer["Items"], "pk")) == ["a", "b"]


BAD_FILTER: Document = {"n": by("LT")}
BAD_START: Document = {"ExclusiveStartKey": {"pk": {}}}
WRONG_LT = f"{INVALID}Invalid number of argument(s) for the LT ComparisonOperator"
DUPLICATE = f"{INVALID}Duplicate value in attribute name: n"


@refusals(
    Refused("the filter", {"QueryFilter": BAD_FILTER, "AttributesToGet": ["n", "n"], **BAD_START}, WRONG_LT),
    Refused("the attributes", {"AttributesToGet": ["n", "n"], **BAD_START}, DUPLICATE),
    Refused(
        "the starting key", {"KeyConditions": BAD_FILTER, **BAD_START}, f"The provided starting key is invalid: {EMPTY}"
    ),
    Refused(
        "a new filter",
        {"KeyConditions": BAD_FILTER, "FilterExpression": ""},
        "Invalid FilterExpression: The expression can not be empty;",
    ),
    Refused("the key conditions", {"KeyConditions": BAD_FILTER, "Select": "SPECIFIC_ATTRIBUTES"}, WRONG_LT),
)
def test_a_query_reports_the_first_of_several_errors_in_legacy_read_parameters(engine: Engine, row: Refused) -> None:
    assert_refused(engine, "Query", row, TableName="missing")


@refusals(
    Refused(
        "the filter", {"ScanFilter": BAD_FILTER, "AttributesToGet": ["n", "n"], **BAD_START, "Segment": 1}, WRONG_LT
    ),
    Refused("the attributes", {"AttributesToGet": ["n", "n"], **BAD_START, "Segment": 1}, DUPLICATE),
    Refused(
        "the starting key",
        {"ScanFilter": {}, **BAD_START, "Segment": 1},
        f"The provided starting key is invalid: {EMPTY}",
    ),
)
def test_a_scan_reports_the_first_of_several_errors_in_legacy_read_parameters(engine: Engine, row: Refused) -> None:
    assert_refused(engine, "Scan", row, TableName="missing")
