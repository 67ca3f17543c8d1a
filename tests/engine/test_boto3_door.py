"""boto3 in the same process: its own clients and resources, its own parsers, and no socket."""

from __future__ import annotations

from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from typing import Any

import pytest
from botocore.config import Config  # type: ignore[import-untyped]

from singletable.engine import Engine
from singletable.engine.boto3_door import boto3_client, boto3_resource
from tests.engine.recording_engine import RecordingEngine

pytestmark = pytest.mark.usefixtures("nothing_is_configured")


@pytest.fixture(autouse=True)
def _nothing_leaves_the_process(connected_to: list[object]) -> Generator[None, None, None]:
    yield
    assert connected_to == []


def test_a_client_asks_the_engine_and_reads_its_answer() -> None:
    engine = RecordingEngine({"GetItem": {"Item": {"pk": {"S": "a"}, "n": {"N": "1"}, "b": {"B": "AAE="}}}})
    client = boto3_client(engine)
    answer = client.get_item(TableName="t", Key={"pk": {"S": "a"}})
    assert answer["Item"] == {"pk": {"S": "a"}, "n": {"N": "1"}, "b": {"B": b"\x00\x01"}}
    assert engine.asked == [("DynamoDB_20120810.GetItem", {"TableName": "t", "Key": {"pk": {"S": "a"}}})]


def test_an_answer_has_the_metadata_of_a_real_one() -> None:
    metadata = boto3_client(RecordingEngine({"ListTables": {"TableNames": []}})).list_tables()["ResponseMetadata"]
    assert metadata["HTTPStatusCode"] == 200
    assert metadata["RetryAttempts"] == 0
    assert len(metadata["RequestId"]) == 52
    assert metadata["HTTPHeaders"]["x-amz-crc32"].isdigit()


def test_a_refusal_is_the_clients_own_exception() -> None:
    engine = RecordingEngine({"GetItem": ("ResourceNotFoundException", "Requested resource not found")})
    client = boto3_client(engine)
    with pytest.raises(client.exceptions.ResourceNotFoundException, match="Requested resource not found"):
        client.get_item(TableName="t", Key={"pk": {"S": "a"}})
    assert len(engine.asked) == 1, "a refusal is no reason to ask again"


def test_a_fault_of_the_engine_comes_out_as_it_is() -> None:
    client = boto3_client(RecordingEngine({}))
    with pytest.raises(KeyError, match="ListTables"):
        client.list_tables()


def test_a_resource_speaks_in_python_values() -> None:
    engine = RecordingEngine({"GetItem": {"Item": {"pk": {"S": "a"}, "s": {"SS": ["x"]}}}, "PutItem": {}})
    table = boto3_resource(engine).Table("t")
    table.put_item(Item={"pk": "a", "s": {"x"}})
    assert table.get_item(Key={"pk": "a"})["Item"] == {"pk": "a", "s": {"x"}}
    assert engine.asked[0][1]["Item"] == {"pk": {"S": "a"}, "s": {"SS": ["x"]}}


def test_paginators_and_waiters_work() -> None:
    engine = RecordingEngine(
        {"Query": {"Items": [], "Count": 0}, "DescribeTable": {"Table": {"TableStatus": "ACTIVE"}}}
    )
    client = boto3_client(engine)
    assert len(list(client.get_paginator("query").paginate(TableName="t"))) == 1
    client.get_waiter("table_exists").wait(TableName="t")


def test_options_are_boto3s_own() -> None:
    config = Config(user_agent_extra="mine")
    client = boto3_client(RecordingEngine({}), region_name="eu-west-1", config=config)
    assert client.meta.region_name == "eu-west-1"
    assert "mine" in client.meta.config.user_agent


def test_the_region_is_the_configured_one(monkeypatch: pytest.MonkeyPatch) -> None:
    assert boto3_client(RecordingEngine({})).meta.region_name == "us-east-1"
    monkeypatch.setenv("AWS_DEFAULT_REGION", "ap-south-1")
    assert boto3_client(RecordingEngine({})).meta.region_name == "ap-south-1"


def test_two_engines_have_their_own_clients() -> None:
    first, second = (RecordingEngine({"ListTables": {"TableNames": [name]}}) for name in "ab")
    assert boto3_client(first).list_tables()["TableNames"] == ["a"]
    assert boto3_client(second).list_tables()["TableNames"] == ["b"]


def test_one_client_serves_many_threads() -> None:
    def echo(request: dict[str, Any]) -> dict[str, Any]:
        return {"Item": request["Key"]}

    client = boto3_client(RecordingEngine({"GetItem": echo}))

    def ask(number: int) -> bool:
        key = {"pk": {"N": str(number)}}
        return bool(client.get_item(TableName="t", Key=key)["Item"] == key)

    with ThreadPoolExecutor(8) as threads:
        assert all(threads.map(ask, range(200)))


def test_the_stock_retry_handler_believes_the_checksum() -> None:
    engine = RecordingEngine({"ListTables": {"TableNames": ["ä" * 100]}})
    boto3_client(engine, config=Config(retries={"mode": "legacy"})).list_tables()
    assert len(engine.asked) == 1


@pytest.mark.parametrize("door", [boto3_client, boto3_resource])
def test_without_boto3_one_is_told_how_to_get_it(door: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_what_one_door_writes_another_reads(engine: Engine) -> None:
    engine.boto3_resource().Table("shop").put_item(Item={"pk": "a", "seen": {b"\x00", b"\xff"}, "n": Decimal("1.50")})
    stored = engine.call("GetItem", {"TableName": "shop", "Key": {"pk": {"S": "a"}}})["Item"]
    assert (stored["n"], sorted(stored["seen"]["BS"])) == ({"N": "1.5"}, ["/w==", "AA=="])
    assert engine.boto3_client().get_item(TableName="shop", Key={"pk": {"S": "a"}})["Item"]["n"] == {"N": "1.5"}


def test_what_a_refusal_carries_is_parsed(engine: Engine) -> None:
    client = engine.boto3_client()
    put = {"TableName": "shop", "Item": {"pk": {"S": "a"}}, "ConditionExpression": "attribute_not_exists(pk)"}
    client.put_item(**put)
    with pytest.raises(client.exceptions.ConditionalCheckFailedException) as failed:
        client.put_item(**put, ReturnValuesOnConditionCheckFailure="ALL_OLD")
    assert failed.value.response["Item"] == {"pk": {"S": "a"}}
    with pytest.raises(client.exceptions.TransactionCanceledException) as cancelled:
        client.transact_write_items(TransactItems=[{"Put": put}])
    assert [each["Code"] for each in cancelled.value.response["CancellationReasons"]] == ["ConditionalCheckFailed"]


def test_clients_in_many_threads_lose_no_update(engine: Engine) -> None:
    def count(_: int) -> None:
        table = engine.boto3_resource().Table("shop")
        for _ in range(10):
            table.update_item(
                Key={"pk": "counter"}, UpdateExpression="ADD n :one", ExpressionAttributeValues={":one": 1}
            )

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(count, range(8)))
    assert engine.boto3_resource().Table("shop").get_item(Key={"pk": "counter"})["Item"]["n"] == 80
