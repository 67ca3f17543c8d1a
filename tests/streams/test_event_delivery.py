"""Delivery of records: which changes reach a handler, what a handler receives, and what happens when it fails."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, ClassVar

import pytest

from singletable import ChangeEvent, Table, UnknownItemWarning, copy, count, entity, field, key, on, upgrade
from singletable.engine import Engine
from singletable.testing import StreamRunner
from tests.streams.ledger import BROKEN, Ledger, Log
from tests.streams.ledger import Order as LoggedOrder

NOW = datetime(2026, 4, 1, tzinfo=UTC)


@entity(key=("CUST#{id}", "HEAD"), unique=["email"])
@dataclass
class Customer:
    id: str
    email: str
    name: str = ""
    order_count: int = 0


@entity(
    key=("ORDER#{id}", "HEAD"),
    gsi1=("CUST#{customer_id}", "ORDER#{id}"),
    schema_version=2,
    copies=[copy(Customer, by={"id": "customer_id"}, fields={"name": "customer_name"})],
    counted=[count(Customer, by={"id": "customer_id"}, field="order_count")],
)
@dataclass
class Order:
    id: str
    customer_id: str
    status: str = "NEW"
    note: str | None = None
    customer_name: str = ""


@upgrade(Order, from_version=1)
def with_status(fields: dict[str, Any]) -> dict[str, Any]:
    return {**fields, "status": fields.pop("state")}


@entity(key=("SESSION#{id}", "HEAD"), ttl="expires")
@dataclass
class Session:
    id: str
    expires: datetime


class Received:
    """What the handlers received."""

    events: ClassVar[list[ChangeEvent[Any]]] = []
    batches: ClassVar[list[list[str]]] = []
    order: ClassVar[list[str]] = []
    fails: ClassVar[set[str]] = set()
    failures_left: ClassVar[int] = 0


@pytest.fixture(autouse=True)
def _nothing() -> None:
    Received.events, Received.batches, Received.order, Received.fails = [], [], [], set()


@on(Customer, Order, "insert", "modify", "remove", "expire")
def every(old: Customer | Order | None, new: Customer | Order | None, event: ChangeEvent[Customer | Order]) -> None:
    Received.events.append(event)


@on(Session, "remove")
def closed(old: Session, new: None, event: ChangeEvent[Session]) -> None:
    Received.events.append(event)


@on(Session, "expire")
async def expired(old: Session, new: None, event: ChangeEvent[Session]) -> None:
    Received.events.append(event)


@on(Order, "modify", where=lambda event: "status" in event.changed)
def shipped(old: Order, new: Order) -> None:
    Received.order.append(f"{new.id} {old.status}>{new.status}")


@on(Order, "insert", batch=True)
def together(events: Sequence[ChangeEvent[Order]]) -> None:
    ids = [event.new.id for event in events if event.new is not None]
    if Received.failures_left:
        Received.failures_left -= 1
        raise ConnectionError("not now")
    if Received.fails & set(ids):
        raise ValueError(", ".join(sorted(Received.fails & set(ids))))
    Received.batches.append(ids)


class Shop(Table, entities=[Customer, Order, Session], handlers=[every, closed, expired, shipped, together]):
    """A shop."""


@pytest.fixture
def shop() -> Iterator[Shop]:
    with Shop.open("memory:", now=NOW.timestamp) as opened:
        yield opened


def kinds() -> list[tuple[str, str, list[str]]]:
    return [(each.kind, getattr(each.new or each.old, "id", ""), sorted(each.changed)) for each in Received.events]


def test_the_event_delivery_passes_old_new_and_the_changed_fields_to_a_handler(shop: Shop) -> None:
    shop.put(Customer("c1", "ada@example.org"))
    shop.put(Customer("c1", "ada@example.org", "Ada"))
    shop.delete(key(Customer, id="c1"))
    StreamRunner(shop).run()
    assert kinds() == [
        ("insert", "c1", ["email", "id", "name", "order_count"]),
        ("modify", "c1", ["name"]),
        ("remove", "c1", ["email", "id", "name", "order_count"]),
    ]
    second = Received.events[1]
    assert (second.old, second.new) == (Customer("c1", "ada@example.org"), Customer("c1", "ada@example.org", "Ada"))
    assert second.time == NOW
    assert int(second.sequence_number) > int(Received.events[0].sequence_number)
    assert second.table(Shop) is shop


def test_the_event_delivery_passes_no_changes_of_derived_data(shop: Shop) -> None:
    shop.put(Customer("c1", "ada@example.org", "Ada"))
    shop.create(Order("o1", "c1", customer_name="Ada"))  # changes order_count of the customer
    shop.update(key(Customer, id="c1"), field(Customer, lambda c: c.name).set("Grace"))  # changes the copy in o1
    report = StreamRunner(shop).run()
    assert [(kind, name) for kind, name, _ in kinds()] == [("insert", "c1"), ("insert", "o1"), ("modify", "c1")]
    assert report.internal > 0


def test_the_event_delivery_distinguishes_an_expired_item_from_a_removed_item(shop: Shop) -> None:
    shop.put(Session("s1", NOW - timedelta(hours=1)))
    shop.put(Session("s2", NOW + timedelta(hours=1)))
    shop.delete(key(Session, id="s2"))
    shop._opened().session.transport.engine.sweep()  # type: ignore[attr-defined]  # the engine of memory:
    StreamRunner(shop).run()
    # The engine may have removed s1 before s2 was deleted: the order of different items is not part of the claim.
    assert sorted((kind, name) for kind, name, _ in kinds()) == [("expire", "s1"), ("remove", "s2")]


def test_the_event_delivery_selects_changes_by_a_condition(shop: Shop) -> None:
    shop.put(Customer("c1", "ada@example.org"))
    shop.put(Order("o1", "c1"))
    for order in (Order("o1", "c1", note="hurry"), Order("o1", "c1", "SENT", "hurry")):
        shop.put(order)
    StreamRunner(shop).run()
    assert Received.order == ["o1 NEW>SENT"]


def test_the_event_delivery_upgrades_images_of_an_older_schema_version(shop: Shop) -> None:
    item = {"PK": "ORDER#o1", "SK": "HEAD", "entity_type": "Order", "id": "o1", "customer_id": "c1", "state": "OLD"}
    engine = shop._opened().session.transport.engine  # type: ignore[attr-defined]  # the engine of memory:
    engine.call("PutItem", {"TableName": "Shop", "Item": {name: {"S": text} for name, text in item.items()}})
    StreamRunner(shop).run()
    (event,) = Received.events
    assert event.new == Order("o1", "c1", "OLD")


def test_the_event_delivery_reports_items_of_unknown_entities(shop: Shop) -> None:
    engine = shop._opened().session.transport.engine  # type: ignore[attr-defined]  # the engine of memory:
    for number in range(3):
        item = {"PK": f"X#{number}", "SK": "HEAD", "entity_type": "Refund"}
        engine.call("PutItem", {"TableName": "Shop", "Item": {name: {"S": text} for name, text in item.items()}})
    with pytest.warns(UnknownItemWarning, match="no entity of Shop: entity_type 'Refund'") as warned:
        report = StreamRunner(shop).run()
    assert len(warned) == 1
    assert report.unknown == {"entity_type 'Refund'": 3}


def test_the_event_delivery_sets_aside_an_item_that_cannot_be_read(shop: Shop) -> None:
    engine = shop._opened().session.transport.engine  # type: ignore[attr-defined]  # the engine of memory:
    item = {"PK": "CUST#c9", "SK": "HEAD", "entity_type": "Customer", "id": "c9"}
    engine.call("PutItem", {"TableName": "Shop", "Item": {name: {"S": text} for name, text in item.items()}})
    shop.put(Customer("c1", "ada@example.org"))
    report = StreamRunner(shop, attempts=2).run()
    assert (report.set_aside, report.failed) == (1, 2)
    assert [name for _, name, _ in kinds()] == ["c1"]
    (_, state), *_ = StreamRunner(shop).retry().remaining
    assert "'email' is missing" in state.reason


def test_the_event_delivery_continues_a_batch_after_one_bad_record(shop: Shop) -> None:
    shop.put(Customer("c1", "ada@example.org"))
    for name in ("o1", "o2", "o3"):
        shop.put(Order(name, "c1"))
    Received.fails = {"o2"}
    report = StreamRunner(shop, attempts=2).run()
    assert report.set_aside == 1
    assert sorted(name for batch in Received.batches for name in set(batch)) == ["o1", "o3"]
    assert [name for _, name, _ in kinds() if name.startswith("o")] == ["o1", "o2", "o3"], "each once"
    Received.fails, Received.batches = set(), []
    assert StreamRunner(shop).retry().items == 1
    assert Received.batches == [["o2"]]
    assert len(Received.events) == 4, "the handler that had succeeded does not receive the record again"


def test_the_event_delivery_forgets_failed_attempts_after_a_success(shop: Shop) -> None:
    shop.put(Customer("c1", "ada@example.org"))
    shop.put(Order("o1", "c1"))
    Received.failures_left = 4
    report = StreamRunner(shop, attempts=5).run()
    assert (report.failed, report.set_aside, Received.batches) == (2, 0, [["o1"]])
    engine: Engine = shop._opened().session.transport.engine  # type: ignore[attr-defined]  # the engine of memory:
    items = engine.call("Scan", {"TableName": "Shop"})["Items"]
    assert not [each for each in items if "#item#" in each["PK"]["S"] or "$singletable_failing" in each]


def test_the_event_delivery_sets_large_records_aside_in_parts(shop: Shop) -> None:
    import random

    chance = random.Random(1)
    shop.put(Customer("c1", "ada@example.org"))
    note = "".join(chr(chance.randrange(32, 0x7E)) for _ in range(390_000))
    shop.put(Order("o1", "c1", note=note))
    Received.fails = {"o1"}
    assert StreamRunner(shop, attempts=1).run().set_aside == 1
    Received.fails = set()
    assert StreamRunner(shop).retry().items == 1
    assert Received.batches == [["o1"]]
    engine: Engine = shop._opened().session.transport.engine  # type: ignore[attr-defined]  # the engine of memory:
    left = [each["PK"]["S"] for each in engine.call("Scan", {"TableName": "Shop"})["Items"]]
    assert not [text for text in left if "item#" in text], "the parts are deleted"


@pytest.mark.parametrize("attempts", [1, 2])
def test_the_event_delivery_sets_aside_two_records_of_an_item_that_fail_in_different_handlers(attempts: int) -> None:
    """The batch handler rejects the first record, the other handler rejects the second one."""
    with Ledger.open("memory:") as ledger:
        for name in ("o1", "o2"):
            ledger.put(Log(name))
            for status in ("WORSE", "BAD", "PAID"):
                ledger.put(LoggedOrder(name, status, name))
        ledger.put(Log("o3"))
        ledger.put(LoggedOrder("o3", "NEW", "o3"))
        report = StreamRunner(ledger, attempts=attempts).run()
        assert (report.failed, report.set_aside) == (2 * attempts, 6)
        assert ledger.get(key(Log, id="o3")) == Log("o3", ["->NEW"], ["->NEW"])
        BROKEN["is_broken"] = False
        try:
            assert StreamRunner(ledger).retry().records == 6
        finally:
            BROKEN["is_broken"] = True
        log = ["->WORSE", "WORSE>BAD", "BAD>PAID"]
        assert [ledger.get(key(Log, id=name)) for name in ("o1", "o2")] == [
            Log(name, log, log) for name in ("o1", "o2")
        ]


def test_the_event_delivery_runs_async_handlers_in_an_async_test() -> None:
    async def run_in_loop(ledger: Ledger) -> None:
        assert StreamRunner(ledger).run().failed == 0

    with Ledger.open("memory:") as ledger:
        ledger.put(Log("o1"))
        ledger.put(LoggedOrder("o1", "NEW", "o1"))
        asyncio.run(run_in_loop(ledger))
        assert ledger.get(key(Log, id="o1")) == Log("o1", ["->NEW"], ["->NEW"])


@on(Session, "insert", batch=True)
def log_twice(events: Sequence[ChangeEvent[Session]]) -> None:
    for event in events:
        for number in (1, 2):
            with event.transaction() as tx:
                tx.put(Customer(f"c{number}", f"{number}@example.org"))


class Careless(Table, entities=[Customer, Session], handlers=[log_twice]):
    """A handler with two transactions for a change."""


def test_the_event_delivery_rejects_a_second_transaction_for_a_change() -> None:
    with Careless.open("memory:", now=NOW.timestamp) as careless:
        careless.put(Session("s1", NOW + timedelta(hours=1)))
        assert StreamRunner(careless, attempts=2).run().set_aside == 1
        ((_, state),) = StreamRunner(careless).retry().remaining
        assert "can commit only one event.transaction() for a change" in state.reason
        assert [each.id for each in careless.scan(Customer, reason="test")] == ["c1"]
