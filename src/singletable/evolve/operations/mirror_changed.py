"""The entity that another entity mirrors has changed."""

from __future__ import annotations

from typing import ClassVar

from singletable.evolve.operation import Category, Operation, with_entity
from singletable.evolve.snapshot_records import Snapshot
from singletable.lazy_dataclass import dataclass


@dataclass(frozen=True)
class MirrorChanged(Operation):
    """An entity with stored items that mirrors other items than before."""

    kind: ClassVar[str] = "mirror changed"
    entity: str
    label: str
    before: str | None
    after: str | None

    @property
    def subject(self) -> str:
        return self.label

    @property
    def detail(self) -> str:
        return f"{self.before or 'none'} → {self.after or 'none'}"

    @property
    def category(self) -> Category:
        return Category.UNSUPPORTED

    @property
    def items(self) -> str:
        return f"stored {self.label} items do not match the items that they would mirror"

    @property
    def remedy(self) -> str | None:
        return "Declare the mirror as a new entity with keys of its own, and remove this entity afterwards."

    def apply(self, snapshot: Snapshot) -> Snapshot:
        return with_entity(snapshot, self.entity, mirror_of=self.after)
