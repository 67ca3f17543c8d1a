"""Batches and transactions beyond the provisioned capacity: unprocessed parts, and cancellations."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from singletable.engine.engine import Engine
from tests.engine.table_requests import Document, error_fields, put, refused, scan, texts
from tests.engine.traffic.throttled_tables import EXCEEDED, Clock, create_provisioned, units

WORDS = (
    "The level of configured provisioned throughput for the table was exceeded. Consider increasing your "
    "provisioning level with the UpdateTable API."
)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def engine(clock: Clock) -> Iterator[Engine]:
    with Engine(now=clock, enforce_capacity=True) as made:
        yield made


def puts(count: int) -> list[Document]:
    return [{"PutRequest": {"Item": texts(pk="a", sk=str(number))}} for number in range(count)]


def keys(count: int) -> list[Document]:
    return [texts(pk="a", sk=str(number)) for number in range(count)]


def test_throttling_returns_writes_of_a_batch_as_unprocessed(engine: Engine, clock: Clock) -> None:
    create_provisioned(engine, 100, 6)
    removal = {"DeleteRequest": {"Key": texts(pk="b", sk="1")}}
    request: Document = {"RequestItems": {"table": [*puts(8), removal]}, "ReturnConsumedCapacity": "TOTAL"}
    answer = engine.call("BatchWriteItem", request)
    assert answer["UnprocessedItems"] == {"table": [*puts(8)[6:], removal]}
    assert answer["ConsumedCapacity"] == [{"TableName": "table", "CapacityUnits": 6.0}]
    assert len(scan(engine)["Items"]) == 6
    clock.now += 1
    again = engine.call("BatchWriteItem", {"RequestItems": answer["UnprocessedItems"]})
    assert again == {"UnprocessedItems": {}}
    assert len(scan(engine)["Items"]) == 8


def test_throttling_of_a_complete_batch_raises(engine: Engine) -> None:
    create_provisioned(engine, 1, 1)
    put(engine, texts(pk="a", sk="0"))
    refusal = refused(engine, "BatchWriteItem", {"RequestItems": {"table": puts(3)}})
    assert (refusal.code, refusal.message) == (EXCEEDED, WORDS)


def test_throttling_lets_a_batch_succeed_if_one_table_is_not_throttled(engine: Engine) -> None:
    create_provisioned(engine, 1, 1)
    create_provisioned(engine, 100, 100, "other")
    put(engine, texts(pk="a", sk="0"))
    answer = engine.call("BatchWriteItem", {"RequestItems": {"table": puts(2), "other": puts(2)}})
    assert answer["UnprocessedItems"] == {"table": puts(2)}


def test_throttling_returns_keys_of_a_batch_as_unprocessed(engine: Engine, clock: Clock) -> None:
    create_provisioned(engine, 2, 100)
    for number in range(6):
        put(engine, texts(pk="a", sk=str(number)))
    wanted = {"ConsistentRead": True, "ProjectionExpression": "sk"}
    request = {"RequestItems": {"table": {"Keys": keys(6), **wanted}}}
    answer = engine.call("BatchGetItem", request)
    assert answer["Responses"] == {"table": [{"sk": {"S": "0"}}, {"sk": {"S": "1"}}]}
    assert answer["UnprocessedKeys"] == {"table": {"Keys": keys(6)[2:], **wanted}}
    assert refused(engine, "BatchGetItem", {"RequestItems": answer["UnprocessedKeys"]}).code == EXCEEDED
    clock.now += 2
    again = engine.call("BatchGetItem", {"RequestItems": answer["UnprocessedKeys"]})
    assert (len(again["Responses"]["table"]), again["UnprocessedKeys"]) == (4, {})


def test_throttling_of_actions_cancels_a_transaction_and_is_its_reason(engine: Engine) -> None:
    create_provisioned(engine, 100, 3)  # one of its writes costs two units
    actions = [{"Put": {"TableName": "table", "Item": texts(pk="a", sk=str(number))}} for number in range(3)]
    refusal = refused(engine, "TransactWriteItems", {"TransactItems": actions})
    assert refusal.code == "TransactionCanceledException"
    assert refusal.message.endswith("[None, None, ProvisionedThroughputExceeded]")
    assert error_fields(refusal)["CancellationReasons"][2] == {
        "Code": "ProvisionedThroughputExceeded",
        "Message": WORDS,
    }
    assert scan(engine)["Items"] == []


def test_throttling_by_an_on_demand_maximum_cancels_a_transaction(engine: Engine) -> None:
    create_provisioned(engine, 1, 1)
    engine.call(
        "UpdateTable",
        {"TableName": "table", "BillingMode": "PAY_PER_REQUEST", "OnDemandThroughput": {"MaxReadRequestUnits": 1}},
    )
    gets = [{"Get": {"TableName": "table", "Key": texts(pk="a", sk=str(number))}} for number in range(2)]
    refusal = refused(engine, "TransactGetItems", {"TransactItems": gets})
    assert refusal.message.endswith("[None, ThrottlingError]")


def test_throttling_counts_the_write_capacity_of_a_condition_check(engine: Engine) -> None:
    create_provisioned(engine, 100, 1, gsi=units(1, 1))
    check = {
        "TableName": "table",
        "Key": texts(pk="a", sk="1"),
        "ConditionExpression": "attribute_not_exists(pk)",
    }
    engine.call("TransactWriteItems", {"TransactItems": [{"ConditionCheck": check}]})
    refusal = refused(engine, "PutItem", {"TableName": "table", "Item": texts(pk="a", sk="1")})
    assert refusal.code == EXCEEDED
