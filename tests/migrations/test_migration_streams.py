"""The stream records of a migration: their planned number, and how consumers recognise them."""

from __future__ import annotations

import json
from typing import Any, ClassVar

import pytest

from singletable import GSI, ChangeEvent, Table, on
from singletable.client.request_session import Session
from singletable.client.request_steps import Call, run
from singletable.engine.engine import Engine
from singletable.migrations.migration_plan import plan_migration
from singletable.migrations.runner import run_migration
from singletable.testing import StreamRunner
from tests.migrations.orders import (
    CONTROL,
    IndexedOrder,
    IndexedOrders,
    NewOrder,
    NewOrders,
    OldOrders,
    next_run,
    stored_items,
    table_with,
)

ORDERS = 40
INDEXES = [GSI("gsi1", name="ByStatus", keys=("ByStatusPK", "ByStatusSK"))]
STREAM = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}


class Received:
    events: ClassVar[list[ChangeEvent[Any]]] = []


@on(NewOrder, "insert", "modify", "remove")
def receive(old: NewOrder | None, new: NewOrder | None, event: ChangeEvent[NewOrder]) -> None:
    Received.events.append(event)


@on(IndexedOrder, "insert", "modify", "remove")
def receive_indexed(old: IndexedOrder | None, new: IndexedOrder | None, event: ChangeEvent[IndexedOrder]) -> None:
    Received.events.append(event)


class HandledOrders(NewOrders, entities=[NewOrder], name="Orders", indexes=INDEXES, handlers=[receive]):
    """The new orders, with a handler."""


class HandledIndexedOrders(
    IndexedOrders, entities=[IndexedOrder], name="Orders", indexes=INDEXES, handlers=[receive_indexed]
):
    """The orders in other indexes, with a handler."""


def streamed_table(engine: Engine) -> Session:
    session = table_with(engine, ORDERS)
    session.send(Call("UpdateTable", {"TableName": "Orders", "StreamSpecification": STREAM}))
    return session


def records(engine: Engine, session: Session) -> list[dict[str, Any]]:
    """Return the records of the items, without those of reserved items."""
    table = json.loads(session.send(Call("DescribeTable", {"TableName": "Orders"})))["Table"]
    arn = table["LatestStreamArn"]
    (shard,) = json.loads(session.send(Call("DescribeStream", {"StreamArn": arn})))["StreamDescription"]["Shards"]
    start = {"StreamArn": arn, "ShardId": shard["ShardId"], "ShardIteratorType": "TRIM_HORIZON"}
    place = json.loads(session.send(Call("GetShardIterator", start)))["ShardIterator"]
    found: list[dict[str, Any]] = []
    while page := json.loads(session.send(Call("GetRecords", {"ShardIterator": place})))["Records"]:
        found += page
        after = {"ShardIteratorType": "AFTER_SEQUENCE_NUMBER", "SequenceNumber": page[-1]["dynamodb"]["SequenceNumber"]}
        place = json.loads(session.send(Call("GetShardIterator", {**start, **after})))["ShardIterator"]
    return [each for each in found if not each["dynamodb"]["Keys"]["PK"]["S"].startswith("$")]


@pytest.mark.parametrize(
    ("table", "handled"),
    [(NewOrders, HandledOrders), (IndexedOrders, HandledIndexedOrders)],
    ids=["upgraded", "indexed"],
)
def test_stream_consumers_recognise_the_records_of_a_migration(table: type[Table], handled: type[Table]) -> None:
    engine, Received.events = Engine("memory:"), []
    session = streamed_table(engine)
    state = run(CONTROL.state(), session)
    assert state is not None
    plan = run(plan_migration(next_run(session, table), state), session)
    run(run_migration(next_run(session, table), state), session)
    written = records(engine, session)
    assert len(written) == plan.stream_records > ORDERS
    (old,) = OldOrders.design.entities
    for each in written:
        before, after = each["dynamodb"]["OldImage"], each["dynamodb"]["NewImage"]
        assert before != after
        assert {name: before.get(name) for name in old.attributes.values()} == {
            name: after.get(name) for name in old.attributes.values()
        }
    with handled.open(engine) as opened:
        report = StreamRunner(opened).run()
        assert (report.delivered, Received.events) == (0, [])
        item = stored_items(session)[0]
        session.send(Call("DeleteItem", {"TableName": "Orders", "Key": {name: item[name] for name in ("PK", "SK")}}))
        StreamRunner(opened).run()
        assert [each.kind for each in Received.events] == ["remove"]
