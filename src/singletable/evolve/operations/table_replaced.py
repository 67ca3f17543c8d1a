"""A second table replaces the table: every item is copied to a table with other key attributes or local indexes."""

from __future__ import annotations

from typing import ClassVar

import msgspec

from singletable.evolve.operation import Category, Operation
from singletable.evolve.phases import SECOND_TABLE_EFFECTS, PhaseEffect
from singletable.evolve.snapshot_records import Snapshot
from singletable.lazy_dataclass import dataclass


@dataclass(frozen=True)
class TableReplaced(Operation):
    """A design whose items are in another table."""

    kind: ClassVar[str] = "table replaced"
    before: tuple[str, ...]
    after: tuple[str, ...]
    name: str
    """The name of the new table."""
    entities: tuple[str, ...] = ()
    """The names of the entities with stored items."""

    @property
    def subject(self) -> str:
        return self.after[-1] if self.after else self.name

    @property
    def detail(self) -> str:
        return f"→ {self.name}"

    @property
    def category(self) -> Category:
        is_next = self.after[:-1] == self.before and len(self.after) == len(self.before) + 1
        return Category.SECOND_TABLE if is_next else Category.UNSUPPORTED

    @property
    def items(self) -> str:
        if self.category is Category.UNSUPPORTED:
            return "a migration copies the items of one table to the next one"
        return f"the backfill copies every item to {self.name}; {self.subject} stays, without clients"

    @property
    def remedy(self) -> str | None:
        if self.category is Category.SECOND_TABLE:
            return None
        return f"Declare former_tables={list(self.before)!r} and the name of the current table at its end."

    @property
    def effects(self) -> tuple[PhaseEffect, ...]:
        return SECOND_TABLE_EFFECTS if self.category is Category.SECOND_TABLE else super().effects

    @property
    def rewritten(self) -> frozenset[str]:
        return frozenset(self.entities)

    def apply(self, snapshot: Snapshot) -> Snapshot:
        return msgspec.structs.replace(snapshot, former_tables=self.after)


@dataclass(frozen=True)
class MadeInSecondTable(Operation):
    """A change that only a second table makes possible, or that is made together with it."""

    kind: ClassVar[str] = "with the copies"
    operation: Operation

    @property
    def subject(self) -> str:
        return f"{self.operation.kind} {self.operation.subject}"

    @property
    def detail(self) -> str:
        return self.operation.detail

    @property
    def category(self) -> Category:
        return Category.SECOND_TABLE

    @property
    def items(self) -> str:
        return "the copies of the items have the new keys"

    @property
    def effects(self) -> tuple[PhaseEffect, ...]:
        return SECOND_TABLE_EFFECTS

    def apply(self, snapshot: Snapshot) -> Snapshot:
        return self.operation.apply(snapshot)
