"""A simulation of migrations between two random designs of a shop, with concurrent old and new code, from one seed."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from singletable import MigrationStopped, NotFound, NotUnique, SingletableError, TableDiffers, field, key
from singletable.client.design_lease import RENEW_SECONDS, DualLease
from singletable.client.open_table import transport_for
from singletable.client.reading import key_reads
from singletable.client.request_session import Session
from singletable.client.request_steps import DESIGN_STATE, Call, CallForChunks, IndependentCalls, run
from singletable.client.write.moved_writes import MOVE
from singletable.conformance.item_comparison import ItemComparer
from singletable.errors import ConditionFailed, RequestRefused, TransactionCancelled
from singletable.evolve.dual_designs import NotDual, dual_designs
from singletable.evolve.phases import FormUse, Phase
from singletable.migrations.runner import WAIT_SECONDS, MigrationRun, run_migration, undo_migration
from tests.migrations.shop_designs import CONTROL_TABLE, FEATURES, MOVES, Shop, next_run, record, shop
from tests.migrations.simulated_runner import World

ORDERS, CUSTOMERS, GROUPS, USERS = 9, ("c0", "c1", "c2"), ("g0", "g1"), ("u0", "u1")
STATUSES, CODES, NAMES = ("OPEN", "PAID"), (None, "k0", "k1", "k2", "k3", "k4"), ("Ada", "Bob", "Eve")
MOVABLE = ("unique", "counter", "open_counter", "copy", "mirror")
WRITES = {"PutItem", "UpdateItem", "DeleteItem", "TransactWriteItems"}


@dataclass(frozen=True)
class OrderRow:
    """What an order must contain."""

    customer: str
    status: str
    code: str | None


class History(dict[Any, Any]):
    """Rows by key, with their earlier values."""

    def __init__(self) -> None:
        super().__init__()
        self.changes: list[tuple[Any, Any]] = []

    def set(self, key: Any, row: Any) -> None:
        """Store a row; None deletes it."""
        self.changes.append((key, self.get(key)))
        self.pop(key, None) if row is None else self.update({key: row})

    def values_since(self, start: int, key: Any) -> list[Any]:
        """Return the values that a row has had since a number of changes, the current one last."""
        return [*(value for changed, value in self.changes[start:] if changed == key), self.get(key)]


class ShopWorld(World):
    """A shop, its clients, and what every answered write must have left behind."""

    def __init__(
        self,
        seed: int,
        wait_seconds: float = WAIT_SECONDS,
        features: tuple[str, ...] | None = None,
        *,
        is_move: bool = False,
        has_control_table: bool = False,
    ) -> None:
        super().__init__(seed)
        always = (CONTROL_TABLE,) if has_control_table else ()
        self.wait_seconds, self.is_stuck = wait_seconds, False
        if is_move:
            kept, chosen = self._moving_features()
            features = chosen if features is None else features
        else:
            chosen = tuple(each for each in FEATURES if self.random.random() < 0.4) or (self.random.choice(FEATURES),)
            kept = tuple(each for each in FEATURES if self.random.random() < 0.2)
        self.wanted: MigrationRun | None = None
        self.before = shop(*(kept if features is None or is_move else ()), *always)
        self.after = shop(*(chosen if features is None else features), *always)
        if self.before is self.after:
            self.before = shop(*always)
        self.customers, self.orders, self.members = History(), History(), History()
        self.session = Session(transport_for(self.engine))
        self.before.table.open(self.engine, create=True).close()
        record(self.session, self.before)
        try:
            dual_designs(self.after.table.design, self.before.snapshot)
        except NotDual:
            self.is_dual = False
        else:
            self.is_dual = True
        self.clients = [Client(self, self.before) for _ in range(2)]
        for number, each in enumerate(CUSTOMERS):
            self.clients[0].put_customer(each, NAMES[number])
        for number in range(ORDERS):
            self.clients[0].finish(self.clients[0].put_order, f"o{number}")
        for group in GROUPS:
            self.clients[0].finish(self.clients[0].put_member, (group, USERS[0]))
        if self.is_dual:
            self.run_once(self.session, until=Phase.PENDING)
        self.clients += [Client(self, self.after) for _ in range(2)]

    def _moving_features(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the features of two designs that differ only in their keys."""
        kept = tuple(each for each in MOVABLE if self.random.random() < 0.4)
        keys = [each for each in MOVES if self.random.random() < 0.3] or [self.random.choice(MOVES[:3])]
        shards = self.random.choice(((), (), ("sharded",)))
        after = (*keys, *(("resharded",) if shards and self.random.random() < 0.5 else shards))
        before, after = (*kept, *shards), (*kept, *after)
        if shop(*before).snapshot.fingerprint == shop(*after).snapshot.fingerprint:
            after = (*after, "customer_key")
        return (before, after) if self.random.random() < 0.7 else (after, before)

    def act(self) -> None:
        for client in self.clients:
            if self.random.random() < 0.3:
                client.act()

    def run_once(self, session: Session, until: Phase | None = None) -> bool:
        state = run(self.after.control.state(), self.session)
        assert state is not None
        if state.fingerprint == self.after.snapshot.fingerprint:
            return True
        settings: dict[str, Any] = {"wait_seconds": self.wait_seconds, "clock": self.clock, "until": until}
        if until is not None or self.wanted is None:
            self.wanted = next_run(self.session, self.before, self.after, **settings)
        wanted = self.wanted
        self.wanted = None if until is not None else wanted
        may_undo = state.phase not in (None, Phase.PENDING, Phase.CONTRACT) and self.random.random() < 0.15
        undoes = state.phase is Phase.ROLLBACK or may_undo or (self.is_stuck and state.phase is not None)
        result = run((undo_migration if undoes else run_migration)(wanted, state), session)
        if self.is_stuck and result.state.phase is None:
            self.is_stuck = False
            self.correct()
        if result.failures:
            if result.state.phase is Phase.CONTRACT:
                raise AssertionError(f"items fail in the last phase: {result.failures}")
            self.correct()
            self.is_stuck = not self.is_dual  # nobody can write in this phase
        return result.state.fingerprint == self.after.snapshot.fingerprint

    def correct(self) -> None:
        """Change the orders that have the code of another order, as a user must do."""
        seen: set[str] = set()
        for id, row in sorted(self.orders.items()):
            if row.code in seen:
                for client in self.clients:
                    if self.orders[id].code == row.code and client.running is None:
                        with suppress(TableDiffers):
                            client.finish(client.change_order, id, "code", None)
            seen |= {row.code} if row.code else set()

    def check(self) -> None:
        """Check that the table contains exactly the answered writes and their derived data, in the new form."""
        items = [each for each in self._items() if "$singletable" not in each]
        comparer, found = ItemComparer(self.after.table.design), list[Any]()
        markers = []
        for item in items:
            compared = comparer.compare(item)
            if compared.is_internal:
                markers.append(item["PK"]["S"])
                continue
            assert compared.written is not None, f"an item does not conform: {item} {compared.problems}"
            extra = {name for name in item if compared.written.get(name) != item[name]}
            left = {"order_count", "open_count", "customer_name"}  # fields of the old design keep their last values
            assert extra <= left - compared.written.keys(), f"an item does not conform: {item}, {compared.written}"
            assert set(compared.written) - left <= set(item), f"an item does not conform: {item}"
            found.append(compared.value)
        self._check_rows(found)
        codes = [each.code for each in self.orders.values() if each.code]
        expected = [f"UNIQUE#Order#code#{each}" for each in codes] if "unique" in self.after.features else []
        assert sorted(markers) == sorted(expected), f"markers {sorted(markers)} instead of {sorted(expected)}"

    def _check_rows(self, found: list[Any]) -> None:
        after = self.after
        orders = {each.id: each for each in found if isinstance(each, after.Order)}
        rows = {id: OrderRow(each.customer, each.status, each.code) for id, each in orders.items()}
        assert rows == self.orders, f"orders {rows} instead of {self.orders}"
        counts = Counter(each.customer for each in rows.values())
        open_counts = Counter(each.customer for each in rows.values() if each.status == "OPEN")
        for each in found:
            if isinstance(each, after.Customer):
                assert each.name == self.customers[each.id]
                if "counter" in after.features:
                    assert each.order_count == counts[each.id], f"{each} instead of {counts[each.id]} orders"
                if "open_counter" in after.features:
                    assert each.open_count == open_counts[each.id], f"{each} instead of {open_counts[each.id]} open"
        if "copy" in after.features:
            for order in orders.values():
                assert order.customer_name == self.customers[order.customer], f"{order} has an old name"
        for cls in (after.Member, after.Mirror):
            if cls is not None:
                members = {(each.group, each.user): each.role for each in found if isinstance(each, cls)}
                assert members == self.members, f"{cls.__name__} {members} instead of {self.members}"

    def _items(self) -> list[Any]:
        items: list[Any] = json.loads(self.session.send(Call("Scan", {"TableName": "Shop"})))["Items"]
        return items


class Client:
    """A client of one design, whose calls can take long: time passes before each of its requests."""

    def __init__(self, world: ShopWorld, design: Shop) -> None:
        self.world, self.shop, self.open = world, design, None
        self.running: tuple[Any, Any, Callable[[Any], None] | None, float] | None = None
        self.commit: Callable[[], None] | None = None
        self.requests = self.start = 0

    def act(self) -> None:
        if self.running is not None:
            if self.world.random.random() < 0.8:
                self._continue()
            return
        try:
            self.world.random.choice(self._actions())()
        except TableDiffers:  # the table cannot be opened in this phase
            self.open = None

    def _actions(self) -> list[Callable[[], None]]:
        choice = self.world.random.choice
        order, member = f"o{self.world.random.randrange(ORDERS + 3)}", (choice(GROUPS), choice(USERS))
        name = choice(("status", "code", "customer"))
        values: Any = {"status": STATUSES, "code": CODES, "customer": CUSTOMERS}[name]
        value, customer, new_name, group, user = (choice(each) for each in (values, CUSTOMERS, NAMES, GROUPS, USERS))
        actions: list[Callable[[], None]] = [
            lambda: self.put_order(order),
            lambda: self.change_order(order, name, value),
            lambda: self.change_order(order, name, value),
            lambda: self.delete_order(order),
            lambda: self.get_order(order),
            lambda: self.read(customer),
            lambda: self.rename_customer(customer, new_name),
            lambda: self.put_member(member),
            lambda: self.delete_member(member),
            lambda: self.read_members(group),
            lambda: self.read_groups(user),
        ]
        return [*actions, self.read_every_order] if hasattr(self.shop.table, "every_order") else actions

    def finish(self, start: Callable[..., None], *arguments: Any) -> None:
        """Start a call and send all its requests at once."""
        start(*arguments)
        while self.running is not None:
            self._continue()

    def put_customer(self, id: str, name: str) -> None:
        value = self.shop.Customer(id, name)
        self._write(lambda writer: writer.put(value), lambda: self.world.customers.set(id, name))
        while self.running is not None:
            self._continue()

    def rename_customer(self, id: str, name: str) -> None:
        change = field(self.shop.Customer, lambda c: c.name).set(name)
        target = key(self.shop.Customer, id=id)
        self._write(lambda w: w.update(target, (change,), None), lambda: self.world.customers.set(id, name))

    def put_order(self, id: str) -> None:
        choice, orders = self.world.random.choice, self.world.orders
        row = OrderRow(choice(CUSTOMERS), choice(STATUSES), choice(CODES))
        value = self.shop.Order(id, row.customer, row.status, row.code)
        self._write(lambda writer: writer.put(value), lambda: orders.set(id, row))

    def change_order(self, id: str, name: str, value: Any) -> None:
        orders, values = self.world.orders, dict[str, Any]({name: value})
        if id in orders:
            change = field(self.shop.Order, lambda o: getattr(o, name)).set(value)
            target = key(self.shop.Order, id=id)
            self._write(
                lambda writer: writer.update(target, (change,), None),
                lambda: orders.set(id, replace(orders[id], **values)),
            )

    def delete_order(self, id: str) -> None:
        target = key(self.shop.Order, id=id)
        self._write(lambda writer: writer.delete(target, None), lambda: self.world.orders.set(id, None))

    def put_member(self, id: tuple[str, str]) -> None:
        role = self.world.random.choice(("admin", "guest"))
        value = self.shop.Member(*id, role)
        self._write(lambda writer: writer.put(value), lambda: self.world.members.set(id, role))

    def delete_member(self, id: tuple[str, str]) -> None:
        target = key(self.shop.Member, group=id[0], user=id[1])
        self._write(lambda writer: writer.delete(target, None), lambda: self.world.members.set(id, None))

    def read(self, customer: str) -> None:
        def compare(page: Any) -> None:
            found = {each.id: OrderRow(each.customer, each.status, each.code) for each in page.items}
            self._compare(found, self.world.orders, lambda id, row: row.customer == customer)

        self._read("of_customer", {"customer": customer}, self.world.orders, compare)

    def read_members(self, group: str) -> None:
        def compare(page: Any) -> None:
            found = {(each.group, each.user): each.role for each in page.items}
            assert [*found] == sorted(found), f"out of order: {page.items}"
            assert len(found) == len(page.items), f"an item twice: {page.items}"
            self._compare(found, self.world.members, lambda id, role: id[0] == group)

        self._read("members_of", {"group": group}, self.world.members, compare)

    def read_every_order(self) -> None:
        def compare(page: Any) -> None:
            found = {each.id: OrderRow(each.customer, each.status, each.code) for each in page.items}
            assert [*found] == sorted(found), f"out of order: {page.items}"
            assert len(found) == len(page.items), f"an item twice: {page.items}"
            self._compare(found, self.world.orders, lambda id, row: True)

        self._read("every_order", {}, self.world.orders, compare)

    def get_order(self, id: str) -> None:
        def compare(order: Any) -> None:
            found = {} if order is None else {id: OrderRow(order.customer, order.status, order.code)}
            self._compare(found, self.world.orders, lambda other, row: other == id)

        opened = self.opened()._open
        target = key(self.shop.Order, id=id)
        self.start = len(self.world.orders.changes)
        read = lambda table: key_reads.get(table, target, consistent=True, expired=False)  # noqa: E731
        self._run(opened.read_steps(read), compare)

    def read_groups(self, user: str) -> None:
        if self.shop.Mirror is None:
            return

        def compare(page: Any) -> None:
            found = {(each.group, user): each.role for each in page.items}
            self._compare(found, self.world.members, lambda id, role: id[1] == user)

        self._read("groups_of", {"user": user}, self.world.members, compare)

    def _read(self, name: str, arguments: dict[str, str], rows: History, compare: Callable[[Any], None]) -> None:
        called = getattr(self.opened(), name)
        self.start = len(rows.changes)
        self._run(called._opened()._steps(called.plan, arguments, None), compare)

    def _compare(self, found: dict[Any, Any], rows: History, matches: Callable[[Any, Any], bool]) -> None:
        """Compare the rows of a read with the rows of the world.

        A read of one request shows one moment. One of several requests shows each row as it was at some time during
        the read.
        """
        start = len(rows.changes) if self.requests == 1 else self.start
        for id in {*found, *rows, *(changed for changed, _ in rows.changes[start:])}:
            values = [None if row is None or not matches(id, row) else row for row in rows.values_since(start, id)]
            assert found.get(id) in values, f"{self._who} reads {id} as {found.get(id)} instead of {values}"

    @property
    def _who(self) -> str:
        return "old code" if self.shop is self.world.before else "new code"

    def opened(self) -> Any:
        if self.open is None:
            opened = self.shop.table.open(self.world.engine)
            lease: Any = opened._open.session.lease
            lease.clock = self.world.clock
            lease.confirmed_at = lease.asked_at = self.world.now
            if isinstance(lease, DualLease):
                lease.confirmed_uses = dict.fromkeys(lease.form, self.world.now)
            self.open = opened
        return self.open

    def _write(self, make: Callable[[Any], Any], commit: Callable[[], Any]) -> None:
        self.commit = commit
        self._run(make(self.opened()._open.writer), None)

    def _run(self, steps: Any, done: Callable[[Any], None] | None) -> None:
        self.running, self.requests = (steps, None, done, self.world.now), 0
        self._continue()

    def _continue(self) -> None:
        """Send the last request of the running call, and run the call up to its next request."""
        assert self.running is not None
        steps, step, done, started = self.running
        self.running = None
        try:
            step = next(steps) if step is None else self._advanced(steps, step)
        except StopIteration as finished:
            if done is not None:
                done(finished.value)
        except (NotFound, ConditionFailed, TransactionCancelled):  # another client was faster, too often
            return
        except NotUnique as problem:
            self._check_conflict(problem)
        except TableDiffers as problem:
            self._check_rejection(problem, started)
        else:
            self.running = (steps, step, done, started)
            if self.world.random.random() < 0.7:
                self._continue()

    def _check_conflict(self, problem: NotUnique) -> None:
        """After the backfill, a value is rejected only if another order has it."""
        lease: Any = self.opened()._open.session.lease
        if isinstance(lease, DualLease) and lease.form.reads is FormUse.READS_OLD:
            return
        taken = [each.code for each in self.world.orders.values()]
        assert any(f"code={code!r}" in str(problem) for code in taken if code), f"{problem}, but no order has the code"

    def _check_rejection(self, problem: TableDiffers, started: float) -> None:
        is_early, took = "cannot be called yet" in str(problem), self.world.now - started
        lease: Any = self.opened()._open.session.lease
        if isinstance(lease, DualLease) and not is_early and took < RENEW_SECONDS:
            raise AssertionError(f"a call of new code failed after {took} s") from problem
        if self.world.random.random() < 0.5:
            self.open = None

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
            self.requests += 1
            return (session.send_in_chunks(step.call),)
        if not isinstance(step, IndependentCalls | tuple | list):
            return ()  # a pause
        calls = step.calls if isinstance(step, IndependentCalls) else step
        self.requests += sum(call.source != DESIGN_STATE for call in calls)
        send = session.send_each if isinstance(step, IndependentCalls) else session.send_all
        results = send(calls)
        if self.commit is not None and any(
            call.operation in WRITES and call.source != MOVE and isinstance(result, bytes)
            for call, result in zip(calls, results, strict=True)
        ):
            commit, self.commit = self.commit, None
            commit()
        return results


def simulate(seed: int, **settings: Any) -> None:
    """Run one migration between two random designs, and check the table."""
    world = ShopWorld(seed, **settings)
    world.act()
    world.run_to_the_end()
    for _ in range(10):
        world.act()
    for client in world.clients:
        while client.running is not None and client.commit is None:
            client._continue()
    world.check()


def failure_of(seed: int, **settings: Any) -> str | None:
    """Return how a simulation fails, or None."""
    try:
        simulate(seed, **settings)
    except MigrationStopped:
        raise
    except (AssertionError, SingletableError, Warning) as problem:
        return f"{type(problem).__name__}: {problem}"
    return None
