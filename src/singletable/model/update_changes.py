"""Changes of an update: `field(Order, lambda o: o.status).set("SHIPPED")`."""

from __future__ import annotations

import builtins
import dataclasses
from collections.abc import Callable
from decimal import Decimal
from typing import Any, Generic, Literal, TypeVar, get_args, get_origin, overload

from singletable.expressions.tree import Change, Constant, Path
from singletable.lazy_dataclass import dataclass
from singletable.model.condition_recorder import check_constant, invalid_expression, operand, picked_field
from singletable.model.fields import NUMBER_TYPES, SCALAR_TYPES, Field, is_value_of, strip

E = TypeVar("E")
V = TypeVar("V")
V_contra = TypeVar("V_contra", contravariant=True)


@dataclass(frozen=True)
class FieldChange(Generic[E]):
    """A change of one field, for `update(...)`."""

    entity: type[E]
    change: Change
    known: Field | None = dataclasses.field(default=None, repr=False, compare=False)
    """The field, if its class is known."""

    def check_value(self) -> None:
        """Raise DesignError if a constant is invalid for the field."""
        if self.known is not None and isinstance(self.change.value, Constant):
            _check_value(self.known, self.change)


class FieldReference(Generic[E, V_contra]):
    """A reference to a field, which `field(...)` returns. Its methods return changes for `update(...)`."""

    def __init__(self, entity: type[E], path: Path, known: Field | None = None) -> None:
        self.entity = entity
        self.path = path
        self._known = known

    def set(self, value: V_contra) -> FieldChange[E]:
        """Set the field to a value. None removes the attribute if a read returns None for a missing attribute."""
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
        """Add to a number, or add members to a set.

        A missing number starts at the field's default, or at 0 if it has none.
        """
        return self._change("ADD", amount)

    @overload
    def discard(self: FieldReference[E, builtins.set[V]], members: builtins.set[V]) -> FieldChange[E]: ...
    @overload
    def discard(self: FieldReference[E, frozenset[V]], members: frozenset[V]) -> FieldChange[E]: ...
    def discard(self: FieldReference[E, Any], members: Any) -> FieldChange[E]:
        """Remove members from a set. Members that are not in the set are ignored."""
        return self._change("DELETE", members)

    def append(self: FieldReference[E, list[V]], values: list[V]) -> FieldChange[E]:
        """Append elements to a list."""
        return self._change("APPEND", values)

    def remove(self) -> FieldChange[E]:
        """Remove the attribute. The field must be optional."""
        if self._known is not None and self._known.required and not self._known.may_be_none:
            message = f"{self._known.name} is required, so it cannot be removed"
            raise invalid_expression(message, "Use .set(...), or make the field optional.")
        return FieldChange(self.entity, Change("REMOVE", self.path))

    def _change(self, action: Literal["SET", "ADD", "APPEND", "DELETE"], value: object) -> FieldChange[E]:
        change = Change(action, self.path, operand(value))
        if self._known is not None:
            _check_kind(self._known, action)
        return FieldChange(self.entity, change, self._known)


def _check_kind(known: Field, action: str) -> None:
    """Raise DesignError if the type of the field does not support the change."""
    kind = get_origin(known.type) or known.type
    if action == "ADD" and known.type not in NUMBER_TYPES and kind not in (set, frozenset):
        message = f"{known.name} is {known.type_name}, but add(...) needs a number or a set"
        raise invalid_expression(message, "Use .set(...), or .append([...]) for a list.")
    if action == "DELETE" and kind not in (set, frozenset):
        raise invalid_expression(f"{known.name} is {known.type_name}, but discard(...) needs a set", "Use .set(...).")
    if action == "APPEND" and kind is not list:
        raise invalid_expression(f"{known.name} is {known.type_name}, but append(...) needs a list", "Use .set(...).")


def _check_value(known: Field, change: Change) -> None:
    value = change.value
    assert isinstance(value, Constant), "the value of a parameter is not known yet"
    is_set = (get_origin(known.type) or known.type) in (set, frozenset)
    if change.action in ("ADD", "DELETE") and is_set:
        _check_members(known, value.value)
    elif change.action == "APPEND":
        if not isinstance(value.value, list):
            raise invalid_expression(
                f"{known.name} is a list, but got {value.value!r}", "Pass a list, even for one element."
            )
        _check_elements(known, value.value)
    elif not (value.value is None and known.may_be_none):
        check_constant(known, value, any_number=False)


def _check_members(known: Field, members: Any) -> None:
    if not isinstance(members, set | frozenset) or not members:
        raise invalid_expression(
            f"{known.name} is a set, so a non-empty set is required; got {members!r}", "Pass a set: {...}."
        )
    _check_elements(known, list(members))


def _check_elements(known: Field, values: list[Any]) -> None:
    (declared, _) = strip((*get_args(known.type), Any)[0])
    wrong = [value for value in values if declared in SCALAR_TYPES and not is_value_of(declared, value)]
    if wrong:
        message = f"{known.name} is {known.type_name}, but an element is {wrong[0]!r}"
        raise invalid_expression(message, "Pass elements of the declared type.")


def field(entity: type[E], pick: Callable[[E], V]) -> FieldReference[E, V]:
    """Return a reference to a field, to describe a change of an `update`.

    `field(Order, lambda o: o.status).set("SHIPPED")` sets a value; the other changes are `.add(...)`, `.discard(...)`,
    `.append(...)` and `.remove()`. The lambda can also select a nested value: `lambda o: o.address.city`.
    """
    picked = picked_field(entity, pick)
    return FieldReference(entity, picked.recorded_path, picked.recorded_field)
