"""Batches and transactions that are more than was bought: what is left to be sent again, and what is cancelled."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from singletable.engine.engine import Engine
from tests.engine.tables import Document, put, refused, scan, texts, told_fields
from tests.engine.traffic.throttling import EXCEEDED, Clock, create_bought, units

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


def test_what_is_throttled_of_a_batch_is_left_to_be_written_again(engine: Engine, clock: Clock) -> None:
    create_bought(engine, 100, 6)
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


def test_a_batch_that_is_throttled_whole_is_refused(engine: Engine) -> None:
    create_bought(engine, 1, 1)
    put(engine, texts(pk="a", sk="0"))
    refusal = refused(engine, "BatchWriteItem", {"RequestItems": {"table": puts(3)}})
    assert (refusal.code, refusal.message) == (EXCEEDED, WORDS)


def test_a_table_that_is_not_throttled_saves_the_batch(engine: Engine) -> None:
    create_bought(engine, 1, 1)
    create_bought(engine, 100, 100, "other")
    put(engine, texts(pk="a", sk="0"))
    answer = engine.call("BatchWriteItem", {"RequestItems": {"table": puts(2), "other": puts(2)}})
    assert answer["UnprocessedItems"] == {"table": puts(2)}


def test_keys_that_are_throttled_are_left_to_be_asked_for_again(engine: Engine, clock: Clock) -> None:
    create_bought(engine, 2, 100)
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


def test_a_transaction_is_cancelled_with_the_actions_that_were_throttled(engine: Engine) -> None:
    create_bought(engine, 100, 3)  # one of its writes costs two units
    actions = [{"Put": {"TableName": "table", "Item": texts(pk="a", sk=str(number))}} for number in range(3)]
    refusal = refused(engine, "TransactWriteItems", {"TransactItems": actions})
    assert refusal.code == "TransactionCanceledException"
    assert refusal.message.endswith("[None, None, ProvisionedThroughputExceeded]")
    assert told_fields(refusal)["CancellationReasons"][2] == {
        "Code": "ProvisionedThroughputExceeded",
        "Message": WORDS,
    }
    assert scan(engine)["Items"] == []


def test_a_ceiling_cancels_a_transaction_as_throttling(engine: Engine) -> None:
    create_bought(engine, 1, 1)
    engine.call(
        "UpdateTable",
        {"TableName": "table", "BillingMode": "PAY_PER_REQUEST", "OnDemandThroughput": {"MaxReadRequestUnits": 1}},
    )
    gets = [{"Get": {"TableName": "table", "Key": texts(pk="a", sk=str(number))}} for number in range(2)]
    refusal = refused(engine, "TransactGetItems", {"TransactItems": gets})
    assert refusal.message.endswith("[None, ThrottlingError]")


def test_a_look_at_an_item_in_a_transaction_costs_writing_units(engine: Engine) -> None:
    create_bought(engine, 100, 1, gsi=units(1, 1))
    check = {
        "TableName": "table",
        "Key": texts(pk="a", sk="1"),
        "ConditionExpression": "attribute_not_exists(pk)",
    }
    engine.call("TransactWriteItems", {"TransactItems": [{"ConditionCheck": check}]})
    refusal = refused(engine, "PutItem", {"TableName": "table", "Item": texts(pk="a", sk="1")})
    assert refusal.code == EXCEEDED
