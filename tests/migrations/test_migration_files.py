"""Migration files: numbered snapshots in a folder, without gaps and second heads."""

from __future__ import annotations

from pathlib import Path

import pytest

from singletable import MigrationRefused, SnapshotRefused
from singletable.evolve.snapshot_records import to_json
from singletable.migrations.migration_files import check_migrations, make_migration, read_migrations
from tests.evolve.models import Everything
from tests.evolve.test_differences import BY_CUSTOMER, design, with_field
from tests.migrations.orders import NEW, OLD


def test_make_writes_one_numbered_file_per_change(tmp_path: Path) -> None:
    folder = tmp_path / "migrations"
    assert make_migration(folder, OLD, "").path.name == "0001_initial.json"
    assert make_migration(folder, NEW, "Orders by státus!").path.name == "0002_orders_by_status.json"
    assert [(each.label, each.snapshot) for each in read_migrations(folder)] == [
        ("0001_initial", OLD),
        ("0002_orders_by_status", NEW),
    ]
    assert check_migrations(folder, NEW) is None
    with pytest.raises(MigrationRefused, match="so no migration is needed"):
        make_migration(folder, NEW, "again")
    problem = check_migrations(folder, OLD)
    assert problem is not None
    assert "Orders needs a migration since 0002_orders_by_status.json" in problem


def test_a_folder_without_migrations_needs_one(tmp_path: Path) -> None:
    assert read_migrations(tmp_path / "none") == ()
    assert "has no migrations" in (check_migrations(tmp_path, OLD) or "")


def test_two_heads_gaps_and_foreign_files_are_rejected(tmp_path: Path) -> None:
    for name in ("0001_initial", "0002_one", "0002_other"):
        (tmp_path / f"{name}.json").write_text(to_json(OLD), encoding="utf-8")
    with pytest.raises(MigrationRefused, match=r"two migrations with the number 0002: 0002_one.json and 0002_other"):
        read_migrations(tmp_path)
    (tmp_path / "0002_one.json").unlink()
    (tmp_path / "0002_other.json").rename(tmp_path / "0003_other.json")
    with pytest.raises(MigrationRefused, match=r"has no migration 0002, but 0003_other.json"):
        read_migrations(tmp_path)
    (tmp_path / "notes.json").write_text("{}", encoding="utf-8")
    (tmp_path / "0003_other.json").unlink()
    with pytest.raises(MigrationRefused, match=r"notes.json is not a migration"):
        read_migrations(tmp_path)


def test_a_snapshot_of_a_newer_release_is_rejected(tmp_path: Path) -> None:
    (tmp_path / "0001_initial.json").write_text('{"format": 99}', encoding="utf-8")
    with pytest.raises(SnapshotRefused, match="has the snapshot format 99"):
        read_migrations(tmp_path)


def test_a_change_that_no_migration_can_make_is_rejected_with_a_remedy(tmp_path: Path) -> None:
    make_migration(tmp_path, design(), "")
    for changes, remedy in (
        (with_field("note", str), "Give the field a default"),
        ({"key": ("O#{id}", "METADATA")}, "Declare the new key as a new entity"),
        ({"indexes": {"gsi1": ("CUST#{customer}#{status}", "{id}")}}, "Give the alias a new index"),
    ):
        with pytest.raises(MigrationRefused, match=f"no migration can make these changes:(.|\n)*{remedy}"):
            make_migration(tmp_path, design(**changes), "")
    assert len(read_migrations(tmp_path)) == 1


def test_in_migration_files_an_index_cannot_take_over_the_name_or_the_attributes_of_another_one(tmp_path: Path) -> None:
    from singletable import GSI

    make_migration(tmp_path, design(), "")
    indexes = {"by_status": ("STATUS#{status}", "{id}")}
    same = GSI("by_status", name="GSI1", keys=("SPK", "SSK"))
    with pytest.raises(MigrationRefused, match="index GSI1: the old design has another index with this name"):
        make_migration(tmp_path, design(indexes=indexes, settings={"indexes": [same]}), "")
    attributes = GSI("by_status", name="New", keys=("GSI1PK", "GSI1SK"))
    with pytest.raises(MigrationRefused, match=r"Order.by_status: its keys are stored in GSI1PK, GSI1SK"):
        make_migration(tmp_path, design(indexes=indexes, settings={"indexes": [attributes]}), "")
    assert make_migration(tmp_path, design(indexes={"gsi1": BY_CUSTOMER, **indexes}), "").number == 2


def test_a_model_with_every_feature_has_a_first_migration(tmp_path: Path) -> None:
    from singletable.evolve.design_snapshot import snapshot_of

    snapshot = snapshot_of(Everything.design)
    assert make_migration(tmp_path, snapshot, "").snapshot == read_migrations(tmp_path)[0].snapshot
