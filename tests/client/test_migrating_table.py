"""Migrating tables: new code works in every phase, with the keys that the phase requires."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from singletable import CursorRefused, MigrationRefused, TableDiffers, field, key
from singletable.client.design_lease import RENEW_SECONDS, VIEW_SECONDS_MAX
from singletable.client.migrating_table import MigratingTable
from singletable.client.request_session import Session
from singletable.client.request_steps import run
from singletable.engine.engine import Engine
from singletable.evolve.phases import FORWARD, Phase
from singletable.migrations.runner import run_migration, undo_migration
from tests.client.test_design_lease import Clock
from tests.migrations.orders import (
    CONTROL,
    IndexedOrder,
    IndexedOrders,
    NewOrders,
    OldOrders,
    next_run,
    order,
    stored_items,
    table_with,
)

ORDERS = 12
OLD_KEYS, NEW_KEYS = {"GSI1PK", "GSI1SK"}, {"ByStatusPK", "ByStatusSK", "GSI2PK", "GSI2SK"}


class World:
    """A table with orders, the runner of its migration, and a client of the new code."""

    def __init__(self) -> None:
        self.engine, self.clock = Engine("memory:"), Clock()
        self.session: Session = table_with(self.engine, ORDERS)
        self.lead_to(Phase.PENDING)
        self.table = self.opened()

    def opened(self) -> IndexedOrders:
        table = IndexedOrders.open(self.engine)
        assert isinstance(table._open, MigratingTable)
        lease: Any = table._open.session.lease
        lease.clock, lease.confirmed_at, lease.asked_at = self.clock, self.clock.now, self.clock.now
        lease.confirmed_uses = dict.fromkeys(lease.form, self.clock.now)
        return table

    def lead_to(self, until: Phase | None) -> None:
        """Run the migration until a phase; the client learns of it."""
        state = run(CONTROL.state(), self.session)
        assert state is not None
        run(run_migration(next_run(self.session, IndexedOrders, until=until), state), self.session)
        self.clock.now += RENEW_SECONDS

    def undo(self) -> None:
        state = run(CONTROL.state(), self.session)
        assert state is not None
        run(undo_migration(next_run(self.session, IndexedOrders), state), self.session)
        self.clock.now += RENEW_SECONDS


@pytest.fixture
def world() -> World:
    return World()


def indexed(number: int, status: str = "OPEN") -> IndexedOrder:
    old = order(number, status)
    return IndexedOrder(old.id, old.customer, old.status, old.note)


def keys_of(session: Session, id: str) -> set[str]:
    (item,) = (each for each in stored_items(session) if each["id"]["S"] == id)
    return {name for name in item if name in OLD_KEYS | NEW_KEYS}


@pytest.mark.parametrize(
    ("phase", "reads", "written"),
    [
        (Phase.PENDING, "GSI1", OLD_KEYS),
        (Phase.EXPAND, "GSI1", OLD_KEYS | NEW_KEYS),
        (Phase.BACKFILL, "GSI1", OLD_KEYS | NEW_KEYS),
        (Phase.VERIFY, "GSI1", OLD_KEYS | NEW_KEYS),
        (Phase.SWITCH, "ByStatus", OLD_KEYS | NEW_KEYS),
        (None, "ByStatus", NEW_KEYS),
    ],
)
def test_a_migrating_table_supports_every_read_and_write_in_every_phase(
    world: World, phase: Phase | None, reads: str, written: set[str]
) -> None:
    if phase is not Phase.PENDING:
        world.lead_to(phase)
    table, made = world.table, IndexedOrder("x", "c1", "OPEN", "n0")
    requests: list[str] = []
    opened: Any = table._open
    opened.session.hook = lambda event: requests.append(event.parameters.get("IndexName", ""))
    of_c1 = sorted(f"o{number}" for number in range(ORDERS) if number % 5 == 1)
    assert sorted(each.id for each in table.of_customer("c1").items) == of_c1
    assert [name for name in requests if name] == [reads]
    assert table.put(made) == made
    assert keys_of(world.session, "x") == written
    changed = table.update(key(IndexedOrder, id="x"), field(IndexedOrder, lambda o: o.status).set("PAID"))
    assert changed == replace(made, status="PAID")
    item = next(each for each in stored_items(world.session) if each["id"]["S"] == "x")
    if "ByStatusSK" in written:
        assert item["ByStatusSK"]["S"] == "PAID#x"
    if "GSI1SK" in written:
        assert item["GSI1SK"]["S"] == "x"
    assert table.of_customer.count("c1") == len(of_c1) + 1
    assert sorted(each.id for each in table.of_customer.all("c1")) == sorted([*of_c1, "x"])
    with table.transaction() as tx:
        tx.put(replace(made, id="y"))
        tx.delete(key(IndexedOrder, id="x"))
    assert keys_of(world.session, "y") == written
    assert table.put_many([replace(made, id="z")]).written == 1
    assert keys_of(world.session, "z") == written
    assert table.delete_many([made, replace(made, id="y")]).failed == ()
    assert table.delete_collection(key(IndexedOrder, id="z")).failed == ()
    assert table.get(key(IndexedOrder, id="o1")) == indexed(1)
    assert len(list(table.scan(IndexedOrder, reason="a test"))) == ORDERS


def test_a_migrating_table_supports_awaited_calls_in_every_phase(world: World) -> None:
    async def calls() -> None:
        for phase in (Phase.EXPAND, Phase.VERIFY, Phase.SWITCH, None):
            world.lead_to(phase)
            written = await world.table.aio.put(indexed(3, "PAID"))
            assert written in (await world.table.of_customer.aio("c3")).items
            assert written in [each async for each in world.table.of_customer.all("c3")]
            assert await world.table.of_customer.count_aio("c3") == 2

    asyncio.run(calls())


def test_a_migrating_table_can_be_opened_in_every_phase(world: World) -> None:
    for phase in FORWARD[1:-1]:
        world.lead_to(phase)
        assert len(world.opened().of_customer("c1").items) == 3
    world.lead_to(None)
    with IndexedOrders.open(world.engine) as table:
        assert len(table.of_customer("c1").items) == 3


def test_a_migrating_table_serves_a_pattern_that_needs_a_new_index_after_the_switch(world: World) -> None:
    world.lead_to(Phase.VERIFY)
    with pytest.raises(TableDiffers, match=r"in the phase 'verify', so with_note cannot be called yet"):
        world.table.with_note("n0")
    world.lead_to(Phase.SWITCH)
    assert {each.note for each in world.table.with_note("n0").items} == {"n0"}


def test_a_migrating_table_sends_nothing_with_the_keys_of_an_earlier_phase_after_a_long_call(
    world: World,
) -> None:
    world.lead_to(Phase.VERIFY)
    opened: Any = world.table._open
    reads = opened._steps(world.table.of_customer.plan, {"customer": "c1"}, None)
    next(reads)
    query = reads.send([world.session.send(opened.session.lease.request())]).call
    assert query.parameters["IndexName"] == "GSI1"
    world.lead_to(Phase.SWITCH)
    world.clock.now += VIEW_SECONDS_MAX
    steps = opened.writer.put(indexed(1))
    (call,) = next(steps)
    while call.source == "design state":
        (call,) = steps.send([world.session.send(call)])
    world.lead_to(None)
    world.clock.now += VIEW_SECONDS_MAX
    with pytest.raises(TableDiffers, match="this call writes both forms, but the migration has reached"):
        opened.session.send(call)
    with pytest.raises(TableDiffers, match="this call reads the old form"):
        opened.session.send(query)


def test_a_migrating_table_is_pending_after_an_undo_and_can_be_closed_or_migrated_again(world: World) -> None:
    before = stored_items(world.session)
    for phase in (Phase.SWITCH, Phase.BACKFILL):
        world.lead_to(phase)
        world.table.put(indexed(1))
        world.undo()
        state = run(CONTROL.state(), world.session)
        assert state is not None
        assert state.phase is Phase.PENDING
        assert world.table.put(indexed(2)) in world.table.of_customer("c2").items
        assert stored_items(world.session) == before
    world.undo()
    with pytest.raises(TableDiffers, match="was migrated to another design"):
        world.table.of_customer("c1")
    with pytest.raises(TableDiffers, match="does not follow the design"):
        IndexedOrders.open(world.engine)
    assert OldOrders.open(world.engine).of_customer.count("c1") == 3
    with pytest.raises(MigrationRefused, match="no migration is open"):
        world.undo()


def test_a_migrating_table_rejects_a_cursor_of_the_old_index_after_the_switch(world: World) -> None:
    first = world.table.of_customer.using(limit=1)("c1")
    assert first.cursor is not None
    world.lead_to(Phase.VERIFY)
    second = world.table.of_customer.using(limit=1, cursor=first.cursor)("c1")
    assert second.items[0].id > first.items[0].id
    world.lead_to(Phase.SWITCH)
    with pytest.raises(CursorRefused, match="of_customer: the cursor was issued for another index; request the first"):
        world.table.of_customer.using(limit=1, cursor=first.cursor)("c1")


def test_a_migrating_table_lets_new_code_that_cannot_write_the_old_form_wait_for_the_end(world: World) -> None:
    engine = Engine("memory:")
    session = table_with(engine, 3)
    state = run(CONTROL.state(), session)
    assert state is not None
    run(run_migration(next_run(session, until=Phase.PENDING), state), session)
    with pytest.raises(TableDiffers, match=r"is in the phase 'pending'\. In this phase, Orders must not use the table"):
        NewOrders.open(engine)
