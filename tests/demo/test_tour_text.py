"""The text of a tour: costs, shortened fan-outs, and the rows of a summary."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from singletable.demo.request_capture import CapturedRequest, Cost
from singletable.demo.systems import systems_named
from singletable.demo.tour import ScriptRun, run_tour
from singletable.demo.tour_text import (
    cost_text,
    counted,
    expression,
    per_entity_text,
    request_line,
    request_lines,
    summary_rows,
    tables_text,
    value_text,
)


def query(number: int, **more: Any) -> CapturedRequest:
    key = {"TableName": "T", "Key": {"PK": {"N": str(number)}}, **more}
    return CapturedRequest("GetItem", key, {"ConsumedCapacity": {"CapacityUnits": 0.5}})


def script_run(*requests: CapturedRequest, per_entity_requests: tuple[CapturedRequest, ...] = ()) -> ScriptRun:
    return ScriptRun("name", "Title.", ("PK",), requests, "", per_entity_requests)


@pytest.mark.parametrize(
    ("cost", "text"),
    [
        (Cost(1, 0.5), "1 request, 0.5 read units"),
        (Cost(2, 1.0), "2 requests, 1 read unit"),
        (Cost(1, 0, 2), "1 request, 2 write units"),
        (Cost(2, 0.5, 1), "2 requests, 0.5 read units, 1 write unit"),
        (Cost(1), "1 request, 0 read units"),
    ],
)
def test_tour_text_shows_a_cost_as_readable_text(cost: Cost, text: str) -> None:
    assert cost_text(cost) == text


def test_tour_text_shortens_only_similar_requests() -> None:
    lines = request_lines(script_run(*(query(number) for number in range(9)), query(9, IndexName="GSI1")))
    assert lines == [
        "GetItem T: PK = 0",
        "GetItem T: PK = 1",
        "GetItem T: PK = 2",
        "and 6 more like these",
        "GetItem T.GSI1: PK = 9",
    ]


def test_tour_text_truncates_a_long_request_with_an_ellipsis() -> None:
    (line,) = request_lines(script_run(query(1, FilterExpression="a = b AND " * 40)))
    assert len(line) == 200
    assert line.endswith(" ...")


def test_tour_text_shows_one_more_request_instead_of_counting_it() -> None:
    assert len(request_lines(script_run(*(query(number) for number in range(4))))) == 4


def test_tour_text_reports_equal_costs_as_the_same() -> None:
    assert per_entity_text(script_run(query(1), per_entity_requests=(query(1),))) == "the same"
    several = script_run(query(1), per_entity_requests=(query(1), query(2)))
    assert per_entity_text(several) == "2 requests, 1 read unit (2 x GetItem T)"


def test_tour_text_ends_a_summary_with_the_sum() -> None:
    shop = run_tour(*systems_named(["shop.customer", "shop.whole_order"]))
    assert [[cell.strip() for cell in row] for row in summary_rows(shop)] == [
        ["customer", "1", "0.5", "1", "0.5"],
        ["whole_order", "1", "0.5", "2", "1"],
        ["total", "2", "1", "3", "1.5"],
    ]
    assert tables_text(shop) == "Table: Shop (13 items, 4 entities)"


def test_tour_text_has_no_summary_row_for_a_script_with_scratch_tables() -> None:
    shop = run_tour(*systems_named(["shop.whole_order"]))
    aside = replace(shop, runs=(script_run(), *shop.runs))
    assert summary_rows(aside) == summary_rows(shop)


def test_tour_text_puts_a_noun_in_the_singular_or_plural_of_its_number() -> None:
    assert [counted(1, "entity"), counted(2, "entity"), counted(1200, "item")] == [
        "1 entity",
        "2 entities",
        "1,200 items",
    ]


KEY = {"PK": {"S": "A#1"}, "SK": {"S": "B"}}


@pytest.mark.parametrize(
    ("operation", "parameters", "line"),
    [
        ("GetItem", {"TableName": "T", "Key": KEY}, 'GetItem T: PK = "A#1" AND SK = "B"'),
        (
            "Query",
            {
                "TableName": "T",
                "IndexName": "GSI1",
                "KeyConditionExpression": "#n0 = :v0 AND begins_with(#n1, :v1)",
                "FilterExpression": "#n2 > :v2",
                "ExpressionAttributeNames": {"#n0": "PK", "#n1": "SK", "#n2": "total"},
                "ExpressionAttributeValues": {":v0": {"S": ":v1"}, ":v1": {"S": "x#n2"}, ":v2": {"N": "5"}},
                "ScanIndexForward": False,
                "Limit": 3,
                "ConsistentRead": True,
                "ExclusiveStartKey": KEY,
                "Select": "COUNT",
            },
            'Query T.GSI1: PK = ":v1" AND begins_with(SK, "x#n2"), filter total > 5, descending, limit 3, '
            "next page, strongly consistent, count only",
        ),
        (
            "UpdateItem",
            {
                "TableName": "T",
                "Key": KEY,
                "UpdateExpression": "SET #n0 = :v0",
                "ConditionExpression": "attribute_exists(PK)",
                "ExpressionAttributeNames": {"#n0": "on"},
                "ExpressionAttributeValues": {":v0": {"BOOL": True}},
            },
            'UpdateItem T: PK = "A#1" AND SK = "B", SET on = true, if attribute_exists(PK)',
        ),
        ("Scan", {"TableName": "T"}, "Scan T"),
        (
            "BatchGetItem",
            {"RequestItems": {"T": {"Keys": [KEY, KEY, KEY]}}},
            'BatchGetItem T: PK = "A#1" AND SK = "B"; PK = "A#1" AND SK = "B"; and 1 more',
        ),
        (
            "BatchWriteItem",
            {"RequestItems": {"T": [{"PutRequest": {"Item": KEY}}, {"DeleteRequest": {"Key": KEY}}]}},
            'BatchWriteItem T: PK = "A#1" AND SK = "B"; PK = "A#1" AND SK = "B"',
        ),
        (
            "TransactWriteItems",
            {"TransactItems": [{"Put": {"TableName": "T", "Item": {**KEY, "n": {"N": "1"}}}}]},
            'TransactWriteItems: Put T PK = "A#1" AND SK = "B"',
        ),
    ],
)
def test_tour_text_shows_the_sent_parameters_in_a_request_line(
    operation: str, parameters: dict[str, Any], line: str
) -> None:
    assert request_line(CapturedRequest(operation, parameters), ("PK", "SK")) == line


def test_tour_text_marks_a_rejected_request() -> None:
    request = CapturedRequest("PutItem", {"TableName": "T", "Item": KEY}, error="ConditionalCheckFailedException")
    assert request_line(request, ("PK", "SK")).endswith("(rejected: ConditionalCheckFailedException)")


def test_tour_text_shows_values_without_type_names() -> None:
    nested = {"M": {"a": {"L": [{"N": "1"}, {"NULL": True}]}, "b": {"SS": ["x"]}}}
    assert value_text(nested) == '{a: [1, null], b: ["x"]}'


def test_tour_text_does_not_replace_an_unknown_placeholder() -> None:
    assert expression("#a = :b", {}) == "#a = :b"
