"""The expressions of one request: parsing with a cache, checks of the placeholders, and binding of the values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Self, TypeVar

from singletable.errors import RequestRefused, invalid
from singletable.expressions.condition_parser import ParsedCondition, parse_condition
from singletable.expressions.evaluate import Item, Test, compile_condition
from singletable.expressions.key_condition import KeyCondition, KeyTest, key_tests
from singletable.expressions.operand_checks import Check, FailedCheck
from singletable.expressions.projection import PathProjection, parse_projection
from singletable.expressions.tree import Condition, paths
from singletable.expressions.update_expression import ItemUpdate, parse_update
from singletable.lazy_dataclass import dataclass
from singletable.values.item_validation import accept_value
from singletable.values.limits import ATTRIBUTE_NAME_BYTES_MAX

if TYPE_CHECKING:
    from functools import _lru_cache_wrapper

PLACEHOLDER_BYTES_MAX = 255
ALL_PLACEHOLDERS_BYTES_MAX = 2 * 1024 * 1024

# An application repeats the same few expressions, so parsed expressions are cached. Long expressions are not cached, so
# that the cache needs little memory even if a client generates a new expression for every request.
_CACHED_MAX = 1024
_CACHED_CHARACTERS_MAX = 2048
_CACHED_NAMES_MAX = 100

_NO_NAMES: frozenset[str] = frozenset()
_NAME = re.compile(r"#[A-Za-z0-9_]+")
_VALUE = re.compile(r":[A-Za-z0-9_]+")

Names = tuple[tuple[str, str], ...]
R = TypeVar("R", bound="_Cached")


@dataclass(frozen=True, eq=False)
class _Cached:
    """A parsed expression with its placeholders, and the checks that need the values of a request."""

    checks: tuple[Check, ...]
    used_names: frozenset[str]
    used_values: frozenset[str]


@dataclass(frozen=True, eq=False)
class _CachedCondition(_Cached):
    read: ParsedCondition
    test: Test


@dataclass(frozen=True, eq=False)
class _CachedKeyCondition(_Cached):
    tests: Mapping[str, KeyTest]
    error: str | None


@dataclass(frozen=True, eq=False)
class _CachedUpdate(_Cached):
    update: ItemUpdate


@dataclass(frozen=True, eq=False)
class _CachedProjection(_Cached):
    projection: PathProjection


class BoundCondition:
    """A condition with the values of the request."""

    __slots__ = ("_cached", "_test", "values")

    def __init__(self, cached: _CachedCondition, values: Mapping[str, Any]) -> None:
        self._cached = cached
        self._test = cached.test
        self.values = values

    @classmethod
    def of(cls, tree: Condition) -> Self:
        """Return the condition of a tree whose values are constants, so that the condition needs no placeholders."""
        used = paths(tree)
        attributes = frozenset(path.attribute for path in used)
        nested = frozenset(path.attribute for path in used if len(path.steps) > 1)
        read = ParsedCondition(tree, (), _NO_NAMES, _NO_NAMES, attributes, nested)
        return cls(_CachedCondition((), _NO_NAMES, _NO_NAMES, read, compile_condition(tree)), {})

    def holds(self, item: Item) -> bool:
        """Return whether the condition holds for an item; pass an empty dict if the item does not exist."""
        return self._test(item, self.values)

    @property
    def tree(self) -> Condition:
        """The tree of the condition; its parameters are the value placeholders."""
        return self._cached.read.tree

    @property
    def attributes(self) -> frozenset[str]:
        """The top-level attributes that the condition reads."""
        return self._cached.read.attributes

    @property
    def nested_attributes(self) -> frozenset[str]:
        """The top-level attributes in which the condition reads nested values."""
        return self._cached.read.nested_attributes


class BoundUpdate:
    """An update with the values of the request."""

    __slots__ = ("update", "values")

    def __init__(self, update: ItemUpdate, values: Mapping[str, Any]) -> None:
        self.update = update
        self.values = values

    def apply(self, item: Item) -> dict[str, Any]:
        """Return the updated item as a new dict; the given item does not change."""
        return self.update.apply(item, self.values)

    def updated(self, item: Item) -> dict[str, Any]:
        """Return the parts that the update changes, with their old (UPDATED_OLD) or new (UPDATED_NEW) values."""
        return self.update.changed_paths.apply(item)


class Expressions:
    """Parses the expressions of one request. Call `finish` after the last expression, to reject unused placeholders."""

    __slots__ = ("_has_short_names", "_key", "_names", "_parsed", "values")

    def __init__(self, names: Mapping[str, str] | None, values: Mapping[str, Any] | None) -> None:
        self._names = names
        self._key: Names = ()
        self._has_short_names = True
        if names is not None:
            self._key = tuple(names.items())
            is_short = len(names) <= _CACHED_NAMES_MAX
            self._has_short_names = is_short and sum(map(len, names.values())) <= _CACHED_CHARACTERS_MAX
            (_check_names if self._has_short_names else _check_names.__wrapped__)(self._key)
        if values is not None:
            _check_values(values)
        self.values: Mapping[str, Any] = values or {}
        self._parsed: list[_Cached] = []

    def condition(self, parameter: str, text: str) -> BoundCondition:
        """Parse a condition; `parameter` is ConditionExpression or FilterExpression."""
        return BoundCondition(self._parse(parameter, text, _cached_condition), self.values)

    def key_condition(self, text: str) -> KeyCondition:
        """Parse a key condition; call `check` on the result after `finish`, to reject an invalid key condition."""
        cached = self._parse("KeyConditionExpression", text, _cached_key_condition)
        return KeyCondition(cached.tests, self.values, cached.error, cached.checks)

    def update(self, text: str) -> BoundUpdate:
        """Parse an update."""
        return BoundUpdate(self._parse("UpdateExpression", text, _cached_update).update, self.values)

    def projection(self, text: str) -> PathProjection:
        """Parse a projection."""
        return self._parse("ProjectionExpression", text, _cached_projection).projection

    def finish(self) -> None:
        """Reject names and values that no expression uses."""
        read = self._parsed
        if self._names:
            used = read[0].used_names if len(read) == 1 else _NO_NAMES.union(*[each.used_names for each in read])
            if not used.issuperset(self._names):
                raise _unused_error("ExpressionAttributeNames", self._names, used)
        if self.values:
            used = read[0].used_values if len(read) == 1 else _NO_NAMES.union(*[each.used_values for each in read])
            if not used.issuperset(self.values):
                raise _unused_error("ExpressionAttributeValues", self.values, used)

    def _parse(self, parameter: str, text: str, parse: _lru_cache_wrapper[R]) -> R:
        """Return the parsed expression, from the cache unless it is long; reject values that fail its checks."""
        if self._has_short_names and len(text) <= _CACHED_CHARACTERS_MAX:
            cached = parse(parameter, text, self._key)
        else:
            cached = parse.__wrapped__(parameter, text, self._key)
        self._parsed.append(cached)
        values = self.values
        for check in cached.checks:
            if message := check(values):
                raise invalid(f"Invalid {parameter}: {message}")
        return cached


def reject_placeholders_without_expressions(names: object, values: object, expressions: Mapping[str, object]) -> None:
    """Reject placeholders in a request without expressions; `expressions` has the text of each expression parameter.

    Pass the parameters in the order in which DynamoDB's message lists them, such as FilterExpression and then
    KeyConditionExpression for a Query. A ProjectionExpression cannot use values, so with a ProjectionExpression alone,
    value placeholders are rejected.
    """
    if names is not None and all(text is None for text in expressions.values()):
        raise invalid("ExpressionAttributeNames can only be specified when using expressions")
    with_values = [parameter for parameter in expressions if parameter != "ProjectionExpression"]
    if values is not None and with_values and all(expressions[parameter] is None for parameter in with_values):
        missing = f"{' and '.join(with_values)} {'are' if len(with_values) > 1 else 'is'} null"
        raise invalid(f"ExpressionAttributeValues can only be specified when using expressions: {missing}")


@lru_cache(_CACHED_MAX)
def _cached_condition(parameter: str, text: str, names: Names) -> _CachedCondition:
    read = parse_condition(parameter, text, dict(names))
    test = _never_holds if _is_invalid(read.checks) else compile_condition(read.tree)
    return _CachedCondition(read.checks, read.used_names, read.used_values, read, test)


@lru_cache(_CACHED_MAX)
def _cached_key_condition(parameter: str, text: str, names: Names) -> _CachedKeyCondition:
    read = parse_condition(parameter, text, dict(names))
    tests: Mapping[str, KeyTest] = {}
    error: str | None = None
    try:
        tests = key_tests(read.tree)
    except RequestRefused as problem:
        error = problem.message
    return _CachedKeyCondition(read.checks, read.used_names, read.used_values, tests, error)


@lru_cache(_CACHED_MAX)
def _cached_update(parameter: str, text: str, names: Names) -> _CachedUpdate:
    read = parse_update(parameter, text, dict(names))
    update = ItemUpdate(() if _is_invalid(read.checks) else read.changes)
    return _CachedUpdate(read.checks, read.used_names, read.used_values, update)


@lru_cache(_CACHED_MAX)
def _cached_projection(parameter: str, text: str, names: Names) -> _CachedProjection:
    read = parse_projection(parameter, text, dict(names))
    projection = PathProjection(() if _is_invalid(read.checks) else read.paths)
    return _CachedProjection(read.checks, read.used_names, frozenset(), projection)


def _is_invalid(checks: tuple[Check, ...]) -> bool:
    """Return whether the expression is invalid for all values."""
    return any(isinstance(check, FailedCheck) for check in checks)


def _never_holds(item: Item, values: Mapping[str, Any]) -> bool:
    return False


@lru_cache(_CACHED_MAX)
def _check_names(names: Names) -> None:
    where = "ExpressionAttributeNames"
    if not names:
        raise invalid(f"{where} must not be empty")
    for placeholder, _ in names:
        _check_placeholder(where, placeholder, _NAME)
    for placeholder, name in names:
        if not name:
            raise invalid(f"{where} contains invalid value: Empty attribute name for key {placeholder}")
        if _utf8_length(name) > ATTRIBUTE_NAME_BYTES_MAX:
            rule = f"Attribute name is too large, must be less than {ATTRIBUTE_NAME_BYTES_MAX + 1} bytes"
            raise invalid(f"{where} contains invalid value: {rule} for key {placeholder}")
    if sum(len(placeholder) + _utf8_length(name) for placeholder, name in names) > ALL_PLACEHOLDERS_BYTES_MAX:
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
        if type(text) is str and text.isascii():  # the most common value, which is always valid
            size += len(placeholder) + len(text)
            continue
        try:
            size += len(placeholder) + accept_value(value)
        except RequestRefused as problem:
            if problem.code != "ValidationException" or problem.message.startswith("Nesting Levels"):
                raise
            raise invalid(f"{where} contains invalid value: {problem.message} for key {placeholder}") from None
    if size > ALL_PLACEHOLDERS_BYTES_MAX:
        raise invalid(f"{where} exceeds max size")


@lru_cache(_CACHED_MAX)
def _check_placeholder(where: str, placeholder: str, form: re.Pattern[str]) -> None:
    if not placeholder:
        raise invalid(f"{where} contains invalid key: The expression attribute map contains an empty key;")
    if not form.fullmatch(placeholder):
        raise invalid(f'{where} contains invalid key: Syntax error; key: "{placeholder}"')
    if len(placeholder) > PLACEHOLDER_BYTES_MAX:
        rule = f"The expression attribute map contains a key that is too long; size of key: {len(placeholder)}"
        raise invalid(f"{where} contains invalid key: {rule}")


def _utf8_length(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def _unused_error(where: str, given: Iterable[str], used: frozenset[str]) -> RequestRefused:
    unused = ", ".join([placeholder for placeholder in given if placeholder not in used])
    return invalid(f"Value provided in {where} unused in expressions: keys: {{{unused}}}")
