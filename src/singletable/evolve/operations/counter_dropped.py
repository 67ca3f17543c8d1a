"""A counter that the new design does not have."""

from __future__ import annotations

from typing import ClassVar

from singletable.evolve.operation import Category, Operation, with_entity
from singletable.evolve.snapshot_records import CountSnapshot, Snapshot
from singletable.lazy_dataclass import dataclass


@dataclass(frozen=True)
class CounterDropped(Operation):
    """A counter that new code no longer changes."""

    kind: ClassVar[str] = "counter dropped"
    entity: str
    label: str
    count: CountSnapshot

    @property
    def subject(self) -> str:
        return f"{self.count.owner}.{self.count.field}"

    @property
    def detail(self) -> str:
        return f"counted {self.label}"

    @property
    def category(self) -> Category:
        return Category.IN_PLACE  # old code must not read a counter that new code does not change

    @property
    def items(self) -> str:
        return "no stored item changes; the counter keeps its last value"

    def apply(self, snapshot: Snapshot) -> Snapshot:
        counted = tuple(each for each in snapshot.entities[self.entity].counted if each != self.count)
        return with_entity(snapshot, self.entity, counted=counted)
