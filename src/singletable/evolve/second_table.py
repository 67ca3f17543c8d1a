"""Second table of a migration: the designs of the old and the new table, with the classes of the new code."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from singletable.errors import DesignError
from singletable.evolve.design_snapshot import snapshot_of
from singletable.evolve.differences import differences
from singletable.evolve.dual_designs import DualDesigns, NotDual, old_table_design
from singletable.evolve.moved_entities import MovedEntity
from singletable.evolve.operation import Category, Operation
from singletable.evolve.operations.control_table_changed import ControlTableChanged
from singletable.evolve.operations.entity_added import EntityAdded
from singletable.evolve.operations.entity_removed import EntityRemoved
from singletable.evolve.operations.table_replaced import TableReplaced
from singletable.evolve.phases import SECOND_TABLE_FORMS, FormUse
from singletable.evolve.snapshot_records import Snapshot
from singletable.lazy_dataclass import dataclass
from singletable.model.design import Design


@dataclass(frozen=True)
class SecondTable:
    """The designs of the two tables. Both have the classes and the patterns of the new code."""

    old: Design
    new: Design

    @property
    def old_name(self) -> str:
        """The name of the old table."""
        return self.old.name


def replaces_table(operations: Sequence[Operation]) -> bool:
    """Return whether a migration copies the items to a second table."""
    return any(isinstance(each, TableReplaced) for each in operations)


def second_table(design: Design, before: Snapshot, operations: Sequence[Operation]) -> SecondTable | None:
    """Return the two tables of a migration, or None if it has only one.

    Raise NotDual if the copy of an item cannot be computed from the item, in either direction.
    """
    if not replaces_table(operations):
        return None
    problems = list(_problems(design, operations))
    if problems:
        raise NotDual("; ".join(problems))
    try:
        old = old_table_design(design, before)
    except DesignError as problem:
        raise NotDual(f"new code cannot compute the old keys: {problem}") from problem
    for entity in design.entities:
        moved = MovedEntity(old.entity_of(entity.cls), entity)
        if not moved.is_exact:
            raise NotDual(f"the old and the new key of {entity.label} do not determine each other")
    return SecondTable(old, design)


def two_table_designs(design: Design, before: Snapshot) -> DualDesigns | None:
    """Return the designs of new code for a migration to a second table, or None for another migration."""
    found = second_table(design, before, differences(before, snapshot_of(design)))
    if found is None:
        return None
    writes = {form: found.old if form.reads is FormUse.READS_OLD else found.new for form in SECOND_TABLE_FORMS.values()}
    return DualDesigns(found.old, found.new, writes, has_two_tables=True)


def _problems(design: Design, operations: Sequence[Operation]) -> Iterator[str]:
    if not design.settings.control_table:
        yield "the design state of two tables needs a control table: declare control_table=True"
    if any(isinstance(each, ControlTableChanged) for each in operations):
        yield "the control table must exist before: declare it in a migration of its own"
    excluded = EntityAdded | EntityRemoved
    others = [
        str(each)
        for each in operations
        if each.category in (Category.IN_PLACE, Category.MOVE) or isinstance(each, excluded)
    ]
    if others:
        yield f"a migration to a second table cannot also make these changes: {', '.join(others)}; make two migrations"
