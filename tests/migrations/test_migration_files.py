"""Migration files: numbered snapshots in a folder, without gaps and second heads."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from singletable import MigrationRefused, SnapshotRefused
from singletable.client.design_state import DesignState
from singletable.client.request_session import Session
from singletable.client.request_steps import Call, run
from singletable.engine.engine import Engine
from singletable.evolve.differences import differences
from singletable.evolve.snapshot_records import to_json
from singletable.migrations.migration_files import check_migrations, make_migration, read_migrations
from singletable.migrations.runner import RunSettings, migration_run, run_migration
from tests.evolve.models import Everything
from tests.evolve.test_differences import BY_CUSTOMER, design, with_field
from tests.migrations.orders import CONTROL, NEW, OLD, NewOrders, add_total, next_run, stored_items, table_with


def test_make_writes_one_numbered_file_per_change(tmp_path: Path) -> None:
    folder = tmp_path / "migrations"
    assert make_migration(folder, None, OLD, "").path.name == "0001_initial.py"
    assert make_migration(folder, NewOrders.design, NEW, "Orders by státus!").path.name == "0002_orders_by_status.py"
    assert [(each.label, each.snapshot) for each in read_migrations(folder)] == [
        ("0001_initial", OLD),
        ("0002_orders_by_status", NEW),
    ]
    assert check_migrations(folder, NEW) is None
    with pytest.raises(MigrationRefused, match="so no migration is needed"):
        make_migration(folder, None, NEW, "again")
    problem = check_migrations(folder, OLD)
    assert problem is not None
    assert "Orders needs a migration since 0002_orders_by_status.py" in problem


def test_migration_files_are_needed_in_the_folder(tmp_path: Path) -> None:
    assert read_migrations(tmp_path / "none") == ()
    assert "has no migrations" in (check_migrations(tmp_path, OLD) or "")


def test_migration_files_with_two_heads_gaps_or_foreign_files_are_rejected(tmp_path: Path) -> None:
    for name in ("0001_initial", "0002_one", "0002_other"):
        (tmp_path / f"{name}.json").write_text(to_json(OLD), encoding="utf-8")
    with pytest.raises(MigrationRefused, match=r"two migrations with the number 0002: 0002_one.py and 0002_other"):
        read_migrations(tmp_path)
    (tmp_path / "0002_one.json").unlink()
    (tmp_path / "0002_other.json").rename(tmp_path / "0003_other.json")
    with pytest.raises(MigrationRefused, match=r"has no migration 0002, but 0003_other.py"):
        read_migrations(tmp_path)
    (tmp_path / "notes.json").write_text("{}", encoding="utf-8")
    (tmp_path / "0003_other.json").unlink()
    with pytest.raises(MigrationRefused, match=r"notes.json is not a migration"):
        read_migrations(tmp_path)


def test_migration_files_with_a_snapshot_of_a_newer_release_are_rejected(tmp_path: Path) -> None:
    (tmp_path / "0001_initial.json").write_text('{"format": 99}', encoding="utf-8")
    with pytest.raises(SnapshotRefused, match="has the snapshot format 99"):
        read_migrations(tmp_path)


def test_a_change_that_no_migration_can_make_is_rejected_with_a_remedy(tmp_path: Path) -> None:
    make_migration(tmp_path, None, design(), "")
    for changes, remedy in (
        (with_field("note", str), "Give the field a default"),
        ({"settings": {"keys": ("pk", "sk")}}, "Create a second table"),
        ({"indexes": {"gsi1": ("CUST#{customer}#{status}", "{id}")}}, "Give the alias a new index"),
    ):
        with pytest.raises(MigrationRefused, match=f"no migration can make these changes:(.|\n)*{remedy}"):
            make_migration(tmp_path, None, design(**changes), "")
    assert len(read_migrations(tmp_path)) == 1


def test_migration_files_cannot_give_an_index_the_name_or_the_attributes_of_another_one(tmp_path: Path) -> None:
    from singletable import GSI

    make_migration(tmp_path, None, design(), "")
    indexes = {"by_status": ("STATUS#{status}", "{id}")}
    same = GSI("by_status", name="GSI1", keys=("SPK", "SSK"))
    with pytest.raises(MigrationRefused, match="index GSI1: the old design has another index with this name"):
        make_migration(tmp_path, None, design(indexes=indexes, settings={"indexes": [same]}), "")
    attributes = GSI("by_status", name="New", keys=("GSI1PK", "GSI1SK"))
    with pytest.raises(MigrationRefused, match=r"Order.by_status: its keys are stored in GSI1PK, GSI1SK"):
        make_migration(tmp_path, None, design(indexes=indexes, settings={"indexes": [attributes]}), "")
    assert make_migration(tmp_path, None, design(indexes={"gsi1": BY_CUSTOMER, **indexes}), "").number == 2


def test_a_model_with_every_feature_has_a_first_migration(tmp_path: Path) -> None:
    from singletable.evolve.design_snapshot import snapshot_of

    snapshot = snapshot_of(Everything.design)
    assert make_migration(tmp_path, None, snapshot, "").snapshot == read_migrations(tmp_path)[0].snapshot


def test_a_migration_file_names_its_operations_its_predecessor_and_the_functions_that_it_needs(tmp_path: Path) -> None:
    make_migration(tmp_path, None, OLD, "")
    made = make_migration(tmp_path, NewOrders.design, NEW, "orders by status")
    assert made.path.read_text(encoding="utf-8").splitlines()[:5] == [
        '"""orders by status."""',
        "",
        "from tests.migrations.orders import add_total",
        "",
        'after = "0001_initial"',
    ]
    assert made.source is not None
    assert made.source.operations == tuple(map(str, differences(OLD, NEW)))
    assert made.source.functions() == ({}, {("Order", 1): add_total})


def edited(path: Path, before: str, after: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert before in text
    path.write_text(text.replace(before, after), encoding="utf-8")


def test_an_edited_a_malformed_and_a_missing_migration_file_is_rejected(tmp_path: Path) -> None:
    make_migration(tmp_path, None, OLD, "")
    path = make_migration(tmp_path, NewOrders.design, NEW, "orders by status").path
    text = path.read_text(encoding="utf-8")
    for before, after, problem in (
        ("index added", "index removed", "does not match its snapshot"),
        ('"0001_initial"', '"0001_other"', "comes after 0001_other, but the migration before it is 0001_initial"),
        ("operations = [", "operations = [len([]),", "`operations` must be a literal"),
        ("operations = [", "operations = [[", r"0002_orders_by_status.py:\d+: '\[' was never closed"),
        ("after = ", "before = ", "`after` must be the name of the previous migration"),
    ):
        edited(path, before, after)
        with pytest.raises(MigrationRefused, match=problem):
            read_migrations(tmp_path)
        path.write_text(text, encoding="utf-8")
    edited(path, "orders by status", "another title")  # commands do not compare titles
    assert read_migrations(tmp_path)[1].applied_as.partition(":")[0] == "0002_orders_by_status"
    path.unlink()
    with pytest.raises(MigrationRefused, match="is missing, but its snapshot exists"):
        read_migrations(tmp_path)
    path.write_text(text, encoding="utf-8")
    path.with_suffix(".json").unlink()
    with pytest.raises(MigrationRefused, match="has no snapshot"):
        read_migrations(tmp_path)


def test_a_migration_that_was_edited_after_it_ran_is_rejected_and_nothing_is_written(tmp_path: Path) -> None:
    engine = Engine("memory:")
    session = table_with(engine, 3)
    make_migration(tmp_path, None, OLD, "")
    path = make_migration(tmp_path, NewOrders.design, NEW, "by status").path
    files = read_migrations(tmp_path)
    state = DesignState(OLD.fingerprint, (files[0].applied_as, files[1].applied_as))
    with path.open("a", encoding="utf-8") as file:
        file.write("functions = {}\n")
    items = stored_items(session)
    for known, problem in ((read_migrations(tmp_path), "was edited after it ran"), (files[:1], "which have no file")):
        with pytest.raises(MigrationRefused, match=problem):
            migration_run(CONTROL, known, state, NewOrders.design, NEW, RunSettings())
    assert stored_items(session) == items


def test_several_pending_migrations_run_in_order_with_the_functions_of_their_files(tmp_path: Path) -> None:
    engine = Engine("memory:")
    session = table_with(engine, 5)
    last = msgspec.structs.replace(NEW, indexes={alias: each for alias, each in NEW.indexes.items() if alias != "gsi2"})
    entities = {
        "Order": msgspec.structs.replace(
            NEW.entities["Order"],
            keys={alias: keys for alias, keys in NEW.entities["Order"].keys.items() if alias != "gsi2"},
        )
    }
    last = msgspec.structs.replace(last, entities=entities)
    for design_, snapshot in ((None, OLD), (NewOrders.design, NEW), (None, last)):
        make_migration(tmp_path, design_, snapshot, "")
    state = run(CONTROL.state(), session)
    assert state is not None
    files = read_migrations(tmp_path)
    state = replace(state, applied=(files[0].applied_as,))
    found = migration_run(CONTROL, files, state, NewOrders.design, last, RunSettings(wait_seconds=0.0))
    assert found is not None
    assert found.file.label == "0002_change"
    edited(files[1].path, "upgrades = {('Order', 1): add_total}", "")
    with pytest.raises(MigrationRefused, match="does not contain the upgrade of NewOrder from version 1"):
        migration_run(CONTROL, read_migrations(tmp_path), state, NewOrders.design, last, RunSettings())
    assert run(run_migration(found, run(CONTROL.change(run_state(session), state), session)), session).failures == ()
    assert all(int(each["total"]["N"]) == 2 for each in stored_items(session))


def run_state(session: Session) -> DesignState:
    state = run(CONTROL.state(), session)
    assert state is not None
    return state


def test_a_table_whose_indexes_were_changed_by_hand_is_not_migrated() -> None:
    engine = Engine("memory:")
    session = table_with(engine, 3)
    change = {"TableName": "Orders", "GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "GSI1"}}]}
    session.send(Call("UpdateTable", change))
    before = run_state(session)
    with pytest.raises(MigrationRefused, match=r"does not have the design of its last migration \(0001_initial\)"):
        run(run_migration(next_run(session), before), session)
    assert run_state(session) == before
