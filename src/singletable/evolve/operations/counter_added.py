"""A new counter of an entity's items in another entity."""

from __future__ import annotations

from typing import ClassVar

from singletable.evolve.operation import Category, Operation, with_entity
from singletable.evolve.phases import COUNTING_EFFECTS, PhaseEffect
from singletable.evolve.snapshot_records import CountSnapshot, Snapshot
from singletable.lazy_dataclass import dataclass


@dataclass(frozen=True)
class CounterAdded(Operation):
    """A counter that the backfill fills.

    Until the last phase, a mark on each counted item shows that the counter includes the item.
    """

    kind: ClassVar[str] = "counter added"
    entity: str
    label: str
    count: CountSnapshot
    is_new_field: bool
    """Whether the old design does not have the field of the counter."""

    @property
    def subject(self) -> str:
        return f"{self.count.owner}.{self.count.field}"

    @property
    def detail(self) -> str:
        return f"counts {self.label}"

    @property
    def category(self) -> Category:
        return Category.IN_PLACE if self.is_new_field else Category.UNSUPPORTED

    @property
    def items(self) -> str:
        if not self.is_new_field:
            return f"stored {self.count.owner} items have the field {self.count.field} with values of another meaning"
        return f"the backfill adds every counted {self.label} to its {self.count.owner} and marks it as counted"

    @property
    def remedy(self) -> str | None:
        if self.is_new_field:
            return None
        return f"Count in a new field of {self.count.owner}, with 0 as its default."

    @property
    def effects(self) -> tuple[PhaseEffect, ...]:
        return COUNTING_EFFECTS if self.category is Category.IN_PLACE else super().effects

    @property
    def stops_old_writers(self) -> bool:
        return True

    @property
    def rewritten(self) -> frozenset[str]:
        return frozenset((self.entity,))

    @property
    def cleaned(self) -> frozenset[str]:
        return frozenset((self.entity,))

    def apply(self, snapshot: Snapshot) -> Snapshot:
        counted = tuple(sorted((*snapshot.entities[self.entity].counted, self.count), key=repr))
        return with_entity(snapshot, self.entity, counted=counted)
