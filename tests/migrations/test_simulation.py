"""Migrations with concurrent clients of both designs, killed runners and stale runners, from one seed.

`SIMULATION=1000 pytest tests/migrations/test_simulation.py` runs more seeds; `make simulate` does that.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from singletable import NotFound, Table, TableDiffers, field, key
from singletable.client.design_lease import RENEW_SECONDS, VIEW_SECONDS_MAX, DualLease
from singletable.client.design_state import DesignState
from singletable.client.request_session import Session
from singletable.client.request_steps import CallForChunks, IndependentCalls, run
from singletable.client.write import bulk_writes
from singletable.conformance.item_comparison import ItemComparer
from singletable.errors import RequestRefused, SingletableError
from singletable.evolve.phases import Phase
from singletable.migrations.runner import WAIT_SECONDS, MigrationRun, run_migration, undo_migration
from tests.migrations.orders import (
    CONTROL,
    INDEXED,
    NEW,
    IndexedOrder,
    IndexedOrders,
    NewOrder,
    NewOrders,
    OldOrder,
    OldOrders,
    next_run,
    stored_items,
    table_with,
)
from tests.migrations.simulated_runner import World

RUNS = int(os.environ.get("SIMULATION") or 15)
ORDERS, CUSTOMERS, STATUSES, NOTES = 12, ("c1", "c2", "c3"), ("OPEN", "PAID"), (None, "n0", "n1")


class OrdersWorld(World):
    """One engine, the clients of both designs, and what every answered write must have left behind."""

    def __init__(self, seed: int, wait_seconds: float, table: type[Table] = NewOrders) -> None:
        super().__init__(seed)
        self.wait_seconds, self.table = wait_seconds, table
        self.session = table_with(self.engine, 0)
        self.expected: dict[str, Any] = {}
        self.old = [Client(self, OldOrders, OldOrder) for _ in range(2)]
        is_dual = table is IndexedOrders
        self.new: list[Client] = (
            [DualClient(self) for _ in range(2)] if is_dual else [Client(self, NewOrders, NewOrder)]
        )
        for number in range(ORDERS):
            self.old[0].put(f"o{number}")
        if is_dual:
            state = run(CONTROL.state(), self.session)
            assert state is not None
            run(run_migration(self.next_run(until=Phase.PENDING), state), self.session)

    def made(self, values: dict[str, Any]) -> Any:
        """Return an order as the new code reads it."""
        if self.table is IndexedOrders:
            return IndexedOrder(**values)
        return NewOrder(**values, total=len(values["customer"]))

    def next_run(self, **settings: Any) -> MigrationRun:
        return next_run(self.session, self.table, wait_seconds=self.wait_seconds, clock=self.clock, **settings)

    def is_over(self, state: DesignState) -> bool:
        return state.fingerprint in (NEW.fingerprint, INDEXED.fingerprint)

    def act(self) -> None:
        """Let some clients send some requests."""
        for client in (*self.old, *self.new):
            if self.random.random() < 0.3:
                client.act()

    def run_once(self, session: Session) -> bool:
        state = run(CONTROL.state(), self.session)
        assert state is not None
        if self.is_over(state):
            return True
        wanted = self.next_run()
        may_undo = state.phase not in (None, Phase.PENDING) and self.random.random() < 0.15
        is_undo = state.phase is Phase.ROLLBACK or may_undo
        result = run((undo_migration if is_undo else run_migration)(wanted, state), session)
        return self.is_over(result.state)

    def check(self) -> None:
        """Check that the table contains exactly the answered writes, in the form of the new design."""
        comparer, found = ItemComparer(self.table.design), {}
        for item in stored_items(self.session):
            comparison = comparer.compare(item)
            assert comparison.written == item, f"an item does not conform: {item}"
            found[comparison.value.id] = comparison.value
        assert found == self.expected


class Client:
    """A client of one design, which opens its table again after it was rejected."""

    def __init__(self, world: OrdersWorld, table: Any, cls: Any) -> None:
        self.world, self.table, self.cls, self.open = world, table, cls, None

    def act(self) -> None:
        choice, number = self.world.random, f"o{self.world.random.randrange(ORDERS + 4)}"
        actions: list[Callable[[str], None]] = [self.put, self.change, self.delete, self.read, self.read]
        choice.choice(actions)(number)

    def opened(self) -> Any:
        if self.open is None:
            opened = self.table.open(self.world.engine)
            lease = opened._open.session.lease
            lease.clock = self.world.clock
            lease.confirmed_at = lease.asked_at = self.world.now
            self.open = opened
        return self.open

    def _send(self, request: Callable[[Any], Any]) -> Any:
        try:
            return request(self.opened())
        except TableDiffers:
            if self.world.random.random() < 0.5:
                self.open = None
            return None

    def put(self, number: str) -> None:
        choice = self.world.random.choice
        values: dict[str, Any] = {"id": number, "customer": choice(CUSTOMERS), "status": choice(STATUSES)}
        values["note"] = choice(NOTES)
        expected = self.world.made(values)
        value = OldOrder(**values) if self.cls is OldOrder else expected
        if self._send(lambda table: table.put(value)) is not None:
            self.world.expected[number] = expected

    def change(self, number: str) -> None:
        if number not in self.world.expected:
            return
        name = self.world.random.choice(("status", "note"))
        value = self.world.random.choice(STATUSES if name == "status" else ("n0", "n1"))
        cls: Any = self.cls
        changed = field(cls, lambda o: getattr(o, name)).set(value)
        if self._send(lambda table: table.update(key(cls, id=number), changed)) is not None:
            self.world.expected[number] = replace(self.world.expected[number], **dict[str, Any]({name: value}))

    def delete(self, number: str) -> None:
        if self._send(lambda table: (table.delete(key(self.cls, id=number)), True)) is not None:
            self.world.expected.pop(number, None)

    def read(self, number: str) -> None:
        customer = self.world.random.choice(CUSTOMERS)
        found = self._send(lambda table: sorted(each.id for each in table.of_customer.all(customer)))
        if found is not None:
            right = sorted(each.id for each in self.world.expected.values() if each.customer == customer)
            assert found == right, f"{self.table.__name__} reads {found} instead of {right}"
        if self.cls is NewOrder:
            noted = self._send(lambda table: sorted(each.id for each in table.with_note.all("n0")))
            if noted is not None:
                assert noted == sorted(each.id for each in self.world.expected.values() if each.note == "n0")


class DualClient(Client):
    """A client of new code that works in every phase, whose calls can take long: time passes before each request."""

    def __init__(self, world: OrdersWorld) -> None:
        super().__init__(world, IndexedOrders, IndexedOrder)
        self.running: tuple[Any, Any, Callable[[Any], None], float] | None = None

    def opened(self) -> Any:
        opened = super().opened()
        lease = opened._open.session.lease
        if not isinstance(lease, DualLease):
            return opened
        if lease.clock != self.world.clock:
            raise AssertionError("the lease has another clock")
        if min(lease.confirmed_uses.values()) < 1000.0:  # just opened, with the clock of the machine
            lease.confirmed_uses = dict.fromkeys(lease.form, self.world.now)
        return opened

    def act(self) -> None:
        if self.running is None:
            self._start()
        elif self.world.random.random() < 0.8:
            self._continue()

    def _start(self) -> None:
        choice, number = self.world.random.choice, f"o{self.world.random.randrange(ORDERS + 4)}"
        table = self.opened()
        opened, expected = table._open, self.world.expected
        match choice(("put", "put_many", "transaction", "change", "delete", "read", "read", "note")):
            case "put":
                made = self._order(number)
                self._run(opened.writer.put(made), lambda _: expected.update({number: made}))
            case "put_many":
                several = {each: self._order(each) for each in (number, "o0")}
                steps = bulk_writes.put_many(opened, several.values(), None)
                self._run(steps, lambda _: expected.update(several))
            case "transaction":
                made = self._order(number)
                transaction = table.transaction().__enter__()
                transaction.put(made)
                assert transaction._end(None)
                self._run(transaction._steps(), lambda _: expected.update({number: made}))
            case "change" if number in expected:
                status = choice(STATUSES)
                change = field(IndexedOrder, lambda o: o.status).set(status)
                steps = opened.writer.update(key(IndexedOrder, id=number), (change,), None)
                self._run(steps, lambda _: expected.update({number: replace(expected[number], status=status)}))
            case "delete":
                self._run(
                    opened.writer.delete(key(IndexedOrder, id=number), None), lambda _: expected.pop(number, None)
                )
            case "note":
                self._run(self._pattern(table.with_note, note="n0"), lambda page: self._compare(page, "note", "n0"))
            case _:
                customer = choice(CUSTOMERS)
                steps = self._pattern(table.of_customer, customer=customer)
                self._run(steps, lambda page: self._compare(page, "customer", customer))

    def _order(self, number: str) -> IndexedOrder:
        choice = self.world.random.choice
        return IndexedOrder(number, choice(CUSTOMERS), choice(STATUSES), choice(NOTES))

    def _pattern(self, called: Any, **arguments: str) -> Any:
        return called._opened()._steps(called.plan, arguments, None)

    def _compare(self, page: Any, name: str, value: str) -> None:
        found = sorted(page.items, key=lambda each: each.id)
        right = [each for each in self.world.expected.values() if getattr(each, name) == value]
        assert found == sorted(right, key=lambda each: each.id), f"new code reads {found} instead of {right}"

    def _run(self, steps: Any, done: Callable[[Any], None]) -> None:
        self.running = (steps, None, done, self.world.now)
        self._continue()

    def _continue(self) -> None:
        """Send the last request of the running call, and run the call up to its next request."""
        assert self.running is not None
        steps, step, done, started = self.running
        self.running = None
        try:
            step = next(steps) if step is None else self._advanced(steps, step)
        except StopIteration as finished:
            done(finished.value)
        except NotFound:  # deleted since the call began
            return
        except TableDiffers as problem:
            is_early = "cannot be called yet" in str(problem)
            took = self.world.now - started
            if not is_early and took < RENEW_SECONDS:
                raise AssertionError(f"a call of new code failed after {took} s") from problem
        else:
            self.running = (steps, step, done, started)
            if self.world.random.random() < 0.7:
                self._continue()

    def _advanced(self, steps: Any, step: Any) -> Any:
        """Send the requests of a step, and return the next step."""
        try:
            responses = self._responses(step)
        except RequestRefused as problem:
            return steps.throw(problem)
        return steps.send(responses)

    def _responses(self, step: Any) -> Any:
        session = self.opened()._open.session
        if isinstance(step, CallForChunks):
            return (session.send_in_chunks(step.call),)
        return session.send_each(step.calls) if isinstance(step, IndependentCalls) else session.send_all(step)


def simulate(seed: int, wait_seconds: float = WAIT_SECONDS, table: type[Table] = NewOrders) -> None:
    world = OrdersWorld(seed, wait_seconds, table)
    world.act()
    world.run_to_the_end()
    for _ in range(10):
        world.act()
    world.check()


@pytest.mark.slow
@pytest.mark.parametrize("table", [NewOrders, IndexedOrders], ids=["upgrade", "indexes"])
def test_a_simulated_migration_loses_no_confirmed_write_and_returns_no_wrong_read(table: type[Table]) -> None:
    for seed in range(RUNS):
        try:
            simulate(seed, table=table)
        except AssertionError as problem:
            raise AssertionError(f"seed {seed}: {problem}") from problem


GUARD_RUNS = 100


def fails_within(runs: int, **settings: Any) -> bool:
    for seed in range(runs):
        try:
            simulate(seed, **settings)
        except (AssertionError, SingletableError, Warning):  # such as a read of an index that no longer exists
            return True
    return False


@pytest.mark.slow
def test_the_simulation_fails_without_the_pause_for_clients() -> None:
    assert WAIT_SECONDS > VIEW_SECONDS_MAX
    assert fails_within(GUARD_RUNS, wait_seconds=0.0)
