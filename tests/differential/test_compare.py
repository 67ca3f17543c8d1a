"""Insignificant details are not a difference, but every other difference is reported."""

from __future__ import annotations

from typing import Any

import pytest

from tests.differential.compare import ABSENT, ERROR, Difference, differences, kind_of
from tests.differential.exchange import Exchange
from tests.differential.sides import Response


def exchange(ours: Any, theirs: Any, action: str = "GetItem", status: int = 200) -> Exchange:
    return Exchange(action, {"TableName": "texts"}, Response(status, ours), Response(status, theirs))


def error(message: str, code: str = "ValidationException", **fields: Any) -> Response:
    return Response(400, {"__type": f"com.amazon.coral.validate#{code}", "message": message, **fields})


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ({"Item": {"a": {"SS": ["a", "b"]}}}, {"Item": {"a": {"SS": ["b", "a"]}}}),
        ({"Item": {"a": {"L": [{"NS": ["1", "2"]}]}}}, {"Item": {"a": {"L": [{"NS": ["2", "1"]}]}}}),
        ({"ConsumedCapacity": {"CapacityUnits": 1}}, {"ConsumedCapacity": {"CapacityUnits": 1.0}}),
        (
            {"ConsumedCapacity": [{"TableName": "a"}, {"TableName": "b"}]},
            {"ConsumedCapacity": [{"TableName": "b"}, {"TableName": "a"}]},
        ),
        ({"Responses": {"t": [{"a": {"N": "1"}}, {}]}}, {"Responses": {"t": [{}, {"a": {"N": "1"}}]}}),
        (
            {"Table": {"TableArn": "ours", "CreationDateTime": 1.5, "ItemCount": 3}},
            {"Table": {"TableArn": "theirs", "CreationDateTime": 2, "TableSizeBytes": 7}},
        ),
        (
            {"Table": {"AttributeDefinitions": [{"AttributeName": "a"}, {"AttributeName": "b"}]}},
            {"Table": {"AttributeDefinitions": [{"AttributeName": "b"}, {"AttributeName": "a"}]}},
        ),
    ],
)
def test_the_comparison_of_responses_ignores_insignificant_details(ours: Any, theirs: Any) -> None:
    assert differences(exchange(ours, theirs)) == []


@pytest.mark.parametrize(
    ("ours", "theirs", "difference"),
    [
        ({"Count": 1}, {"Count": 2}, Difference("Count", 1, 2)),
        ({"Count": 1}, {}, Difference("Count", 1, ABSENT)),
        ({}, {"LastEvaluatedKey": {}}, Difference("LastEvaluatedKey", ABSENT, {})),
        ({"Items": [{"a": {"N": "1"}}]}, {"Items": [{"a": {"S": "1"}}]}, Difference("Items[].a.N", "1", ABSENT)),
        ({"Items": [{}]}, {"Items": []}, Difference("Items", [{}], [])),
        ({"Item": {"a": {"L": [1, 2]}}}, {"Item": {"a": {"L": [2, 1]}}}, Difference("Item.a.L[]", 1, 2)),
        ({"Item": {"a": {"BOOL": True}}}, {"Item": {"a": {"BOOL": 1}}}, Difference("Item.a.BOOL", True, 1)),
        ({"Item": {"a": {"N": "1"}}}, {"Item": {"a": {"N": "1.0"}}}, Difference("Item.a.N", "1", "1.0")),
    ],
)
def test_the_comparison_of_responses_reports_every_other_difference_with_its_path(
    ours: Any, theirs: Any, difference: Difference
) -> None:
    assert difference in differences(exchange(ours, theirs))


def test_the_comparison_of_responses_distinguishes_an_error_and_a_result() -> None:
    done = Exchange("GetItem", {}, error("no"), Response(200, {}))
    assert differences(done) == [Difference(ERROR, "ValidationException: no", "accepted")]


def test_errors_are_compared_by_type_message_and_fields() -> None:
    item = {"a": {"N": "1"}}
    same = Exchange(
        "PutItem", {}, error("no", Item=item), Response(400, {"__type": "ValidationException", "Message": "no"})
    )
    assert differences(same) == [Difference("Item", item, ABSENT)]
    other_type = Exchange("PutItem", {}, error("no"), error("no", "OtherException"))
    assert differences(other_type) == [Difference(ERROR, "ValidationException: no", "OtherException: no")]
    other_status = Exchange(
        "PutItem", {}, error("no"), Response(500, {"__type": "ValidationException", "message": "no"})
    )
    assert differences(other_status) == [Difference(ERROR, "ValidationException: no", "500 ValidationException: no")]


def test_the_comparison_of_responses_groups_many_examples_of_one_kind() -> None:
    kinds = set()
    for name, size in (("first-table", 5), ("second-table", 17)):
        request = {"TableName": name}
        done = Exchange("Query", request, error(f"no {name}: {size}"), Response(200, {}))
        kinds |= {kind_of(done, difference) for difference in differences(done)}
    assert len(kinds) == 1
