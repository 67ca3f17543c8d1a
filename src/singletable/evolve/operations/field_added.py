"""A new field of an entity."""

from __future__ import annotations

from typing import ClassVar

from singletable.evolve.field_types import type_text
from singletable.evolve.operation import Category, Operation, with_fields
from singletable.evolve.snapshot_records import FieldSnapshot, Snapshot
from singletable.lazy_dataclass import dataclass


@dataclass(frozen=True)
class FieldAdded(Operation):
    """A field that stored items do not have."""

    kind: ClassVar[str] = "field added"
    entity: str
    label: str
    field: FieldSnapshot
    is_upgraded: bool
    """Whether `@upgrade` functions add the field to older items."""
    possible_old_name: str | None
    """A removed field of the same type, which may be this field under its old name."""

    @property
    def subject(self) -> str:
        return f"{self.label}.{self.field.name}"

    @property
    def detail(self) -> str:
        return type_text(self.field.type)

    @property
    def category(self) -> Category:
        readable = self.is_upgraded or not self.field.required or self.field.optional or self.field.type == "any"
        return Category.INSTANT if readable else Category.UNSUPPORTED

    @property
    def items(self) -> str:
        if self.category is Category.UNSUPPORTED:
            return "stored items have no value for the field, so new code cannot read them"
        return "an @upgrade function adds the field" if self.is_upgraded else "stored items are read with the default"

    @property
    def remedy(self) -> str | None:
        default = "Give the field a default, or raise schema_version= and add the field in an @upgrade function."
        if self.possible_old_name is None:
            return default if self.category is Category.UNSUPPORTED else None
        old, new = self.possible_old_name, self.field.name
        rename = f'If {old!r} was renamed to {new!r}, declare renamed_from={{"{new}": "{old}"}} in @entity'
        if self.category is Category.UNSUPPORTED:
            return f"{rename}. {default}"
        return f"{rename}; otherwise new code does not read the stored values of {old!r}."

    def apply(self, snapshot: Snapshot) -> Snapshot:
        return with_fields(snapshot, self.entity, (*snapshot.entities[self.entity].fields, self.field))
