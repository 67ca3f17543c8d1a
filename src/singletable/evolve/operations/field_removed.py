"""A field that the new design does not have."""

from __future__ import annotations

from typing import ClassVar

from singletable.evolve.field_types import type_text
from singletable.evolve.operation import Operation, with_fields
from singletable.evolve.phases import PhaseEffect, effects_with
from singletable.evolve.snapshot_records import FieldSnapshot, Snapshot
from singletable.lazy_dataclass import dataclass


@dataclass(frozen=True)
class FieldRemoved(Operation):
    """A field that new code neither reads nor writes."""

    kind: ClassVar[str] = "field removed"
    entity: str
    label: str
    field: FieldSnapshot

    @property
    def subject(self) -> str:
        return f"{self.label}.{self.field.name}"

    @property
    def detail(self) -> str:
        return type_text(self.field.type)

    @property
    def items(self) -> str:
        return f"the attribute {self.field.attribute} stays in stored items until they are put again"

    @property
    def effects(self) -> tuple[PhaseEffect, ...]:
        if self.field.required and not self.field.optional:
            return effects_with("cannot read items that new code has put", "works")
        return effects_with("reads items of new code with the default", "works")

    def apply(self, snapshot: Snapshot) -> Snapshot:
        fields = snapshot.entities[self.entity].fields
        return with_fields(snapshot, self.entity, [each for each in fields if each.name != self.field.name])
