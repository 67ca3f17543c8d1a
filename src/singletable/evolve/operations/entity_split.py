"""An entity becomes two: some of its fields move into the items of a new entity."""

from __future__ import annotations

from typing import ClassVar

import msgspec

from singletable.evolve.divided_entities import DividedEntity
from singletable.evolve.operation import Category, Operation, with_fields
from singletable.evolve.phases import OFFLINE_MOVE_EFFECTS, PhaseEffect
from singletable.evolve.snapshot_records import Snapshot
from singletable.lazy_dataclass import dataclass


@dataclass(frozen=True)
class EntitySplit(Operation):
    """A new entity that is declared with `split_from=`."""

    kind: ClassVar[str] = "entity split"
    entity: DividedEntity

    @property
    def subject(self) -> str:
        return f"{self.entity.united.label} → {self.entity.divided.label} + {self.entity.part.label}"

    @property
    def detail(self) -> str:
        return f"({', '.join(self.entity.moved)})"

    @property
    def category(self) -> Category:
        return Category.UNSUPPORTED if any(self.entity.problems()) else Category.MOVE

    @property
    def items(self) -> str:
        problem = next(self.entity.problems(), None)
        whole, part = self.entity.united.label, self.entity.part.label
        return problem or f"the backfill divides every {whole}: one transaction removes the fields and puts a {part}"

    @property
    def remedy(self) -> str | None:
        if self.category is Category.MOVE:
            return None
        return "Change this in another migration, before or after the split."

    @property
    def works_in_all_phases(self) -> bool:
        return False

    @property
    def effects(self) -> tuple[PhaseEffect, ...]:
        return super().effects if self.category is Category.UNSUPPORTED else OFFLINE_MOVE_EFFECTS

    @property
    def rewritten(self) -> frozenset[str]:
        return frozenset((self.entity.united.name,))

    def apply(self, snapshot: Snapshot) -> Snapshot:
        whole, part = self.entity.united.name, self.entity.part
        gone = {each.name for each in self.entity.moved.values()}
        snapshot = with_fields(
            snapshot, whole, (each for each in snapshot.entities[whole].fields if each.name not in gone)
        )
        return msgspec.structs.replace(snapshot, entities=dict(sorted({**snapshot.entities, part.name: part}.items())))
