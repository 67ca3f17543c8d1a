"""The design lease: clients read the design state again, and stop when a migration requires it."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from singletable import TableDiffers, key
from singletable.client.design_lease import RENEW_SECONDS, VIEW_SECONDS_MAX
from singletable.client.design_state import ClientAccess, DesignState, state_of
from singletable.client.request_session import Session
from singletable.client.request_steps import Call, run
from singletable.client.tracing import RequestEvent
from singletable.engine.engine import Engine
from singletable.errors import Unreachable
from singletable.evolve.phases import Phase
from tests.migrations.orders import CONTROL, NEW, OLD, NewOrders, OldOrder, OldOrders, order, table_with

TO_NEW = DesignState(OLD.fingerprint, ("0001_initial:x",), "0002_by_status", NEW.fingerprint)


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def engine() -> Engine:
    return Engine("memory:")


def opened(engine: Engine, clock: Clock, **options: Any) -> OldOrders:
    table = OldOrders.open(engine, **options)
    assert table._open is not None
    lease = table._open.session.lease
    assert lease is not None
    lease.clock, lease.confirmed_at, lease.asked_at = clock, clock.now, clock.now
    return table


def set_state(session: Session, **changes: Any) -> None:
    before = run(CONTROL.state(), session)
    assert before is not None
    run(CONTROL.change(before, replace(before, **changes)), session)


OPEN = {"migration": "0002_by_status", "target": NEW.fingerprint}


def test_the_design_lease_of_each_phase_decides_who_may_read_and_write() -> None:
    old, new, other = (frozenset((each,)) for each in (OLD.fingerprint, NEW.fingerprint, "x"))
    allowed = {
        phase: tuple(replace(TO_NEW, phase=phase).access(known).name for known in (old, new, other))
        for phase in (None, *Phase)
    }
    assert allowed == {
        None: ("ALL", "NONE", "NONE"),
        Phase.PENDING: ("ALL", "NONE", "NONE"),
        Phase.EXPAND: ("ALL", "NONE", "NONE"),
        Phase.BACKFILL: ("READS", "NONE", "NONE"),
        Phase.VERIFY: ("READS", "NONE", "NONE"),
        Phase.SWITCH: ("NONE", "NONE", "NONE"),
        Phase.CONTRACT: ("NONE", "ALL", "NONE"),
        Phase.ROLLBACK: ("ALL", "NONE", "NONE"),
    }


def test_the_design_state_is_stored_in_an_item_without_loss() -> None:
    for state in (TO_NEW, replace(TO_NEW, phase=Phase.VERIFY, epoch=7, is_paused=True, began_at=5), DesignState("f")):
        assert state_of({"$singletable": {"M": state.content}}, "T") == state
    with pytest.raises(TableDiffers, match="is not readable"):
        state_of({"$singletable": {"M": {**TO_NEW.content, "phase": {"S": "later"}}}}, "T")


def test_the_design_lease_of_a_client_follows_a_migration_within_30_seconds(engine: Engine, clock: Clock) -> None:
    session = table_with(engine, 3)
    table = opened(engine, clock)
    set_state(session, phase=Phase.BACKFILL, **OPEN)
    table.put(order(1))  # the client has just read the state
    clock.now += RENEW_SECONDS
    with pytest.raises(
        TableDiffers, match=r"0002_by_status is in the phase 'backfill'\. In this phase, Orders must not send writes"
    ):
        table.put(order(1))
    assert table.get(key(OldOrder, id="o1")) == order(1)
    set_state(session, phase=Phase.SWITCH)
    clock.now += RENEW_SECONDS
    with pytest.raises(TableDiffers, match="must not send requests"):
        table.of_customer("c1")
    set_state(session, phase=None, migration=None, target=None)
    clock.now += RENEW_SECONDS
    assert table.put(order(1)) == order(1)


def test_the_design_lease_of_an_async_client_follows_a_migration(engine: Engine, clock: Clock) -> None:
    session = table_with(engine, 3)
    table = opened(engine, clock)
    set_state(session, phase=Phase.BACKFILL, **OPEN)
    clock.now += RENEW_SECONDS

    async def calls() -> None:
        with pytest.raises(TableDiffers, match="must not send writes"):
            await table.aio.put(order(1))
        assert await table.aio.get(key(OldOrder, id="o1")) == order(1)
        assert len((await table.of_customer.aio("c1")).items) == 1

    asyncio.run(calls())


def test_the_design_lease_of_a_client_that_cannot_read_the_state_ends_after_60_seconds(
    engine: Engine, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    table_with(engine, 3)
    table = opened(engine, clock)
    assert table._open is not None
    session = table._open.session
    send = session.transport.send

    def fail_for_state(operation: str, body: bytes) -> bytes:
        if b"$singletable#state" in body:
            raise Unreachable("no response", sent=True)
        return send(operation, body)

    monkeypatch.setattr(session.transport, "send", fail_for_state)
    monkeypatch.setattr("singletable.client.request_session.time.sleep", lambda seconds: None)
    clock.now += VIEW_SECONDS_MAX
    table.put(order(1))
    clock.now += 1
    with pytest.raises(TableDiffers, match="could not read the design state for 60 seconds"):
        table.put(order(1))
    monkeypatch.undo()
    clock.now += RENEW_SECONDS
    table.put(order(1))


def test_the_design_lease_reads_the_state_every_30_seconds_and_a_hook_sees_it(engine: Engine, clock: Clock) -> None:
    events: list[RequestEvent] = []
    table_with(engine, 3)
    table = opened(engine, clock, hook=events.append)
    events.clear()
    for _ in range(3):
        table.get(key(OldOrder, id="o1"))
        clock.now += RENEW_SECONDS
        table.get(key(OldOrder, id="o1"))
    shown = ["$singletable#state" in str(each.parameters) for each in events]
    # The first get sends no other request. After 30 seconds, a read of the state precedes the next get.
    assert shown == [False, *[True, False, False] * 3][: len(shown)]
    assert sum(shown) == 3


def test_open_compares_the_model_with_the_design_of_the_table(engine: Engine) -> None:
    session = table_with(engine, 3)
    assert OldOrders.open(engine).get(key(OldOrder, id="o1")) == order(1)
    with pytest.raises(TableDiffers) as error:
        NewOrders.open(engine)
    assert "table 'Orders' does not follow the design of Orders:\n  index changed gsi1 GSI1 → ByStatus" in str(
        error.value
    )
    assert "Run `singletable migrate make`" in str(error.value)
    set_state(session, phase=Phase.VERIFY, **OPEN)
    with pytest.raises(TableDiffers, match="Open it again in the phase 'contract'"):
        NewOrders.open(engine)


def test_the_design_lease_accepts_a_model_with_instant_changes(engine: Engine, clock: Clock) -> None:
    from dataclasses import dataclass

    from singletable import Table, entity

    @entity(key=("ORDER#{id}", "METADATA"), gsi1=("CUST#{customer}", "{id}"), name="Order")
    @dataclass
    class WiderOrder:
        id: str
        customer: str
        status: str
        note: str | None = None
        weight: int = 0

    class WiderOrders(Table, entities=[WiderOrder], name="Orders"): ...

    session = table_with(engine, 3)
    table = WiderOrders.open(engine)
    assert table.put(WiderOrder("o9", "c1", "OPEN")).weight == 0
    assert table._open is not None
    assert table._open.session.lease is not None
    assert table._open.session.lease.access is ClientAccess.ALL
    set_state(session, phase=Phase.BACKFILL, **OPEN)
    with WiderOrders.open(engine) as again, pytest.raises(TableDiffers, match="must not send writes"):
        again.put(WiderOrder("o9", "c1", "OPEN"))


def test_a_table_that_was_never_migrated_has_no_design_state(engine: Engine) -> None:
    with OldOrders.open(engine, create=True) as table:
        assert table._open is not None
        assert table._open.session.lease is not None
        assert table._open.session.lease.state is None
    with OldOrders.open("memory:") as private:
        assert private._open is not None
        assert private._open.session.lease is None, "no other client can reach the engine"


def test_reads_never_return_the_reserved_items_of_the_design_state(engine: Engine) -> None:
    session = table_with(engine, 3)
    with OldOrders.open(engine) as table:
        assert len(list(table.scan(reason="test"))) == 3
    stored = session.send(Call("Scan", {"TableName": "Orders", "Select": "COUNT"}))
    assert b'"Count":5' in stored
