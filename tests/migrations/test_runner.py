"""The runner of migrations: forward, back, and killed at every request."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest

from singletable import MigrationRefused, MigrationStopped, TableDiffers
from singletable.client.design_state import DesignState
from singletable.client.request_session import Session
from singletable.client.request_steps import Call, run
from singletable.client.write.item_actions import ItemAction
from singletable.conformance.item_comparison import ItemComparer
from singletable.engine.engine import Engine
from singletable.evolve.phases import Phase
from singletable.migrations import item_pass
from singletable.migrations.baseline import baseline
from singletable.migrations.item_changes import ChangeRequest, ItemChange, change_requests
from singletable.migrations.migration_plan import plan_migration
from singletable.migrations.runner import RunResult, migration_run, run_migration, undo_migration
from singletable.values.item_size import item_size
from singletable.values.limits import ITEM_BYTES_MAX
from tests.migrations.orders import (
    CONTROL,
    FILES,
    NEW,
    OLD,
    NewOrders,
    OldOrders,
    QuickSession,
    next_run,
    order,
    session_of,
    stored_items,
    table_with,
    upgraded,
)

ORDERS = 40


@pytest.fixture
def engine() -> Engine:
    return Engine("memory:")


def state_of(session: Session) -> DesignState:
    state = run(CONTROL.state(), session)
    assert state is not None
    return state


def migrate(session: Session, **settings: Any) -> RunResult:
    return run(run_migration(next_run(session, **settings), state_of(session)), session)


def index_names(session: Session) -> list[str]:
    import json

    found = json.loads(session.send(Call("DescribeTable", {"TableName": "Orders"})))["Table"]
    return sorted(each["IndexName"] for each in found.get("GlobalSecondaryIndexes", ()))


def assert_migrated(engine: Engine, session: Session) -> None:
    """Assert that every item is exactly the one that the new model writes, and that the old index is gone."""
    state = state_of(session)
    assert (state.fingerprint, state.phase, state.migration) == (NEW.fingerprint, None, None)
    assert state.applied == tuple(each.applied_as for each in FILES)
    assert index_names(session) == ["ByStatus", "GSI2"]
    comparer, items = ItemComparer(NewOrders.design), stored_items(session)
    assert len(items) == ORDERS
    for item in items:
        assert comparer.compare(item).written == item
    with NewOrders.open(engine) as table:
        expected = [upgraded(order(number)) for number in range(ORDERS)]
        for customer in {each.customer for each in expected}:
            found = sorted(table.of_customer.all(customer), key=lambda each: each.id)
            assert found == sorted((e for e in expected if e.customer == customer), key=lambda each: each.id)
        assert table.with_note.count("n0") == sum(each.note == "n0" for each in expected)


def test_the_migration_runner_changes_every_item_to_the_new_design(engine: Engine) -> None:
    session = table_with(engine, ORDERS)
    result = migrate(session)
    assert (result.failures, result.work.conflicts, result.work.written) == ((), 0, 2 * ORDERS)
    assert_migrated(engine, session)
    with pytest.raises(TableDiffers, match="table 'Orders' does not follow the design of Orders"):
        OldOrders.open(engine)


def test_the_plan_counts_exactly_the_writes_of_the_run(engine: Engine) -> None:
    session = table_with(engine, ORDERS)
    before = stored_items(session)
    plan = run(plan_migration(next_run(session), state_of(session)), session)
    assert stored_items(session) == before, "a plan writes nothing"
    result = migrate(session)
    assert (plan.items, plan.failed) == (ORDERS + 2, 0)
    assert plan.backfill.written + plan.contract.written == result.work.written
    assert plan.write_units == result.work.write_units


class Killed(Exception):
    """The process of a runner has ended."""


class KillingSession(QuickSession):
    """A session that ends before, or after, its n-th request."""

    def __init__(self, session: Session, requests: int, *, is_sent: bool) -> None:
        super().__init__(session.transport)
        self.left, self.is_sent = requests, is_sent

    def send(self, call: Call) -> bytes:
        self.left -= 1
        if self.left > 0:
            return super().send(call)
        if self.is_sent:
            super().send(call)
        raise Killed

    def send_all(self, calls: Any) -> Any:
        return [self.send(each) for each in calls]

    def send_each(self, calls: Any, meanwhile: Any = None) -> Any:
        return [super(KillingSession, self).send_each([each])[0] if self._counts() else None for each in calls]

    def _counts(self) -> bool:
        self.left -= 1
        if self.left <= 0:
            raise Killed
        return True


@pytest.mark.slow
@pytest.mark.parametrize("is_sent", [False, True], ids=["before", "after"])
def test_the_migration_runner_continues_after_a_kill_at_any_request(is_sent: bool) -> None:
    # Each of the two tests ends the runner at every eighth request; the two series differ.
    requests, is_finished = 1 + 4 * is_sent, False
    while not is_finished:
        engine = Engine("memory:")
        session = table_with(engine, ORDERS)
        killing = KillingSession(session, requests, is_sent=is_sent)
        try:
            run(run_migration(next_run(session), state_of(session)), killing)
            is_finished = True
        except Killed:
            if state_of(session).fingerprint == OLD.fingerprint:
                migrate(session)
        assert_migrated(engine, session)
        requests += 8
    assert requests > 60


@pytest.mark.parametrize("phase", [Phase.EXPAND, Phase.BACKFILL, Phase.VERIFY, Phase.SWITCH])
def test_the_migration_runner_can_undo_before_the_new_code_writes(engine: Engine, phase: Phase) -> None:
    session = table_with(engine, ORDERS)
    before = stored_items(session)
    run_until(session, phase)
    undone = next_run(session)
    result = run(undo_migration(undone, state_of(session)), session)
    assert (result.state.phase, result.state.fingerprint) == (None, OLD.fingerprint)
    assert stored_items(session) == before
    assert index_names(session) == ["GSI1"]
    with OldOrders.open(engine) as table:
        table.put(order(99))
        assert table.of_customer.count("c4") == ORDERS // 5 + 1
    migrate(session)
    assert state_of(session).fingerprint == NEW.fingerprint


def run_until(session: Session, phase: Phase, **settings: Any) -> None:
    """Run the migration until its state has reached a phase, and end the runner there."""

    def report(text: str) -> None:
        if text.startswith(phase.value):
            raise Killed

    with pytest.raises(Killed):
        migrate(session, report=report, **settings)
    assert state_of(session).phase is phase


def test_the_migration_runner_cannot_undo_after_the_switch(engine: Engine) -> None:
    session = table_with(engine, ORDERS)
    # The clock of the runner stands still, so that the time at which the migration begins is known.
    run_until(session, Phase.CONTRACT, now=lambda: 1_767_225_600.5)
    for text in ("in which the new code already writes, so it cannot be undone", "point: 2026-01-01 00:00:00 UTC"):
        with pytest.raises(MigrationRefused, match=text):
            run(undo_migration(next_run(session), state_of(session)), session)
    last = next_run(session)
    migrate(session)
    assert_migrated(engine, session)
    with pytest.raises(MigrationRefused, match=r"no migration is open[\s\S]*point: 2026-01-01 00:00:00 UTC"):
        run(undo_migration(last, state_of(session)), session)


def test_the_migration_runner_continues_an_interrupted_undo(engine: Engine) -> None:
    session = table_with(engine, ORDERS)
    before = stored_items(session)
    run_until(session, Phase.SWITCH)
    with pytest.raises(Killed):
        run(undo_migration(next_run(session), state_of(session)), KillingSession(session, 12, is_sent=True))
    assert state_of(session).phase is Phase.ROLLBACK
    with pytest.raises(MigrationRefused, match="is being undone"):
        migrate(session)
    run(undo_migration(next_run(session), state_of(session)), session)
    assert stored_items(session) == before


def test_the_migration_runner_stops_before_the_switch_at_an_item_that_does_not_conform(engine: Engine) -> None:
    session = table_with(engine, ORDERS)
    broken = {"PK": {"S": "ORDER#x"}, "SK": {"S": "METADATA"}, "entity_type": {"S": "Order"}, "id": {"S": "x"}}
    session.send(Call("PutItem", {"TableName": "Orders", "Item": broken}))
    plan = run(plan_migration(next_run(session), state_of(session)), session)
    assert plan.failed == 1
    result = migrate(session)
    assert result.state.phase is Phase.BACKFILL
    ((key, reason),) = result.failures
    assert "ORDER#x" in key
    assert reason
    session.send(Call("DeleteItem", {"TableName": "Orders", "Key": {name: broken[name] for name in ("PK", "SK")}}))
    assert migrate(session).failures == ()
    assert_migrated(engine, session)


@pytest.mark.parametrize("is_transaction", [False, True], ids=["update", "transaction"])
def test_the_migration_runner_lists_an_item_that_is_too_large_for_its_new_keys(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, is_transaction: bool
) -> None:
    def requests(changes: Sequence[ItemChange], check: ItemAction, *, is_guarded: bool) -> Iterator[ChangeRequest]:
        return change_requests(changes, check, is_guarded=is_guarded or is_transaction)

    monkeypatch.setattr(item_pass, "requests_of", requests)
    session = table_with(engine, ORDERS)
    large = stored_items(session)[0]
    large["blob"] = {"S": "x" * (ITEM_BYTES_MAX - item_size(large) - len("blob"))}
    session.send(Call("PutItem", {"TableName": "Orders", "Item": large}))
    result = migrate(session)
    ((key, reason),) = result.failures
    assert large["SK"]["S"] in key
    assert large["PK"]["S"] in key
    assert "Item size" in reason
    assert result.work.written == ORDERS - 1


def test_a_runner_stops_when_another_one_has_taken_over(engine: Engine) -> None:
    session = table_with(engine, ORDERS)
    other = session_of(engine)

    def take_over(text: str) -> None:
        if text.startswith("verify") and state_of(other).epoch == 1:
            migrate(other)

    with pytest.raises(MigrationStopped, match="another runner or command has changed the migration"):
        migrate(session, report=take_over)
    assert_migrated(engine, session)


def test_a_table_can_be_migrated_after_a_runner_created_an_index_of_an_undone_migration(engine: Engine) -> None:
    session = table_with(engine, ORDERS)
    other = session_of(engine)

    def undo(text: str) -> None:
        if text.startswith("creating index ByStatus"):
            run(undo_migration(next_run(other), state_of(other)), other)

    with pytest.raises(MigrationStopped):
        migrate(session, report=undo)
    assert state_of(session).phase is None
    assert "ByStatus" in index_names(session)
    migrate(session)
    assert_migrated(engine, session)


def test_a_paused_runner_stops_and_continues(engine: Engine) -> None:
    session = table_with(engine, ORDERS)
    times = iter(range(0, 10_000, 20))

    def pause(done: Any) -> None:
        state = state_of(session)
        if state.phase is Phase.BACKFILL and not state.is_paused:
            run(CONTROL.change(state, replace(state, is_paused=True)), session)

    run_of = next_run(session, clock=lambda: float(next(times)), progress=pause, segments=1)
    small = replace(run_of, settings=run_of.settings)
    with pytest.raises(MigrationStopped):
        run(run_migration(small, state_of(session)), session)
    assert state_of(session).is_paused
    migrate(session)
    assert_migrated(engine, session)


def test_the_migration_runner_obeys_a_limit_of_units_per_second(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = table_with(engine, ORDERS)
    waits: list[float] = []
    monkeypatch.setattr(session, "wait", waits.append)
    result = migrate(session, rate=10, clock=lambda: 0.0)
    units = result.work.read_units + result.work.write_units
    assert max(waits) > 1
    assert sum(waits) >= units / 10


Change = Callable[[Any], Any]


def test_the_migration_runner_rejects_files_that_contradict_the_table_and_writes_nothing(engine: Engine) -> None:
    session = table_with(engine, ORDERS)
    before, state = stored_items(session), state_of(session)

    def rejected(files: Any, model: Any = NEW, given: DesignState = state) -> str:
        from singletable.migrations.runner import RunSettings

        with pytest.raises(MigrationRefused) as error:
            migration_run(CONTROL, files, given, NewOrders.design, model, RunSettings())
        return str(error.value)

    edited = replace(FILES[0], snapshot=NEW)
    assert "0001_initial.json was edited after it ran on table 'Orders'; nothing was written" in rejected(
        (edited, FILES[1])
    )
    other = replace(FILES[0], name="other")
    assert "ran as 0001_initial" in rejected((other, FILES[1]))
    has_both = replace(state, applied=tuple(each.applied_as for each in FILES))
    assert "has the migrations 0002_by_status, which have no file" in rejected(FILES[:1], given=has_both)
    assert "has another design than Orders" in rejected(FILES, model=OLD)
    assert stored_items(session) == before
    assert state_of(session) == state


def test_the_migration_runner_rejects_a_baseline_that_does_not_match_the_table(engine: Engine) -> None:
    OldOrders.open(engine, create=True).close()
    session = session_of(engine)
    with pytest.raises(MigrationRefused, match=r"does not have the design of 0002_by_status.json; nothing was written"):
        run(baseline(CONTROL, FILES[1]), session)
    assert run(CONTROL.state(), session) is None
    run(baseline(CONTROL, FILES[0]), session)
    with pytest.raises(MigrationStopped):
        run(baseline(CONTROL, FILES[0]), session)
