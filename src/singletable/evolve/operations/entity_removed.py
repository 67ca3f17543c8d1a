"""An entity that the new design does not have."""

from __future__ import annotations

from typing import ClassVar

import msgspec

from singletable.evolve.operation import Operation, entity_label
from singletable.evolve.phases import PhaseEffect, effects_with
from singletable.evolve.snapshot_records import EntitySnapshot, Snapshot
from singletable.lazy_dataclass import dataclass


@dataclass(frozen=True)
class EntityRemoved(Operation):
    """An entity that new code no longer reads."""

    kind: ClassVar[str] = "entity removed"
    entity: EntitySnapshot

    @property
    def subject(self) -> str:
        return entity_label(self.entity)

    @property
    def items(self) -> str:
        return "its items stay in the table; delete them before you remove the entity"

    @property
    def effects(self) -> tuple[PhaseEffect, ...]:
        return effects_with("works", "skips the items, with a warning")

    def apply(self, snapshot: Snapshot) -> Snapshot:
        entities = {name: each for name, each in snapshot.entities.items() if name != self.entity.name}
        return msgspec.structs.replace(snapshot, entities=entities)
