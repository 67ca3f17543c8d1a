"""The primary key of an entity has changed: every item must move."""

from __future__ import annotations

from typing import ClassVar

from singletable.evolve.operation import Category, Operation, with_entity
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

    @property
    def subject(self) -> str:
        return f"{self.label}.{TABLE}"

    @property
    def detail(self) -> str:
        return f"{self.before} → {self.after}"

    @property
    def category(self) -> Category:
        return Category.UNSUPPORTED

    @property
    def items(self) -> str:
        return f"DynamoDB cannot change a primary key: every {self.label} would have to be deleted and put"

    @property
    def remedy(self) -> str | None:
        return (
            "Declare the new key as a new entity, write both entities, copy the items with a script, and remove "
            f"{self.label} when no code reads it."
        )

    def apply(self, snapshot: Snapshot) -> Snapshot:
        return with_entity(snapshot, self.entity, keys={**snapshot.entities[self.entity].keys, TABLE: self.after})
