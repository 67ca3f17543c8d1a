"""Changes of an update: `field(Order, lambda o: o.status).set("SHIPPED")`, checked against the field's type."""

from __future__ import annotations

import builtins
import dataclasses
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
    known: Field | None = dataclasses.field(default=None, repr=False, compare=False)
    """The field, where its class is known."""

    def check_value(self) -> None:
        """Raise DesignError for a constant that the field cannot hold; an update of a table raises InvalidValue."""
        if self.known is not None and isinstance(self.change.value, Constant):
            _check_value(self.known, self.change)


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
    @overload
    def add(self: FieldReference[E, builtins.set[V]], amount: builtins.set[V]) -> FieldChange[E]: ...
    @overload
    def add(self: FieldReference[E, frozenset[V]], amount: frozenset[V]) -> FieldChange[E]: ...
    def add(self: FieldReference[E, Any], amount: Any) -> FieldChange[E]:
        """Add to a number, or add members to a set; a missing one starts from the field's default, or empty."""
        return self._change("ADD", amount)

    @overload
    def discard(self: FieldReference[E, builtins.set[V]], members: builtins.set[V]) -> FieldChange[E]: ...
    @overload
    def discard(self: FieldReference[E, frozenset[V]], members: frozenset[V]) -> FieldChange[E]: ...
    def discard(self: FieldReference[E, Any], members: Any) -> FieldChange[E]:
        """Remove members from a set, as far as it has them."""
        return self._change("DELETE", members)

    def append(self: FieldReference[E, list[V]], values: list[V]) -> FieldChange[E]:
        """Add these elements at the end of a list."""
        return self._change("APPEND", values)

    def remove(self) -> FieldChange[E]:
        """Take the attribute away."""
        if self._known is not None and self._known.required and not self._known.may_be_none:
            message = f"{self._known.name} is required, and an item without it cannot be read"
            raise wrong_spelling(message, "Use .set(...), or let the field be None.")
        return FieldChange(self.entity, Change("REMOVE", self.path))

    def _change(self, action: Literal["SET", "ADD", "APPEND", "DELETE"], value: object) -> FieldChange[E]:
        change = Change(action, self.path, operand(value))
        if self._known is not None:
            _check_kind(self._known, action)
        return FieldChange(self.entity, change, self._known)


def _check_kind(known: Field, action: str) -> None:
    """Raises DesignError for a change that fields of this type do not have."""
    kind = get_origin(known.type) or known.type
    if action == "ADD" and known.type not in NUMBERS and kind not in (set, frozenset):
        message = f"{known.name} is {known.type_name}; add(...) works on numbers and sets"
        raise wrong_spelling(message, "Use .set(...), or .append([...]) for a list.")
    if action == "DELETE" and kind not in (set, frozenset):
        raise wrong_spelling(f"{known.name} is {known.type_name}; discard(...) works on sets", "Use .set(...).")
    if action == "APPEND" and kind is not list:
        raise wrong_spelling(f"{known.name} is {known.type_name}; append(...) works on lists", "Use .set(...).")


def _check_value(known: Field, change: Change) -> None:
    value = change.value
    assert isinstance(value, Constant), "parameters have no value yet"
    is_set = (get_origin(known.type) or known.type) in (set, frozenset)
    if change.action in ("ADD", "DELETE") and is_set:
        _check_members(known, value.value)
    elif change.action == "APPEND":
        if not isinstance(value.value, list):
            raise wrong_spelling(
                f"{known.name} is a list, and {value.value!r} is not", "Pass a list, even for one element."
            )
        _check_elements(known, value.value)
    elif not (value.value is None and known.may_be_none):
        check_constant(known, value, any_number=False)


def _check_members(known: Field, members: Any) -> None:
    if not isinstance(members, set | frozenset) or not members:
        raise wrong_spelling(f"{known.name} is a set, and {members!r} is not a set with members", "Pass a set: {...}.")
    _check_elements(known, list(members))


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
