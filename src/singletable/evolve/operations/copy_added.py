"""New copied fields of an entity."""

from __future__ import annotations

from typing import ClassVar

from singletable.evolve.operation import Category, Operation, with_entity
from singletable.evolve.snapshot_records import CopySnapshot, Snapshot
from singletable.lazy_dataclass import dataclass


@dataclass(frozen=True)
class CopyAdded(Operation):
    """Fields that are copies of the fields of another entity from now on."""

    kind: ClassVar[str] = "copy added"
    entity: str
    label: str
    copy: CopySnapshot

    @property
    def subject(self) -> str:
        return f"{self.label}.{', '.join(sorted(self.copy.fields.values()))}"

    @property
    def detail(self) -> str:
        return f"from {self.copy.source}"

    @property
    def category(self) -> Category:
        return Category.IN_PLACE

    @property
    def items(self) -> str:
        return f"the backfill copies the fields into every {self.label}; an item without its source stops the migration"

    @property
    def rewritten(self) -> frozenset[str]:
        return frozenset((self.entity,))

    def apply(self, snapshot: Snapshot) -> Snapshot:
        copies = tuple(sorted((*snapshot.entities[self.entity].copies, self.copy), key=repr))
        return with_entity(snapshot, self.entity, copies=copies)
