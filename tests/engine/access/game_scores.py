"""The table of AWS's pages on access control, with an index, and principals with policies."""

from __future__ import annotations

from typing import Any

from singletable.engine.access.authorization import PrincipalEngine
from singletable.engine.access.policy_document import parse_policies
from singletable.engine.access.principal import Principal
from singletable.engine.engine import Engine
from singletable.errors import RequestRefused

ACCOUNT, REGION = "123456789012", "us-west-2"
TABLE = f"arn:aws:dynamodb:{REGION}:{ACCOUNT}:table/GameScores"
INDEX = f"{TABLE}/index/TopScoreDateTimeIndex"
USER = f"arn:aws:iam::{ACCOUNT}:user/games/ada"


def game_scores() -> Engine:
    """Return an engine with the table GameScores and two scores."""
    engine = Engine(region=REGION, account=ACCOUNT, sweep_seconds=None)
    engine.call(
        "CreateTable",
        {
            "TableName": "GameScores",
            "AttributeDefinitions": [
                {"AttributeName": name, "AttributeType": "S"} for name in ("UserId", "GameTitle", "TopScoreDateTime")
            ],
            "KeySchema": [
                {"AttributeName": "UserId", "KeyType": "HASH"},
                {"AttributeName": "GameTitle", "KeyType": "RANGE"},
            ],
            "GlobalSecondaryIndexes": [
                {
                    "IndexName": "TopScoreDateTimeIndex",
                    "KeySchema": [
                        {"AttributeName": "GameTitle", "KeyType": "HASH"},
                        {"AttributeName": "TopScoreDateTime", "KeyType": "RANGE"},
                    ],
                    "Projection": {"ProjectionType": "ALL"},
                }
            ],
            "BillingMode": "PAY_PER_REQUEST",
        },
    )
    for user in ("ada", "bob"):
        engine.call("PutItem", {"TableName": "GameScores", "Item": score(user)})
    return engine


def score(user: str, title: str = "Chess") -> dict[str, Any]:
    """Return a score."""
    texts = {"UserId": user, "GameTitle": title, "TopScoreDateTime": "2026-05-01", "Secret": "x"}
    return {**{name: {"S": text} for name, text in texts.items()}, "TopScore": {"N": "10"}, "Wins": {"N": "3"}}


def key(user: str, title: str = "Chess") -> dict[str, Any]:
    """Return the key of a score."""
    return {"UserId": {"S": user}, "GameTitle": {"S": title}}


def statement(action: str | list[str], resource: str | list[str] = TABLE, **others: Any) -> dict[str, Any]:
    """Return a statement that allows an action, unless `Effect` says otherwise."""
    return {"Effect": "Allow", "Action": action, "Resource": resource, **others}


def policy(*statements: dict[str, Any], version: str = "2012-10-17") -> dict[str, Any]:
    """Return a policy document."""
    return {"Version": version, "Statement": list(statements)}


def caller(
    engine: Engine,
    *documents: dict[str, Any],
    tags: dict[str, str] | None = None,
    identity: dict[str, str] | None = None,
) -> PrincipalEngine:
    """Return the engine as a principal with these policies."""
    policies = tuple(each for document in documents for each in parse_policies(document))
    return engine.as_principal(Principal(USER, policies, tags or {}, identity or {}))


def code(engine: PrincipalEngine, action: str, request: dict[str, Any]) -> str:
    """Return `allowed`, or the code of the error."""
    try:
        engine.call(action, request)
    except RequestRefused as error:
        return error.code
    return "allowed"


ALLOWED, DENIED = "allowed", "AccessDeniedException"
