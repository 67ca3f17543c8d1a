"""Keys of an entity in an index that did not contain its items."""

from __future__ import annotations

from typing import ClassVar

from singletable.evolve.operation import Category, Operation, with_entity
from singletable.evolve.snapshot_records import KeysSnapshot, Snapshot
from singletable.lazy_dataclass import dataclass


@dataclass(frozen=True)
class KeysAdded(Operation):
    """An entity whose items enter an index."""

    kind: ClassVar[str] = "keys added"
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
        return f"the backfill writes the key attributes of every {self.label}"

    @property
    def rewritten(self) -> frozenset[str]:
        return frozenset((self.entity,))

    def apply(self, snapshot: Snapshot) -> Snapshot:
        keys = dict(sorted({**snapshot.entities[self.entity].keys, self.alias: self.keys}.items()))
        return with_entity(snapshot, self.entity, keys=keys)
