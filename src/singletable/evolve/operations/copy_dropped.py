"""Copied fields that the new design does not keep in sync."""

from __future__ import annotations

from typing import ClassVar

from singletable.evolve.operation import Category, Operation, with_entity
from singletable.evolve.snapshot_records import CopySnapshot, Snapshot
from singletable.lazy_dataclass import dataclass


@dataclass(frozen=True)
class CopyDropped(Operation):
    """Fields that are no longer copies of the fields of another entity."""

    kind: ClassVar[str] = "copy dropped"
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
        return Category.IN_PLACE  # old code must not read copies that new code does not update

    @property
    def items(self) -> str:
        return "no stored item changes; the fields keep their last values"

    def apply(self, snapshot: Snapshot) -> Snapshot:
        copies = tuple(each for each in snapshot.entities[self.entity].copies if each != self.copy)
        return with_entity(snapshot, self.entity, copies=copies)
