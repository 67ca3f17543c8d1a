"""The primary key of an entity has changed: every item must move."""

from __future__ import annotations

from typing import ClassVar

from singletable.evolve.operation import Category, Operation, with_entity
from singletable.evolve.phases import MOVE_EFFECTS, OFFLINE_MOVE_EFFECTS, PhaseEffect
from singletable.evolve.snapshot_records import KeysSnapshot, Snapshot
from singletable.lazy_dataclass import dataclass
from singletable.model.table_schema import TABLE


@dataclass(frozen=True)
class BaseKeyChanged(Operation):
    """An entity whose items have different primary keys in the new design."""

    kind: ClassVar[str] = "key changed"
    entity: str
    label: str
    before: KeysSnapshot
    after: KeysSnapshot
    is_retyped: bool = False
    """Whether a field in one of the keys has another type, so that new code cannot compute the old key."""

    @property
    def subject(self) -> str:
        return f"{self.label}.{TABLE}"

    @property
    def detail(self) -> str:
        if str(self.before) == str(self.after):
            return f"{self.after}, with other derived values or another type of a field"
        return f"{self.before} → {self.after}"

    @property
    def category(self) -> Category:
        return Category.UNSUPPORTED if self._is_native or self.is_retyped else Category.MOVE

    @property
    def _is_native(self) -> bool:
        return any(each.native for keys in (self.before, self.after) for each in (*keys.partition, *keys.sort))

    @property
    def items(self) -> str:
        if self.is_retyped:
            return "a field in the key has another type, so new code cannot compute the old keys"
        if self._is_native:
            return "a key attribute stores a field, so an item cannot contain the old key and the field"
        return f"the backfill moves every {self.label}: one transaction deletes the old item and puts the new one"

    @property
    def remedy(self) -> str | None:
        if self.category is Category.MOVE:
            return None
        if self.is_retyped:
            return (
                f"Add a field with the new type to {self.label}, and use it in the key. A later release of your code "
                "can remove the old field."
            )
        return (
            "Create a second table with the new design, write every change to both tables in one transaction, copy "
            "the items with a script that checks each source, and then switch the readers."
        )

    @property
    def works_in_all_phases(self) -> bool:
        return self.category is Category.MOVE and self.before.fields == self.after.fields

    @property
    def effects(self) -> tuple[PhaseEffect, ...]:
        if self.category is Category.UNSUPPORTED:
            return super().effects
        return MOVE_EFFECTS if self.works_in_all_phases else OFFLINE_MOVE_EFFECTS

    @property
    def rewritten(self) -> frozenset[str]:
        return frozenset((self.entity,))

    def apply(self, snapshot: Snapshot) -> Snapshot:
        return with_entity(snapshot, self.entity, keys={**snapshot.entities[self.entity].keys, TABLE: self.after})
