"""A request on one line says what was sent, with values in the place of placeholders."""

from __future__ import annotations

from typing import Any

import pytest

from singletable.demo.captured import Captured
from singletable.demo.notation import expression, request_line, value_text

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
            'Query T.GSI1: PK = ":v1" AND begins_with(SK, "x#n2"), filter total > 5, backwards, limit 3, '
            "from where the last page ended, consistent, counted",
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
def test_a_request_reads_as_it_was_sent(operation: str, parameters: dict[str, Any], line: str) -> None:
    assert request_line(Captured(operation, parameters), ("PK", "SK")) == line


def test_a_refusal_is_said() -> None:
    request = Captured("PutItem", {"TableName": "T", "Item": KEY}, refusal="ConditionalCheckFailedException")
    assert request_line(request, ("PK", "SK")).endswith("(refused: ConditionalCheckFailedException)")


def test_values_are_written_without_the_names_of_their_types() -> None:
    nested = {"M": {"a": {"L": [{"N": "1"}, {"NULL": True}]}, "b": {"SS": ["x"]}}}
    assert value_text(nested) == '{a: [1, null], b: ["x"]}'


def test_a_placeholder_that_stands_for_nothing_stays() -> None:
    assert expression("#a = :b", {}) == "#a = :b"
