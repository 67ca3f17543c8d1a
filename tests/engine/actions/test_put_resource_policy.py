"""PutResourcePolicy, GetResourcePolicy and DeleteResourcePolicy: stored and versioned by revision."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from singletable.engine.engine import Engine
from tests.engine.table_requests import INVALID, Refused, assert_refused, create, put, refusals, refused, texts

ARN = "arn:aws:dynamodb:us-east-1:000000000000:table/table"
MISSING = ARN.replace("/table", "/missing")
NOT_FOUND = "Resource-based policy not found for the provided ResourceArn: "


def policy(action: str = "dynamodb:GetItem", **dumped: object) -> str:
    statement = {"Effect": "Deny", "Principal": "*", "Action": action, "Resource": ARN}
    return json.dumps({"Version": "2012-10-17", "Statement": [statement]}, **dumped)  # type: ignore[arg-type]


@pytest.fixture
def engine() -> Iterator[Engine]:
    with Engine(now=lambda: 1_700_000_000.0) as made:
        create(made)
        yield made


def attach(engine: Engine, document: str, expected: str | None = None) -> str:
    request = {"ResourceArn": ARN, "Policy": document}
    if expected is not None:
        request["ExpectedRevisionId"] = expected
    revision: str = engine.call("PutResourcePolicy", request)["RevisionId"]
    return revision


def test_get_resource_policy_returns_the_stored_policy(engine: Engine) -> None:
    revision = attach(engine, policy())
    assert engine.call("GetResourcePolicy", {"ResourceArn": ARN}) == {"Policy": policy(), "RevisionId": revision}


def test_put_resource_policy_stores_a_policy_that_is_not_enforced(engine: Engine) -> None:
    attach(engine, policy("dynamodb:*"))
    put(engine, texts(pk="a", sk="1"))


def test_put_resource_policy_makes_a_new_revision_only_for_a_different_policy(engine: Engine) -> None:
    first = attach(engine, policy())
    assert attach(engine, policy(indent=2)) == first
    assert attach(engine, policy("dynamodb:PutItem")) != first


def test_create_table_may_store_a_resource_policy(engine: Engine) -> None:
    create(engine, "other", ResourcePolicy=policy())
    assert engine.call("GetResourcePolicy", {"ResourceArn": ARN.replace("/table", "/other")})["Policy"] == policy()


def test_delete_resource_policy_may_be_repeated(engine: Engine) -> None:
    revision = attach(engine, policy())
    assert engine.call("DeleteResourcePolicy", {"ResourceArn": ARN}) == {"RevisionId": revision}
    assert engine.call("DeleteResourcePolicy", {"ResourceArn": ARN}) == {}
    refusal = refused(engine, "GetResourcePolicy", {"ResourceArn": ARN})
    assert (refusal.code, refusal.message) == ("PolicyNotFoundException", f"{NOT_FOUND}{ARN}")


def test_put_resource_policy_may_expect_no_policy(engine: Engine) -> None:
    revision = attach(engine, policy(), "NO_POLICY")
    refusal = refused(
        engine,
        "PutResourcePolicy",
        {"ResourceArn": ARN, "Policy": policy("dynamodb:Scan"), "ExpectedRevisionId": "NO_POLICY"},
    )
    assert (refusal.code, refusal.message) == (
        "PolicyNotFoundException",
        f"{NOT_FOUND}Requested policy update expecting none to be present for table table, but a policy exists with "
        f"revision id {revision}.",
    )
    assert engine.call("GetResourcePolicy", {"ResourceArn": ARN})["RevisionId"] == revision


@pytest.mark.parametrize("action", ["PutResourcePolicy", "DeleteResourcePolicy"])
def test_put_and_delete_resource_policy_reject_an_unexpected_revision(engine: Engine, action: str) -> None:
    revision = attach(engine, policy())
    request = {"ResourceArn": ARN, "ExpectedRevisionId": "7"}
    refusal = refused(engine, action, {**request, "Policy": policy("dynamodb:Scan")})
    assert (refusal.code, refusal.message) == (
        "PolicyNotFoundException",
        f"{NOT_FOUND}Requested update for policy with revision id 7, but the policy associated to target table table "
        f"has revision id {revision}.",
    )
    assert engine.call("GetResourcePolicy", {"ResourceArn": ARN})["RevisionId"] == revision
    engine.call(action, {**request, "Policy": policy("dynamodb:Scan"), "ExpectedRevisionId": revision})


def test_delete_resource_policy_rejects_an_expected_revision_without_a_policy(engine: Engine) -> None:
    refusal = refused(engine, "DeleteResourcePolicy", {"ResourceArn": ARN, "ExpectedRevisionId": "7"})
    assert refusal.code == "PolicyNotFoundException"


def test_put_resource_policy_accepts_at_most_20_kb_including_spaces(engine: Engine) -> None:
    attach(engine, policy().ljust(20_480))
    refusal = refused(engine, "PutResourcePolicy", {"ResourceArn": ARN, "Policy": policy().ljust(20_481)})
    assert refusal.message == f"{INVALID}Maximum policy size of 20480 bytes exceeded"


@refusals(
    Refused("no JSON", {"Policy": "{"}, f"{INVALID}Invalid policy document: This policy contains invalid Json"),
    Refused("a list", {"Policy": "[]"}, f"{INVALID}Invalid policy document: This policy contains invalid Json"),
    Refused(
        "no statement",
        {"Policy": '{"Statement": []}'},
        f"{INVALID}Invalid policy document: Could not parse the policy: Statement is empty!",
    ),
    Refused(
        "no policy",
        {},
        "1 validation error detected: Value null at 'policy' failed to satisfy constraint: Member must not be null",
    ),
    Refused("no ARN", {"ResourceArn": "table", "Policy": policy()}, f"{INVALID}ARNs must start with 'arn:': table"),
    Refused(
        "another region",
        {"ResourceArn": ARN.replace("us-east-1", "eu-west-1"), "Policy": policy()},
        f"{INVALID}Invalid resource Arn: {ARN.replace('us-east-1', 'eu-west-1')}",
    ),
    Refused(
        "another account",
        {"ResourceArn": ARN.replace("000000000000", "123456789012"), "Policy": policy()},
        "This action is only supported by accounts that match the resource owner\u2019s account.",
    ),
    Refused(
        "a missing table",
        {"ResourceArn": MISSING, "Policy": policy()},
        "Requested resource not found: Table: missing not found",
        "ResourceNotFoundException",
    ),
)
def test_put_resource_policy_rejects_an_invalid_policy(engine: Engine, row: Refused) -> None:
    assert_refused(engine, "PutResourcePolicy", row, **{"ResourceArn": ARN, **row.request})
