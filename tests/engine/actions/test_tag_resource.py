"""TagResource, UntagResource and ListTagsOfResource: the tags of a table, and invalid tags."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from singletable.engine.engine import Engine
from tests.engine.table_requests import (
    INVALID,
    Document,
    Refused,
    assert_refused,
    create,
    get,
    put,
    refusals,
    refused,
    texts,
)

ARN = "arn:aws:dynamodb:us-east-1:123456789012:table/table"
MISSING = "arn:aws:dynamodb:us-east-1:123456789012:table/missing"
ELSEWHERE = "arn:aws:dynamodb:us-east-1:999999999999:table/table"


@pytest.fixture
def engine() -> Iterator[Engine]:
    with Engine(account="123456789012") as made:
        create(made)
        yield made


def tags_of(**tags: str) -> list[Document]:
    return [{"Key": key, "Value": value} for key, value in tags.items()]


def tag(engine: Engine, **tags: str) -> None:
    engine.call("TagResource", {"ResourceArn": ARN, "Tags": tags_of(**tags)})


def listed(engine: Engine) -> Document:
    answer = engine.call("ListTagsOfResource", {"ResourceArn": ARN})
    assert set(answer) == {"Tags"}
    return {each["Key"]: each["Value"] for each in answer["Tags"]}


def test_tag_resource_and_untag_resource_add_replace_and_remove_tags(engine: Engine) -> None:
    assert listed(engine) == {}
    tag(engine, team="orders", env="test")
    tag(engine, env="production", Env="")
    assert listed(engine) == {"team": "orders", "env": "production", "Env": ""}
    engine.call("UntagResource", {"ResourceArn": ARN, "TagKeys": ["team", "never there"]})
    assert listed(engine) == {"env": "production", "Env": ""}


def test_list_tags_of_resource_returns_the_tags_of_a_new_table(engine: Engine) -> None:
    create(engine, "tagged", Tags=tags_of(b="2", a="1"))
    answer = engine.call("ListTagsOfResource", {"ResourceArn": ARN.replace("/table", "/tagged")})
    assert answer["Tags"] == tags_of(a="1", b="2")


def test_tag_resource_stores_tags_persistently_and_does_not_change_items(tmp_path: Path) -> None:
    url = f"file:{tmp_path / 'store'}"
    with Engine(url, account="123456789012") as engine:
        create(engine)
        put(engine, texts(pk="a", sk="1"))
        tag(engine, team="orders")
        assert get(engine, texts(pk="a", sk="1")) is not None
    with Engine(url, account="123456789012") as engine:
        assert listed(engine) == {"team": "orders"}


def test_tag_resource_and_untag_resource_accept_at_most_50_tags(engine: Engine) -> None:
    too_many = "Number of Tags exceed the current limit for the provided ResourceArn"
    fifty = {f"key{number}": "v" for number in range(50)}
    tag(engine, **fifty)
    tag(engine, **dict.fromkeys(fifty, "w"))
    request = {"ResourceArn": ARN, "Tags": tags_of(more="v")}
    assert refused(engine, "TagResource", request).message == too_many
    assert listed(engine) == dict.fromkeys(fifty, "w")
    keys = [f"key{number}" for number in range(51)]
    assert refused(engine, "UntagResource", {"ResourceArn": ARN, "TagKeys": keys}).message == too_many


LETTERS = {"ключ": "表 ", "a+b-c=d.e_f:g/h@i": "café", "x" * 128: "y" * 256}


def test_tag_resource_accepts_letters_of_every_script(engine: Engine) -> None:
    tag(engine, **LETTERS)
    assert listed(engine) == LETTERS


@pytest.mark.parametrize("sign", "#%,'\"()&*;?|\\<~\U0001f511")
def test_tag_resource_rejects_other_characters_in_keys_and_values(engine: Engine, sign: str) -> None:
    in_key = refused(engine, "TagResource", {"ResourceArn": ARN, "Tags": tags_of(good="v", **{sign: "v"})})
    assert in_key.message == f"The Tag Key provided is invalid, Key: {sign}"
    in_value = refused(engine, "TagResource", {"ResourceArn": ARN, "Tags": tags_of(good=sign)})
    assert in_value.message == f"The Tag Value provided is invalid, Value: {sign}"
    assert listed(engine) == {}


def test_create_table_checks_the_tags_of_a_new_table(engine: Engine) -> None:
    request = {"TableName": "new", "Tags": tags_of(**{"aws:team": "x"})}
    keys = {"KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}], "BillingMode": "PAY_PER_REQUEST"}
    kinds = {"AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}]}
    refusal = refused(engine, "CreateTable", {**request, **keys, **kinds})
    assert refusal.message == "Tag Key cannot be prefixed with aws:, Key: aws:team"
    assert engine.call("ListTables", {})["TableNames"] == ["table"]


@refusals(
    Refused("no resource", {}, "Invalid TableArn"),
    Refused("no ARN", {"ResourceArn": "table"}, f"{INVALID}ARNs must start with 'arn:': table"),
    Refused(
        "another service",
        {"ResourceArn": "arn:aws:s3:::bucket"},
        f"{INVALID}Provided Arn is not a DynamoDB resource arn: arn:aws:s3:::bucket",
    ),
    Refused(
        "an index",
        {"ResourceArn": f"{ARN}/index/gsi"},
        f"{INVALID}Invalid resource arn provided, only table or stream is accepted. "
        f"Provided resource arn: {ARN}/index/gsi",
    ),
    Refused(
        "another region",
        {"ResourceArn": ARN.replace("us-east-1", "eu-west-1")},
        f"Invalid TableArn: Invalid ResourceArn provided as input {ARN.replace('us-east-1', 'eu-west-1')}",
    ),
    Refused(
        "no tags",
        {"ResourceArn": ARN},
        "1 validation error detected: Value null at 'tags' failed to satisfy constraint: Member must not be null",
    ),
    Refused("an empty list", {"ResourceArn": MISSING, "Tags": []}, "Atleast one Tag needs to be provided as Input."),
    Refused("no key", {"ResourceArn": ARN, "Tags": [{}]}, "The Tag Key provided is invalid, Key: null"),
    Refused(
        "an empty key", {"ResourceArn": ARN, "Tags": tags_of(**{"": "v"})}, "The Tag Key provided is invalid, Key: "
    ),
    Refused(
        "no value",
        {"ResourceArn": ARN, "Tags": [{"Key": "k"}]},
        "The Tag Value provided is invalid, Value: null",
    ),
    Refused(
        "a key that is too long",
        {"ResourceArn": ARN, "Tags": tags_of(**{"k" * 129: "v"})},
        f"The Tag Key provided is invalid, Key: {'k' * 129}",
    ),
    Refused(
        "a value that is too long",
        {"ResourceArn": ARN, "Tags": tags_of(k="v" * 257)},
        f"The Tag Value provided is invalid, Value: {'v' * 257}",
    ),
    Refused(
        "a reserved key",
        {"ResourceArn": ARN, "Tags": tags_of(**{"AWS:k": "v"})},
        "Tag Key cannot be prefixed with aws:, Key: AWS:k",
    ),
    Refused(
        "a key twice",
        {"ResourceArn": ARN, "Tags": tags_of(k="v") * 2},
        "Duplicate Tag Keys provided as input: Duplicate Tag Key found k",
    ),
    Refused(
        "a missing table",
        {"ResourceArn": MISSING, "Tags": tags_of(k="v")},
        f"Requested resource not found: ResourceArn: {MISSING} not found",
        "ResourceNotFoundException",
    ),
    Refused(
        "a table of another account",
        {"ResourceArn": ELSEWHERE, "Tags": tags_of(k="v")},
        "User: arn:aws:iam::123456789012:root is not authorized to perform: dynamodb:TagResource on resource: "
        f"{ELSEWHERE}",
        "AccessDeniedException",
    ),
)
def test_tag_resource_rejects_invalid_tags(engine: Engine, row: Refused) -> None:
    assert_refused(engine, "TagResource", row)


@refusals(
    Refused(
        "no keys",
        {},
        "1 validation error detected: Value null at 'tagKeys' failed to satisfy constraint: Member must not be null",
    ),
    Refused("an empty list", {"TagKeys": []}, "Atleast one Tag Key needs to be provided as Input."),
    Refused("an empty key", {"TagKeys": [""]}, "The Tag Key provided is invalid, Key: "),
    Refused("a reserved key", {"TagKeys": ["aws:k"]}, "Tag Key cannot be prefixed with aws:, Key: aws:k"),
    Refused(
        "a missing table",
        {"ResourceArn": MISSING, "TagKeys": ["k"]},
        f"Requested resource not found: ResourceArn: {MISSING} not found",
        "ResourceNotFoundException",
    ),
)
def test_untag_resource_rejects_an_invalid_request(engine: Engine, row: Refused) -> None:
    assert_refused(engine, "UntagResource", row, ResourceArn=ARN)


@refusals(
    Refused(
        "a missing table",
        {"ResourceArn": MISSING},
        f"Requested resource not found: ResourceArn: {MISSING} not found",
        "ResourceNotFoundException",
    ),
    Refused("a token that nobody was given", {"NextToken": "x"}, f"{INVALID}Invalid NextToken"),
)
def test_list_tags_of_resource_rejects_an_invalid_request(engine: Engine, row: Refused) -> None:
    assert_refused(engine, "ListTagsOfResource", row, ResourceArn=ARN)


def test_list_tags_of_resource_denies_access_to_a_missing_table_in_the_null_account() -> None:
    arn = "arn:aws:dynamodb:us-east-1:000000000000:table/missing"
    with Engine() as engine:
        assert refused(engine, "ListTagsOfResource", {"ResourceArn": arn}).code == "AccessDeniedException"


def test_tag_resource_and_untag_resource_have_empty_response_bodies(engine: Engine) -> None:
    # "the service sends back an HTTP 200 response with an empty HTTP body" (API reference)
    for action, change in (("TagResource", {"Tags": tags_of(a="1")}), ("UntagResource", {"TagKeys": ["a"]})):
        body = msgspec.json.encode({"ResourceArn": ARN, **change})
        assert engine.answer(f"DynamoDB_20120810.{action}", body) == (200, b"", True)
    client = engine.boto3_client()
    assert client.tag_resource(ResourceArn=ARN, Tags=tags_of(b="2"))["ResponseMetadata"]["HTTPStatusCode"] == 200
    assert listed(engine) == {"b": "2"}
