"""Tables whose items move to other keys: new code reads and writes every item in every phase, under either key."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from dataclasses import dataclass, make_dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from singletable import (
    AlreadyExists,
    ArgumentRefused,
    ConditionFailed,
    CursorRefused,
    NotUnique,
    Page,
    Table,
    TableDiffers,
    copy,
    entity,
    field,
    get,
    key,
    pattern,
    query,
    shard,
)
from singletable.client.design_lease import RENEW_SECONDS
from singletable.client.migrating_table import MigratingTable
from singletable.client.request_session import Session
from singletable.client.request_steps import Call, run
from singletable.client.table_metaclass import TableMeta
from singletable.client.write.moved_writes import MOVE
from singletable.engine.engine import Engine
from singletable.evolve.design_snapshot import snapshot_of
from singletable.evolve.phases import Phase
from singletable.migrations.baseline import baseline
from singletable.migrations.control_items import control_items
from singletable.migrations.migration_files import MigrationFile
from singletable.migrations.runner import (
    MigrationRun,
    RunSettings,
    migration_run,
    run_migration,
    undo_migration,
)
from tests.client.test_design_lease import Clock
from tests.migrations.orders import session_of

NUMBERS = 9


def line_class(key_templates: tuple[str, str], shards: int) -> Any:
    @entity(
        key=key_templates,
        name="Line",
        derived={"part": shard("sku", of=shards)},
        gsi1=("SKU#{sku}", "{order}"),
        unique=["code"],
        expected_per_partition=9,
    )
    @dataclass
    class Line:
        order: str
        sku: str
        count: int = 1
        code: str | None = None

    return Line


@entity(key=("ORDER#{order}", "HEAD"), name="Head")
@dataclass
class Head:
    order: str


def table_of(line: Any) -> Any:
    """Return a table with this class of lines."""
    many = Page[line]
    reads: list[tuple[str, tuple[str, ...], Any, Any]] = [
        ("one", ("order", "sku"), line | None, lambda self, order, sku: get(line)),
        ("lines", ("order",), many, lambda self, order: query(line)),
        ("last", ("order",), many, lambda self, order: query(line, descending=True)),
        ("of_sku", ("sku",), many, lambda self, sku: query(line)),
    ]
    body: dict[str, Any] = {}
    for name, parameters, result, function in reads:
        function.__name__, function.__qualname__, function.__doc__ = name, name, f"Read {name}."
        function.__annotations__ = {**dict.fromkeys(parameters, str), "return": result}
        body[name] = pattern(fanout=8 if name in ("lines", "last") else None)(function)
    return TableMeta("Shop", (Table,), body, entities=[Head, line], name="Shop")


KEYS = {
    "sort": (("ORDER#{order}", "LINE#{sku}"), ("ORDER#{order}", "ITEM#{sku}")),
    "partition": (("ORDER#{order}", "LINE#{sku}"), ("LINES#{order}", "LINE#{sku}")),
    "shards": (("ORDER#{order}#{part}", "LINE#{sku}"), ("ORDER#{order}#{part}", "LINE#{sku}")),
}


class World:
    """A table with lines, the migration of their keys, and a client of the new code."""

    def __init__(self, name: str) -> None:
        (before, after), shards = KEYS[name], (2, 3) if name == "shards" else (2, 2)
        self.Old, self.New = line_class(before, shards[0]), line_class(after, shards[1])
        lines = [self.Old("a", f"s{number}", number, f"k{number}") for number in range(NUMBERS)]
        self._start([table_of(self.Old), table_of(self.New)], [Head("a"), *lines, self.Old("b", "s1", 100)])

    @classmethod
    def of(cls, before: Any, after: Any, rows: list[Any]) -> World:
        """Return a world with other tables, and with these rows in the first one."""
        world = cls.__new__(cls)
        world._start([before, after], rows)
        return world

    def _start(self, tables: list[Any], rows: list[Any]) -> None:
        self.tables, self.engine, self.clock = tables, Engine("memory:"), Clock()
        self.files = [
            MigrationFile(number, f"m{number}", Path(f"{number:04d}.json"), snapshot_of(table.design))
            for number, table in enumerate(self.tables, 1)
        ]
        self.control = control_items(tables[0].design, "Shop")
        self.session: Session = session_of(self.engine)
        with tables[0].open(self.engine, create=True) as table:
            table.put_many(rows)
        run(baseline(self.control, self.files[0]), self.session)
        self.lead_to(Phase.PENDING)
        self.table: Any = self.opened()

    def opened(self) -> Any:
        table = self.tables[1].open(self.engine)
        assert isinstance(table._open, MigratingTable)
        lease: Any = table._open.session.lease
        lease.clock, lease.confirmed_at, lease.asked_at = self.clock, self.clock.now, self.clock.now
        lease.confirmed_uses = dict.fromkeys(lease.form, self.clock.now)
        return table

    def next_run(self, **settings: Any) -> MigrationRun:
        state = run(self.control.state(), self.session)
        assert state is not None
        given: dict[str, Any] = {"wait_seconds": 0.0, "segments": 1, **settings}
        chosen = RunSettings(**given)
        design = self.tables[1].design
        found = migration_run(self.control, self.files, state, design, self.files[1].snapshot, chosen)
        assert found is not None
        return found

    def lead_to(self, until: Phase | None) -> None:
        """Run the migration until a phase, without moving an item in the phase `backfill`; the client learns of it."""
        state = run(self.control.state(), self.session)
        assert state is not None
        if until is Phase.BACKFILL:
            state = run(run_migration(self.next_run(until=Phase.EXPAND), state), self.session).state
            changed = replace(state, phase=Phase.BACKFILL)
            run(self.control.change(state, changed), self.session)
        else:
            run(run_migration(self.next_run(until=until), state), self.session)
        self.clock.now += RENEW_SECONDS

    def move_some(self, random: Random) -> None:
        """Move some of the items, as a runner does that has not finished."""
        for number in range(NUMBERS):
            if random.random() < 0.5:
                target = key(self.New, order="a", sku=f"s{number}")
                self.table.update(target, field(self.New, lambda line: line.count).set(number))


@pytest.fixture(params=KEYS)
def world(request: pytest.FixtureRequest) -> World:
    return World(request.param)


def pages(called: Any, limit: int) -> Iterator[Page[Any]]:
    cursor = None
    while True:
        page = called.using(limit=limit, cursor=cursor)("a")
        yield page
        cursor = page.cursor
        if cursor is None:
            return


PHASES = (Phase.PENDING, Phase.EXPAND, Phase.BACKFILL, Phase.VERIFY, Phase.SWITCH, None)


@pytest.mark.parametrize("phase", PHASES)
def test_a_table_with_moved_keys_supports_every_read_and_write_in_every_phase(
    world: World, phase: Phase | None
) -> None:
    if phase is not Phase.PENDING:
        world.lead_to(phase)
    table, line = world.table, world.New
    if phase is Phase.BACKFILL:
        world.move_some(Random(1))
    known = [line("a", f"s{number}", number, f"k{number}") for number in range(NUMBERS)]
    assert [each for page in pages(table.lines, 4) for each in page.items] == known
    assert [each for page in pages(table.last, 2) for each in page.items] == known[::-1]
    assert list(table.lines.all("a")) == known
    assert table.lines.count("a") == NUMBERS
    assert table.one("a", "s3") == table.get(key(line, order="a", sku="s3")) == known[3]
    assert table.one("a", "none") is None
    wanted = [key(line, order="a", sku=f"s{number}") for number in (5, 99, 2)]
    assert table.get_many(wanted) == table.get_many(wanted, transaction=True) == [known[5], None, known[2]]
    assert sorted(each.order for each in table.of_sku("s1").items) == ["a", "b"]
    assert len(list(table.scan(line, reason="a test"))) == NUMBERS + 1
    # writes
    changed = table.update(key(line, order="a", sku="s4"), field(line, lambda each: each.count).set(44))
    assert changed == line("a", "s4", 44, "k4")
    with pytest.raises(AlreadyExists):
        table.create(known[6])
    with pytest.raises(NotUnique):
        table.put(line("a", "new", 1, "k7"))
    with pytest.raises(ConditionFailed):
        table.update(known[7], field(line, lambda each: each.count).set(1), where=lambda each: each.count == 70)
    assert table.delete(key(line, order="a", sku="s8")) == known[8]
    assert table.delete(key(line, order="a", sku="s8")) is None
    table.put(line("a", "new", 1, "k8"))  # the deleted line has released its code
    with table.transaction() as tx:
        tx.put(line("a", "s0", 10, "k0"))
        tx.update(key(line, order="a", sku="s1"), field(line, lambda each: each.count).add(10))
        tx.delete(key(line, order="a", sku="s2"))
        tx.check(key(line, order="a", sku="s3"))
        tx.create(line("a", "t0"))
    assert table.put_many([line("a", "s5", 50), line("a", "t1")]).written == 2
    assert table.delete_many([key(line, order="a", sku="s6")]).written == 1
    counts = {"s0": 10, "s1": 11, "s3": 3, "s4": 44, "s5": 50, "s7": 7, "new": 1, "t0": 1, "t1": 1}
    assert {each.sku: each.count for each in table.lines("a").items} == counts
    assert [each.sku for each in table.lines("a").items] == sorted(counts)
    if phase is not None:
        world.lead_to(None)
    assert {each.sku: each.count for each in table.lines("a").items} == counts
    assert table.one("b", "s1") == line("b", "s1", 100)


def test_a_page_of_moved_keys_can_be_read_backwards_and_in_a_later_phase(world: World) -> None:
    world.lead_to(Phase.BACKFILL)
    world.move_some(Random(7))
    table = world.table
    first, second, third = list(pages(table.lines, 3))[:3]
    assert [each.sku for each in second.items] == ["s3", "s4", "s5"]
    assert first.previous is None
    back = table.lines.using(limit=3, cursor=third.previous)("a")
    assert back.items == second.items
    assert table.lines.using(limit=3, cursor=back.previous)("a").items == first.items
    world.lead_to(Phase.SWITCH)
    if len(table.lines.plan.fan_outs):  # the number of Queries changes
        with pytest.raises(CursorRefused, match="request the first page again"):
            table.lines.using(limit=3, cursor=first.cursor)("a")
        return
    assert table.lines.using(limit=3, cursor=first.cursor)("a").items == second.items
    assert table.lines.using(limit=3, cursor=second.previous)("a").items == first.items


def test_a_cursor_with_an_old_key_is_rejected_when_all_items_have_moved(world: World) -> None:
    first = world.table.lines.using(limit=3)("a")
    world.lead_to(Phase.SWITCH)
    with pytest.raises(CursorRefused, match="request the first page again"):
        world.table.lines.using(limit=3, cursor=first.cursor)("a")


@pytest.mark.parametrize("read", ["lines", "last", "of_sku"])
@pytest.mark.parametrize("phase", [Phase.BACKFILL, Phase.SWITCH])
def test_a_cursor_with_a_new_key_is_rejected_after_an_undo(world: World, phase: Phase, read: str) -> None:
    for name in ("b", "c", "d"):
        world.table.put(world.New(name, "s1"))
    argument = "s1" if read == "of_sku" else "a"
    world.lead_to(phase)
    page = getattr(world.table, read).using(limit=2)(argument)
    following = getattr(world.table, read).using(limit=2, cursor=page.cursor)(argument)
    state = run(world.control.state(), world.session)
    assert state is not None
    undone = run(undo_migration(world.next_run(), state), world.session)
    assert undone.state.phase is Phase.PENDING
    world.clock.now += RENEW_SECONDS
    for cursor in (page.cursor, following.previous):
        assert cursor is not None
        with pytest.raises(CursorRefused, match="request the first page again"):
            getattr(world.table, read).using(limit=2, cursor=cursor)(argument)
    again = getattr(world.table, read).using(limit=2)(argument)
    assert getattr(world.table, read).using(limit=2, cursor=again.cursor)(argument).items


@pytest.mark.parametrize("read", ["lines", "of_sku"])
def test_a_cursor_with_an_old_key_continues_while_items_move(world: World, read: str) -> None:
    for name in ("b", "c", "d"):
        world.table.put(world.New(name, "s1"))
    argument = "s1" if read == "of_sku" else "a"
    called = getattr(world.table, read)
    if read == "lines" and len(called.plan.fan_outs):  # the number of Queries changes
        return
    first = called.using(limit=2)(argument)
    expected = called.using(limit=2, cursor=first.cursor)(argument).items
    world.lead_to(Phase.BACKFILL)
    assert called.using(limit=2, cursor=first.cursor)(argument).items == expected


def test_a_table_with_moved_keys_supports_awaited_calls_in_every_phase(world: World) -> None:
    async def calls() -> None:
        for phase in (Phase.EXPAND, Phase.BACKFILL, Phase.VERIFY, Phase.SWITCH, None):
            if phase is not Phase.BACKFILL:
                world.lead_to(phase)
            written = await world.table.aio.put(world.New("a", "s3", 33))
            assert written == await world.table.aio.get(key(world.New, order="a", sku="s3"))
            assert written in (await world.table.lines.aio("a")).items
            assert written in [each async for each in world.table.lines.all("a")]

    asyncio.run(calls())


def test_a_table_with_moved_keys_rejects_old_code_before_the_first_item_moves(world: World) -> None:
    old = world.tables[0].open(world.engine)
    world.lead_to(Phase.EXPAND)
    lease: Any = old._open.session.lease
    lease.asked_at -= RENEW_SECONDS
    with pytest.raises(TableDiffers, match=r"in the phase 'expand'\. In this phase, Shop must not send requests"):
        old.lines("a")
    with pytest.raises(TableDiffers, match="in the phase 'expand'"):
        world.tables[0].open(world.engine)


def test_random_pages_of_moved_keys_equal_the_items() -> None:
    for seed in range(30):
        random = Random(seed)
        world = World(random.choice(list(KEYS)))
        world.lead_to(Phase.BACKFILL)
        world.move_some(random)
        wanted = [f"s{number}" for number in range(NUMBERS)]
        limit = random.randrange(1, 12)
        called = world.table.lines if random.random() < 0.5 else world.table.last
        found: list[str] = []
        cursor, turns = None, 0
        while True:
            page = called.using(limit=limit, cursor=cursor)("a")
            assert len(page.items) <= limit
            if page.previous is not None and turns < 3 and random.random() < 0.3:
                turns += 1
                before = called.using(limit=limit, cursor=page.previous)("a")
                assert [each.sku for each in before.items] == found[-len(before.items) :], f"seed {seed}"
            found += [each.sku for each in page.items]
            cursor = page.cursor
            if random.random() < 0.5:
                world.move_some(random)
            if cursor is None:
                break
        assert found == (wanted if called is world.table.lines else wanted[::-1]), f"seed {seed}"


@pytest.mark.parametrize("keys", [("LINE#{sku}", "ITEM#{sku}|X"), ("LINE#{sku}~", "ITEM#{sku}")])
def test_pages_of_moved_keys_contain_every_item_if_the_new_keys_have_another_order(
    keys: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    before, after = (("ORDER#{order}", each) for each in keys)
    monkeypatch.setitem(KEYS, "other order", (before, after))
    world = World("other order")
    skus = ["a", "a!", "ab", "abc", "b", "b~", "b~~", "c"]
    world.table.put_many([world.New("q", sku) for sku in skus])
    world.lead_to(None)
    wanted = [each.sku for each in world.table.lines("q").items]
    world = World("other order")
    world.table.put_many([world.New("q", sku) for sku in skus])
    world.lead_to(Phase.EXPAND)
    for limit in (1, 2, 3):
        found, cursor = list[str](), None
        while cursor is not None or not found:
            page = world.table.lines.using(limit=limit, cursor=cursor)("q")
            found += [each.sku for each in page.items]
            cursor = page.cursor
        assert found == wanted


@pytest.mark.parametrize("phase", PHASES)
def test_sql_finds_every_item_under_moved_keys(world: World, phase: Phase | None) -> None:
    pytest.importorskip("duckdb")
    if phase is not Phase.PENDING:
        world.lead_to(phase)
    if phase is Phase.BACKFILL:
        world.move_some(Random(3))
    statement = "SELECT sum(count) FROM Line WHERE \"order\" = 'a'"
    assert world.table.sql(statement).fetchall() == [(sum(range(NUMBERS)),)]
    assert world.table.arrow(world.New, order="a", sku="s3").num_rows == 1


def wide_table(pattern_of_key: str, fields: int) -> tuple[Any, Any]:
    made = make_dataclass("Wide", [("id", str), *((f"f{number}", int, number) for number in range(fields))])
    made.__module__ = __name__
    wide: Any = entity(key=(pattern_of_key, "META"), name="Wide")(made)
    return wide, TableMeta("Shop", (Table,), {}, entities=[wide], name="Shop")


def test_an_item_move_of_many_attributes_succeeds_or_is_listed() -> None:
    for fields in (130, 150, 190):
        before, after = wide_table("W#{id}", fields), wide_table("V#{id}", fields)
        world = World.of(before[1], after[1], [before[0](id) for id in "abc"])
        wide = after[0]
        world.lead_to(Phase.EXPAND)
        assert world.table.delete(key(wide, id="a")) == wide("a")
        world.lead_to(Phase.BACKFILL)
        if fields > 130:
            with pytest.raises(ArgumentRefused, match="more than 140 attributes, so it cannot move"):
                world.table.put(wide("b"))
        else:
            world.table.put(wide("b", 7))
        state = run(world.control.state(), world.session)
        assert state is not None
        result = run(run_migration(world.next_run(), state), world.session)
        assert [each.reason for each in result.failures] == (
            ["it has more than 140 attributes, so it cannot move"] * 2 if fields > 130 else []
        )


def shop_of_copies(order_key: str) -> tuple[Any, Any, Any]:
    @entity(key=("CUST#{id}", "HEAD"), name="Cust")
    @dataclass
    class Cust:
        id: str
        name: str

    @entity(
        key=(order_key, "HEAD"),
        name="Order",
        gsi1=("OF#{cust}", "{id}"),
        copies=[copy(Cust, by={"id": "cust"}, fields={"name": "cust_name"}, in_parts=True)],
        expected_per_partition={"gsi1": 100},
    )
    @dataclass
    class Order:
        id: str
        cust: str
        cust_name: str = ""

    def of_cust(self: Any, cust: str) -> Page[Order]:
        """Read the orders of a customer."""
        return query(Order)

    of_cust.__annotations__ = {"cust": str, "return": Page[Order]}
    return Cust, Order, TableMeta("Shop", (Table,), {"of_cust": pattern(of_cust)}, entities=[Cust, Order], name="Shop")


def test_update_copies_updates_more_moved_copies_than_one_transaction_moves() -> None:
    (old_cust, old_order, before), (cust, _, after) = shop_of_copies("O#{id}"), shop_of_copies("ORDER#{id}")
    rows = [old_cust("c", "Ann"), *(old_order(f"o{number}", "c") for number in range(60))]
    world = World.of(before, after, rows)
    for phase in (Phase.EXPAND, Phase.BACKFILL):
        world.lead_to(phase)
        world.table.update(key(cust, id="c"), field(cust, lambda each: each.name).set(phase.value))
        assert {each.cust_name for each in world.table.of_cust.all("c")} == {phase.value}


@pytest.mark.parametrize("phase", [Phase.EXPAND, Phase.BACKFILL])
@pytest.mark.parametrize("when", ["before", "after"])
def test_moved_writes_of_two_updates_never_return_the_same_count(phase: Phase, when: str) -> None:
    world = World("sort")
    world.lead_to(phase)
    target, more = key(world.New, order="a", sku="s3"), field(world.New, lambda line: line.count).add(1)
    other, session, counts = world.opened(), world.table._open.session, list[int]()
    send = session.send

    def send_and_interrupt(call: Any) -> Any:
        is_write = call.operation == "TransactWriteItems" and call.source != MOVE
        if is_write and when == "before" and not counts:
            counts.append(other.update(target, more).count)
        found = send(call)
        if is_write and when == "after" and not counts:
            counts.append(other.update(target, more).count)
        return found

    session.send = send_and_interrupt
    counts.append(world.table.update(target, more).count)
    assert sorted(counts) == [4, 5]
    assert world.table.get(target).count == 5


def test_the_undo_of_an_item_move_ends_although_an_unmoved_item_cannot_be_read(world: World) -> None:
    (stored,) = [each for each in items_in(world) if each["SK"] == {"S": "LINE#s1"} and each["order"] == {"S": "b"}]
    broken = {**stored, "count": {"S": "many"}}
    world.session.send(Call("PutItem", {"TableName": "Shop", "Item": broken}))
    world.lead_to(Phase.BACKFILL)
    state = run(world.control.state(), world.session)
    assert state is not None
    result = run(run_migration(world.next_run(), state), world.session)
    assert ["cannot be read as Line" in each.reason for each in result.failures] == [True]
    undone = run(undo_migration(world.next_run(), result.state), world.session)
    assert (undone.failures, undone.state.phase) == ((), Phase.PENDING)
    assert broken in items_in(world)


def items_in(world: World) -> list[Any]:
    items: list[Any] = json.loads(world.session.send(Call("Scan", {"TableName": "Shop"})))["Items"]
    return items
