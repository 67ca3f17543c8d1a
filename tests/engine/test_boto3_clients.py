"""boto3 clients and resources call the engine in the same process, without a socket."""

from __future__ import annotations

from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from typing import Any

import pytest
from botocore.config import Config  # type: ignore[import-untyped]

from singletable.engine import Engine
from singletable.engine.boto3_clients import boto3_client, boto3_resource
from tests.engine.recording_engine import RecordingEngine

pytestmark = pytest.mark.usefixtures("nothing_is_configured")


@pytest.fixture(autouse=True)
def _nothing_leaves_the_process(connected_to: list[object]) -> Generator[None, None, None]:
    yield
    assert connected_to == []


def test_a_boto3_client_sends_requests_to_the_engine_and_parses_the_response() -> None:
    engine = RecordingEngine({"GetItem": {"Item": {"pk": {"S": "a"}, "n": {"N": "1"}, "b": {"B": "AAE="}}}})
    client = boto3_client(engine)
    answer = client.get_item(TableName="t", Key={"pk": {"S": "a"}})
    assert answer["Item"] == {"pk": {"S": "a"}, "n": {"N": "1"}, "b": {"B": b"\x00\x01"}}
    assert engine.requests == [("DynamoDB_20120810.GetItem", {"TableName": "t", "Key": {"pk": {"S": "a"}}})]


def test_a_response_of_a_boto3_client_has_the_metadata_of_a_real_one() -> None:
    metadata = boto3_client(RecordingEngine({"ListTables": {"TableNames": []}})).list_tables()["ResponseMetadata"]
    assert metadata["HTTPStatusCode"] == 200
    assert metadata["RetryAttempts"] == 0
    assert len(metadata["RequestId"]) == 52
    assert metadata["HTTPHeaders"]["x-amz-crc32"].isdigit()


def test_an_error_raises_the_exception_of_the_boto3_client() -> None:
    engine = RecordingEngine({"GetItem": ("ResourceNotFoundException", "Requested resource not found")})
    client = boto3_client(engine)
    with pytest.raises(client.exceptions.ResourceNotFoundException, match="Requested resource not found"):
        client.get_item(TableName="t", Key={"pk": {"S": "a"}})
    assert len(engine.requests) == 1, "an error must not be retried"


def test_an_exception_in_the_engine_propagates_through_a_boto3_client_unchanged() -> None:
    client = boto3_client(RecordingEngine({}))
    with pytest.raises(KeyError, match="ListTables"):
        client.list_tables()


def test_a_boto3_resource_takes_and_returns_python_values() -> None:
    engine = RecordingEngine({"GetItem": {"Item": {"pk": {"S": "a"}, "s": {"SS": ["x"]}}}, "PutItem": {}})
    table = boto3_resource(engine).Table("t")
    table.put_item(Item={"pk": "a", "s": {"x"}})
    assert table.get_item(Key={"pk": "a"})["Item"] == {"pk": "a", "s": {"x"}}
    assert engine.requests[0][1]["Item"] == {"pk": {"S": "a"}, "s": {"SS": ["x"]}}


def test_paginators_and_waiters_of_a_boto3_client_work() -> None:
    engine = RecordingEngine(
        {"Query": {"Items": [], "Count": 0}, "DescribeTable": {"Table": {"TableStatus": "ACTIVE"}}}
    )
    client = boto3_client(engine)
    assert len(list(client.get_paginator("query").paginate(TableName="t"))) == 1
    client.get_waiter("table_exists").wait(TableName="t")


def test_boto3_clients_accept_the_options_of_boto3() -> None:
    config = Config(user_agent_extra="mine")
    client = boto3_client(RecordingEngine({}), region_name="eu-west-1", config=config)
    assert client.meta.region_name == "eu-west-1"
    assert "mine" in client.meta.config.user_agent


def test_boto3_clients_use_the_configured_region(monkeypatch: pytest.MonkeyPatch) -> None:
    assert boto3_client(RecordingEngine({})).meta.region_name == "us-east-1"
    monkeypatch.setenv("AWS_DEFAULT_REGION", "ap-south-1")
    assert boto3_client(RecordingEngine({})).meta.region_name == "ap-south-1"


def test_boto3_clients_of_two_engines_are_independent() -> None:
    first, second = (RecordingEngine({"ListTables": {"TableNames": [name]}}) for name in "ab")
    assert boto3_client(first).list_tables()["TableNames"] == ["a"]
    assert boto3_client(second).list_tables()["TableNames"] == ["b"]


def test_one_boto3_client_can_be_used_by_many_threads() -> None:
    def echo(request: dict[str, Any]) -> dict[str, Any]:
        return {"Item": request["Key"]}

    client = boto3_client(RecordingEngine({"GetItem": echo}))

    def ask(number: int) -> bool:
        key = {"pk": {"N": str(number)}}
        return bool(client.get_item(TableName="t", Key=key)["Item"] == key)

    with ThreadPoolExecutor(8) as threads:
        assert all(threads.map(ask, range(200)))


def test_the_retry_handler_of_a_boto3_client_accepts_the_checksum() -> None:
    engine = RecordingEngine({"ListTables": {"TableNames": ["ä" * 100]}})
    boto3_client(engine, config=Config(retries={"mode": "legacy"})).list_tables()
    assert len(engine.requests) == 1


@pytest.mark.parametrize("door", [boto3_client, boto3_resource])
def test_the_error_of_boto3_clients_without_boto3_says_how_to_install_it(
    door: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def import_module(name: str) -> Any:
        raise ModuleNotFoundError(f"No module named {name!r}", name=name.partition(".")[0])

    monkeypatch.setattr("importlib.import_module", import_module)
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'singletable\[boto3\]'"):
        door(RecordingEngine({}))


@pytest.fixture
def engine() -> Generator[Engine, None, None]:
    with Engine("memory:") as engine:
        engine.boto3_client().create_table(
            TableName="shop",
            KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
            AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
            BillingMode="PAY_PER_REQUEST",
        )
        yield engine


def test_a_direct_call_and_a_boto3_client_see_the_same_items(engine: Engine) -> None:
    engine.boto3_resource().Table("shop").put_item(Item={"pk": "a", "seen": {b"\x00", b"\xff"}, "n": Decimal("1.50")})
    stored = engine.call("GetItem", {"TableName": "shop", "Key": {"pk": {"S": "a"}}})["Item"]
    assert (stored["n"], sorted(stored["seen"]["BS"])) == ({"N": "1.5"}, ["/w==", "AA=="])
    assert engine.boto3_client().get_item(TableName="shop", Key={"pk": {"S": "a"}})["Item"]["n"] == {"N": "1.5"}


def test_a_boto3_client_parses_the_members_of_an_error(engine: Engine) -> None:
    client = engine.boto3_client()
    put = {"TableName": "shop", "Item": {"pk": {"S": "a"}}, "ConditionExpression": "attribute_not_exists(pk)"}
    client.put_item(**put)
    with pytest.raises(client.exceptions.ConditionalCheckFailedException) as failed:
        client.put_item(**put, ReturnValuesOnConditionCheckFailure="ALL_OLD")
    assert failed.value.response["Item"] == {"pk": {"S": "a"}}
    with pytest.raises(client.exceptions.TransactionCanceledException) as cancelled:
        client.transact_write_items(TransactItems=[{"Put": put}])
    assert [each["Code"] for each in cancelled.value.response["CancellationReasons"]] == ["ConditionalCheckFailed"]


def test_concurrent_boto3_clients_lose_no_update(engine: Engine) -> None:
    def count(_: int) -> None:
        table = engine.boto3_resource().Table("shop")
        for _ in range(10):
            table.update_item(
                Key={"pk": "counter"}, UpdateExpression="ADD n :one", ExpressionAttributeValues={":one": 1}
            )

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(count, range(8)))
    assert engine.boto3_resource().Table("shop").get_item(Key={"pk": "counter"})["Item"]["n"] == 80
