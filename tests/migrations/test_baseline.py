"""The baseline of a table: the check of the table and its items before the first migration is recorded."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from singletable import Table, entity
from singletable.client.request_steps import run
from singletable.engine.engine import Engine
from singletable.errors import MigrationRefused
from singletable.evolve.design_snapshot import snapshot_of
from singletable.migrations.baseline import baseline, check_baseline
from singletable.migrations.control_items import control_items
from singletable.migrations.migration_files import MigrationFile
from tests.cli.program import refused, singletable
from tests.migrations.orders import session_of


@entity(key=("ROOM#{number}", "ROOM"), name="Room")
@dataclass
class OldRoom:
    number: str
    beds: int


class OldRooms(Table, entities=[OldRoom], name="Rooms"): ...


@entity(key=("ROOM#{number}", "ROOM"), name="Room")
@dataclass
class Room:
    number: str
    places: int


class Rooms(Table, entities=[Room], name="Rooms"): ...


FILE = MigrationFile(1, "initial", Path("migrations/0001_initial.json"), snapshot_of(Rooms.design))
CONTROL = control_items(Rooms.design, "Rooms")


def fill(engine: Engine, *, old: int, new: int) -> None:
    with OldRooms.open(engine, create=True) as table:
        table.put_many([OldRoom(f"o{number}", 2) for number in range(old)])
    with Rooms.open(engine) as table:
        table.put_many([Room(f"n{number}", 2) for number in range(new)])


@pytest.mark.parametrize("design", [Rooms.design, None], ids=["the model", "the snapshot"])
def test_a_baseline_rejects_items_of_another_design_and_writes_nothing(design: object) -> None:
    with Engine("memory:") as engine:
        fill(engine, old=3, new=2)
        session = session_of(engine)
        for steps in (check_baseline, baseline):
            with pytest.raises(MigrationRefused) as raised:
                run(steps(CONTROL, FILE, Rooms.design if design else None), session)
            assert "do not have the design of 0001_initial.json; nothing was written" in str(raised.value)
            assert "Room: 3 of 5 items, such as: " in str(raised.value)
            assert "run `singletable migrate make` with the code that uses the table now" in str(raised.value)
        assert run(CONTROL.state(), session) is None


def test_a_baseline_accepts_a_table_in_which_few_items_are_unreadable() -> None:
    with Engine("memory:") as engine:
        fill(engine, old=2, new=2)
        state = run(baseline(CONTROL, FILE, Rooms.design), session_of(engine))
        assert state.fingerprint == FILE.snapshot.fingerprint


def test_migrate_plan_and_run_reject_the_same_baseline(tmp_path: Path) -> None:
    source = (
        "from dataclasses import dataclass\nfrom singletable import Table, entity\n"
        '@entity(key=("ROOM#{number}", "ROOM"))\n@dataclass\nclass Room:\n    number: str\n    places: int\n'
        "class Rooms(Table, entities=[Room]): ...\n"
    )
    (tmp_path / "rooms.py").write_text(source, encoding="utf-8")
    with Engine(f"file:{tmp_path / 'rooms.db'}") as engine:
        fill(engine, old=3, new=0)
    assert singletable("migrate", "make", "rooms.py", cwd=tmp_path).returncode == 0
    for command in (["plan"], ["run", "--no-clients"]):
        name, *options = command
        finished = singletable("migrate", name, "rooms.py", "file:rooms.db", *options, cwd=tmp_path)
        assert "Room: 3 of 3 items" in refused(finished)
    status = singletable("migrate", "status", "rooms.py", "file:rooms.db", cwd=tmp_path)
    assert "the table was never migrated" in status.stdout


def test_a_baseline_rejects_items_under_other_keys() -> None:
    @entity(key=("PLACE#{number}", "ROOM"), name="Room")
    @dataclass
    class Moved:
        number: str
        places: int

    class MovedRooms(Table, entities=[Moved], name="Rooms"): ...

    with Engine("memory:") as engine:
        fill(engine, old=0, new=2)
        file = replace(FILE, snapshot=snapshot_of(MovedRooms.design))
        with pytest.raises(MigrationRefused, match="Moved: 2 of 2 items, such as: PK of the table differs"):
            run(baseline(CONTROL, file, MovedRooms.design), session_of(engine))
