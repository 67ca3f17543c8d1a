"""A new entity."""

from __future__ import annotations

from typing import ClassVar

import msgspec

from singletable.evolve.operation import Operation, entity_label
from singletable.evolve.phases import PhaseEffect, effects_with
from singletable.evolve.snapshot_records import EntitySnapshot, Snapshot
from singletable.lazy_dataclass import dataclass


@dataclass(frozen=True)
class EntityAdded(Operation):
    """An entity that has no items yet."""

    kind: ClassVar[str] = "entity added"
    entity: EntitySnapshot

    @property
    def subject(self) -> str:
        return entity_label(self.entity)

    @property
    def items(self) -> str:
        return "no stored item changes"

    @property
    def effects(self) -> tuple[PhaseEffect, ...]:
        return effects_with("skips the new items, with a warning", "works")

    def apply(self, snapshot: Snapshot) -> Snapshot:
        entities = dict(sorted({**snapshot.entities, self.entity.name: self.entity}.items()))
        return msgspec.structs.replace(snapshot, entities=entities)
