"""A field has a new name, declared with `renamed_from=`."""

from __future__ import annotations

from typing import ClassVar

import msgspec

from singletable.evolve.operation import Operation
from singletable.evolve.renamed_fields import with_renamed_field
from singletable.evolve.snapshot_records import FieldSnapshot, Snapshot
from singletable.lazy_dataclass import dataclass


@dataclass(frozen=True)
class FieldRenamed(Operation):
    """A field with a new name in the class. Its attribute keeps its name, unless an `@upgrade` function renames it."""

    kind: ClassVar[str] = "field renamed"
    entity: str
    label: str
    before: FieldSnapshot
    after: FieldSnapshot

    @property
    def subject(self) -> str:
        return f"{self.label}.{self.before.name} → {self.label}.{self.after.name}"

    @property
    def detail(self) -> str:
        if self.before.attribute == self.after.attribute:
            return f"still stored as {self.after.attribute}"
        return f"stored as {self.after.attribute} instead of {self.before.attribute}"

    @property
    def items(self) -> str:
        if self.before.attribute == self.after.attribute:
            return "no stored item changes"
        return "an @upgrade function renames the attribute"

    def apply(self, snapshot: Snapshot) -> Snapshot:
        renamed = with_renamed_field(snapshot.entities[self.entity], self.before.name, self.after)
        return msgspec.structs.replace(snapshot, entities={**snapshot.entities, self.entity: renamed})
