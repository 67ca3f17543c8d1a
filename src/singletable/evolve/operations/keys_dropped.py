"""Keys of an entity in an index that no longer contains its items."""

from __future__ import annotations

from typing import ClassVar

from singletable.evolve.operation import Category, Operation, with_entity
from singletable.evolve.snapshot_records import KeysSnapshot, Snapshot
from singletable.lazy_dataclass import dataclass


@dataclass(frozen=True)
class KeysDropped(Operation):
    """An entity whose items leave an index."""

    kind: ClassVar[str] = "keys dropped"
    entity: str
    label: str
    alias: str
    keys: KeysSnapshot

    @property
    def subject(self) -> str:
        return f"{self.label}.{self.alias}"

    @property
    def detail(self) -> str:
        return str(self.keys)

    @property
    def category(self) -> Category:
        return Category.IN_PLACE

    @property
    def items(self) -> str:
        return f"the key attributes are removed from every {self.label} at the end"

    @property
    def cleaned(self) -> frozenset[str]:
        return frozenset((self.entity,))

    def apply(self, snapshot: Snapshot) -> Snapshot:
        keys = {alias: each for alias, each in snapshot.entities[self.entity].keys.items() if alias != self.alias}
        return with_entity(snapshot, self.entity, keys=keys)
