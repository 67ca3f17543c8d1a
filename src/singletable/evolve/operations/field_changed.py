"""The type, default or stored name of a field has changed."""

from __future__ import annotations

from typing import ClassVar

from singletable.evolve.field_types import stored_kind, type_text
from singletable.evolve.operation import Category, Operation, with_fields
from singletable.evolve.snapshot_records import FieldSnapshot, Snapshot
from singletable.evolve.widened_types import is_widened
from singletable.lazy_dataclass import dataclass


@dataclass(frozen=True)
class FieldChanged(Operation):
    """A field for which new code reads the stored values differently."""

    kind: ClassVar[str] = "field changed"
    entity: str
    label: str
    before: FieldSnapshot
    after: FieldSnapshot
    is_upgraded: bool
    """Whether `@upgrade` functions convert the values of older items."""

    @property
    def subject(self) -> str:
        return f"{self.label}.{self.after.name}"

    @property
    def detail(self) -> str:
        return f"{_text(self.before)} → {_text(self.after)}"

    @property
    def category(self) -> Category:
        if self.is_upgraded or self._is_readable:
            return Category.INSTANT
        return Category.IN_PLACE if self._is_checked else Category.UNSUPPORTED

    @property
    def _is_readable(self) -> bool:
        """Return whether new code can read every value that old code has stored."""
        same_place = self.before.attribute == self.after.attribute
        may_be_missing = not self.before.required or self.before.optional
        reads_missing = not self.after.required or self.after.optional
        may_be_none, reads_none = self.before.optional, self.after.optional or not self.after.required
        missing_fits = (reads_missing or not may_be_missing) and (reads_none or not may_be_none)
        return same_place and missing_fits and is_widened(self.before.type, self.after.type)

    @property
    def _is_checked(self) -> bool:
        """Return whether new code can read some of the values. If so, a migration verifies every value."""
        kinds = {stored_kind(self.before.type), stored_kind(self.after.type)}
        return self.before.attribute == self.after.attribute and (len(kinds) == 1 or "?" in kinds)

    @property
    def items(self) -> str:
        match self.category:
            case Category.INSTANT:
                return "an @upgrade function converts the values" if self.is_upgraded else "every stored value is valid"
            case Category.IN_PLACE:
                return "the migration verifies that every stored value is valid, and changes no value"
            case _:
                return f"stored items have {_text(self.before)}, which new code cannot read"

    @property
    def remedy(self) -> str | None:
        if self.category is not Category.UNSUPPORTED:
            return None
        return (
            "Raise schema_version= and convert the values in an @upgrade function, or declare a field with a new name."
        )

    def apply(self, snapshot: Snapshot) -> Snapshot:
        fields = snapshot.entities[self.entity].fields
        return with_fields(
            snapshot, self.entity, [self.after if each.name == self.after.name else each for each in fields]
        )


def _text(field: FieldSnapshot) -> str:
    shown = type_text(field.type) + (" | None" if field.optional else "")
    shown += "" if field.attribute == field.name else f" as {field.attribute}"
    if field.required:
        return shown
    return f"{shown} = {_default_text(field.default)}"


def _default_text(default: object) -> str:
    if isinstance(default, dict):
        ((_, content),) = default.items()
        return "None" if "NULL" in default else repr(content)
    return f"({default})"
