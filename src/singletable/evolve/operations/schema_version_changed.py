"""The schema version of an entity has changed."""

from __future__ import annotations

from typing import ClassVar

from singletable.evolve.operation import Category, Operation, with_entity
from singletable.evolve.snapshot_records import Snapshot
from singletable.lazy_dataclass import dataclass


@dataclass(frozen=True)
class SchemaVersionChanged(Operation):
    """An entity whose `@upgrade` functions convert older items."""

    kind: ClassVar[str] = "schema version"
    entity: str
    label: str
    before: int | None
    after: int | None

    @property
    def subject(self) -> str:
        return self.label

    @property
    def detail(self) -> str:
        return f"{self.before or 'none'} → {self.after or 'none'}"

    @property
    def category(self) -> Category:
        return Category.IN_PLACE if (self.after or 0) > (self.before or 0) else Category.UNSUPPORTED

    @property
    def items(self) -> str:
        return f"reads upgrade each older {self.label} until the last phase has written it in version {self.after}"

    @property
    def remedy(self) -> str | None:
        if self.category is Category.IN_PLACE:
            return None
        return (
            f"Keep schema_version={self.before}: items of this version are stored, and code with a lower version "
            "cannot read them."
        )

    @property
    def works_in_all_phases(self) -> bool:
        return False  # old code cannot read items of the new version

    @property
    def cleaned(self) -> frozenset[str]:
        return frozenset((self.entity,)) if self.category is Category.IN_PLACE else frozenset()

    def apply(self, snapshot: Snapshot) -> Snapshot:
        return with_entity(snapshot, self.entity, schema_version=self.after)
