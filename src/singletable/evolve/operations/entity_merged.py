"""Two entities become one: the fields of the second one move into the items of the first."""

from __future__ import annotations

from typing import ClassVar

import msgspec

from singletable.evolve.divided_entities import DividedEntity
from singletable.evolve.operation import Category, Operation, with_fields
from singletable.evolve.phases import OFFLINE_MOVE_EFFECTS, PhaseEffect
from singletable.evolve.snapshot_records import Snapshot
from singletable.lazy_dataclass import dataclass


@dataclass(frozen=True)
class EntityMerged(Operation):
    """An entity that is declared with `merged_from=`, and that takes the fields of a removed entity."""

    kind: ClassVar[str] = "entities merged"
    entity: DividedEntity

    @property
    def subject(self) -> str:
        return f"{self.entity.divided.label} + {self.entity.part.label} → {self.entity.united.label}"

    @property
    def detail(self) -> str:
        return f"({', '.join(each.name for each in self.entity.moved.values())})"

    @property
    def category(self) -> Category:
        return Category.UNSUPPORTED if any(self.entity.problems()) else Category.MOVE

    @property
    def items(self) -> str:
        problem = next(self.entity.problems(), None)
        whole, part = self.entity.united.label, self.entity.part.label
        return (
            problem or f"the backfill unites every {whole} with its {part}: one transaction writes one and deletes one"
        )

    @property
    def remedy(self) -> str | None:
        if self.category is Category.MOVE:
            return None
        return "Change this in another migration, before or after the merge."

    @property
    def works_in_all_phases(self) -> bool:
        return False

    @property
    def effects(self) -> tuple[PhaseEffect, ...]:
        return super().effects if self.category is Category.UNSUPPORTED else OFFLINE_MOVE_EFFECTS

    @property
    def rewritten(self) -> frozenset[str]:
        return frozenset((self.entity.united.name, self.entity.part.name))

    def apply(self, snapshot: Snapshot) -> Snapshot:
        whole, part = self.entity.united.name, self.entity.part.name
        fields = (*snapshot.entities[whole].fields, *self.entity.moved.values())
        snapshot = with_fields(snapshot, whole, fields)
        others = {name: each for name, each in snapshot.entities.items() if name != part}
        return msgspec.structs.replace(snapshot, entities=others)
