"""Field changes: validation of the new value of one field, and the DynamoDB expression of the change.

If the new value is known, the client validates it. If the result depends on the stored value, a rule becomes a
condition where possible, such as a bound of a number or a length of a list. Otherwise, `needs_item` is the reason to
read the item first.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from typing import Any, Literal, NamedTuple

import msgspec
from msgspec import UNSET

from singletable.client.items.value_reader import value_if_missing
from singletable.client.responses import Item, not_utf8
from singletable.client.write.object_validation import rule_in, rule_of
from singletable.client.write.stored_expressions import stored_path
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
from singletable.model.fields import DefaultFactory, has_fields, name_of
from singletable.model.validation.value_rules import ValueRules
from singletable.planner.validation_reads import field_at, missing_value
from singletable.values.attribute_value import AttributeValue, number_text
from singletable.values.fast_path import FastPath, NotOnFastPath
from singletable.values.limits import NUMBER_DIGITS_MAX

FAST_FIELDS = FastPath("set fields")
UNKNOWN = object()
"""Represents a value that depends on the stored item."""
SET, NULL, REMOVE = "set", "null", "remove"
"""The forms of changes whose result does not depend on the stored item. NULL is the form that stores None."""

# A limit can have more digits than DynamoDB stores. Rounded in this direction, it accepts the same stored numbers.
_ROUNDED: Mapping[Comparator, Context] = {
    ">=": Context(NUMBER_DIGITS_MAX, ROUND_CEILING),
    ">": Context(NUMBER_DIGITS_MAX, ROUND_FLOOR),
    "<=": Context(NUMBER_DIGITS_MAX, ROUND_FLOOR),
    "<": Context(NUMBER_DIGITS_MAX, ROUND_CEILING),
}


class BoundChange(NamedTuple):
    """A change with its value: the form of its expression, its stored values, and the new value if it is known."""

    form: Hashable
    values: tuple[Any, ...]
    known: Any = UNKNOWN


class RuleCondition(NamedTuple):
    """A condition that DynamoDB checks, and the rule to report if the condition fails."""

    condition: Condition
    rule: str


class Coding(NamedTuple):
    """The functions that encode and read the values of a change."""

    encode: Callable[[Any], AttributeValue | None]
    read: Callable[[AttributeValue], Any]
    read_item: Callable[[Item], Any]
    """Reads the whole item, to find a default that the class computes from other fields."""
    fast: Callable[[Any], AttributeValue] | None = None
    """The fast path. It encodes values that every rule accepts, and raises NotOnFastPath for other values."""


class ChangeExpressions(NamedTuple):
    """A change as DynamoDB update actions, with the conditions that its rules need."""

    changes: tuple[Change, ...]
    conditions: tuple[RuleCondition, ...] = ()


class FieldPlan:
    """The plan of a change, before it has a value."""

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
        """The path, in names of attributes."""
        self.field = field_at(entity.cls, change.path.steps)
        """The field at the end of the path. None if the path ends at a list element or a map member."""
        self.needs_item = needs_item
        """The reason to read the item first. None if the change needs no read."""
        self.name = str(change.path.steps[0])
        """The field of the entity that contains the change."""
        self.is_whole_field = len(change.path.steps) == 1
        """Whether the change applies to a whole field, not to a nested value."""
        self.is_none_if_missing = self.is_whole_field and self.field is not None and self.field.is_none_unless_stored
        """Whether the field is None if its attribute is missing in the item."""
        self.parameter = change.value.name if isinstance(change.value, Parameter) else None
        """The name of the parameter that holds the new value."""

    def bind(self, value: Any) -> BoundChange:
        """Return the change with a value; raise InvalidValue if the value breaks a rule."""
        raise NotImplementedError  # pragma: no cover  # every subclass overrides it

    def expressions(self, form: Hashable, values: Sequence[Any]) -> ChangeExpressions:
        """Return the expressions of a form, with stored values or with placeholders for the values."""
        raise NotImplementedError  # pragma: no cover  # every subclass overrides it

    def expressions_for(self, item: Item, bound: BoundChange) -> ChangeExpressions:
        """Return the expressions that change an item that was read before."""
        return self.expressions(bound.form, bound.values)

    @property
    def default(self) -> Any:
        """Return the default of a missing value. Return None if there is no default, or if the class computes it."""
        default = missing_value(self.field)
        return None if isinstance(default, DefaultFactory) else default

    def computed_default(self, item: Item) -> Any:
        """Return the default that the class computes for an item without the value, or None if there is none."""
        if self.stored(item) is not None or not isinstance(missing_value(self.field), DefaultFactory):
            return None
        value = self.coding.read_item(item)
        for step in self.change.path.steps:
            value = getattr(value, str(step)) if has_fields(type(value)) else value[step]
        return value

    def stored(self, item: Item) -> AttributeValue | None:
        """Return the stored value at the path, or None if it is missing."""
        value: AttributeValue = {"M": item}
        for step in self.path.steps:
            members = value.get("L" if isinstance(step, int) else "M", ())
            is_missing = step >= len(members) if isinstance(step, int) else step not in members
            if is_missing:
                return None
            value = members[step]
        return value

    def invalid(self, value: Any, rule: str, *, sent: bool = False) -> InvalidValue:
        """Return the error for a value that breaks a rule."""
        return InvalidValue(self.entity.label, str(self.change.path), value, rule, sent=sent)

    def valid(self, value: Any, rules: ValueRules | None = None) -> tuple[AttributeValue | None, Any]:
        """Return the stored and validated forms of a value. Raise InvalidValue if each read would change it again."""
        validate = None if self.needs_item is not None else (rules or self.rules).validate
        stored = self._encoded(value)
        if stored is None:  # an empty set, which is not stored
            return None, value if validate is None else self._validated(validate, value, value)
        validated = self._accepted(validate, value, stored)
        again = self._encoded(validated)
        if again == stored or again is None:
            return again, validated
        if self._encoded(self._accepted(validate, value, again)) != again:
            raise self.invalid(
                value, "each validation changes the value again; a validator must leave a valid value unchanged"
            )
        return again, validated

    def _accepted(self, validate: Callable[[Any], Any] | None, value: Any, stored: AttributeValue) -> Any:
        """Return the value that a read returns for a stored value; raise InvalidValue if the read rejects it."""
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
        except Exception as problem:  # the code of a user's nested class can raise any exception
            raise self.invalid(value, rule_in(problem, name_of(self.rules.type))) from problem

    def _validated(self, validate: Callable[[Any], Any], value: Any, read: Any) -> Any:
        try:
            return validate(read)
        except Exception as problem:  # libraries and user-defined validators can raise any exception
            raise self.invalid(value, rule_of(problem)) from problem


class SetField(FieldPlan):
    """Sets a field, or a nested value, to a value."""

    def bind(self, value: Any) -> BoundChange:
        """Return the change with a value; raise InvalidValue if the value breaks a rule."""
        fast = self.coding.fast
        if fast is not None and value is not None:
            try:
                common = fast(value)
            except NotOnFastPath:
                FAST_FIELDS.misses += 1
            else:
                FAST_FIELDS.hits += 1
                return BoundChange(SET, (common,), value)
        stored, known = self._none() if value is None else self.valid(value)
        if stored is None:
            return BoundChange(REMOVE, (), None if value is None else known)
        form = NULL if value is None else SET
        return BoundChange(form, (stored,), known if self.is_whole_field else UNKNOWN)

    def _none(self) -> tuple[AttributeValue | None, None]:
        """Return the stored form of None. Raise InvalidValue if a rule rejects None."""
        stored = self._encoded(None)
        if stored is not None and not self.is_whole_field:
            self._read(None, stored)
        if self.rules.validate is not None and self.needs_item is None:
            self._validated(self.rules.validate, None, None)
        return stored, None

    def expressions(self, form: Hashable, values: Sequence[Any]) -> ChangeExpressions:
        """Return the expressions of a form, with stored values or with placeholders for the values."""
        bounds = tuple(self._list_conditions())
        if form == REMOVE:
            return ChangeExpressions((Change("REMOVE", self.path),), bounds)
        return ChangeExpressions((Change("SET", self.path, Constant(values[0])),), bounds)

    def _list_conditions(self) -> Iterator[RuleCondition]:
        """Yield the condition that a list index exists. Without it, DynamoDB would append the value to the list."""
        if isinstance(self.path.steps[-1], int):
            yield _index_exists(self.path)


class RemoveField(FieldPlan):
    """Removes a field, or a nested value."""

    def bind(self, value: Any) -> BoundChange:
        """Return the change with a value; raise InvalidValue if the value breaks a rule."""
        if self.field is not None and self.field.required and value_if_missing(self.field) is UNSET:
            raise self.invalid(None, "the field is required; an item without it cannot be read")
        return BoundChange(REMOVE, ())

    def expressions(self, form: Hashable, values: Sequence[Any]) -> ChangeExpressions:
        """Return the expressions of a form, with stored values or with placeholders for the values."""
        bounds: list[RuleCondition] = []
        if isinstance(self.path.steps[-1], int):
            bounds.append(_index_exists(self.path))
        return ChangeExpressions((Change("REMOVE", self.path),), tuple(bounds))


class AddNumber(FieldPlan):
    """Adds to a number; its bounds become conditions."""

    def bind(self, value: Any) -> BoundChange:
        """Return the change with a value; raise InvalidValue if the value breaks a rule."""
        stored = self._encoded(value)
        if value is None or stored is None:
            raise self.invalid(value, "add() requires a number")
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
        """Return whether an addition produces a valid number if no number is stored and the sum starts at `first`."""
        if self.rules.bounds is None or self.needs_item is not None:
            return True
        return all(
            _holds(comparator, _ROUNDED[comparator].add(first, amount), limit)
            for comparator, limit in (*self._limits(Decimal(-1)), *self._limits(Decimal(1)))
        )

    def expressions_for(self, item: Item, bound: BoundChange) -> ChangeExpressions:
        """Return the expressions. A missing number starts from the default that the class computes."""
        start = self.computed_default(item)
        if start is None:
            return self.expressions(bound.form, bound.values)
        return self.expressions(("add", True, ()), (bound.values[0], self._encoded(start)))

    def _limits(self, amount: Decimal) -> Iterator[tuple[Comparator, Decimal]]:
        """Yield the bounds that the addition can exceed, given its sign."""
        bounds = self.rules.bounds
        if bounds is None or self.needs_item is not None or not amount:
            return
        below: tuple[tuple[Comparator, Any], ...] = ((">=", bounds.ge), (">", bounds.gt))
        above: tuple[tuple[Comparator, Any], ...] = (("<=", bounds.le), ("<", bounds.lt))
        for comparator, limit in below if amount < 0 else above:
            if limit is not None and abs(limit) != float("inf"):
                yield comparator, Decimal(str(limit))

    def expressions(self, form: Any, values: Sequence[Any]) -> ChangeExpressions:
        """Return the expressions of a form, with stored values or with placeholders for the values."""
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
            return ChangeExpressions(
                (change,),
                (RuleCondition(there, "no number is stored, and the initial value plus this number is out of bounds"),),
            )
        bounds = []
        for (comparator, is_valid_if_missing), limit in zip(limits, others, strict=True):
            within: Condition = Compare(comparator, self.path, limit)
            if is_valid_if_missing:
                within = Or((within, Function("attribute_not_exists", (self.path,))))
            bounds.append(RuleCondition(within, f"the sum must be {comparator} {self._limit_shown(comparator)}"))
        return ChangeExpressions((change,), tuple(bounds))

    def _limit_shown(self, comparator: str) -> str:
        bounds = self.rules.bounds
        return str({">=": bounds.ge, ">": bounds.gt, "<=": bounds.le, "<": bounds.lt}[comparator]) if bounds else ""


class AppendToList(FieldPlan):
    """Appends elements to a list. The maximum length of the list becomes a condition."""

    def bind(self, value: Any) -> BoundChange:
        """Return the change with a value; raise InvalidValue if the value breaks a rule."""
        stored, _ = self.valid(value, _WITHOUT_RULES)
        if stored is None or "L" not in stored:
            raise self.invalid(value, "append() requires a list, even for one element")
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
        """Return the stored form of valid elements. Raise InvalidValue if each read would change them again."""
        validated = [self._validated(validate, each, each) for each in read]
        again = [self._validated(validate, each, each) for each in validated]
        if self._encoded(again) != self._encoded(validated):
            raise self.invalid(
                value, "each validation changes the value again; a validator must leave a valid value unchanged"
            )
        return self._encoded(validated)

    def _is_within(self, length: int) -> bool:
        """Return whether a list of this length is valid."""
        if self.needs_item is not None:
            return True
        least, most = self.rules.min_length, self.rules.max_length
        return (least is None or length >= least) and (most is None or length <= most)

    def expressions_for(self, item: Item, bound: BoundChange) -> ChangeExpressions:
        """Return the expressions. A missing list starts from the default that the class computes."""
        start = self.computed_default(item)
        if start is None:
            return self.expressions(bound.form, bound.values)
        return self.expressions(("append", None), (bound.values[0], self._encoded(start)))

    def expressions(self, form: Any, values: Sequence[Any]) -> ChangeExpressions:
        """Return the expressions of a form, with stored values or with placeholders for the values."""
        _, is_valid_if_missing = form
        elements, default, *limit = (Constant(value) for value in values)
        known = Function("if_not_exists", (self.path, default))
        change = Change("SET", self.path, Function("list_append", (known, elements)))
        if not limit and is_valid_if_missing is None:
            return ChangeExpressions((change,))
        if not limit:
            there = Function("attribute_exists", (self.path,))
            return ChangeExpressions(
                (change,), (RuleCondition(there, f"the list must have at least {self.rules.min_length} elements"),)
            )
        within: Condition = Compare("<=", Function("size", (self.path,)), limit[0])
        if is_valid_if_missing:
            within = Or((within, Function("attribute_not_exists", (self.path,))))
        return ChangeExpressions(
            (change,), (RuleCondition(within, f"the list must have at most {self.rules.max_length} elements"),)
        )


class ChangeMembers(FieldPlan):
    """Adds members to a set, or removes them."""

    def bind(self, value: Any) -> BoundChange:
        """Return the change with a value; raise InvalidValue if the value breaks a rule."""
        if not isinstance(value, set | frozenset) or not value:
            raise self.invalid(value, "pass a set with at least one member")
        stored, known = self.valid(value, _WITHOUT_RULES)
        element = self.rules.element
        if element is not None and element.validate is not None and self.needs_item is None:
            known = {self._validated(element.validate, each, each) for each in known}
            stored = self._encoded(known)
        return BoundChange((self.change.action,), (stored,))

    def expressions(self, form: Any, values: Sequence[Any]) -> ChangeExpressions:
        """Return the expressions of a form, with stored values or with placeholders for the values."""
        action: Literal["ADD", "DELETE"] = "ADD" if self.change.action == "ADD" else "DELETE"
        return ChangeExpressions((Change(action, self.path, Constant(values[0])),))

    def expressions_for(self, item: Item, bound: BoundChange) -> ChangeExpressions:
        """Return expressions that write the whole set. A missing set can stand for the default of the field."""
        stored = self.stored(item)
        missing = self.default or self.computed_default(item) or ()
        if stored is None and not missing:
            return self.expressions(bound.form, bound.values)
        is_none = stored == {"NULL": True}
        before = frozenset(missing if stored is None else () if is_none else self.coding.read(stored))
        members = frozenset(self.coding.read(bound.values[0]))
        after = self._encoded(set(before | members if self.change.action == "ADD" else before - members))
        if after is None:
            return ChangeExpressions((Change("REMOVE", self.path),))
        return ChangeExpressions((Change("SET", self.path, Constant(after)),))


_WITHOUT_RULES = ValueRules(Any, False)


def _index_exists(path: Path) -> RuleCondition:
    return RuleCondition(Function("attribute_exists", (path,)), f"the list has no element {path.steps[-1]}")


def _holds(comparator: str, value: Decimal, limit: Decimal) -> bool:
    return {">=": value >= limit, ">": value > limit, "<=": value <= limit, "<": value < limit}[comparator]
