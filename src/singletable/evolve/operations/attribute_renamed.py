"""The attribute that stores a field has another name."""

from __future__ import annotations

from typing import ClassVar

import msgspec

from singletable.evolve.operation import Category, Operation, with_fields
from singletable.evolve.snapshot_records import FieldSnapshot, Snapshot
from singletable.lazy_dataclass import dataclass


@dataclass(frozen=True)
class AttributeRenamed(Operation):
    """A field whose values the backfill copies to another attribute. Until the last phase, items contain both."""

    kind: ClassVar[str] = "attribute renamed"
    entity: str
    label: str
    field: FieldSnapshot
    attribute: str
    problem: str | None
    """Why an item cannot contain both attributes, or None."""

    @property
    def subject(self) -> str:
        return f"{self.label}.{self.field.name}"

    @property
    def detail(self) -> str:
        return f"stored as {self.attribute} instead of {self.field.attribute}"

    @property
    def category(self) -> Category:
        return Category.IN_PLACE if self.problem is None else Category.UNSUPPORTED

    @property
    def items(self) -> str:
        if self.problem is not None:
            return self.problem
        return f"the backfill copies {self.field.attribute} to {self.attribute}, and the last phase removes the old one"

    @property
    def remedy(self) -> str | None:
        if self.problem is None:
            return None
        return (
            f'Keep the stored name: attributes={{"{self.field.name}": "{self.field.attribute}"}}. Or raise '
            "schema_version= and rename the attribute in an @upgrade function."
        )

    @property
    def rewritten(self) -> frozenset[str]:
        return frozenset((self.entity,))

    @property
    def cleaned(self) -> frozenset[str]:
        return frozenset((self.entity,))

    def apply(self, snapshot: Snapshot) -> Snapshot:
        fields = snapshot.entities[self.entity].fields
        renamed = msgspec.structs.replace(self.field, attribute=self.attribute)
        return with_fields(
            snapshot, self.entity, [renamed if each.name == self.field.name else each for each in fields]
        )
