"""Requests beyond the provisioned capacity: which requests succeed, and the errors of the others."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from singletable.engine.engine import Engine
from tests.engine.table_requests import (
    create,
    delete,
    error_fields,
    get,
    item,
    put,
    query,
    refused,
    scan,
    texts,
    update,
    values,
)
from tests.engine.traffic.throttled_tables import EXCEEDED, Clock, count_until_throttled, create_provisioned, units

ARN = "arn:aws:dynamodb:us-east-1:000000000000:table/table"
KEY = texts(pk="a", sk="1")


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def engine(clock: Clock) -> Iterator[Engine]:
    with Engine(now=clock, enforce_capacity=True) as made:
        yield made


def put_one(engine: Engine, number: int = 0, table: str = "table", **attributes: str) -> None:
    put(engine, texts(pk="a", sk=str(number), **attributes), table)


def test_throttling_is_disabled_by_default(clock: Clock) -> None:
    with Engine(now=clock) as engine:
        create_provisioned(engine, 1, 1)
        assert count_until_throttled(lambda number: put_one(engine, number)) == 100
        assert engine.catalog.require("table").traffic is None


def test_throttling_rejects_writes_beyond_the_capacity_and_changes_nothing(engine: Engine) -> None:
    create_provisioned(engine, 100, 5)
    assert count_until_throttled(lambda number: put_one(engine, number)) == 5
    refusal = refused(engine, "PutItem", {"TableName": "table", "Item": texts(pk="b", sk="1")})
    assert (refusal.code, refusal.message) == (
        EXCEEDED,
        "The level of configured provisioned throughput for the table was exceeded. Consider increasing your "
        "provisioning level with the UpdateTable API.",
    )
    assert error_fields(refusal) == {
        "ThrottlingReasons": [{"reason": "TableWriteProvisionedThroughputExceeded", "resource": ARN}]
    }
    assert len(scan(engine)["Items"]) == 5


def test_the_response_of_throttling_has_status_400(engine: Engine) -> None:
    create_provisioned(engine, 1, 1)
    get(engine, KEY, ConsistentRead=True)
    body = b'{"TableName":"table","Key":{"pk":{"S":"a"},"sk":{"S":"1"}}}'
    answer = engine.answer("DynamoDB_20120810.GetItem", body)
    assert answer.status == 400
    assert b"com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException" in answer.body


def test_throughput_limits_refill_and_save_capacity_for_five_minutes(engine: Engine, clock: Clock) -> None:
    create_provisioned(engine, 1, 2)
    assert count_until_throttled(lambda number: put_one(engine, number)) == 2
    clock.now += 10
    assert count_until_throttled(lambda number: put_one(engine, number)) == 20
    clock.now += 100_000
    assert count_until_throttled(lambda number: put_one(engine, number), 1_000) == 600


def test_throughput_limits_save_the_capacity_of_an_unused_store(tmp_path: Path, clock: Clock) -> None:
    url = f"file:{tmp_path / 'store'}"
    with Engine(url, now=clock, enforce_capacity=True) as engine:
        create_provisioned(engine, 1, 1)
        assert count_until_throttled(lambda number: put_one(engine, number)) == 1
    clock.now += 50
    with Engine(url, now=clock, enforce_capacity=True) as engine:
        assert count_until_throttled(lambda number: put_one(engine, number)) == 50


@pytest.mark.parametrize(("consistent", "expected"), [(True, 5), (False, 10)])
def test_throttling_counts_the_units_that_reads_consume(engine: Engine, consistent: bool, expected: int) -> None:
    create_provisioned(engine, 5, 100)
    assert count_until_throttled(lambda _: get(engine, KEY, ConsistentRead=consistent)) == expected
    refusal = refused(engine, "GetItem", {"TableName": "table", "Key": KEY})
    reasons = error_fields(refusal)["ThrottlingReasons"]
    assert reasons == [{"reason": "TableReadProvisionedThroughputExceeded", "resource": ARN}]


@pytest.mark.parametrize("action", ["Query", "Scan"])
def test_throughput_limits_let_a_page_overdraw_the_capacity_and_throttle_the_next_ones(
    engine: Engine, clock: Clock, action: str
) -> None:
    create_provisioned(engine, 1, 1_000)
    for number in range(10):
        put(engine, item(pk="a", sk=str(number), body="x" * 8_000))
    request = {"TableName": "table"}
    if action == "Query":
        more = {"KeyConditionExpression": "pk = :a", "ExpressionAttributeValues": values(a="a")}
        request = {**request, **more}  # type: ignore[dict-item]
    assert len(engine.call(action, request)["Items"]) == 10  # about ten units, although only one unit is available
    clock.now += 8
    assert refused(engine, action, request).code == EXCEEDED
    clock.now += 2
    engine.call(action, request)


def test_throughput_limits_separate_read_and_write_capacity(engine: Engine) -> None:
    create_provisioned(engine, 5, 5)
    assert count_until_throttled(lambda number: put_one(engine, number)) == 5
    assert count_until_throttled(lambda _: get(engine, KEY)) == 10


def test_throttling_counts_the_units_of_updates_deletes_and_failed_conditions(engine: Engine) -> None:
    create_provisioned(engine, 1, 6)
    put_one(engine, 1)
    update(engine, KEY, "SET n = :n", ExpressionAttributeValues=values(n=1))
    never = {"ConditionExpression": "attribute_not_exists(pk)"}
    for _ in range(3):
        refusal = refused(engine, "PutItem", {"TableName": "table", "Item": KEY, **never})
        assert refusal.code == "ConditionalCheckFailedException"
    delete(engine, KEY)
    assert refused(engine, "PutItem", {"TableName": "table", "Item": KEY, **never}).code == EXCEEDED


def test_throttling_of_an_index_blocks_the_writes_of_its_table(engine: Engine) -> None:
    create_provisioned(engine, 100, 100, gsi=units(100, 3))
    assert count_until_throttled(lambda number: put_one(engine, number, g="g")) == 3
    refusal = refused(engine, "PutItem", {"TableName": "table", "Item": texts(pk="b", sk="1", g="g")})
    assert (refusal.code, refusal.message) == (
        EXCEEDED,
        "The level of configured provisioned throughput for one or more global secondary indexes of the table was "
        "exceeded. Consider increasing your provisioning level for the under-provisioned global secondary indexes "
        "with the UpdateTable API",
    )
    reasons = error_fields(refusal)["ThrottlingReasons"]
    assert reasons == [{"reason": "IndexWriteProvisionedThroughputExceeded", "resource": f"{ARN}/index/gsi"}]
    # Items that are not in the index do not use its capacity.
    assert count_until_throttled(lambda number: put_one(engine, 100 + number), 50) == 50


def test_throttling_counts_reads_of_an_index_against_its_own_capacity(engine: Engine) -> None:
    create_provisioned(engine, 1, 100, gsi=units(4, 100))
    put_one(engine, 1, g="g")

    def ask(_: int) -> None:
        query(engine, "g = :g", values(g="g"), IndexName="gsi")

    assert count_until_throttled(ask) == 8
    reasons = error_fields(refused(engine, "Scan", {"TableName": "table", "IndexName": "gsi"}))["ThrottlingReasons"]
    assert reasons[0]["reason"] == "IndexReadProvisionedThroughputExceeded"
    get(engine, KEY)


def test_throughput_limits_follow_changed_capacity_at_once(engine: Engine, clock: Clock) -> None:
    create_provisioned(engine, 1, 1)
    assert count_until_throttled(lambda number: put_one(engine, number)) == 1
    engine.call("UpdateTable", {"TableName": "table", "ProvisionedThroughput": units(1, 50)})
    clock.now += 1
    assert count_until_throttled(lambda number: put_one(engine, number)) == 50
    engine.call("UpdateTable", {"TableName": "table", "BillingMode": "PAY_PER_REQUEST"})
    assert count_until_throttled(lambda number: put_one(engine, number)) == 100


def test_throttling_enforces_an_on_demand_maximum_with_its_own_error(engine: Engine) -> None:
    create(engine, OnDemandThroughput={"MaxWriteRequestUnits": 4})
    assert count_until_throttled(lambda number: put_one(engine, number)) == 4
    refusal = refused(engine, "PutItem", {"TableName": "table", "Item": KEY})
    assert (refusal.code, refusal.message) == (
        "ThrottlingException",
        "Throughput exceeds the maximum OnDemandThroughput configured on table or index",
    )
    reasons = [{"reason": "TableWriteMaxOnDemandThroughputExceeded", "resource": ARN}]
    assert error_fields(refusal) == {"throttlingReasons": reasons}
    assert count_until_throttled(lambda _: get(engine, KEY)) == 100


def test_throughput_limits_are_separate_for_a_new_table_of_the_same_name(engine: Engine) -> None:
    create_provisioned(engine, 1, 1)
    assert count_until_throttled(lambda number: put_one(engine, number)) == 1
    engine.call("DeleteTable", {"TableName": "table"})
    create_provisioned(engine, 1, 2)
    assert count_until_throttled(lambda number: put_one(engine, number)) == 2


def test_boto3_retries_after_throttling_until_a_request_succeeds(clock: Clock) -> None:
    with Engine(now=lambda: clock.now, enforce_capacity=True) as engine:
        create_provisioned(engine, 1, 1)
        client = engine.boto3_client()
        client.put_item(TableName="table", Item=KEY)
        waits: list[float] = []

        def wait(**_: object) -> None:
            waits.append(clock.now)
            clock.now += 0.5

        client.meta.events.register("needs-retry.dynamodb.PutItem", wait)
        client.put_item(TableName="table", Item=KEY)
        assert len(waits) > 1
        once = engine.boto3_client(config=_without_retries())
        with pytest.raises(once.exceptions.ProvisionedThroughputExceededException) as caught:
            once.put_item(TableName="table", Item=KEY)
        assert caught.value.response["ThrottlingReasons"][0]["resource"] == ARN


def _without_retries() -> object:
    from botocore.config import Config  # type: ignore[import-untyped]

    return Config(retries={"total_max_attempts": 1})
