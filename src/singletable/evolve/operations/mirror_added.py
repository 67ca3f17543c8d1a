"""A new entity that mirrors the items of another entity under other keys."""

from __future__ import annotations

from typing import ClassVar

import msgspec

from singletable.evolve.operation import Category, Operation, entity_label
from singletable.evolve.snapshot_records import EntitySnapshot, Snapshot
from singletable.lazy_dataclass import dataclass


@dataclass(frozen=True)
class MirrorAdded(Operation):
    """An entity whose items the backfill puts, one for each item that it mirrors."""

    kind: ClassVar[str] = "mirror added"
    entity: EntitySnapshot

    @property
    def subject(self) -> str:
        return entity_label(self.entity)

    @property
    def detail(self) -> str:
        return f"of {self.entity.mirror_of}"

    @property
    def category(self) -> Category:
        return Category.IN_PLACE

    @property
    def items(self) -> str:
        return f"the backfill puts one {self.entity.label} for every {self.entity.mirror_of}"

    @property
    def rewritten(self) -> frozenset[str]:
        return frozenset((self.entity.mirror_of or "",))

    def apply(self, snapshot: Snapshot) -> Snapshot:
        entities = dict(sorted({**snapshot.entities, self.entity.name: self.entity}.items()))
        return msgspec.structs.replace(snapshot, entities=entities)
