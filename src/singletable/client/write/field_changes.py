"""Field changes: how an update validates the new value of one field, and writes it as DynamoDB's expressions.

A change that can be validated by itself is. One whose result depends on the stored value becomes a condition where it
can (bounds of numbers, lengths of lists); otherwise `needs_item` says why the item has to be read first.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from typing import Any, Literal, NamedTuple

import msgspec
from msgspec import UNSET

from singletable.client.answers import Item
from singletable.client.items.value_reader import nothing_in
from singletable.client.refusals import not_utf8
from singletable.client.write.conditions import stored_path
from singletable.client.write.validate import rule_in, rule_of
from singletable.errors import ArgumentRefused, InvalidValue
from singletable.expressions.tree import (
    Arithmetic,
    Change,
    Comparator,
    Compare,
    Condition,
    Constant,
    Function,
    Or,
    Parameter,
    Path,
)
from singletable.model.entity import Entity
from singletable.model.fields import Computed, has_fields, name_of
from singletable.model.rules.value_rules import ValueRules
from singletable.planner.validation_reads import field_at, missing_value
from singletable.values.attribute_value import AttributeValue, number_text
from singletable.values.limits import NUMBER_DIGITS_MAX

UNKNOWN = object()
"""Stands for the value of a field that depends on the stored item."""
SET, NULL, REMOVE = "set", "null", "remove"
"""The forms of a change whose result does not depend on the stored item; NULL stores a None."""

# A limit of the stored number can have more digits than DynamoDB holds; rounded like this, it admits the same numbers.
_ROUNDED: Mapping[Comparator, Context] = {
    ">=": Context(NUMBER_DIGITS_MAX, ROUND_CEILING),
    ">": Context(NUMBER_DIGITS_MAX, ROUND_FLOOR),
    "<=": Context(NUMBER_DIGITS_MAX, ROUND_FLOOR),
    "<": Context(NUMBER_DIGITS_MAX, ROUND_CEILING),
}


class BoundChange(NamedTuple):
    """A change with its value: the form of its expression, the stored values in it, and the new value if known."""

    form: Hashable
    values: tuple[Any, ...]
    known: Any = UNKNOWN


class Bound(NamedTuple):
    """A condition that DynamoDB checks, and the rule that a value breaks when it does not hold."""

    condition: Condition
    rule: str


class Coding(NamedTuple):
    """How the values of a change are encoded and read."""

    encode: Callable[[Any], AttributeValue | None]
    read: Callable[[AttributeValue], Any]
    read_item: Callable[[Item], Any]
    """Reads the whole item, where the class computes a default from other fields."""
    fast: Callable[[Any], AttributeValue | None] | None = None
    """Encodes the values that every rule accepts; None for others."""


class Expressed(NamedTuple):
    """A change in DynamoDB's terms."""

    changes: tuple[Change, ...]
    bounds: tuple[Bound, ...] = ()


class FieldPlan:
    """What is known of a change before it has a value."""

    def __init__(
        self,
        entity: Entity,
        change: Change,
        rules: ValueRules,
        coding: Coding,
        needs_item: str | None,
    ) -> None:
        self.entity, self.change, self.rules = entity, change, rules
        self.coding = coding
        self.path = stored_path(entity, change.path)
        """The path of attributes."""
        self.field = field_at(entity.cls, change.path.steps)
        """The field at the end of the path; None for an element of a list or a member of a map."""
        self.needs_item = needs_item
        """Why the item has to be read first."""
        self.name = str(change.path.steps[0])
        """The entity's field that the change is in."""
        self.is_whole_field = len(change.path.steps) == 1
        """Whether the change is of a field, and not of something inside one."""
        self.is_none_without = self.is_whole_field and self.field is not None and self.field.is_none_unless_stored
        """Whether the field is None in an object whose item does not have it."""
        self.parameter = change.value.name if isinstance(change.value, Parameter) else None
        """The name of the parameter that has its value."""

    def bind(self, value: Any) -> BoundChange:
        """The change with a value; raises InvalidValue when the value breaks a rule."""
        raise NotImplementedError  # pragma: no cover  # each kind of change has its own

    def expressed(self, form: Hashable, values: Sequence[Any]) -> Expressed:
        """The change in a form, over stored values or over slots for them."""
        raise NotImplementedError  # pragma: no cover  # each kind of change has its own

    def on(self, item: Item, bound: BoundChange) -> Expressed:
        """The change of an item that was read."""
        return self.expressed(bound.form, bound.values)

    @property
    def default(self) -> Any:
        """What a missing value stands for; None where nothing does, or where only the class can tell, from an item."""
        default = missing_value(self.field)
        return None if isinstance(default, Computed) else default

    def computed_default(self, item: Item) -> Any:
        """The default that the class computes from a stored item without the value; None where there is none."""
        if self.stored(item) is not None or not isinstance(missing_value(self.field), Computed):
            return None
        value = self.coding.read_item(item)
        for step in self.change.path.steps:
            value = getattr(value, str(step)) if has_fields(type(value)) else value[step]
        return value

    def stored(self, item: Item) -> AttributeValue | None:
        """The stored value at the path; None where it is missing."""
        value: AttributeValue = {"M": item}
        for step in self.path.steps:
            members = value.get("L" if isinstance(step, int) else "M", ())
            is_missing = step >= len(members) if isinstance(step, int) else step not in members
            if is_missing:
                return None
            value = members[step]
        return value

    def invalid(self, value: Any, rule: str, *, sent: bool = False) -> InvalidValue:
        """The error for a value that breaks a rule."""
        return InvalidValue(self.entity.label, str(self.change.path), value, rule, sent=sent)

    def valid(self, value: Any, rules: ValueRules | None = None) -> tuple[AttributeValue | None, Any]:
        """A value's stored form and its validated form; a form that the next read would change is invalid."""
        validate = None if self.needs_item is not None else (rules or self.rules).validate
        stored = self._encoded(value)
        if stored is None:  # an empty set
            return None, value if validate is None else self._validated(validate, value, value)
        validated = self._accepted(validate, value, stored)
        again = self._encoded(validated)
        if again == stored or again is None:
            return again, validated
        if self._encoded(self._accepted(validate, value, again)) != again:
            raise self.invalid(value, "validation changes it again each time; return a valid value unchanged")
        return again, validated

    def _accepted(self, validate: Callable[[Any], Any] | None, value: Any, stored: AttributeValue) -> Any:
        """The value that a read makes of a stored one; raises InvalidValue when it would reject it."""
        read = self._read(value, stored)
        return read if validate is None else self._validated(validate, value, read)

    def _encoded(self, value: Any) -> AttributeValue | None:
        try:
            stored = self.coding.encode(value)
            msgspec.json.encode(stored)
        except ArgumentRefused as problem:
            raise self.invalid(value, str(problem)) from problem
        except UnicodeEncodeError as problem:
            raise self.invalid(value, str(not_utf8(problem))) from None
        return stored

    def _read(self, value: Any, stored: AttributeValue) -> Any:
        try:
            return self.coding.read(stored)
        except Exception as problem:  # of a nested class of the user's own, too
            raise self.invalid(value, rule_in(problem, name_of(self.rules.type))) from problem

    def _validated(self, validate: Callable[[Any], Any], value: Any, read: Any) -> Any:
        try:
            return validate(read)
        except Exception as problem:  # of any library, and of the user's own functions
            raise self.invalid(value, rule_of(problem)) from problem


class SetField(FieldPlan):
    """A field, or something inside one, set to a value."""

    def bind(self, value: Any) -> BoundChange:
        """The change with a value; raises InvalidValue when the value breaks a rule."""
        fast = self.coding.fast
        if fast is not None and (stored := fast(value)) is not None:
            return BoundChange(SET, (stored,), value)
        stored, known = self._none() if value is None else self.valid(value)
        if stored is None:
            return BoundChange(REMOVE, (), None if value is None else known)
        form = NULL if value is None else SET
        return BoundChange(form, (stored,), known if self.is_whole_field else UNKNOWN)

    def _none(self) -> tuple[AttributeValue | None, None]:
        """The stored form of None; raises InvalidValue when a rule rejects it."""
        stored = self._encoded(None)
        if stored is not None and not self.is_whole_field:
            self._read(None, stored)
        if self.rules.validate is not None and self.needs_item is None:
            self._validated(self.rules.validate, None, None)
        return stored, None

    def expressed(self, form: Hashable, values: Sequence[Any]) -> Expressed:
        """The change in a form, over stored values or over slots for them."""
        bounds = tuple(self._in_list())
        if form == REMOVE:
            return Expressed((Change("REMOVE", self.path),), bounds)
        return Expressed((Change("SET", self.path, Constant(values[0])),), bounds)

    def _in_list(self) -> Iterator[Bound]:
        """DynamoDB appends what is set beyond the end of a list, at another index than the caller's."""
        if isinstance(self.path.steps[-1], int):
            yield _index_exists(self.path)


class RemoveField(FieldPlan):
    """A field, or something inside one, removed."""

    def bind(self, value: Any) -> BoundChange:
        """The change with a value; raises InvalidValue when the value breaks a rule."""
        if self.field is not None and self.field.required and nothing_in(self.field) is UNSET:
            raise self.invalid(None, "the field is required, and an item without it cannot be read")
        return BoundChange(REMOVE, ())

    def expressed(self, form: Hashable, values: Sequence[Any]) -> Expressed:
        """The change in a form, over stored values or over slots for them."""
        bounds: list[Bound] = []
        if isinstance(self.path.steps[-1], int):
            bounds.append(_index_exists(self.path))
        return Expressed((Change("REMOVE", self.path),), tuple(bounds))


class AddNumber(FieldPlan):
    """A number added to; its bounds become conditions."""

    def bind(self, value: Any) -> BoundChange:
        """The change with a value; raises InvalidValue when the value breaks a rule."""
        stored = self._encoded(value)
        if value is None or stored is None:
            raise self.invalid(value, "add() takes a number")
        self._read(value, stored)
        amount = Decimal(stored["N"])
        start = self.default
        first = Decimal(0) if start is None else Decimal(str(start))
        limits: list[tuple[Comparator | Literal["exists"], bool]] = []
        values: list[Any] = [stored]
        if first:
            values.append({"N": number_text(first)})
        is_valid_if_missing = self._is_within(first, amount)
        for comparator, limit in self._limits(amount):
            limits.append((comparator, is_valid_if_missing))
            values.append({"N": number_text(_ROUNDED[comparator].subtract(limit, amount))})
        if not is_valid_if_missing and not limits:
            limits.append(("exists", False))
        return BoundChange(("add", bool(first), tuple(limits)), tuple(values))

    def _is_within(self, first: Decimal, amount: Decimal) -> bool:
        """Whether an item that lacks the number has a valid one after the addition."""
        if self.rules.bounds is None or self.needs_item is not None:
            return True
        return all(
            _holds(comparator, _ROUNDED[comparator].add(first, amount), limit)
            for comparator, limit in (*self._limits(Decimal(-1)), *self._limits(Decimal(1)))
        )

    def on(self, item: Item, bound: BoundChange) -> Expressed:
        """The change of an item that was read, from the default that its class computes where the number is missing."""
        start = self.computed_default(item)
        if start is None:
            return self.expressed(bound.form, bound.values)
        return self.expressed(("add", True, ()), (bound.values[0], self._encoded(start)))

    def _limits(self, amount: Decimal) -> Iterator[tuple[Comparator, Decimal]]:
        """The bounds that adding can break, in its direction."""
        bounds = self.rules.bounds
        if bounds is None or self.needs_item is not None or not amount:
            return
        below: tuple[tuple[Comparator, Any], ...] = ((">=", bounds.ge), (">", bounds.gt))
        above: tuple[tuple[Comparator, Any], ...] = (("<=", bounds.le), ("<", bounds.lt))
        for comparator, limit in below if amount < 0 else above:
            if limit is not None and abs(limit) != float("inf"):
                yield comparator, Decimal(str(limit))

    def expressed(self, form: Any, values: Sequence[Any]) -> Expressed:
        """The change in a form, over stored values or over slots for them."""
        _, has_start, limits = form
        amount, *others = (Constant(value) for value in values)
        if has_start:
            start = others.pop(0)
            total = Arithmetic("+", Function("if_not_exists", (self.path, start)), amount)
            change = Change("SET", self.path, total)
        else:
            change = Change("ADD", self.path, amount)
        if limits and limits[0][0] == "exists":
            there = Function("attribute_exists", (self.path,))
            return Expressed((change,), (Bound(there, "there is no number to add to, and the sum is out of bounds"),))
        bounds = []
        for (comparator, is_valid_if_missing), limit in zip(limits, others, strict=True):
            within: Condition = Compare(comparator, self.path, limit)
            if is_valid_if_missing:
                within = Or((within, Function("attribute_not_exists", (self.path,))))
            bounds.append(Bound(within, f"the sum must be {comparator} {self._limit_shown(comparator)}"))
        return Expressed((change,), tuple(bounds))

    def _limit_shown(self, comparator: str) -> str:
        bounds = self.rules.bounds
        return str({">=": bounds.ge, ">": bounds.gt, "<=": bounds.le, "<": bounds.lt}[comparator]) if bounds else ""


class AppendToList(FieldPlan):
    """Elements appended to a list; its maximum length becomes a condition."""

    def bind(self, value: Any) -> BoundChange:
        """The change with a value; raises InvalidValue when the value breaks a rule."""
        stored, _ = self.valid(value, _WITHOUT_RULES)
        if stored is None or "L" not in stored:
            raise self.invalid(value, "append() takes a list, even for one element")
        element = self.rules.element
        if element is not None and element.validate is not None and self.needs_item is None:
            stored = self._valid_elements(element.validate, value, self._read(value, stored))
        default = self.default or []
        values = [stored, self._encoded(list(default))]
        limit = None if self.needs_item is not None else self.rules.max_length
        is_valid_if_missing = self._is_within(len(default) + len(value))
        if limit is None:
            return BoundChange(("append", None if is_valid_if_missing else False), tuple(values))
        values.append({"N": str(limit - len(value))})
        return BoundChange(("append", is_valid_if_missing), tuple(values))

    def _valid_elements(self, validate: Callable[[Any], Any], value: Any, read: Any) -> AttributeValue | None:
        """The stored form of validated elements; one that the next read would change is invalid."""
        validated = [self._validated(validate, each, each) for each in read]
        again = [self._validated(validate, each, each) for each in validated]
        if self._encoded(again) != self._encoded(validated):
            raise self.invalid(value, "validation changes it again each time; return a valid value unchanged")
        return self._encoded(validated)

    def _is_within(self, length: int) -> bool:
        """Whether an item that lacks the list has a valid one after the change."""
        if self.needs_item is not None:
            return True
        least, most = self.rules.min_length, self.rules.max_length
        return (least is None or length >= least) and (most is None or length <= most)

    def on(self, item: Item, bound: BoundChange) -> Expressed:
        """The change of an item that was read, from the default that its class computes where the list is missing."""
        start = self.computed_default(item)
        if start is None:
            return self.expressed(bound.form, bound.values)
        return self.expressed(("append", None), (bound.values[0], self._encoded(start)))

    def expressed(self, form: Any, values: Sequence[Any]) -> Expressed:
        """The change in a form, over stored values or over slots for them."""
        _, is_valid_if_missing = form
        elements, default, *limit = (Constant(value) for value in values)
        known = Function("if_not_exists", (self.path, default))
        change = Change("SET", self.path, Function("list_append", (known, elements)))
        if not limit and is_valid_if_missing is None:
            return Expressed((change,))
        if not limit:
            there = Function("attribute_exists", (self.path,))
            return Expressed((change,), (Bound(there, f"a list of at least {self.rules.min_length} elements"),))
        within: Condition = Compare("<=", Function("size", (self.path,)), limit[0])
        if is_valid_if_missing:
            within = Or((within, Function("attribute_not_exists", (self.path,))))
        return Expressed((change,), (Bound(within, f"a list of at most {self.rules.max_length} elements"),))


class ChangeMembers(FieldPlan):
    """Members added to a set, or discarded from it."""

    def bind(self, value: Any) -> BoundChange:
        """The change with a value; raises InvalidValue when the value breaks a rule."""
        if not isinstance(value, set | frozenset) or not value:
            raise self.invalid(value, "give a set with at least one member")
        stored, known = self.valid(value, _WITHOUT_RULES)
        element = self.rules.element
        if element is not None and element.validate is not None and self.needs_item is None:
            known = {self._validated(element.validate, each, each) for each in known}
            stored = self._encoded(known)
        return BoundChange((self.change.action,), (stored,))

    def expressed(self, form: Any, values: Sequence[Any]) -> Expressed:
        """The change in a form, over stored values or over slots for them."""
        action: Literal["ADD", "DELETE"] = "ADD" if self.change.action == "ADD" else "DELETE"
        return Expressed((Change(action, self.path, Constant(values[0])),))

    def on(self, item: Item, bound: BoundChange) -> Expressed:
        """The set as a whole, since an empty or a missing one may stand for the class's default."""
        stored = self.stored(item)
        missing = self.default or self.computed_default(item) or ()
        if stored is None and not missing:
            return self.expressed(bound.form, bound.values)
        is_none = stored == {"NULL": True}
        before = frozenset(missing if stored is None else () if is_none else self.coding.read(stored))
        members = frozenset(self.coding.read(bound.values[0]))
        after = self._encoded(set(before | members if self.change.action == "ADD" else before - members))
        if after is None:
            return Expressed((Change("REMOVE", self.path),))
        return Expressed((Change("SET", self.path, Constant(after)),))


_WITHOUT_RULES = ValueRules(Any, False)


def _index_exists(path: Path) -> Bound:
    return Bound(Function("attribute_exists", (path,)), f"the list has no element {path.steps[-1]}")


def _holds(comparator: str, value: Decimal, limit: Decimal) -> bool:
    return {">=": value >= limit, ">": value > limit, "<=": value <= limit, "<": value < limit}[comparator]
