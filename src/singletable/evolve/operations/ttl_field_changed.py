"""The TTL field of an entity has changed."""

from __future__ import annotations

from typing import ClassVar

from singletable.evolve.operation import Category, Operation, with_entity
from singletable.evolve.snapshot_records import FieldSnapshot, Snapshot
from singletable.lazy_dataclass import dataclass


@dataclass(frozen=True)
class TtlFieldChanged(Operation):
    """The field that stores when an item expires, as seconds since 1970."""

    kind: ClassVar[str] = "TTL field"
    entity: str
    label: str
    before: str | None
    after: str | None
    stored: FieldSnapshot | None
    """The field of the old design whose stored values would have a different form, or None."""

    @property
    def subject(self) -> str:
        return self.label

    @property
    def detail(self) -> str:
        return f"{self.before or 'none'} → {self.after or 'none'}"

    @property
    def category(self) -> Category:
        return Category.INSTANT if self.stored is None else Category.UNSUPPORTED

    @property
    def items(self) -> str:
        if self.stored is None:
            return "stored items do not expire until they are written again"
        return f"stored items have {self.stored.name} in another form than a TTL field"

    @property
    def remedy(self) -> str | None:
        if self.stored is None:
            return None
        return "Declare a new field for the expiry time, with None as its default."

    def apply(self, snapshot: Snapshot) -> Snapshot:
        return with_entity(snapshot, self.entity, ttl=self.after)
