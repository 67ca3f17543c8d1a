"""The expressions of one request, and the placeholders that they share."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Self, TypeVar

from singletable.errors import RequestRefused, invalid
from singletable.expressions.apply import Update
from singletable.expressions.checks import Check, Refusal
from singletable.expressions.condition_parser import ReadCondition, parse_condition
from singletable.expressions.evaluate import Item, Test, compiled
from singletable.expressions.key_condition import KeyCondition, KeyTest, key_tests
from singletable.expressions.project import Projection
from singletable.expressions.projection_parser import parse_projection
from singletable.expressions.tree import Condition, paths
from singletable.expressions.update_parser import parse_update
from singletable.values.accept import accept_value
from singletable.values.limits import ATTRIBUTE_NAME_BYTES_MAX

if TYPE_CHECKING:
    from functools import _lru_cache_wrapper

PLACEHOLDER_BYTES_MAX = 255
ALL_PLACEHOLDERS_BYTES_MAX = 2 * 1024 * 1024

# An application writes its expressions in some places of its code, and sends the same ones again and again. What is
# longer is read again each time, so that a client that makes up its texts cannot fill the memory.
_REMEMBERED_MAX = 1024
_REMEMBERED_CHARACTERS_MAX = 2048
_REMEMBERED_NAMES_MAX = 100

_NOTHING: frozenset[str] = frozenset()
_NAME = re.compile(r"#[A-Za-z0-9_]+")
_VALUE = re.compile(r":[A-Za-z0-9_]+")

Names = tuple[tuple[str, str], ...]
R = TypeVar("R", bound="_Remembered")


@dataclass(frozen=True, eq=False)
class _Remembered:
    """An expression that was read: its checks and placeholders, and what it has become."""

    checks: tuple[Check, ...]
    used_names: frozenset[str]
    used_values: frozenset[str]


@dataclass(frozen=True, eq=False)
class _RememberedCondition(_Remembered):
    read: ReadCondition
    test: Test


@dataclass(frozen=True, eq=False)
class _RememberedKeyCondition(_Remembered):
    tests: Mapping[str, KeyTest]
    refusal: str | None


@dataclass(frozen=True, eq=False)
class _RememberedUpdate(_Remembered):
    update: Update


@dataclass(frozen=True, eq=False)
class _RememberedProjection(_Remembered):
    projection: Projection


class BoundCondition:
    """A condition with the values that were given for it."""

    __slots__ = ("_remembered", "_test", "values")

    def __init__(self, remembered: _RememberedCondition, values: Mapping[str, Any]) -> None:
        self._remembered = remembered
        self._test = remembered.test
        self.values = values

    @classmethod
    def of(cls, tree: Condition) -> Self:
        """A condition that was not read from an expression; its values are constants."""
        spoken_of = paths(tree)
        attributes = frozenset(path.attribute for path in spoken_of)
        nested = frozenset(path.attribute for path in spoken_of if len(path.steps) > 1)
        read = ReadCondition(tree, (), _NOTHING, _NOTHING, attributes, nested)
        return cls(_RememberedCondition((), _NOTHING, _NOTHING, read, compiled(tree)), {})

    def holds(self, item: Item) -> bool:
        """Whether the item is as the condition says; an item that does not exist is an empty one."""
        return self._test(item, self.values)

    @property
    def tree(self) -> Condition:
        """The condition itself; its parameters are the placeholders."""
        return self._remembered.read.tree

    @property
    def attributes(self) -> frozenset[str]:
        """The attributes that the condition speaks of."""
        return self._remembered.read.attributes

    @property
    def nested_attributes(self) -> frozenset[str]:
        """Those that it looks into."""
        return self._remembered.read.nested_attributes


class BoundUpdate:
    """An update with the values that were given for it."""

    __slots__ = ("update", "values")

    def __init__(self, update: Update, values: Mapping[str, Any]) -> None:
        self.update = update
        self.values = values

    def apply(self, item: Item) -> dict[str, Any]:
        """The item after the update; the item before it is left as it is."""
        return self.update.apply(item, self.values)

    def updated(self, item: Item) -> dict[str, Any]:
        """The places that the update touches, of the item before it (UPDATED_OLD) or after it (UPDATED_NEW)."""
        return self.update.touched.apply(item)


class Expressions:
    """The expressions of one request. `finish` comes when all of them are read, and refuses unused placeholders."""

    __slots__ = ("_has_short_names", "_key", "_names", "_read", "values")

    def __init__(self, names: Mapping[str, str] | None, values: Mapping[str, Any] | None) -> None:
        self._names = names
        self._key: Names = ()
        self._has_short_names = True
        if names is not None:
            self._key = tuple(names.items())
            is_short = len(names) <= _REMEMBERED_NAMES_MAX
            self._has_short_names = is_short and sum(map(len, names.values())) <= _REMEMBERED_CHARACTERS_MAX
            (_check_names if self._has_short_names else _check_names.__wrapped__)(self._key)
        if values is not None:
            _check_values(values)
        self.values: Mapping[str, Any] = values or {}
        self._read: list[_Remembered] = []

    def condition(self, parameter: str, text: str) -> BoundCondition:
        """A condition; `parameter` is ConditionExpression or FilterExpression."""
        return BoundCondition(self._checked(parameter, text, _condition), self.values)

    def key_condition(self, text: str) -> KeyCondition:
        """A key condition; its `check` comes after `finish`, and refuses what is no condition on keys."""
        remembered = self._checked("KeyConditionExpression", text, _key_condition)
        return KeyCondition(remembered.tests, self.values, remembered.refusal, remembered.checks)

    def update(self, text: str) -> BoundUpdate:
        """An update."""
        return BoundUpdate(self._checked("UpdateExpression", text, _update).update, self.values)

    def projection(self, text: str) -> Projection:
        """A projection."""
        return self._checked("ProjectionExpression", text, _projection).projection

    def finish(self) -> None:
        """Refuse names and values that no expression uses."""
        read = self._read
        if self._names:
            used = read[0].used_names if len(read) == 1 else _NOTHING.union(*[each.used_names for each in read])
            if not used.issuperset(self._names):
                raise _unused("ExpressionAttributeNames", self._names, used)
        if self.values:
            used = read[0].used_values if len(read) == 1 else _NOTHING.union(*[each.used_values for each in read])
            if not used.issuperset(self.values):
                raise _unused("ExpressionAttributeValues", self.values, used)

    def _checked(self, parameter: str, text: str, read: _lru_cache_wrapper[R]) -> R:
        if self._has_short_names and len(text) <= _REMEMBERED_CHARACTERS_MAX:
            remembered = read(parameter, text, self._key)
        else:
            remembered = read.__wrapped__(parameter, text, self._key)
        self._read.append(remembered)
        values = self.values
        for check in remembered.checks:
            if message := check(values):
                raise invalid(f"Invalid {parameter}: {message}")
        return remembered


def refuse_without_expressions(names: object, values: object, expressions: Mapping[str, object]) -> None:
    """Refuse placeholders in a request that has no expression to use them; its expressions are given by parameter.

    Of the parameters only those count for values that can have some, in the order in which DynamoDB lists them: for a
    Query, FilterExpression and KeyConditionExpression.
    """
    if names is not None and all(text is None for text in expressions.values()):
        raise invalid("ExpressionAttributeNames can only be specified when using expressions")
    with_values = [parameter for parameter in expressions if parameter != "ProjectionExpression"]
    if values is not None and with_values and all(expressions[parameter] is None for parameter in with_values):
        missing = f"{' and '.join(with_values)} {'are' if len(with_values) > 1 else 'is'} null"
        raise invalid(f"ExpressionAttributeValues can only be specified when using expressions: {missing}")


@lru_cache(_REMEMBERED_MAX)
def _condition(parameter: str, text: str, names: Names) -> _RememberedCondition:
    read = parse_condition(parameter, text, dict(names))
    test = _nothing if _is_refused(read.checks) else compiled(read.tree)
    return _RememberedCondition(read.checks, read.used_names, read.used_values, read, test)


@lru_cache(_REMEMBERED_MAX)
def _key_condition(parameter: str, text: str, names: Names) -> _RememberedKeyCondition:
    read = parse_condition(parameter, text, dict(names))
    tests: Mapping[str, KeyTest] = {}
    refusal: str | None = None
    try:
        tests = key_tests(read.tree)
    except RequestRefused as refused:
        refusal = refused.message
    return _RememberedKeyCondition(read.checks, read.used_names, read.used_values, tests, refusal)


@lru_cache(_REMEMBERED_MAX)
def _update(parameter: str, text: str, names: Names) -> _RememberedUpdate:
    read = parse_update(parameter, text, dict(names))
    update = Update(() if _is_refused(read.checks) else read.changes)
    return _RememberedUpdate(read.checks, read.used_names, read.used_values, update)


@lru_cache(_REMEMBERED_MAX)
def _projection(parameter: str, text: str, names: Names) -> _RememberedProjection:
    read = parse_projection(parameter, text, dict(names))
    projection = Projection(() if _is_refused(read.checks) else read.paths)
    return _RememberedProjection(read.checks, read.used_names, frozenset(), projection)


def _is_refused(checks: tuple[Check, ...]) -> bool:
    """Whether no values can help: the expression will be refused, for this or for an undefined value before it."""
    return any(isinstance(check, Refusal) for check in checks)


def _nothing(item: Item, values: Mapping[str, Any]) -> bool:
    return False


@lru_cache(_REMEMBERED_MAX)
def _check_names(names: Names) -> None:
    where = "ExpressionAttributeNames"
    if not names:
        raise invalid(f"{where} must not be empty")
    for placeholder, _ in names:
        _check_placeholder(where, placeholder, _NAME)
    for placeholder, name in names:
        if not name:
            raise invalid(f"{where} contains invalid value: Empty attribute name for key {placeholder}")
        if _bytes(name) > ATTRIBUTE_NAME_BYTES_MAX:
            rule = f"Attribute name is too large, must be less than {ATTRIBUTE_NAME_BYTES_MAX + 1} bytes"
            raise invalid(f"{where} contains invalid value: {rule} for key {placeholder}")
    if sum(len(placeholder) + _bytes(name) for placeholder, name in names) > ALL_PLACEHOLDERS_BYTES_MAX:
        raise invalid(f"{where} exceeds max size")


def _check_values(values: Mapping[str, Any]) -> None:
    where = "ExpressionAttributeValues"
    if not values:
        raise invalid(f"{where} must not be empty")
    for placeholder in values:
        _check_placeholder(where, placeholder, _VALUE)
    size = 0
    for placeholder, value in values.items():
        text = value.get("S") if len(value) == 1 else None
        if type(text) is str and text.isascii():  # nothing can be wrong with it
            size += len(placeholder) + len(text)
            continue
        try:
            size += len(placeholder) + accept_value(value)
        except RequestRefused as refused:
            if refused.code != "ValidationException" or refused.message.startswith("Nesting Levels"):
                raise
            raise invalid(f"{where} contains invalid value: {refused.message} for key {placeholder}") from None
    if size > ALL_PLACEHOLDERS_BYTES_MAX:
        raise invalid(f"{where} exceeds max size")


@lru_cache(_REMEMBERED_MAX)
def _check_placeholder(where: str, placeholder: str, form: re.Pattern[str]) -> None:
    if not placeholder:
        raise invalid(f"{where} contains invalid key: The expression attribute map contains an empty key;")
    if not form.fullmatch(placeholder):
        raise invalid(f'{where} contains invalid key: Syntax error; key: "{placeholder}"')
    if len(placeholder) > PLACEHOLDER_BYTES_MAX:
        rule = f"The expression attribute map contains a key that is too long; size of key: {len(placeholder)}"
        raise invalid(f"{where} contains invalid key: {rule}")


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def _unused(where: str, given: Iterable[str], used: frozenset[str]) -> RequestRefused:
    unused = ", ".join([placeholder for placeholder in given if placeholder not in used])
    return invalid(f"Value provided in {where} unused in expressions: keys: {{{unused}}}")
