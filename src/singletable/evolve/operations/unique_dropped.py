"""A unique constraint that the new design does not have."""

from __future__ import annotations

from typing import ClassVar

from singletable.evolve.operation import Category, Operation, with_entity
from singletable.evolve.snapshot_records import Snapshot
from singletable.lazy_dataclass import dataclass


@dataclass(frozen=True)
class UniqueDropped(Operation):
    """Fields whose values need not be unique any more."""

    kind: ClassVar[str] = "unique constraint dropped"
    entity: str
    label: str
    fields: tuple[str, ...]

    @property
    def subject(self) -> str:
        return f"{self.label}.{'+'.join(self.fields)}"

    @property
    def category(self) -> Category:
        return Category.IN_PLACE

    @property
    def items(self) -> str:
        return f"the last phase deletes the markers of every {self.label}"

    @property
    def cleaned(self) -> frozenset[str]:
        return frozenset((self.entity,))

    def apply(self, snapshot: Snapshot) -> Snapshot:
        unique = tuple(each for each in snapshot.entities[self.entity].unique if each != self.fields)
        return with_entity(snapshot, self.entity, unique=unique)
