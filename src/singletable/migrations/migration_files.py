"""Migration files: a folder with one Python file and one snapshot per migration.

They are checked for missing numbers, for two migrations made from the same design, and for later edits.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from singletable.errors import MigrationRefused
from singletable.evolve.design_snapshot import FUNCTION
from singletable.evolve.differences import differences, needs_migration
from singletable.evolve.dual_designs import NotDual, moved_entities
from singletable.evolve.moved_entities import key_conflicts
from singletable.evolve.operation import Category, Operation
from singletable.evolve.restored_design import design_of
from singletable.evolve.snapshot_records import Snapshot, read_snapshot, to_json
from singletable.migrations.divided_items import division_conflicts
from singletable.migrations.migration_source import MigrationSource, read_source, source_text
from singletable.model.design import Design
from singletable.model.table_schema import TABLE

_NAME = re.compile(r"(\d{4})_([a-z0-9_]+)\.json")


@dataclass(frozen=True)
class MigrationFile:
    """A migration: its number, its name, and the design of the table after it."""

    number: int
    name: str
    path: Path
    snapshot: Snapshot
    source: MigrationSource | None = None

    @property
    def label(self) -> str:
        """The name with the number: `0002_orders_by_status`."""
        return f"{self.number:04d}_{self.name}"

    @property
    def applied_as(self) -> str:
        """The entry of the migration in the design state after its run: its label and the hashes of its files."""
        digest = "" if self.source is None else f":{self.source.digest}"
        return f"{self.label}:{self.snapshot.fingerprint}{digest}"


def read_migrations(folder: Path) -> tuple[MigrationFile, ...]:
    """Return the migrations in a folder, in order. Raise MigrationRefused for missing and duplicate numbers."""
    found: list[MigrationFile] = []
    for path in sorted(folder.glob("*.json")) if folder.is_dir() else ():
        matched = _NAME.fullmatch(path.name)
        if matched is None:
            raise MigrationRefused(f"{path} is not a migration: its name must look like 0002_orders_by_status.json")
        snapshot = read_snapshot(path.read_bytes(), str(path))
        found.append(MigrationFile(int(matched[1]), matched[2], path.with_suffix(".py"), snapshot))
    for position, each in enumerate(found, 1):
        if position > 1 and found[position - 2].number == each.number:
            raise MigrationRefused(
                f"{folder} has two migrations with the number {each.number:04d}: {found[position - 2].path.name} and "
                f"{each.path.name}.\n  Delete the file of the migration that has not run on any table, merge the "
                "models, and run `singletable migrate make` again."
            )
        if each.number != position:
            raise MigrationRefused(
                f"{folder} has no migration {position:04d}, but {each.path.name}.\n  Restore the missing file."
            )
    for path in sorted(folder.glob("[0-9][0-9][0-9][0-9]_*.py")) if found else ():
        if not path.with_suffix(".json").exists():
            raise MigrationRefused(f"{path} has no snapshot {path.stem}.json. Restore that file.")
    found = [replace(each, source=read_source(each.path)) for each in found]
    for before, each in zip((None, *found), found, strict=False):
        _check_source(before, each)
    return tuple(found)


def _check_source(before: MigrationFile | None, file: MigrationFile) -> None:
    """Raise MigrationRefused if a migration does not follow the previous one, or does not match its snapshot."""
    assert file.source is not None, "the file was read"
    previous = None if before is None else before.label
    if file.source.after != previous:
        raise MigrationRefused(
            f"{file.path} comes after {file.source.after}, but the migration before it is {previous}: two migrations "
            "were made from the same design.\n  Delete the file of the migration that has not run on any table, merge "
            "the models, and run `singletable migrate make` again."
        )
    expected = () if before is None else tuple(map(str, differences(before.snapshot, file.snapshot)))
    if file.source.operations != expected:
        shown = "\n  ".join(expected)
        raise MigrationRefused(
            f"{file.path} does not match its snapshot. The operations between the two designs are:\n  {shown}\n  "
            "Restore both files from version control, or delete them and run `singletable migrate make` again."
        )


def make_migration(folder: Path, design: Design | None, model: Snapshot, message: str) -> MigrationFile:
    """Write the next migration of a model.

    Raise MigrationRefused if nothing changes, or if a change is not supported.
    """
    known = read_migrations(folder)
    operations: tuple[Operation, ...] = ()
    if known:
        before = known[-1].snapshot
        operations = differences(before, model)
        if not operations:
            raise MigrationRefused(
                f"{known[-1].path} already has the design of {model.name}, so no migration is needed"
            )
        reject_unsupported(before, model, operations)
        if design is not None:
            reject_unsafe_moves(before, model, operations, design)
    name = _slug(message) or ("initial" if not known else "change")
    path = folder / f"{len(known) + 1:04d}_{name}.json"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        after = known[-1].label if known else None
        title = message.strip().rstrip(".") or ("The current design" if not known else "Change the design")
        path.with_suffix(".py").write_text(source_text(title, after, operations, design), encoding="utf-8")
        path.write_text(to_json(model), encoding="utf-8")
    except OSError as problem:
        raise MigrationRefused(f"cannot write {path}: {problem.strerror}") from None
    return read_migrations(folder)[-1]


def reject_unsupported(before: Snapshot, after: Snapshot, operations: Sequence[Operation]) -> None:
    """Raise MigrationRefused if a change is not supported, or if an item cannot contain the old and the new keys."""
    problems = [
        f"{each}: {each.items}\n    {each.remedy}" for each in operations if each.category is Category.UNSUPPORTED
    ]
    problems += _conflicts(before, after)
    if problems:
        shown = "\n  ".join(problems)
        raise MigrationRefused(f"{after.name}: no migration can make these changes:\n  {shown}")


def reject_unsafe_moves(before: Snapshot, after: Snapshot, operations: Sequence[Operation], design: Design) -> None:
    """Raise MigrationRefused if a migration cannot move items without a risk of two items with one key."""
    if not any(each.category is Category.MOVE for each in operations):
        return
    others = [str(each) for each in operations if each.category is Category.IN_PLACE]
    problems = [*key_conflicts(before, design, tuple(operations)), *division_conflicts(design, operations)]
    if others:
        problems.append(
            f"a migration that moves items cannot make other changes of stored items: {', '.join(others)}. Make two "
            "migrations: one that only moves items, and one for the other changes."
        )
    try:
        moved_entities(design, before, operations)
    except NotDual as problem:
        problems.append(f"{problem}. Keep the fields and the functions of the old key until the items have moved.")
    if problems:
        shown = "\n  ".join(problems)
        raise MigrationRefused(f"{after.name}: no migration can move the items; nothing was written:\n  {shown}")


def _conflicts(before: Snapshot, after: Snapshot) -> list[str]:
    """Return the indexes of the new design whose name or key attributes the old design uses differently."""
    problems: list[str] = []
    for alias, index in after.indexes.items():
        same_name = next((each for each in before.indexes.values() if each.name == index.name), None)
        if alias != TABLE and same_name is not None and same_name.stored_form != index.stored_form:
            problems.append(f"index {index.name}: the old design has another index with this name; choose a new name")
    for name, entity in after.entities.items():
        old = before.entities.get(name)
        for alias, keys in entity.keys.items() if old is not None else ():
            for old_alias, old_keys in old.keys.items() if old is not None and alias != TABLE else ():
                ours, theirs = after.indexes[alias].attributes, before.indexes[old_alias].attributes
                if old_alias not in (alias, TABLE) and set(ours) & set(theirs) and str(keys) != str(old_keys):
                    problems.append(
                        f"{entity.label}.{alias}: its keys are stored in {', '.join(ours)}, which the old index "
                        f"{before.indexes[old_alias].name} uses; choose new names with GSI(keys=...)"
                    )
    return problems


def check_migrations(folder: Path, model: Snapshot) -> str | None:
    """Return how the design of the last migration in a folder differs from the model, or None if they are equal."""
    known = read_migrations(folder)
    return missing_migration(known, model) if known else f"{folder} has no migrations; run `singletable migrate make`"


def missing_migration(known: tuple[MigrationFile, ...], model: Snapshot) -> str | None:
    """Return how the design of the last migration differs from the model, or None if they are equal."""
    operations = differences(known[-1].snapshot, model)
    if not operations:
        return None
    what = "needs a migration" if needs_migration(operations) else "changes the design"
    shown = "\n  ".join(str(each) for each in operations)
    return f"{model.name} {what} since {known[-1].path.name}:\n  {shown}\n  Run `singletable migrate make`."


def earlier_design(file: MigrationFile) -> Design:
    """Return the design of a migration whose model does not exist any more, with the functions of its file."""
    functions, upgrades = ({}, {}) if file.source is None else file.source.functions()
    missing = {
        str(each.options.get("function"))
        for entity in file.snapshot.entities.values()
        for keys in entity.keys.values()
        for each in keys.derived.values()
        if each.kind == FUNCTION and each.options.get("function") not in functions
    }
    missing |= {
        f"the upgrade of {entity.label} from version {version}"
        for entity in file.snapshot.entities.values()
        for version in range(1, entity.schema_version or 1)
        if (entity.name, version) not in upgrades
    }
    if missing:
        raise MigrationRefused(
            f"{file.path} does not contain {', '.join(sorted(missing))}; nothing was written.\n  Add it to "
            "`functions` or `upgrades` in the file, or stop all clients and run the migration with the version of the "
            "model for which you made it."
        )
    return design_of(file.snapshot, functions, upgrades)


def _slug(message: str) -> str:
    plain = unicodedata.normalize("NFKD", message).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "_", plain).strip("_")[:60]
