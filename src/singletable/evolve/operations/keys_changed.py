"""The key templates of an entity in an index have changed."""

from __future__ import annotations

from typing import ClassVar

from singletable.evolve.operation import Category, Operation, with_entity
from singletable.evolve.operations.index_changed import new_index_remedy
from singletable.evolve.snapshot_records import IndexSnapshot, KeysSnapshot, Snapshot
from singletable.lazy_dataclass import dataclass


@dataclass(frozen=True)
class KeysChanged(Operation):
    """An entity whose keys in an index are computed differently."""

    kind: ClassVar[str] = "keys changed"
    entity: str
    label: str
    before: KeysSnapshot
    after: KeysSnapshot
    index_before: IndexSnapshot
    index_after: IndexSnapshot

    @property
    def subject(self) -> str:
        return f"{self.label}.{self.index_after.alias}"

    @property
    def detail(self) -> str:
        if str(self.before) != str(self.after):
            return f"{self.before} → {self.after}"
        if self.before == self.after:
            return f"{self.after} in {', '.join(self.index_after.attributes)}"
        return f"{self.after}, with other derived values or another sparse setting"

    @property
    def category(self) -> Category:
        shared = set(self.index_before.attributes) & set(self.index_after.attributes)
        is_global = self.index_before.kind == self.index_after.kind == "GSI"
        return Category.IN_PLACE if is_global and not shared else Category.UNSUPPORTED

    @property
    def items(self) -> str:
        return f"the backfill writes the key attributes of every {self.label} for {self.index_after.name}"

    @property
    def remedy(self) -> str | None:
        if self.category is Category.IN_PLACE:
            return None
        if "LSI" in (self.index_before.kind, self.index_after.kind):
            return "A local index cannot be replaced; declare a global index under another alias."
        shared = sorted(set(self.index_before.attributes) & set(self.index_after.attributes))
        why = f"one item must contain the old and the new keys, but both have the attributes {', '.join(shared)}"
        return f"{why}. {new_index_remedy(self.index_after)}"

    @property
    def rewritten(self) -> frozenset[str]:
        return frozenset((self.entity,))

    @property
    def cleaned(self) -> frozenset[str]:
        return frozenset((self.entity,))

    def apply(self, snapshot: Snapshot) -> Snapshot:
        keys = {**snapshot.entities[self.entity].keys, self.index_after.alias: self.after}
        return with_entity(snapshot, self.entity, keys=keys)
