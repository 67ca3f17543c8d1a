"""The stored name of an entity has changed."""

from __future__ import annotations

from typing import ClassVar

import msgspec

from singletable.evolve.operation import Category, Operation
from singletable.evolve.snapshot_records import Snapshot
from singletable.lazy_dataclass import dataclass


@dataclass(frozen=True)
class EntityRenamed(Operation):
    """An entity whose items have a different type attribute in the new design."""

    kind: ClassVar[str] = "entity renamed"
    before: str
    after: str
    label: str

    @property
    def subject(self) -> str:
        return f"{self.before} → {self.after}"

    @property
    def category(self) -> Category:
        return Category.UNSUPPORTED

    @property
    def items(self) -> str:
        return f"stored items have the name {self.before!r}"

    @property
    def remedy(self) -> str | None:
        return f'Keep the stored name: @entity(name="{self.before}"); you can rename the class {self.label} freely.'

    def apply(self, snapshot: Snapshot) -> Snapshot:
        entities = dict(snapshot.entities)
        entities[self.after] = msgspec.structs.replace(entities.pop(self.before), name=self.after)
        return msgspec.structs.replace(snapshot, entities=dict(sorted(entities.items())))
