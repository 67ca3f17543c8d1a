"""Migrations to a second table: other key attributes, key types and local indexes, forwards and back."""

from __future__ import annotations

import json
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from singletable import (
    LSI,
    AlreadyExists,
    MigrationRefused,
    NotUnique,
    Page,
    Table,
    TableDiffers,
    count,
    entity,
    field,
    key,
    native,
    pattern,
    query,
)
from singletable.client.design_state import DesignState
from singletable.client.request_session import Session
from singletable.client.request_steps import Call, run
from singletable.conformance.item_comparison import ItemComparer
from singletable.engine.engine import Engine
from singletable.evolve.design_snapshot import snapshot_of
from singletable.evolve.differences import differences
from singletable.evolve.phases import Phase
from singletable.migrations.baseline import baseline
from singletable.migrations.control_items import control_items
from singletable.migrations.migration_files import MigrationFile, make_migration
from singletable.migrations.migration_plan import plan_migration
from singletable.migrations.runner import (
    MigrationRun,
    RunResult,
    RunSettings,
    migration_run,
    run_migration,
    undo_migration,
)
from tests.client.places import OURS, server
from tests.migrations.orders import QuickSession, session_of
from tests.migrations.test_runner import Killed, KillingSession

ITEMS = 24


@entity(key=("SENSOR#{id}", "METADATA"), name="Sensor", unique=["code"])
@dataclass
class OldSensor:
    id: int
    code: str
    readings: int = 0


@entity(
    key=("SENSOR#{sensor}", "AT#{at:06d}"),
    name="Reading",
    counted=[count(OldSensor, by={"id": "sensor"}, field="readings")],
)
@dataclass
class OldReading:
    sensor: int
    at: int
    value: int


class OldSensors(Table, entities=[OldSensor, OldReading], name="Sensors", control_table=True):
    @pattern(expected_items=20)
    def of_sensor(self, sensor: int) -> Page[OldReading]:
        """The readings of a sensor."""
        return query(OldReading)


@entity(key=("SENSOR#{id}", "METADATA"), name="Sensor", unique=["code"])
@dataclass
class Sensor:
    id: int
    code: str
    readings: int = 0


@entity(
    key=("SENSOR#{sensor}", "AT#{at:06d}"),
    lsi1="VALUE#{value:06d}",
    name="Reading",
    counted=[count(Sensor, by={"id": "sensor"}, field="readings")],
)
@dataclass
class Reading:
    sensor: int
    at: int
    value: int


class Sensors(
    Table,
    entities=[Sensor, Reading],
    name="Sensors-2",
    keys=("pk", "sk"),
    indexes=[LSI("lsi1", sort="by_value")],
    type_attribute="kind",
    control_table=True,
    former_tables=["Sensors"],
):
    """The sensors with other key attributes, another type attribute and a local index."""

    @pattern(expected_items=20)
    def of_sensor(self, sensor: int) -> Page[Reading]:
        """The readings of a sensor."""
        return query(Reading)

    @pattern(expected_items=20)
    def by_value(self, sensor: int, value: int) -> Page[Reading]:
        """The readings of a sensor with a value."""
        return query(Reading)


@entity(key=(native("sensor"), native("at")), name="Reading")
@dataclass
class NumberReading:
    sensor: int
    at: int
    value: int


class NumberReadings(
    Table, entities=[NumberReading], name="Readings-2", control_table=True, former_tables=["Readings"]
):
    """The readings with numbers as keys."""


@entity(key=("SENSOR#{sensor}", "AT#{at:06d}"), name="Reading")
@dataclass
class TextReading:
    sensor: int
    at: int
    value: int


class TextReadings(Table, entities=[TextReading], name="Readings", control_table=True):
    """The readings with texts as keys."""


def files_of(*tables: type[Table]) -> tuple[MigrationFile, ...]:
    return tuple(
        MigrationFile(number, f"m{number}", Path(f"{number:04d}_m{number}.json"), snapshot_of(table.design))
        for number, table in enumerate(tables, 1)
    )


FILES = files_of(OldSensors, Sensors)
CONTROL = control_items(Sensors.design, "Sensors-2")


def state_of(session: Session) -> DesignState:
    state = run(CONTROL.state(), session)
    assert state is not None
    return state


def next_run(session: Session, **settings: Any) -> MigrationRun:
    chosen = RunSettings(**{"wait_seconds": 0.0, "segments": 2, **settings})
    found = migration_run(CONTROL, FILES, state_of(session), Sensors.design, FILES[1].snapshot, chosen)
    assert found is not None
    return found


def migrate(session: Session, **settings: Any) -> RunResult:
    return run(run_migration(next_run(session, **settings), state_of(session)), session)


def undo(session: Session) -> RunResult:
    return run(undo_migration(next_run(session), state_of(session)), session)


def fill(url: Any) -> None:
    with OldSensors.open(url, create=True) as table:
        for number in range(3):
            table.put(OldSensor(number, f"c{number}"))
        table.put_many([OldReading(number % 3, number, number % 5) for number in range(ITEMS)])


def filled(engine: Engine) -> Session:
    fill(engine)
    session = session_of(engine)
    run(baseline(control_items(OldSensors.design, "Sensors"), FILES[0]), session)
    return session


def scan(session: Session, table: str) -> list[dict[str, Any]]:
    return sorted(
        json.loads(session.send(Call("Scan", {"TableName": table})))["Items"], key=partial(json.dumps, sort_keys=True)
    )


def assert_copied(session: Session) -> None:
    """Assert that the new table contains exactly what the new model writes, and as many items as the old one."""
    old, items = scan(session, "Sensors"), scan(session, "Sensors-2")
    assert len(items) == len(old)
    comparer = ItemComparer(Sensors.design)
    for item in items:
        compared = comparer.compare(item)
        assert compared.is_internal or compared.written == item
    markers = {each["pk"]["S"]: each["owner"]["M"] for each in items if "owner" in each}
    assert markers["UNIQUE#Sensor#code#c1"] == {"pk": {"S": "SENSOR#1"}, "sk": {"S": "METADATA"}}


@pytest.fixture
def engine() -> Engine:
    return Engine("memory:")


def test_a_second_table_gets_every_item_with_its_new_keys(engine: Engine) -> None:
    session = filled(engine)
    assert migrate(session, until=Phase.VERIFY).failures == ()
    assert_copied(session)
    assert migrate(session).state.phase is None
    with Sensors.open(engine) as table:
        assert [each.at for each in table.by_value(0, 2).items] == [12]
        assert table.of_sensor.count(1) == ITEMS // 3
        with pytest.raises(NotUnique):
            table.put(Sensor(9, "c1"))
    with pytest.raises(TableDiffers, match="does not follow the design of Sensors"):
        OldSensors.open(engine)
    described = json.loads(session.send(Call("DescribeTable", {"TableName": "Sensors"})))["Table"]
    assert described["DeletionProtectionEnabled"] is True


@pytest.mark.parametrize("phase", [Phase.PENDING, Phase.EXPAND, Phase.BACKFILL, Phase.VERIFY, Phase.SWITCH])
def test_new_code_writes_both_tables_until_the_last_phase(engine: Engine, phase: Phase) -> None:
    session = filled(engine)
    migrate(session, until=phase)
    assert state_of(session).phase is phase
    with Sensors.open(engine) as table:
        table.put(Reading(1, 900, 7))
        table.put_many([Reading(2, 901 + number, 8) for number in range(3)])
        table.update(key(Reading, sensor=1, at=900), field(Reading, lambda r: r.value).set(9))
        table.delete(key(Reading, sensor=0, at=0))
        with table.transaction(token="t") as tx:
            tx.put(Reading(0, 905, 1))
        with table.transaction(token="t") as tx:
            tx.put(Reading(0, 905, 1))
        assert tx.is_replay
        with pytest.raises(AlreadyExists):
            table.create(Reading(1, 900, 7))
        with pytest.raises(NotUnique):
            table.put(Sensor(9, "c1"))
        assert table.delete(key(Reading, sensor=0, at=3)) == Reading(0, 3, 3)
        assert table.get(key(Reading, sensor=1, at=900)) == Reading(1, 900, 9)
        assert [table.get(key(Sensor, id=n)).readings for n in range(3)] == [7, 9, 11]  # type: ignore[union-attr]  # exists
        if phase in (Phase.BACKFILL, Phase.VERIFY):
            assert len(scan(session, "Sensors-2")) >= 4
        if phase is Phase.SWITCH:
            assert_copied(session)
            assert [each.at for each in table.by_value(1, 9).items] == [900]
        elif phase is not Phase.PENDING:
            with pytest.raises(TableDiffers, match="by_value cannot be called yet"):
                table.by_value(1, 9)
    assert migrate(session).state.phase is None
    with Sensors.open(engine) as table:
        assert [table.of_sensor.count(n) for n in range(3)] == [7, 9, 11]


@pytest.mark.parametrize("phase", [Phase.EXPAND, Phase.BACKFILL, Phase.VERIFY, Phase.SWITCH])
def test_an_undo_returns_to_the_old_table_with_all_writes(engine: Engine, phase: Phase) -> None:
    session = filled(engine)
    migrate(session, until=phase)
    with Sensors.open(engine) as table:
        table.put(Reading(1, 900, 7))
        table.delete(key(Reading, sensor=0, at=0))
    assert undo(session).state.phase is Phase.PENDING
    with Sensors.open(engine) as table:
        table.delete(key(Reading, sensor=0, at=3))
    assert undo(session).state.phase is None
    with OldSensors.open(engine) as old:
        assert [old.of_sensor.count(n) for n in range(3)] == [6, 9, 8]
        old.put(OldReading(2, 950, 1))
    assert migrate(session, until=Phase.VERIFY).failures == ()  # the outdated copies are corrected
    assert_copied(session)
    assert migrate(session).state.phase is None


def test_the_plan_counts_exactly_the_writes_of_the_run(engine: Engine) -> None:
    session = filled(engine)
    before = scan(session, "Sensors"), scan(session, CONTROL.place.table)
    plan = run(plan_migration(next_run(session), state_of(session)), session)
    assert (scan(session, "Sensors"), scan(session, CONTROL.place.table)) == before, "a plan writes nothing"
    result = migrate(session)
    assert (plan.write_units, plan.backfill.written) == (result.work.write_units, result.work.written)
    assert plan.read_units == result.work.read_units
    assert plan.items == plan.stream_records == ITEMS + 6


def test_a_second_table_survives_a_kill_at_every_request(engine: Engine) -> None:
    for requests in range(1, 200, 3):
        place = Engine("memory:")
        session = filled(place)
        killing = KillingSession(session_of(place), requests, is_sent=requests % 2 == 0)
        try:
            run(run_migration(next_run(session), state_of(session)), killing)
        except Killed:
            assert migrate(session).state.phase is None
        with Sensors.open(place) as table:
            assert [table.of_sensor.count(n) for n in range(3)] == [8, 8, 8]
        if killing.left > 0:
            return


@pytest.mark.parametrize("kind", ["file", OURS, "dynamodb-local", "extenddb"])
def test_a_second_table_works_forwards_and_back_on_a_server(kind: str, tmp_path: Path) -> None:
    with ExitStack() as stack:
        url = f"file:{tmp_path}/sensors.db" if kind == "file" else stack.enter_context(server(kind, tmp_path))
        fill(url)
        table = stack.enter_context(OldSensors.open(url))
        session = QuickSession(table._opened().session.transport)
        run(baseline(control_items(OldSensors.design, "Sensors"), FILES[0]), session)
        before = scan(session, "Sensors")
        migrate(session, until=Phase.SWITCH)
        assert_copied(session)
        with Sensors.open(url) as new:
            new.put(Reading(1, 900, 7))
            new.delete(key(Reading, sensor=1, at=900))
        undo(session)
        assert scan(session, "Sensors") == before
        assert migrate(session).state.phase is None
        with Sensors.open(url) as new:
            assert [new.of_sensor.count(n) for n in range(3)] == [8, 8, 8]


def test_keys_of_another_type_need_a_second_table(engine: Engine) -> None:
    files = files_of(TextReadings, NumberReadings)
    with TextReadings.open(engine, create=True) as old:
        old.put_many([TextReading(number % 3, number, number) for number in range(ITEMS)])
    session, control = session_of(engine), control_items(NumberReadings.design, "Readings-2")
    run(baseline(control_items(TextReadings.design, "Readings"), files[0]), session)
    state = run(control.state(), session)
    assert state is not None
    settings = RunSettings(wait_seconds=0.0, until=Phase.VERIFY)
    found = migration_run(control, files, state, NumberReadings.design, files[1].snapshot, settings)
    assert found is not None
    state = run(run_migration(found, state), session).state
    with NumberReadings.open(engine) as table:
        table.put(NumberReading(1, 100, 5))
        table.delete(key(NumberReading, sensor=0, at=0))
    assert {each["at"]["N"] for each in scan(session, "Readings-2")} == {*map(str, range(1, ITEMS)), "100"}
    assert {each["SK"]["S"] for each in scan(session, "Readings")} >= {"AT#000100"}


def test_a_table_that_the_migration_has_not_created_is_not_used(engine: Engine) -> None:
    session = filled(engine)

    class Foreign(Table, entities=[Sensor], name="Sensors-2"):
        """A table of another program."""

    Foreign.open(engine, create=True).close()
    with pytest.raises(MigrationRefused, match="exists, and this migration has not created it"):
        migrate(session)
    assert scan(session, "Sensors-2") == []


def test_an_item_without_an_entity_stops_the_migration_before_the_switch(engine: Engine) -> None:
    session = filled(engine)
    item = {"PK": {"S": "FOREIGN"}, "SK": {"S": "x"}}
    session.send(Call("PutItem", {"TableName": "Sensors", "Item": item}))
    plan = run(plan_migration(next_run(session), state_of(session)), session)
    assert plan.failed == 1
    result = migrate(session)
    assert (result.state.phase, result.failures[0].reason) == (
        Phase.BACKFILL,
        "the item belongs to no entity, so the new table has no key for it",
    )


def test_opening_the_new_model_creates_no_second_table_while_the_old_one_exists(engine: Engine) -> None:
    session = filled(engine)
    with pytest.raises(TableDiffers, match="does not follow the design of Sensors"):
        Sensors.open(engine, create=True)
    tables = json.loads(session.send(Call("ListTables", {})))["TableNames"]
    assert sorted(tables) == ["Sensors", "Sensors-singletable"]
    with Engine("memory:") as other, Sensors.open(other, create=True) as table:  # a new environment
        table.put(Sensor(1, "c"))
        assert table.get(key(Sensor, id=1)) == Sensor(1, "c")


def test_a_migration_to_a_second_table_makes_no_other_changes(tmp_path: Path) -> None:
    @entity(key=("NOTE#{id}", "METADATA"))
    @dataclass
    class Note:
        id: int

    class WithNotes(
        Table,
        entities=[Sensor, Reading, Note],
        name="Sensors-2",
        keys=("pk", "sk"),
        control_table=True,
        former_tables=["Sensors"],
    ):
        """A second table with another entity."""

    class WithoutControl(
        Table, entities=[Sensor, Reading], name="Sensors-2", keys=("pk", "sk"), former_tables=["Sensors"]
    ):
        """A second table without a control table."""

    make_migration(tmp_path, OldSensors.design, FILES[0].snapshot, "initial")
    for table, problem in (
        (WithNotes, "cannot also make these changes"),
        (WithoutControl, "Keep control_table"),
    ):
        with pytest.raises(MigrationRefused, match=problem):
            make_migration(tmp_path, table.design, snapshot_of(table.design), "second")
    assert len(list(tmp_path.glob("*.json"))) == 1
    found = [str(each) for each in differences(FILES[0].snapshot, FILES[1].snapshot)]
    assert found[:2] == [
        "table replaced Sensors → Sensors-2",
        "with the copies table changed key attributes PK (S), SK (S) → pk (S), sk (S)",
    ]
    assert {each.category.value for each in differences(FILES[0].snapshot, FILES[1].snapshot)} == {"second table"}
