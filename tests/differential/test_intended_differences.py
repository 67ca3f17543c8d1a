"""Intended differences: each has a reason, the docs list all of them, and every other difference is reported."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.differential.compare import ABSENT, ERROR, Difference, differences
from tests.differential.error_messages import EXPRESSIONS, INDEXES, ITEM, KEYS, SHAPE, TABLE, VALUES, stage
from tests.differential.exchange import Exchange
from tests.differential.intended_differences import INTENDED, intended_difference
from tests.differential.report import intended
from tests.differential.sides import Request, Response

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "dynamodb-local-differences.md"


def error(message: str, code: str = "ValidationException") -> Response:
    return Response(400, {"__type": code, "message": message})


def expiring(**response: str) -> Response:
    return Response(200, {"TimeToLiveDescription": response})


ACCEPTED = Response(200, {})
TOO_OFTEN = "Time to live has been modified multiple times within a fixed interval"
MIXED = (
    "Can not use both expression and non-expression parameters in the same request: Non-expression parameters: "
    "{ScanFilter} Expression parameters: {FilterExpression}"
)


def reason(action: str, request: Request, ours: Response, theirs: Response) -> str | None:
    done = Exchange(action, request, ours, theirs)
    (difference,) = differences(done)
    found = intended_difference(done, difference)
    return None if found is None else found.name


def test_the_docs_list_every_intended_difference() -> None:
    listed = PAGE.read_text(encoding="utf-8").split("<!-- intended:start -->")[1].split("<!-- intended:end -->")[0]
    assert listed.strip() == intended(), "python -m tests.differential --intended prints this list"


def test_intended_differences_have_unique_names() -> None:
    assert len({each.name for each in INTENDED}) == len(INTENDED)


@pytest.mark.parametrize(
    ("action", "request_", "ours", "theirs", "name"),
    [
        (
            "TransactGetItems",
            {"TransactItems": [{"Get": {"TableName": "a", "Key": {}}}]},
            error("Invalid table/index name.  Table/index names must be between 3 and 255 characters long"),
            error("Cannot do operations on a non-existent table", "ResourceNotFoundException"),
            "short table names in transactions",
        ),
        (
            "Query",
            {"TableName": "t", "ReturnConsumedCapacity": "NO"},
            error("1 validation error detected: Value 'NO' at 'returnConsumedCapacity' failed"),
            ACCEPTED,
            "request shape",
        ),
        (
            "PutItem",
            {},
            error("One or more parameter values were invalid: Missing the key pk in the item"),
            error("One of the required keys was not given a value"),
            "error messages",
        ),
        (
            "UpdateItem",
            {},
            error('Invalid UpdateExpression: Syntax error; token: "x"'),
            error("Cannot do operations on a non-existent table", "ResourceNotFoundException"),
            "order of checks",
        ),
        (
            "PutItem",
            {},
            error("Type mismatch for Index Key i1 Expected: S Actual: N IndexName: all"),
            ACCEPTED,
            "types of index keys",
        ),
        ("UpdateTimeToLive", {}, error(TOO_OFTEN), ACCEPTED, "time to live"),
        (
            "UpdateTable",
            {},
            error("Requested resource not found: Index x for table t", "ResourceNotFoundException"),
            error("Invalid global secondary index name"),
            "missing indexes",
        ),
        (
            "UpdateTable",
            {},
            error("One or more parameter values were invalid: You cannot modify stream status while updating"),
            ACCEPTED,
            "changes that must be made separately",
        ),
        ("Scan", {"ScanFilter": {}}, error(MIXED), ACCEPTED, "empty legacy parameters"),
        (
            "CreateTable",
            {"TableClass": "COLD"},
            error("Invalid table-class parameter provided."),
            ACCEPTED,
            "invalid table classes",
        ),
    ],
)
def test_an_intended_difference_is_recognised(
    action: str, request_: Request, ours: Response, theirs: Response, name: str
) -> None:
    assert reason(action, request_, ours, theirs) == name


@pytest.mark.parametrize(
    ("action", "request_", "ours", "theirs"),
    [
        # The API model allows the request, so its shape is not the error.
        (
            "Query",
            {"TableName": "texts", "ReturnConsumedCapacity": "NONE"},
            error("1 validation error detected: Value 'NONE' at 'returnConsumedCapacity' failed"),
            ACCEPTED,
        ),
        ("PutItem", {}, ACCEPTED, error("One of the required keys was not given a value")),
        # Local reports an error of an earlier stage than ours.
        (
            "UpdateItem",
            {},
            error("The conditional request failed", "ConditionalCheckFailedException"),
            error("Invalid UpdateExpression: Syntax error"),
        ),
        ("GetItem", {}, error("an unknown message"), error("another message")),
        ("GetItem", {}, Response(200, {"Item": {"a": {"N": "1"}}}), Response(200, {"Item": {"a": {"N": "2"}}})),
        ("GetItem", {}, Response(200, {"Item": {}}), ACCEPTED),
        (
            "Query",
            {"Limit": 3},
            Response(200, {"ScannedCount": 2, "LastEvaluatedKey": {}}),
            Response(200, {"ScannedCount": 2}),
        ),
        # Time to live: different errors, and every field of the result.
        ("UpdateTimeToLive", {}, error(TOO_OFTEN), error("TimeToLive is already disabled")),
        ("UpdateTimeToLive", {}, error("TimeToLive is already enabled"), ACCEPTED),
        ("UpdateTimeToLive", {}, ACCEPTED, error(TOO_OFTEN)),
        ("UpdateTimeToLive", {}, Response(200, {"TimeToLiveSpecification": {"Enabled": True}}), ACCEPTED),
        ("DescribeTimeToLive", {}, expiring(TimeToLiveStatus="ENABLED"), expiring(TimeToLiveStatus="DISABLED")),
        ("DescribeTimeToLive", {}, expiring(AttributeName="n"), expiring()),
        ("DescribeTimeToLive", {}, expiring(AttributeName="n"), expiring(AttributeName="m")),
        # Tables: the error must match the request.
        (
            "UpdateTable",
            {},
            error("Requested resource not found: Index x for table t", "ResourceNotFoundException"),
            ACCEPTED,
        ),
        ("Scan", {"ScanFilter": {"a": {"ComparisonOperator": "NULL"}}}, error(MIXED), ACCEPTED),
        ("UpdateTable", {"TableClass": "STANDARD"}, error("Invalid table-class parameter provided."), ACCEPTED),
    ],
)
def test_other_differences_than_the_listed_ones_are_unintended(
    action: str, request_: Request, ours: Response, theirs: Response
) -> None:
    assert reason(action, request_, ours, theirs) is None


def test_intended_differences_ignore_the_notation_of_numbers_but_not_of_strings() -> None:
    done = Exchange("GetItem", {}, ACCEPTED, ACCEPTED)

    def is_intended(path: str, ours: Any, theirs: Any) -> bool:
        return intended_difference(done, Difference(path, ours, theirs)) is not None

    assert is_intended("Item.a.N", "100", "1E+2")
    assert is_intended("Item.a.L[].NS[]", "1.5", "1.50")
    assert not is_intended("Item.a.S", "100", "1E+2")
    assert not is_intended("Item.a.N", "100", "1E+3")
    assert not is_intended("Item.a.N", "100", ABSENT)
    assert not is_intended(ERROR, "1", "1.0")


@pytest.mark.parametrize(
    ("error_text", "found_at"),
    [
        ("SerializationException: NUMBER_VALUE cannot be converted to String", SHAPE),
        ("ValidationException: 2 validation errors detected: Value null at 'key' failed", SHAPE),
        (
            "ValidationException: One or more parameter values were invalid: Input collection contains duplicates",
            VALUES,
        ),
        (
            "ValidationException: One or more parameter values were invalid: Duplicate value in attribute name: a",
            VALUES,
        ),
        (
            "ValidationException: One or more parameter values were invalid: TableClass modification must be the only "
            "operation in the request",
            VALUES,
        ),
        ("ValidationException: Invalid FilterExpression: Syntax error", EXPRESSIONS),
        ("ResourceNotFoundException: Requested resource not found", TABLE),
        ("ValidationException: The provided key element does not match the schema", KEYS),
        ("ValidationException: Type mismatch for Index Key i1 Expected: S Actual: N IndexName: all", INDEXES),
        ("ConditionalCheckFailedException: The conditional request failed", ITEM),
        ("ValidationException: an unknown message", None),
    ],
)
def test_the_stage_of_an_error_decides_whether_its_difference_is_intended(
    error_text: str, found_at: int | None
) -> None:
    assert stage(error_text) == found_at
