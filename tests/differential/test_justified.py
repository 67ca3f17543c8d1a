"""Differences that are meant: each has a reason, the docs have them all, and nothing else is let through."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.differential.ask import Exchange
from tests.differential.compare import ABSENT, REFUSAL, Difference, differences
from tests.differential.justified import JUSTIFIED, justification
from tests.differential.report import meant
from tests.differential.sides import Request, Told
from tests.differential.words import EXPRESSIONS, INDEXES, ITEM, KEYS, SHAPE, TABLE, VALUES, stage

PAGE = Path(__file__).resolve().parents[2] / "docs" / "differential.md"


def refused(message: str, code: str = "ValidationException") -> Told:
    return Told(400, {"__type": code, "message": message})


def expiring(**told: str) -> Told:
    return Told(200, {"TimeToLiveDescription": told})


ACCEPTED = Told(200, {})
TOO_OFTEN = "Time to live has been modified multiple times within a fixed interval"
MIXED = (
    "Can not use both expression and non-expression parameters in the same request: Non-expression parameters: "
    "{ScanFilter} Expression parameters: {FilterExpression}"
)


def reason(action: str, request: Request, ours: Told, theirs: Told) -> str | None:
    done = Exchange(action, request, ours, theirs)
    (difference,) = differences(done)
    found = justification(done, difference)
    return None if found is None else found.name


def test_the_docs_have_every_difference_that_is_meant() -> None:
    listed = PAGE.read_text(encoding="utf-8").split("<!-- meant:start -->")[1].split("<!-- meant:end -->")[0]
    assert listed.strip() == meant(), "python -m tests.differential --meant prints what belongs there"


def test_names_tell_them_apart() -> None:
    assert len({each.name for each in JUSTIFIED}) == len(JUSTIFIED)


@pytest.mark.parametrize(
    ("action", "request_", "ours", "theirs", "name"),
    [
        (
            "Query",
            {"TableName": "t", "ReturnConsumedCapacity": "NO"},
            refused("1 validation error detected: Value 'NO' at 'returnConsumedCapacity' failed"),
            ACCEPTED,
            "the shape of a request",
        ),
        (
            "PutItem",
            {},
            refused("One or more parameter values were invalid: Missing the key pk in the item"),
            refused("One of the required keys was not given a value"),
            "the words of a refusal",
        ),
        (
            "UpdateItem",
            {},
            refused('Invalid UpdateExpression: Syntax error; token: "x"'),
            refused("Cannot do operations on a non-existent table", "ResourceNotFoundException"),
            "the order of checks",
        ),
        (
            "PutItem",
            {},
            refused("Type mismatch for Index Key i1 Expected: S Actual: N IndexName: all"),
            ACCEPTED,
            "types of index keys",
        ),
        ("UpdateTimeToLive", {}, refused(TOO_OFTEN), ACCEPTED, "time to live"),
        (
            "UpdateTable",
            {},
            refused("Requested resource not found: Index x for table t", "ResourceNotFoundException"),
            refused("Invalid global secondary index name"),
            "indexes that are not there",
        ),
        (
            "UpdateTable",
            {},
            refused("One or more parameter values were invalid: You cannot modify stream status while updating"),
            ACCEPTED,
            "changes that go alone",
        ),
        ("Scan", {"ScanFilter": {}}, refused(MIXED), ACCEPTED, "old parameters that are empty"),
        (
            "CreateTable",
            {"TableClass": "COLD"},
            refused("Invalid table-class parameter provided."),
            ACCEPTED,
            "table classes that are none",
        ),
    ],
)
def test_a_difference_is_recognised(action: str, request_: Request, ours: Told, theirs: Told, name: str) -> None:
    assert reason(action, request_, ours, theirs) == name


@pytest.mark.parametrize(
    ("action", "request_", "ours", "theirs"),
    [
        # What the model allows is not refused for its shape.
        (
            "Query",
            {"TableName": "texts", "ReturnConsumedCapacity": "NONE"},
            refused("1 validation error detected: Value 'NONE' at 'returnConsumedCapacity' failed"),
            ACCEPTED,
        ),
        ("PutItem", {}, ACCEPTED, refused("One of the required keys was not given a value")),
        # Local finds a fault that comes before ours.
        (
            "UpdateItem",
            {},
            refused("The conditional request failed", "ConditionalCheckFailedException"),
            refused("Invalid UpdateExpression: Syntax error"),
        ),
        ("GetItem", {}, refused("words that nobody knows"), refused("other words")),
        ("GetItem", {}, Told(200, {"Item": {"a": {"N": "1"}}}), Told(200, {"Item": {"a": {"N": "2"}}})),
        ("GetItem", {}, Told(200, {"Item": {}}), ACCEPTED),
        ("Query", {"Limit": 3}, Told(200, {"ScannedCount": 2, "LastEvaluatedKey": {}}), Told(200, {"ScannedCount": 2})),
        # Time to live: other refusals, and everything that an answer tells.
        ("UpdateTimeToLive", {}, refused(TOO_OFTEN), refused("TimeToLive is already disabled")),
        ("UpdateTimeToLive", {}, refused("TimeToLive is already enabled"), ACCEPTED),
        ("UpdateTimeToLive", {}, ACCEPTED, refused(TOO_OFTEN)),
        ("UpdateTimeToLive", {}, Told(200, {"TimeToLiveSpecification": {"Enabled": True}}), ACCEPTED),
        ("DescribeTimeToLive", {}, expiring(TimeToLiveStatus="ENABLED"), expiring(TimeToLiveStatus="DISABLED")),
        ("DescribeTimeToLive", {}, expiring(AttributeName="n"), expiring()),
        ("DescribeTimeToLive", {}, expiring(AttributeName="n"), expiring(AttributeName="m")),
        # Tables: what is refused must be what the request has.
        (
            "UpdateTable",
            {},
            refused("Requested resource not found: Index x for table t", "ResourceNotFoundException"),
            ACCEPTED,
        ),
        ("Scan", {"ScanFilter": {"a": {"ComparisonOperator": "NULL"}}}, refused(MIXED), ACCEPTED),
        ("UpdateTable", {"TableClass": "STANDARD"}, refused("Invalid table-class parameter provided."), ACCEPTED),
    ],
)
def test_anything_else_is_a_fault(action: str, request_: Request, ours: Told, theirs: Told) -> None:
    assert reason(action, request_, ours, theirs) is None


def test_numbers_are_the_same_in_any_spelling_and_texts_are_not() -> None:
    done = Exchange("GetItem", {}, ACCEPTED, ACCEPTED)

    def is_meant(path: str, ours: Any, theirs: Any) -> bool:
        return justification(done, Difference(path, ours, theirs)) is not None

    assert is_meant("Item.a.N", "100", "1E+2")
    assert is_meant("Item.a.L[].NS[]", "1.5", "1.50")
    assert not is_meant("Item.a.S", "100", "1E+2")
    assert not is_meant("Item.a.N", "100", "1E+3")
    assert not is_meant("Item.a.N", "100", ABSENT)
    assert not is_meant(REFUSAL, "1", "1.0")


@pytest.mark.parametrize(
    ("refusal", "found_at"),
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
        ("ValidationException: words that nobody knows", None),
    ],
)
def test_a_fault_has_its_stage(refusal: str, found_at: int | None) -> None:
    assert stage(refusal) == found_at
