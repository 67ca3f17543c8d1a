"""Baseline of a table: records that its items follow the design of the first migration."""

from __future__ import annotations

from collections import Counter

from singletable.client.design_state import DesignState
from singletable.client.items.decoder import Item
from singletable.client.request_steps import Call, Steps
from singletable.client.responses import read_page
from singletable.conformance.item_comparison import ItemComparer
from singletable.errors import MigrationRefused
from singletable.evolve.described_table import described_snapshot
from singletable.evolve.differences import differences
from singletable.evolve.operations.index_dropped import IndexDropped
from singletable.evolve.snapshot_records import Snapshot
from singletable.migrations.control_items import ControlItems
from singletable.migrations.migration_files import MigrationFile, earlier_design
from singletable.migrations.table_indexes import Document, describe_table
from singletable.model.design import Design
from singletable.verify.item_rules import KEY_DIFFERS, UNREADABLE

SAMPLE_ITEMS = 1_000
"""The number of items that are compared with the design of the first migration."""
REMEDY = (
    "The first migration must have the current design of the table. Delete {path} and the Python file next to it, run "
    "`singletable migrate make` with the code that uses the table now, and make the next migration with the new code."
)


def check_baseline(control: ControlItems, file: MigrationFile, design: Design | None = None) -> Steps[None]:
    """Raise MigrationRefused if a table or its items do not have the design of the first migration.

    `design` is the design of the migration, if the caller has it.
    """
    description = yield from describe_table(control.table)
    if description.get("GlobalTableVersion") or description.get("Replicas"):
        raise MigrationRefused(
            f"table {control.table!r} is a global table, and a migration cannot control the order of "
            "changes in its replicas"
        )
    remedy = REMEDY.format(path=file.path)
    check_description(control.table, file.snapshot, description, file.path.name, remedy)
    try:
        design = design or earlier_design(file)
    except MigrationRefused:  # the file lacks functions of the model, so the keys of its items are unknown
        return
    (body,) = yield (Call("Scan", {"TableName": control.table, "Limit": SAMPLE_ITEMS}),)
    _check_items(control.table, design, read_page(body).items, file, remedy)


def baseline(control: ControlItems, file: MigrationFile, design: Design | None = None) -> Steps[DesignState]:
    """Record that the items of a table follow the design of the first migration. Otherwise raise MigrationRefused."""
    yield from check_baseline(control, file, design)
    yield from control.put_design(file.snapshot)
    return (yield from control.create(DesignState(file.snapshot.fingerprint, (file.applied_as,))))


def _check_items(table: str, design: Design, items: list[Item], file: MigrationFile, remedy: str) -> None:
    """Raise MigrationRefused if the model cannot read most of an entity's items, or writes them under other keys.

    A few such items are no reason: the next migration reports them.
    """
    comparer = ItemComparer(design)
    read, wrong, reasons = Counter[str](), Counter[str](), dict[str, str]()
    for item in items:
        comparison = comparer.compare(item)
        if comparison.entity is None:
            continue
        label = comparison.entity.label
        read[label] += 1
        problems = [each for each in comparison.problems if each.rule in (UNREADABLE, KEY_DIFFERS)]
        if problems:
            wrong[label] += 1
            reasons.setdefault(label, problems[0].reason)
    shown = [
        f"{label}: {wrong[label]:,} of {read[label]:,} items, such as: {reasons[label]}"
        for label in wrong
        if wrong[label] * 2 > read[label]
    ]
    if shown:
        found = "\n  ".join(shown)
        raise MigrationRefused(
            f"the items of table {table!r} do not have the design of {file.path.name}; nothing was written:\n"
            f"  {found}\n  {remedy}"
        )


def check_description(
    table: str, design: Snapshot, description: Document, name: str, remedy: str, next_design: Snapshot | None = None
) -> None:
    """Raise MigrationRefused if a table does not have the keys and indexes of a design.

    It may already have indexes of the next design: a runner that continues after another one has undone its migration
    can still create an index, because a request that creates an index cannot have a condition.
    """
    found = described_snapshot(design, description, design.ttl_attribute)
    allowed = [] if next_design is None else [each.stored_form for each in next_design.indexes.values()]
    wrong = [
        str(each)
        for each in differences(found, design)
        if not (isinstance(each, IndexDropped) and each.index.stored_form in allowed)
    ]
    if wrong:
        shown = "\n  ".join(wrong)
        raise MigrationRefused(
            f"table {table!r} does not have the design of {name}; nothing was written:\n  {shown}\n  {remedy}"
        )
