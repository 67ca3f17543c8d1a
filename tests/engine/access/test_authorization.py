"""Every request is authorised before it reads anything, and a denial contains no information about the items."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import msgspec
import pytest

from singletable.engine.access.authorization import PrincipalEngine, accesses_of
from singletable.engine.access.permission_names import PERMISSIONS, PREFIX
from singletable.engine.dispatch import ACTIONS, UNSUPPORTED_ACTIONS
from singletable.engine.engine import Engine
from singletable.errors import RequestRefused
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
from tests.engine.fuzz.seeds import seeds

NAME = {"TableName": "GameScores"}
ITEMS = ["dynamodb:*Item", "dynamodb:Query", "dynamodb:Scan", "dynamodb:PartiQL*"]
OWN = {
    "ForAllValues:StringEquals": {"dynamodb:LeadingKeys": ["${aws:username}"]},
    "Null": {"dynamodb:LeadingKeys": "false"},
}


@pytest.fixture
def engine() -> Generator[Engine, None, None]:
    with game_scores() as found:
        yield found


@pytest.fixture
def ada(engine: Engine) -> PrincipalEngine:
    return caller(engine, policy(statement(ITEMS, [TABLE, INDEX], Condition=OWN)))


def message(engine: PrincipalEngine, action: str, request: dict[str, Any]) -> str:
    with pytest.raises(RequestRefused) as caught:
        engine.call(action, request)
    return str(caught.value)


def facts(engine: Engine, action: str, request: dict[str, Any]) -> dict[str, tuple[str, ...]]:
    """Return the condition values of a request that accesses one resource, without the prefix of the condition keys."""
    found = ACTIONS[f"DynamoDB_20120810.{action}"]
    (access,) = accesses_of(engine, action, found.decode(msgspec.json.encode(request)))
    return {name.removeprefix(PREFIX): values for name, values in access.facts().items()}


def test_authorization_gives_every_action_a_permission_that_policies_can_name(engine: Engine) -> None:
    in_parts = {"TransactGetItems", "TransactWriteItems", "ExecuteStatement", "ExecuteTransaction"}
    for target in ACTIONS:
        name = target.rpartition(".")[2]
        if name in in_parts | {"BatchExecuteStatement", "MostAccessedKeys"} | set(UNSUPPORTED_ACTIONS):
            continue
        assert name in PERMISSIONS


def test_authorization_denies_everything_to_a_principal_without_policies(engine: Engine) -> None:
    nobody = caller(engine)
    for target, action in ACTIONS.items():
        written, of_shape = seeds(action.name, action.shape)
        (request, *_) = [*written, *of_shape]
        if action.name == "BatchExecuteStatement":
            codes = {each["Error"]["Code"] for each in nobody.call(action.name, request)["Responses"]}
            assert codes == {"AccessDenied"}
        elif not target.startswith("Singletable."):
            assert code(nobody, action.name, request) == DENIED, target


def test_authorization_gives_the_same_denial_for_items_that_exist_and_items_that_do_not(ada: PrincipalEngine) -> None:
    for user in ("bob", "nobody"):
        condition = {"ConditionExpression": "attribute_not_exists(UserId)"}
        shown = "ReturnValuesOnConditionCheckFailure"
        words = message(ada, "PutItem", {**NAME, "Item": score(user), **condition, shown: "ALL_OLD"})
        assert words == message(ada, "PutItem", {**NAME, "Item": score("x"), **condition, shown: "ALL_OLD"})
        assert code(ada, "GetItem", {**NAME, "Key": key(user)}) == DENIED


def test_authorization_denies_a_missing_table_unless_a_policy_names_it(engine: Engine, ada: PrincipalEngine) -> None:
    assert code(ada, "GetItem", {"TableName": "Missing", "Key": key("ada")}) == DENIED
    both = caller(engine, policy(statement(ITEMS, "arn:aws:dynamodb:*:*:table/*", Condition=OWN)))
    assert code(both, "GetItem", {"TableName": "Missing", "Key": key("ada")}) == "ResourceNotFoundException"


def test_authorization_shows_the_error_of_an_invalid_request_only_to_callers_with_access(
    engine: Engine, ada: PrincipalEngine
) -> None:
    wrong = {**NAME, "Key": {"UserId": {"S": "ada"}}}
    assert code(ada, "GetItem", wrong) == "ValidationException"
    assert code(caller(engine), "GetItem", wrong) == DENIED
    assert code(ada, "Query", {**NAME, "IndexName": "missing", "KeyConditionExpression": "a = :a"}) == DENIED


@pytest.mark.parametrize(
    ("action", "request_", "expected"),
    [
        ("GetItem", {**NAME, "Key": key("ada")}, {"select": ("ALL_ATTRIBUTES",)}),
        (
            "GetItem",
            {**NAME, "Key": key("ada"), "ProjectionExpression": "#w.x", "ExpressionAttributeNames": {"#w": "Wins"}},
            {"attributes": ("GameTitle", "UserId", "Wins"), "select": ("SPECIFIC_ATTRIBUTES",)},
        ),
        (
            "GetItem",
            {**NAME, "Key": key("ada"), "ReturnConsumedCapacity": "TOTAL"},
            {"returnconsumedcapacity": ("TOTAL",)},
        ),
        (
            "PutItem",
            {**NAME, "Item": {**key("ada"), "a": {"S": "x"}}, "Expected": {"b": {"Exists": False}}},
            {"leadingkeys": ("ada",), "attributes": ("GameTitle", "UserId", "a", "b"), "returnvalues": ("NONE",)},
        ),
        (
            "UpdateItem",
            {**NAME, "Key": key("ada"), "AttributeUpdates": {"c": {"Action": "DELETE"}}},
            {"attributes": ("GameTitle", "UserId", "c")},
        ),
        (
            "Query",
            {
                **NAME,
                "KeyConditions": {"UserId": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "bob"}]}},
                "QueryFilter": {"Wins": {"ComparisonOperator": "NOT_NULL"}},
            },
            {"leadingkeys": ("bob",), "attributes": ("UserId", "Wins"), "select": ("ALL_ATTRIBUTES",)},
        ),
        (
            "TransactWriteItems",
            {"TransactItems": [{"Delete": {**NAME, "Key": key(user)}} for user in ("ada", "bob")]},
            {"leadingkeys": ("ada", "bob"), "enclosingoperation": ("TransactWriteItems",)},
        ),
        (
            "ExecuteStatement",
            {"Statement": "SELECT Wins FROM \"GameScores\" WHERE UserId IN ['ada', 'bob'] AND TopScore > 1"},
            {
                "leadingkeys": ("ada", "bob"),
                "attributes": ("TopScore", "UserId", "Wins"),
                "select": ("SPECIFIC_ATTRIBUTES",),
                "fulltablescan": ("false",),
            },
        ),
        ("ExecuteStatement", {"Statement": 'SELECT * FROM "GameScores"'}, {"fulltablescan": ("true",)}),
        (
            "ExecuteStatement",
            {
                "Statement": 'UPDATE "GameScores" SET Wins = ? WHERE UserId = ? AND GameTitle = ? RETURNING ALL OLD *',
                "Parameters": [{"N": "1"}, {"S": "ada"}, {"S": "Chess"}],
            },
            {"leadingkeys": ("ada",), "attributes": ("GameTitle", "UserId", "Wins"), "returnvalues": ("ALL_OLD",)},
        ),
    ],
)
def test_authorization_returns_the_condition_values_of_a_request(
    engine: Engine, action: str, request_: dict[str, Any], expected: dict[str, Any]
) -> None:
    found = facts(engine, action, request_)
    assert {name: found.get(name) for name in expected} == expected


def test_authorization_of_a_scan_has_no_leading_keys(engine: Engine) -> None:
    assert "leadingkeys" not in facts(engine, "Scan", NAME)
    assert "leadingkeys" not in facts(engine, "ExecuteStatement", {"Statement": 'SELECT * FROM "GameScores"'})


def test_authorization_of_an_index_query_uses_the_partition_key_of_the_index(engine: Engine) -> None:
    condition = {"KeyConditionExpression": "GameTitle = :t", "ExpressionAttributeValues": {":t": {"S": "Chess"}}}
    found = facts(engine, "Query", {**NAME, "IndexName": "TopScoreDateTimeIndex", **condition})
    assert (found["leadingkeys"], found["select"]) == (("Chess",), ("ALL_PROJECTED_ATTRIBUTES",))


@pytest.mark.parametrize(("kind", "spellings", "text"), [("N", ("7", "7.0", "07e0"), "7"), ("B", ("AQ==",), "AQ==")])
def test_authorization_has_one_spelling_of_numbers_and_binary_values(
    engine: Engine, kind: str, spellings: tuple[str, ...], text: str
) -> None:
    engine.call(
        "CreateTable",
        {
            "TableName": "Typed",
            "AttributeDefinitions": [{"AttributeName": "k", "AttributeType": kind}],
            "KeySchema": [{"AttributeName": "k", "KeyType": "HASH"}],
            "BillingMode": "PAY_PER_REQUEST",
        },
    )
    for spelling in spellings:
        found = facts(engine, "GetItem", {"TableName": "Typed", "Key": {"k": {kind: spelling}}})
        assert found["leadingkeys"] == (text,)


def test_authorization_has_a_condition_key_for_each_attribute_of_a_multi_attribute_key(engine: Engine) -> None:
    names = ("id", "tenant", "region")
    engine.call(
        "CreateTable",
        {
            "TableName": "Wide",
            "AttributeDefinitions": [{"AttributeName": name, "AttributeType": "S"} for name in names],
            "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
            "GlobalSecondaryIndexes": [
                {
                    "IndexName": "both",
                    "KeySchema": [{"AttributeName": name, "KeyType": "HASH"} for name in names[1:]],
                    "Projection": {"ProjectionType": "ALL"},
                }
            ],
            "BillingMode": "PAY_PER_REQUEST",
        },
    )
    values = {":t": {"S": "acme"}, ":r": {"S": "eu"}}
    condition = {"KeyConditionExpression": "tenant = :t AND #r = :r", "ExpressionAttributeNames": {"#r": "region"}}
    request = {"TableName": "Wide", "IndexName": "both", **condition, "ExpressionAttributeValues": values}
    found = facts(engine, "Query", request)
    assert (found["leadingkeys"], found["firstpartitionkeyvalues"]) == (("acme",), ("acme",))
    assert found["secondpartitionkeyvalues"] == ("eu",)


def test_authorization_checks_the_statements_of_a_batch_one_by_one(ada: PrincipalEngine) -> None:
    texts = [
        f"SELECT Wins FROM \"GameScores\" WHERE UserId = '{user}' AND GameTitle = 'Chess'" for user in ("bob", "ada")
    ]
    statements = [{"Statement": text} for text in (*texts, "SELECT * FROM Elsewhere WHERE a = 1", "nonsense")]
    responses = ada.call("BatchExecuteStatement", {"Statements": statements})["Responses"]
    codes = [response.get("Error", {}).get("Code") for response in responses]
    assert codes == ["AccessDenied", None, "AccessDenied", "ValidationError"]
    assert responses[1]["Item"] == {"Wins": {"N": "3"}}


def test_authorization_lets_denied_statements_of_a_batch_write_nothing(engine: Engine, ada: PrincipalEngine) -> None:
    texts = [f"DELETE FROM \"GameScores\" WHERE UserId = '{user}' AND GameTitle = 'Chess'" for user in ("ada", "bob")]
    ada.call("BatchExecuteStatement", {"Statements": [{"Statement": text} for text in texts]})
    left = engine.call("Scan", NAME)["Items"]
    assert [item["UserId"]["S"] for item in left] == ["bob"]


def test_authorization_also_limits_boto3_clients_of_a_principal(ada: PrincipalEngine) -> None:
    client = ada.boto3_client(region_name="us-west-2")
    assert client.get_item(**NAME, Key=key("ada"))["Item"]["Wins"] == {"N": "3"}
    with pytest.raises(client.exceptions.ClientError, match="AccessDeniedException"):
        client.get_item(**NAME, Key=key("bob"))
    table = ada.boto3_resource().Table("GameScores")
    with pytest.raises(client.exceptions.ClientError, match="AccessDeniedException"):
        table.scan()


def test_authorization_distinguishes_a_table_from_its_backups_and_stream(engine: Engine) -> None:
    admin = caller(engine, policy(statement("dynamodb:*", f"{TABLE}*"), statement("dynamodb:List*", "*")))
    assert code(admin, "DescribeTable", NAME) == ALLOWED
    assert code(admin, "ListTables", {}) == ALLOWED
    assert code(admin, "DescribeLimits", {}) == DENIED
    backup = admin.call("CreateBackup", {**NAME, "BackupName": "one"})["BackupDetails"]["BackupArn"]
    assert backup.startswith(f"{TABLE}/backup/")
    only_table = caller(engine, policy(statement("dynamodb:*", TABLE)))
    assert code(only_table, "DescribeBackup", {"BackupArn": backup}) == DENIED
    assert code(admin, "DescribeBackup", {"BackupArn": backup}) == ALLOWED
    target = {"TargetTableName": "GameScoresCopy", "BackupArn": backup}
    assert code(only_table, "RestoreTableFromBackup", target) == DENIED
    stream = {"StreamSpecification": {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}}
    arn = admin.call("UpdateTable", {**NAME, **stream})["TableDescription"]["LatestStreamArn"]
    assert code(only_table, "DescribeStream", {"StreamArn": arn}) == DENIED
    shard = admin.call("DescribeStream", {"StreamArn": arn})["StreamDescription"]["Shards"][0]["ShardId"]
    place = {"StreamArn": arn, "ShardId": shard, "ShardIteratorType": "TRIM_HORIZON"}
    iterator = admin.call("GetShardIterator", place)
    assert code(admin, "GetRecords", iterator) == ALLOWED
    assert code(only_table, "GetRecords", iterator) == DENIED


def test_authorization_of_a_table_with_tags_needs_the_permission_to_tag(engine: Engine) -> None:
    new = {
        "TableName": "New",
        "AttributeDefinitions": [{"AttributeName": "k", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "k", "KeyType": "HASH"}],
        "BillingMode": "PAY_PER_REQUEST",
    }
    maker = caller(engine, policy(statement("dynamodb:CreateTable", "*")))
    assert code(maker, "CreateTable", {**new, "Tags": [{"Key": "a", "Value": "b"}]}) == DENIED
    assert code(maker, "CreateTable", new) == ALLOWED
