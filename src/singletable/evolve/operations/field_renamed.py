"""A field has a new name, declared with `renamed_from=`."""

from __future__ import annotations

from typing import ClassVar

import msgspec

from singletable.evolve.operation import Category, Operation
from singletable.evolve.renamed_fields import with_renamed_field
from singletable.evolve.snapshot_records import FieldSnapshot, Snapshot
from singletable.lazy_dataclass import dataclass


@dataclass(frozen=True)
class FieldRenamed(Operation):
    """A field with a new name in the class, and perhaps in stored items."""

    kind: ClassVar[str] = "field renamed"
    entity: str
    label: str
    before: FieldSnapshot
    after: FieldSnapshot
    is_upgraded: bool
    """Whether `@upgrade` functions rename the attribute of older items."""

    @property
    def subject(self) -> str:
        return f"{self.label}.{self.before.name} → {self.label}.{self.after.name}"

    @property
    def detail(self) -> str:
        if self.before.attribute == self.after.attribute:
            return f"still stored as {self.after.attribute}"
        return f"stored as {self.after.attribute} instead of {self.before.attribute}"

    @property
    def category(self) -> Category:
        is_same = self.before.attribute == self.after.attribute
        return Category.INSTANT if is_same or self.is_upgraded else Category.UNSUPPORTED

    @property
    def items(self) -> str:
        if self.before.attribute == self.after.attribute:
            return "no stored item changes"
        if self.is_upgraded:
            return "an @upgrade function renames the attribute"
        return f"stored items have the attribute {self.before.attribute}, which new code does not read"

    @property
    def remedy(self) -> str | None:
        if self.category is Category.INSTANT:
            return None
        return (
            f'Keep the stored name: attributes={{"{self.after.name}": "{self.before.attribute}"}}. Or raise '
            "schema_version= and rename the field in an @upgrade function."
        )

    def apply(self, snapshot: Snapshot) -> Snapshot:
        renamed = with_renamed_field(snapshot.entities[self.entity], self.before.name, self.after)
        return msgspec.structs.replace(snapshot, entities={**snapshot.entities, self.entity: renamed})
