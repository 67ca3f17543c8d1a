"""Changes of an update: `field(Order, lambda o: o.status).set("SHIPPED")`, checked against the field's type."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Generic, Literal, TypeVar, get_args, get_origin, overload

from singletable.expressions.tree import Change, Constant, Path
from singletable.model.fields import Field, strip
from singletable.model.plain_types import NUMBERS, PLAIN, is_value_of
from singletable.model.recorder import check_constant, operand, picked_field, wrong_spelling

E = TypeVar("E")
V = TypeVar("V")
V_contra = TypeVar("V_contra", contravariant=True)


@dataclass(frozen=True)
class FieldChange(Generic[E]):
    """How an update changes one field of an entity."""

    entity: type[E]
    change: Change


class FieldReference(Generic[E, V_contra]):
    """A field of an entity, to say how an update changes it."""

    def __init__(self, entity: type[E], path: Path, known: Field | None = None) -> None:
        self.entity = entity
        self.path = path
        self._known = known

    def set(self, value: V_contra) -> FieldChange[E]:
        """Give the field this value; None takes it away, since it is not stored where the field is None without."""
        if value is None and self._known is not None and self._known.may_be_none:
            if self._known.is_none_unless_stored:
                return self.remove()
            return FieldChange(self.entity, Change("SET", self.path, Constant(None)))
        return self._change("SET", value)

    @overload
    def add(self: FieldReference[E, Decimal], amount: Decimal | int) -> FieldChange[E]: ...
    @overload
    def add(self: FieldReference[E, float], amount: float) -> FieldChange[E]: ...
    @overload
    def add(self: FieldReference[E, int], amount: int) -> FieldChange[E]: ...
    def add(self: FieldReference[E, Any], amount: Decimal | float) -> FieldChange[E]:
        """Add to a number; a missing one counts as zero."""
        return self._change("ADD", amount)

    def append(self: FieldReference[E, list[V]], values: list[V]) -> FieldChange[E]:
        """Add these elements at the end of a list."""
        return self._change("APPEND", values)

    def remove(self) -> FieldChange[E]:
        """Take the attribute away."""
        if self._known is not None and self._known.required and not self._known.optional:
            message = f"{self._known.name} is required, and an item without it cannot be read"
            raise wrong_spelling(message, "Use .set(...), or let the field be None.")
        return FieldChange(self.entity, Change("REMOVE", self.path))

    def _change(self, action: Literal["SET", "ADD", "APPEND"], value: object) -> FieldChange[E]:
        change = Change(action, self.path, operand(value))
        if self._known is not None:
            _check_change(self._known, change)
        return FieldChange(self.entity, change)


def _check_change(known: Field, change: Change) -> None:
    if change.action == "ADD" and known.type not in NUMBERS:
        raise wrong_spelling(f"{known.name} is {known.type_name}, and only numbers are added to", "Use .set(...).")
    if change.action == "APPEND" and list not in (known.type, get_origin(known.type)):
        raise wrong_spelling(f"{known.name} is {known.type_name}, and only lists are appended to", "Use .set(...).")
    if change.action == "APPEND" and isinstance(change.value, Constant) and not isinstance(change.value.value, list):
        raise wrong_spelling(
            f"{known.name} is a list, and {change.value.value!r} is not", "Give it a list, even of one."
        )
    if change.action in ("SET", "ADD") and change.value is not None:
        check_constant(known, change.value, any_number=False)
    if change.action == "APPEND" and isinstance(change.value, Constant):
        _check_elements(known, change.value.value)


def _check_elements(known: Field, values: list[Any]) -> None:
    (declared, _) = strip((*get_args(known.type), Any)[0])
    wrong = [value for value in values if declared in PLAIN and not is_value_of(declared, value)]
    if wrong:
        message = f"{known.name} is {known.type_name}, and {wrong[0]!r} is no element of it"
        raise wrong_spelling(message, "Give it values of the type of its elements.")


def field(entity: type[E], pick: Callable[[E], V]) -> FieldReference[E, V]:
    """A field of an entity: `field(Order, lambda o: o.status).set("SHIPPED")`."""
    picked = picked_field(entity, pick)
    return FieldReference(entity, picked.recorded_path, picked.recorded_field)
