"""Control tables: the design state of a table outside the table, and its move there."""

from __future__ import annotations

import json
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from singletable import (
    GSI,
    ArgumentRefused,
    MigrationRefused,
    MigrationStopped,
    Page,
    Table,
    TableDiffers,
    entity,
    native,
    pattern,
    query,
)
from singletable.client.design_lease import RENEW_SECONDS
from singletable.client.design_state import DesignState
from singletable.client.open_table import create_control_table
from singletable.client.request_session import Session
from singletable.client.request_steps import Call, run
from singletable.conformance.item_comparison import ItemComparer
from singletable.engine.engine import Engine
from singletable.evolve.design_snapshot import snapshot_of
from singletable.evolve.differences import differences, needs_migration
from singletable.evolve.phases import Phase
from singletable.migrations.baseline import baseline
from singletable.migrations.control_items import ControlItems, control_items
from singletable.migrations.control_table import prepare_control_table
from singletable.migrations.migration_files import MigrationFile
from singletable.migrations.migration_plan import plan_migration
from singletable.migrations.runner import (
    MigrationRun,
    RunResult,
    RunSettings,
    migration_run,
    run_migration,
    undo_migration,
)
from singletable.model.reserved_place import control_place
from tests.client.places import OURS, server
from tests.migrations.orders import FILES, NewOrders, QuickSession, order, session_of, table_with
from tests.migrations.orders import next_run as next_order_run

COUNT = 30


@entity(key=(native("sensor"), native("at")), name="Reading")
@dataclass
class Reading:
    sensor: int
    at: int
    place: str
    value: int


class Readings(Table, entities=[Reading], name="Readings", type_attribute=None, control_table=True):
    """Readings with numbers as keys, and without any item of another program."""


@entity(key=(native("sensor"), native("at")), gsi1=("PLACE#{place}", "{at:012d}"), name="Reading")
@dataclass
class PlacedReading:
    sensor: int
    at: int
    place: str
    value: int


class PlacedReadings(Table, entities=[PlacedReading], name="Readings", type_attribute=None, control_table=True):
    @pattern()
    def at_place(self, place: str) -> Page[PlacedReading]:
        """The readings at a place."""
        return query(PlacedReading)


READINGS = tuple(
    MigrationFile(number, name, Path(f"{number:04d}_{name}.json"), snapshot_of(table.design))
    for number, (name, table) in enumerate((("initial", Readings), ("by_place", PlacedReadings)), 1)
)
CONTROL = control_items(Readings.design, "Readings")


def reading(number: int) -> Reading:
    return Reading(number % 3, number, f"p{number % 4}", number * 10)


def state_of(session: Session, control: ControlItems = CONTROL) -> DesignState:
    state = run(control.state(), session)
    assert state is not None
    return state


def filled(engine: Engine) -> Session:
    """Create the table with readings, record its design, and return a session."""
    with Readings.open(engine, create=True) as table:
        table.put_many([reading(number) for number in range(COUNT)])
    session = session_of(engine)
    run(baseline(CONTROL, READINGS[0]), session)
    return session


def next_run(session: Session, **settings: Any) -> MigrationRun:
    chosen = RunSettings(**{"wait_seconds": 0.0, "segments": 2, **settings})
    design = PlacedReadings.design
    found = migration_run(CONTROL, READINGS, state_of(session), design, READINGS[1].snapshot, chosen)
    assert found is not None
    return found


def migrate(session: Session, **settings: Any) -> RunResult:
    return run(run_migration(next_run(session, **settings), state_of(session)), session)


def scan(session: Session, table: str) -> list[dict[str, Any]]:
    return sorted(json.loads(session.send(Call("Scan", {"TableName": table})))["Items"], key=json.dumps)


@pytest.fixture
def engine() -> Engine:
    return Engine("memory:")


def assert_placed(table: PlacedReadings) -> None:
    for place in range(4):
        found = [each.at for each in table.at_place.all(f"p{place}")]
        assert found == [number for number in range(COUNT) if number % 4 == place]


def test_a_table_with_number_keys_is_migrated_with_a_control_table(engine: Engine) -> None:
    session = filled(engine)
    assert migrate(session).failures == ()
    with PlacedReadings.open(engine) as table:
        assert_placed(table)
    comparer = ItemComparer(PlacedReadings.design)
    items = scan(session, "Readings")
    assert len(items) == COUNT, "the table contains no item of the library"
    assert all(comparer.compare(each).written == each for each in items)
    with pytest.raises(TableDiffers, match="does not follow the design of Readings"):
        Readings.open(engine)


@pytest.mark.parametrize("kind", ["file", OURS, "dynamodb-local", "extenddb"])
def test_a_table_with_number_keys_is_migrated_forwards_and_back_on_a_server(kind: str, tmp_path: Path) -> None:
    with ExitStack() as stack:
        url = f"file:{tmp_path}/readings.db" if kind == "file" else stack.enter_context(server(kind, tmp_path))
        table = stack.enter_context(Readings.open(url, create=True))
        table.put_many([reading(number) for number in range(COUNT)])
        session = QuickSession(table._opened().session.transport)
        run(baseline(CONTROL, READINGS[0]), session)
        before = scan(session, "Readings")
        assert migrate(session, until=Phase.SWITCH).state.phase is Phase.SWITCH
        with PlacedReadings.open(url) as placed:
            assert_placed(placed)
        run(undo_migration(next_run(session), state_of(session)), session)
        assert scan(session, "Readings") == before
        assert migrate(session).state.phase is None
        with PlacedReadings.open(url) as placed:
            assert_placed(placed)


def test_the_plan_of_a_migration_with_a_control_table_counts_exactly_the_writes_of_the_run(engine: Engine) -> None:
    session = filled(engine)
    before = scan(session, "Readings"), scan(session, CONTROL.place.table)
    plan = run(plan_migration(next_run(session), state_of(session)), session)
    assert (scan(session, "Readings"), scan(session, CONTROL.place.table)) == before, "a plan writes nothing"
    result = migrate(session)
    assert (plan.items, plan.write_units, plan.read_units) == (COUNT, result.work.write_units, result.work.read_units)


def test_open_creates_the_control_table_and_rejects_a_missing_one(engine: Engine) -> None:
    Readings.open(engine, create=True).close()
    session = session_of(engine)
    described = json.loads(session.send(Call("DescribeTable", {"TableName": "Readings-singletable"})))["Table"]
    assert described["KeySchema"] == [{"AttributeName": "item", "KeyType": "HASH"}]
    Readings.open(engine).close()
    session.send(Call("DeleteTable", {"TableName": "Readings-singletable"}))
    with pytest.raises(TableDiffers, match="the control table 'Readings-singletable' of table 'Readings' does not"):
        Readings.open(engine)
    with pytest.raises(TableDiffers, match="does not exist"):
        run(CONTROL.state(), session)


def test_a_foreign_table_is_not_used_as_a_control_table(engine: Engine) -> None:
    class Foreign(Table, entities=[Reading], name="Readings-singletable"):
        """A table of another program."""

    Foreign.open(engine, create=True).close()
    session = session_of(engine)
    for _ in range(2):
        with pytest.raises(TableDiffers, match="table 'Readings-singletable' is not a control table"):
            Readings.open(engine, create=True)
    with pytest.raises(TableDiffers, match="table 'Readings-singletable' is not a control table"):
        Readings.open(engine)
    with pytest.raises(TableDiffers, match="is not a control table"):
        run(prepare_control_table(CONTROL, print), session)
    assert scan(session, "Readings-singletable") == []


def test_a_state_of_another_design_in_the_control_table_is_rejected(engine: Engine) -> None:
    session = filled(engine)
    run(CONTROL.change(state_of(session), DesignState("of another design", ("0001_other:x",))), session)
    before = scan(session, CONTROL.place.table)
    with pytest.raises(TableDiffers, match="follows the design of another design"):
        Readings.open(engine)
    with pytest.raises(MigrationRefused, match=r"0001_initial\.json ran as 0001_other"):
        next_run(session)
    item = CONTROL.place.item("$singletable#state", **{"$singletable": {"M": {"epoch": {"N": "1"}}}})
    session.send(Call("PutItem", {"TableName": CONTROL.place.table, "Item": item}))
    with pytest.raises(TableDiffers, match="is not readable"):
        Readings.open(engine)
    assert scan(session, "Readings") == sorted(scan(session, "Readings"), key=json.dumps)
    assert len(scan(session, CONTROL.place.table)) == len(before)


@pytest.mark.parametrize("name", ["Readings", "a b", "x"])
def test_a_control_table_needs_a_valid_name_of_its_own(engine: Engine, name: str) -> None:
    class Misnamed(Table, entities=[Reading], name="Readings", control_table=name):
        """A table without a valid control table."""

    with pytest.raises(ArgumentRefused, match="cannot be the name of a control table"):
        Misnamed.open(engine, create=True)
    with pytest.raises(ArgumentRefused, match="cannot be the name of a control table"):
        Misnamed.open(engine)


def test_a_table_with_number_keys_and_without_a_control_table_is_not_migrated() -> None:
    class Plain(Table, entities=[Reading], name="Readings"):
        """No table can contain its state."""

    with pytest.raises(MigrationRefused, match="declare a control table for it"):
        control_items(Plain.design, "Readings")


def test_two_tables_can_share_a_control_table(engine: Engine) -> None:
    class Left(Table, entities=[Reading], name="Left", control_table="control"):
        """The first table."""

    class Right(Table, entities=[Reading], name="Right", control_table="control"):
        """The second table."""

    for each in (Left, Right):
        each.open(engine, create=True).close()
    session = session_of(engine)
    left, right = control_items(Left.design, "Left"), control_items(Right.design, "Right")
    run(left.create(DesignState("l")), session)
    assert run(right.state(), session) is None
    run(right.create(DesignState("r")), session)
    assert (state_of(session, left).fingerprint, state_of(session, right).fingerprint) == ("l", "r")


class ControlledOrders(
    NewOrders,
    entities=[*(e.cls for e in NewOrders.design.entities)],
    name="Orders",
    indexes=[GSI("gsi1", name="ByStatus", keys=("ByStatusPK", "ByStatusSK"))],
    control_table=True,
):
    """The new orders with a control table."""


MOVED = control_items(ControlledOrders.design, "Orders")


def next_moved_run(session: Session) -> MigrationRun:
    settings = RunSettings(wait_seconds=0.0, segments=2)
    found = migration_run(MOVED, FILES, state_of(session, MOVED), ControlledOrders.design, FILES[1].snapshot, settings)
    assert found is not None
    return found


def test_the_design_state_moves_to_the_control_table_while_a_migration_is_open(engine: Engine) -> None:
    session = table_with(engine, 20)
    state = run(run_migration(next_order_run(session, until=Phase.BACKFILL), first_state(session)), session).state
    assert state.phase is Phase.BACKFILL
    run(create_control_table("Orders-singletable"), session)
    with pytest.raises(TableDiffers, match="contains its design state itself"):
        run(MOVED.state(), session)
    stale = next_order_run(session)
    run(prepare_control_table(MOVED, print), session)
    run(prepare_control_table(MOVED, print), session)  # a second time changes nothing
    moved = state_of(session, MOVED)
    assert (moved.phase, moved.migration, moved.epoch) == (state.phase, state.migration, state.epoch + 1)
    with pytest.raises(MigrationStopped, match="has moved to the control table 'Orders-singletable'"):
        run(stale.control.state(), session)
    with pytest.raises(MigrationStopped):
        run(run_migration(stale, state), session)
    assert run(run_migration(next_moved_run(session), moved), session).state.phase is None
    with ControlledOrders.open(engine) as table:
        assert table.of_customer.count("c1") == 4


def first_state(session: Session) -> DesignState:
    from tests.migrations.orders import CONTROL as ORDERS

    return state_of(session, ORDERS)


def test_open_clients_follow_a_state_that_moves_to_a_control_table(engine: Engine) -> None:
    from tests.migrations.orders import OldOrder, OldOrders

    session = table_with(engine, 20)
    now = [1000.0]
    client = OldOrders.open(engine)
    lease: Any = client._opened().session.lease
    lease.clock = lambda: now[0]
    lease.confirmed_at = lease.asked_at = now[0]
    run(prepare_control_table(MOVED, print), session)
    now[0] += RENEW_SECONDS
    client.put(order(1))  # reads the name of the control table
    assert lease.place.table == "Orders-singletable"
    result = run(run_migration(next_moved_run(session), state_of(session, MOVED)), session)
    assert result.state.phase is None
    now[0] += RENEW_SECONDS
    with pytest.raises(TableDiffers, match="was migrated to another design"):
        client.put(OldOrder("o1", "c1", "OPEN"))
    with pytest.raises(TableDiffers, match="does not follow the design of Orders"):
        OldOrders.open(engine)  # this program also follows the name


def test_the_move_of_the_design_state_to_a_control_table_survives_a_kill_at_every_request(engine: Engine) -> None:
    from tests.migrations.test_runner import Killed, KillingSession

    for requests in range(1, 20):
        for is_sent in (False, True):
            place = Engine("memory:")
            session = table_with(place, 3)
            state = run(run_migration(next_order_run(session, until=Phase.EXPAND), first_state(session)), session).state
            killing = KillingSession(session_of(place), requests, is_sent=is_sent)
            try:
                run(prepare_control_table(MOVED, print), killing)
            except Killed:
                run(prepare_control_table(MOVED, print), session)
            moved = state_of(session, MOVED)
            assert (moved.phase, moved.epoch) == (Phase.EXPAND, state.epoch + 1)
            assert run(run_migration(next_moved_run(session), moved), session).state.phase is None
            if killing.left > 0:
                return


def test_a_table_and_its_control_table_cannot_both_contain_a_design_state(engine: Engine) -> None:
    session = table_with(engine, 3)
    run(create_control_table("Orders-singletable"), session)
    run(MOVED.create(DesignState("x")), session)
    before = scan(session, "Orders"), scan(session, "Orders-singletable")
    with pytest.raises(MigrationRefused, match="both table 'Orders' and its control table"):
        run(prepare_control_table(MOVED, print), session)
    texts = [each["item"]["S"] for each in scan(session, "Orders-singletable")]
    assert scan(session, "Orders") == before[0]
    assert [each for each in texts if "#design#" not in each] == ["Orders#state"]


def test_the_design_state_does_not_move_to_a_second_control_table(engine: Engine) -> None:
    session = table_with(engine, 3)
    run(prepare_control_table(MOVED, print), session)
    other = replace(MOVED, place=control_place("Orders", "elsewhere"))
    with pytest.raises(MigrationRefused, match="is in the control table 'Orders-singletable', not in 'elsewhere'"):
        run(prepare_control_table(other, print), session)


def test_a_control_table_is_no_part_of_the_fingerprint() -> None:
    plain, controlled = snapshot_of(NewOrders.design), snapshot_of(ControlledOrders.design)
    assert plain.fingerprint == controlled.fingerprint
    found = differences(plain, controlled)
    assert [str(each) for each in found] == ["control table changed the table itself → NAME-singletable"]
    assert not needs_migration(found)
    assert found[0].apply(plain) == controlled
    (back,) = differences(controlled, plain)
    assert needs_migration((back,))
    assert back.remedy == "Keep control_table=True."
