"""A mirroring entity that the new design does not have."""

from __future__ import annotations

from typing import ClassVar

import msgspec

from singletable.evolve.operation import Category, Operation, entity_label
from singletable.evolve.snapshot_records import EntitySnapshot, Snapshot
from singletable.lazy_dataclass import dataclass


@dataclass(frozen=True)
class MirrorDropped(Operation):
    """An entity of mirrored items, which the last phase deletes."""

    kind: ClassVar[str] = "mirror dropped"
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
        return f"the last phase deletes every {self.entity.label}"

    @property
    def works_in_all_phases(self) -> bool:
        return False  # new code does not have the class of the mirrored items, which old code reads

    @property
    def cleaned(self) -> frozenset[str]:
        return frozenset((self.entity.name,))

    def apply(self, snapshot: Snapshot) -> Snapshot:
        entities = {name: each for name, each in snapshot.entities.items() if name != self.entity.name}
        return msgspec.structs.replace(snapshot, entities=entities)
