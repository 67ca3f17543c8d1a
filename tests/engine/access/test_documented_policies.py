"""The policies on AWS's pages allow and deny the requests that these pages list.

The pages are in the DynamoDB Developer Guide: "Using IAM policy conditions for fine-grained access control", "Using IAM
with DynamoDB transactions" and "IAM security policies with PartiQL for DynamoDB".
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import pytest

from singletable.engine.access.authorization import PrincipalEngine
from singletable.engine.engine import Engine
from tests.engine.access.game_scores import (
    ALLOWED,
    DENIED,
    INDEX,
    TABLE,
    caller,
    code,
    game_scores,
    key,
    policy,
    score,
    statement,
)

NAME = {"TableName": "GameScores"}
ADA = {"www.amazon.com:user_id": "ada", "graph.facebook.com:id": "ada"}
READS = ["dynamodb:GetItem", "dynamodb:BatchGetItem", "dynamodb:Query"]
WRITES = ["dynamodb:PutItem", "dynamodb:UpdateItem", "dynamodb:DeleteItem", "dynamodb:BatchWriteItem"]
WITHOUT_OTHERS = ["NONE", "UPDATED_OLD", "UPDATED_NEW"]


@pytest.fixture
def engine() -> Generator[Engine, None, None]:
    with game_scores() as found:
        yield found


def get(user: str, names: str | None = None) -> dict[str, Any]:
    return {**NAME, "Key": key(user), **({} if names is None else {"ProjectionExpression": names})}


def query(user: str, **others: Any) -> dict[str, Any]:
    values = {":user": {"S": user}}
    return {**NAME, "KeyConditionExpression": "UserId = :user", "ExpressionAttributeValues": values, **others}


def of_index(**others: Any) -> dict[str, Any]:
    values = {":title": {"S": "Chess"}}
    condition = {"KeyConditionExpression": "GameTitle = :title", "ExpressionAttributeValues": values}
    return {**NAME, "IndexName": "TopScoreDateTimeIndex", **condition, **others}


def update(user: str, expression: str, **others: Any) -> dict[str, Any]:
    values = {"ExpressionAttributeValues": {":value": {"N": "1"}}} if ":value" in expression else {}
    return {**NAME, "Key": key(user), "UpdateExpression": expression, **values, **others}


def writes_of(user: str) -> list[tuple[str, dict[str, Any]]]:
    return [
        ("PutItem", {**NAME, "Item": score(user)}),
        ("UpdateItem", update(user, "SET Wins = :value")),
        ("BatchWriteItem", {"RequestItems": {"GameScores": [{"PutRequest": {"Item": score(user, "Go")}}]}}),
        ("BatchWriteItem", {"RequestItems": {"GameScores": [{"DeleteRequest": {"Key": key(user, "Go")}}]}}),
        ("DeleteItem", {**NAME, "Key": key(user)}),
    ]


def reads_of(user: str) -> list[tuple[str, dict[str, Any]]]:
    return [
        ("GetItem", get(user)),
        ("BatchGetItem", {"RequestItems": {"GameScores": {"Keys": [key(user)]}}}),
        ("Query", query(user)),
    ]


OWN_ITEMS = {"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": ["${www.amazon.com:user_id}"]}}


def test_documented_policies_limit_items_to_a_partition_key_value(engine: Engine) -> None:
    ada = caller(engine, policy(statement(READS + WRITES, Condition=OWN_ITEMS)), identity=ADA)
    for action, request in reads_of("ada") + writes_of("ada"):
        assert code(ada, action, request) == ALLOWED, request
    for action, request in reads_of("bob") + writes_of("bob"):
        assert code(ada, action, request) == DENIED, request
    assert code(ada, "Scan", NAME) == DENIED
    assert code(ada, "Query", of_index()) == DENIED  # the policy does not name the index


def test_documented_policies_allow_read_only_access_to_own_items(engine: Engine) -> None:
    ada = caller(engine, policy(statement(READS, Condition=OWN_ITEMS)), identity=ADA)
    assert {code(ada, *each) for each in reads_of("ada")} == {ALLOWED}
    assert {code(ada, *each) for each in reads_of("bob") + writes_of("ada")} == {DENIED}


def test_documented_policies_deny_a_whole_batch_with_one_item_of_another_user(engine: Engine) -> None:
    ada = caller(engine, policy(statement(READS + WRITES, Condition=OWN_ITEMS)), identity=ADA)
    both = [{"PutRequest": {"Item": score(user, "Go")}} for user in ("ada", "bob")]
    assert code(ada, "BatchWriteItem", {"RequestItems": {"GameScores": both}}) == DENIED
    assert "Item" not in engine.call("GetItem", {**NAME, "Key": key("ada", "Go")})
    keys = {"Keys": [key("ada"), key("bob")]}
    assert code(ada, "BatchGetItem", {"RequestItems": {"GameScores": keys}}) == DENIED


@pytest.fixture
def two_attributes(engine: Engine) -> PrincipalEngine:
    condition = {
        "ForAllValues:StringEquals": {"dynamodb:Attributes": ["UserId", "GameTitle", "TopScore"]},
        "StringEqualsIfExists": {"dynamodb:Select": "SPECIFIC_ATTRIBUTES", "dynamodb:ReturnValues": WITHOUT_OTHERS},
    }
    actions = ["dynamodb:UpdateItem", "dynamodb:Scan", *READS]
    return caller(engine, policy(statement(actions, Condition=condition)))


@pytest.mark.parametrize(
    ("action", "request_", "outcome"),
    [
        ("GetItem", get("ada", "TopScore"), ALLOWED),
        ("GetItem", get("ada"), DENIED),  # Select is ALL_ATTRIBUTES
        ("GetItem", get("ada", "TopScore, Secret"), DENIED),
        ("GetItem", {**NAME, "Key": key("ada"), "AttributesToGet": ["Secret"]}, DENIED),
        ("GetItem", {**NAME, "Key": key("ada"), "AttributesToGet": ["TopScore"]}, ALLOWED),
        ("Query", query("ada", ProjectionExpression="TopScore"), ALLOWED),
        ("Query", query("ada"), DENIED),
        ("Query", query("ada", Select="COUNT"), DENIED),
        ("Query", query("ada", ProjectionExpression="TopScore", FilterExpression="Secret = :user"), DENIED),
        ("Scan", {**NAME, "ProjectionExpression": "TopScore"}, ALLOWED),
        ("Scan", {**NAME, "ProjectionExpression": "TopScore", "FilterExpression": "attribute_exists(Secret)"}, DENIED),
        ("Scan", NAME, DENIED),
        ("UpdateItem", update("ada", "SET TopScore = :value"), ALLOWED),
        ("UpdateItem", update("ada", "SET TopScore = :value", ReturnValues="UPDATED_NEW"), ALLOWED),
        ("UpdateItem", update("ada", "SET TopScore = :value", ReturnValues="ALL_NEW"), DENIED),
        ("UpdateItem", update("ada", "SET Secret = :value"), DENIED),
        ("UpdateItem", update("ada", "SET TopScore = Secret"), DENIED),
        ("UpdateItem", update("ada", "REMOVE Secret"), DENIED),
        (
            "UpdateItem",
            update("ada", "SET TopScore = :value", ConditionExpression="attribute_exists(Secret)"),
            DENIED,
        ),
        (
            "UpdateItem",
            update("ada", "SET TopScore = :value", ReturnValuesOnConditionCheckFailure="ALL_OLD"),
            DENIED,
        ),
        ("PutItem", {**NAME, "Item": {**key("ada"), "TopScore": {"N": "1"}}}, DENIED),
    ],
)
def test_documented_policies_allow_specific_attributes(
    two_attributes: PrincipalEngine, action: str, request_: dict[str, Any], outcome: str
) -> None:
    assert code(two_attributes, action, request_) == outcome


def test_documented_policies_prevent_updates_of_certain_attributes(engine: Engine) -> None:
    condition = {
        "ForAllValues:StringNotLike": {"dynamodb:Attributes": ["FreeGamesAvailable", "BossLevelUnlocked"]},
        "StringEquals": {"dynamodb:ReturnValues": WITHOUT_OTHERS},
    }
    ada = caller(engine, policy(statement("dynamodb:UpdateItem", Condition=condition)))
    assert code(ada, "UpdateItem", update("ada", "SET Wins = :value")) == ALLOWED
    assert code(ada, "UpdateItem", update("ada", "SET Wins = :value, BossLevelUnlocked = :value")) == DENIED
    assert code(ada, "UpdateItem", update("ada", "REMOVE FreeGamesAvailable")) == DENIED
    assert code(ada, "UpdateItem", update("ada", "SET Wins = :value", ReturnValues="ALL_OLD")) == DENIED


def test_documented_policies_allow_only_projected_attributes_of_an_index(engine: Engine) -> None:
    condition = {
        "ForAllValues:StringEquals": {
            "dynamodb:Attributes": ["TopScoreDateTime", "GameTitle", "Wins", "Losses", "Attempts"]
        },
        "StringEquals": {"dynamodb:Select": "SPECIFIC_ATTRIBUTES"},
    }
    ada = caller(engine, policy(statement("dynamodb:Query", INDEX, Condition=condition)))
    assert code(ada, "Query", of_index(ProjectionExpression="Wins")) == ALLOWED
    assert code(ada, "Query", of_index(ProjectionExpression="Wins, Secret")) == DENIED
    assert code(ada, "Query", of_index()) == DENIED
    assert code(ada, "Query", query("ada", ProjectionExpression="Wins")) == DENIED


def test_documented_policies_allow_all_projected_attributes_of_an_index(engine: Engine) -> None:
    condition = {"StringEquals": {"dynamodb:Select": "ALL_PROJECTED_ATTRIBUTES"}}
    ada = caller(engine, policy(statement("dynamodb:Query", INDEX, Condition=condition)))
    assert code(ada, "Query", of_index()) == ALLOWED
    assert code(ada, "Query", of_index(Select="ALL_PROJECTED_ATTRIBUTES")) == ALLOWED
    assert code(ada, "Query", of_index(Select="COUNT")) == DENIED
    assert code(ada, "Query", of_index(ProjectionExpression="Wins")) == DENIED


def test_documented_policies_combine_certain_attributes_and_partition_key_values(engine: Engine) -> None:
    condition = {
        "ForAllValues:StringEquals": {
            "dynamodb:LeadingKeys": ["${graph.facebook.com:id}"],
            "dynamodb:Attributes": ["UserId", "GameTitle", "attribute-A", "attribute-B"],
        },
        "StringEqualsIfExists": {"dynamodb:Select": "SPECIFIC_ATTRIBUTES", "dynamodb:ReturnValues": WITHOUT_OTHERS},
    }
    actions = ["dynamodb:UpdateItem", *READS]
    ada = caller(engine, policy(statement(actions, [TABLE, INDEX], Condition=condition)), identity=ADA)
    names = {"#a": "attribute-A"}
    change = {"UpdateExpression": "SET #a = :value", "ExpressionAttributeNames": names}
    values = {"ExpressionAttributeValues": {":value": {"N": "1"}}}
    assert code(ada, "UpdateItem", {**NAME, "Key": key("ada"), **change, **values}) == ALLOWED
    assert code(ada, "UpdateItem", {**NAME, "Key": key("bob"), **change, **values}) == DENIED
    assert code(ada, "UpdateItem", update("ada", "SET Wins = :value")) == DENIED
    read = {"ProjectionExpression": "#a", "ExpressionAttributeNames": names}
    assert code(ada, "GetItem", {**get("ada"), **read}) == ALLOWED
    assert code(ada, "GetItem", {**get("bob"), **read}) == DENIED
    assert code(ada, "GetItem", get("ada")) == DENIED
    assert code(ada, "Query", of_index(**read)) == DENIED  # the index has another partition key


PARTS = ["ConditionCheckItem", "PutItem", "UpdateItem", "DeleteItem", "GetItem"]
TRANSACTION_ACTIONS = [f"dynamodb:{part}" for part in PARTS]
IN_TRANSACTION = {
    "ForAnyValue:StringEquals": {"dynamodb:EnclosingOperation": ["TransactWriteItems", "TransactGetItems"]}
}


def transaction(**others: Any) -> dict[str, Any]:
    check = {**NAME, "Key": key("bob"), "ConditionExpression": "attribute_exists(UserId)", **others}
    return {
        "TransactItems": [
            {"ConditionCheck": check},
            {"Put": {**NAME, "Item": score("ada", "Go")}},
            {"Update": update("ada", "SET Wins = :value")},
            {"Delete": {**NAME, "Key": key("cleo")}},
        ]
    }


TRANSACTED_READ = {"TransactItems": [{"Get": get("ada")}]}


def test_documented_policies_allow_transactional_operations(engine: Engine) -> None:
    ada = caller(engine, policy(statement(TRANSACTION_ACTIONS)))
    assert code(ada, "TransactWriteItems", transaction()) == ALLOWED
    assert code(ada, "TransactGetItems", TRANSACTED_READ) == ALLOWED
    assert code(ada, "GetItem", get("ada")) == ALLOWED
    for missing in ("ConditionCheckItem", "PutItem", "UpdateItem", "DeleteItem"):
        some = [action for action in TRANSACTION_ACTIONS if not action.endswith(f":{missing}")]
        assert code(caller(engine, policy(statement(some))), "TransactWriteItems", transaction()) == DENIED, missing


def test_documented_policies_allow_only_transactional_operations(engine: Engine) -> None:
    ada = caller(engine, policy(statement(TRANSACTION_ACTIONS, Condition=IN_TRANSACTION)))
    assert code(ada, "TransactWriteItems", transaction()) == ALLOWED
    assert code(ada, "TransactGetItems", TRANSACTED_READ) == ALLOWED
    assert code(ada, "GetItem", get("ada")) == DENIED
    assert code(ada, "PutItem", {**NAME, "Item": score("ada")}) == DENIED


def test_documented_policies_allow_only_nontransactional_operations(engine: Engine) -> None:
    denied = statement(TRANSACTION_ACTIONS, Effect="Deny", Condition=IN_TRANSACTION)
    allowed = statement([f"dynamodb:{part}" for part in PARTS[1:]])
    ada = caller(engine, policy(denied, allowed))
    assert code(ada, "TransactWriteItems", transaction()) == DENIED
    assert code(ada, "TransactGetItems", TRANSACTED_READ) == DENIED
    assert code(ada, "GetItem", get("ada")) == ALLOWED
    assert code(ada, "PutItem", {**NAME, "Item": score("ada")}) == ALLOWED


def test_documented_policies_hide_the_item_of_a_failed_condition_check(engine: Engine) -> None:
    condition = {"StringEqualsIfExists": {"dynamodb:ReturnValues": "NONE"}}
    ada = caller(engine, policy(statement(TRANSACTION_ACTIONS, Condition=condition)))
    assert code(ada, "TransactWriteItems", transaction()) == ALLOWED
    assert code(ada, "TransactWriteItems", transaction(ReturnValuesOnConditionCheckFailure="ALL_OLD")) == DENIED


SELECT = "SELECT * FROM \"GameScores\" WHERE UserId = 'ada'"
STATEMENTS = {
    "PartiQLSelect": SELECT,
    "PartiQLInsert": "INSERT INTO \"GameScores\" VALUE {'UserId': 'ada', 'GameTitle': 'Go'}",
    "PartiQLUpdate": "UPDATE \"GameScores\" SET Wins = 4 WHERE UserId = 'ada' AND GameTitle = 'Chess'",
    "PartiQLDelete": "DELETE FROM \"GameScores\" WHERE UserId = 'ada' AND GameTitle = 'Go'",
}
ALL_STATEMENTS = [f"dynamodb:{action}" for action in STATEMENTS]


def test_documented_policies_allow_all_partiql_statements(engine: Engine) -> None:
    ada = caller(engine, policy(statement(ALL_STATEMENTS)))
    for text in STATEMENTS.values():
        assert code(ada, "ExecuteStatement", {"Statement": text}) == ALLOWED, text
    assert code(ada, "GetItem", get("ada")) == DENIED  # PartiQL has its own actions


def test_documented_policies_allow_partiql_select_statements(engine: Engine) -> None:
    ada = caller(engine, policy(statement("dynamodb:PartiQLSelect")))
    for action, text in STATEMENTS.items():
        expected = ALLOWED if action == "PartiQLSelect" else DENIED
        assert code(ada, "ExecuteStatement", {"Statement": text}) == expected, text
    by_index = 'SELECT * FROM "GameScores"."TopScoreDateTimeIndex" WHERE GameTitle = \'Chess\''
    assert code(ada, "ExecuteStatement", {"Statement": by_index}) == DENIED


EXECUTED = {"StringEquals": {"dynamodb:EnclosingOperation": ["ExecuteTransaction"]}}


@pytest.mark.parametrize("only", [True, False])
def test_documented_policies_allow_partiql_transactional_statements(engine: Engine, only: bool) -> None:
    inside = statement(ALL_STATEMENTS, Condition=EXECUTED)
    denied = policy({**inside, "Effect": "Deny"}, statement(ALL_STATEMENTS))
    ada = caller(engine, policy(inside) if only else denied)
    key_select = f"{SELECT} AND GameTitle = 'Chess'"
    in_transaction = code(ada, "ExecuteTransaction", {"TransactStatements": [{"Statement": key_select}]})
    alone = code(ada, "ExecuteStatement", {"Statement": key_select})
    assert (in_transaction, alone) == ((ALLOWED, DENIED) if only else (DENIED, ALLOWED))


def test_documented_policies_deny_partiql_full_table_scans(engine: Engine) -> None:
    scan = {"Bool": {"dynamodb:FullTableScan": ["true"]}}
    select = "dynamodb:PartiQLSelect"
    ada = caller(engine, policy(statement(select, Effect="Deny", Condition=scan), statement(select)))
    assert code(ada, "ExecuteStatement", {"Statement": SELECT}) == ALLOWED
    assert code(ada, "ExecuteStatement", {"Statement": 'SELECT * FROM "GameScores"'}) == DENIED
    assert code(ada, "ExecuteStatement", {"Statement": 'SELECT * FROM "GameScores" WHERE Wins > 1'}) == DENIED
