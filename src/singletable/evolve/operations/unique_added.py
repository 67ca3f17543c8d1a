"""A new unique constraint of an entity."""

from __future__ import annotations

from typing import ClassVar

from singletable.evolve.operation import Category, Operation, with_entity
from singletable.evolve.snapshot_records import Snapshot
from singletable.lazy_dataclass import dataclass


@dataclass(frozen=True)
class UniqueAdded(Operation):
    """Fields whose values must be unique from now on. A marker item reserves each value."""

    kind: ClassVar[str] = "unique constraint added"
    entity: str
    label: str
    fields: tuple[str, ...]

    @property
    def subject(self) -> str:
        return f"{self.label}.{'+'.join(self.fields)}"

    @property
    def category(self) -> Category:
        return Category.IN_PLACE

    @property
    def items(self) -> str:
        return f"the backfill writes a marker for every {self.label}; items with equal values stop the migration"

    @property
    def rewritten(self) -> frozenset[str]:
        return frozenset((self.entity,))

    def apply(self, snapshot: Snapshot) -> Snapshot:
        unique = tuple(sorted((*snapshot.entities[self.entity].unique, self.fields)))
        return with_entity(snapshot, self.entity, unique=unique)
