"""Random requests of one user are allowed exactly if every item in them belongs to the user."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.engine.access.game_scores import ALLOWED, DENIED, caller, code, game_scores, key, policy, score, statement

ENGINE = game_scores()
OWN = {
    "ForAllValues:StringLike": {"dynamodb:LeadingKeys": ["${aws:username}", "${aws:username}#*"]},
    "Null": {"dynamodb:LeadingKeys": "false"},
}
ADA = caller(ENGINE, policy(statement("dynamodb:*", Condition=OWN)))
# The user has the name ada. Some other users have similar names.
USERS = st.sampled_from(["ada", "ada#1", "ada#*", "adam", "Ada", "bob", "*", "bob#ada"])
ITEMS = st.lists(st.tuples(USERS, st.sampled_from(["Chess", "Go", "Tag"])), min_size=1, max_size=5, unique=True)
NAME = {"TableName": "GameScores"}


def is_own(user: str) -> bool:
    return user == "ada" or user.startswith("ada#")


def parts(kind: str, items: list[tuple[str, str]]) -> tuple[str, dict[str, Any]]:
    """Return a request for these items."""
    keys = [key(user, title) for user, title in items]
    where = [f"WHERE UserId = '{user}' AND GameTitle = '{title}'" for user, title in items]
    checks = {"ConditionExpression": "attribute_not_exists(Never)"}
    match kind:
        case "BatchGetItem":
            return kind, {"RequestItems": {"GameScores": {"Keys": keys}}}
        case "BatchWriteItem":
            return kind, {"RequestItems": {"GameScores": [{"DeleteRequest": {"Key": each}} for each in keys]}}
        case "TransactGetItems":
            return kind, {"TransactItems": [{"Get": {**NAME, "Key": each}} for each in keys]}
        case "puts":
            puts = [{"Put": {**NAME, "Item": score(user, title)}} for user, title in items]
            return "TransactWriteItems", {"TransactItems": puts}
        case "checks":
            first, *others = keys
            mixed = [{"ConditionCheck": {**NAME, "Key": each, **checks}} for each in others]
            return "TransactWriteItems", {"TransactItems": [{"Delete": {**NAME, "Key": first}}, *mixed]}
        case "reads":
            texts = [f'SELECT Wins FROM "GameScores" {each}' for each in where]
            return "ExecuteTransaction", {"TransactStatements": [{"Statement": text} for text in texts]}
        case _:
            users = ", ".join(f"'{user}'" for user, _ in items)
            return "ExecuteStatement", {"Statement": f'SELECT * FROM "GameScores" WHERE UserId IN [{users}]'}


KINDS = ("BatchGetItem", "BatchWriteItem", "TransactGetItems", "puts", "checks", "reads", "select")


@given(st.sampled_from(KINDS), ITEMS)
def test_authorization_of_random_requests_allows_only_the_users_own_items(
    kind: str, items: list[tuple[str, str]]
) -> None:
    action, request = parts(kind, items)
    before = ENGINE.call("Scan", NAME)
    outcome = code(ADA, action, request)
    if all(is_own(user) for user, _ in items):
        # A SELECT with IN may be invalid for repeated users, but it is not denied.
        assert outcome == ALLOWED or (kind == "select" and outcome == "ValidationException")
    else:
        assert outcome == DENIED or (kind == "select" and outcome == "ValidationException")
        assert ENGINE.call("Scan", NAME) == before
