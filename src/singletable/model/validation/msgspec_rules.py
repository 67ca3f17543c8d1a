"""Validation rules of msgspec Structs: the `Meta` constraints of annotated types.

The constructor of a Struct does not enforce `Meta`; only msgspec's decoder does.
"""

from __future__ import annotations

import enum
import operator
import re
import sys
import types
import typing
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from singletable.lazy_dataclass import replace
from singletable.model.fields import NUMBER_TYPES, container_of, element_of
from singletable.model.validation.value_rules import LENGTHS, LIMITS, ValueRules, limited, type_rules

Check = Callable[[Any], Any]
"""A function that returns a valid value and raises msgspec.ValidationError for an invalid value."""
Limit = tuple[str, Any]
"""One constraint of `Meta`: its name and its value."""

_TESTS: Mapping[str, tuple[Callable[[Any, Any], bool], str]] = {
    "gt": (operator.gt, "> {}"),
    "ge": (operator.ge, ">= {}"),
    "lt": (operator.lt, "< {}"),
    "le": (operator.le, "<= {}"),
    "multiple_of": (lambda value, limit: bool(value % limit == 0), "that's a multiple of {}"),
    "pattern": (lambda value, limit: re.search(limit, value) is not None, "matching regex {!r}"),
    "min_length": (lambda value, limit: len(value) >= limit, "of length >= {}"),
    "max_length": (lambda value, limit: len(value) <= limit, "of length <= {}"),
    "tz": (lambda value, limit: (value.tzinfo is not None) is limit, "with tz={}"),
}


def struct_field_rules(annotation: Any, path: str) -> ValueRules:
    """Return the rules of a field of a Struct. `path` is its name in messages of msgspec, such as `$.count`."""
    rules = type_rules(annotation)
    check, (_, limits) = meta_check(annotation, path), meta_limits(annotation)
    if check is None:
        return rules
    known = LIMITS if rules.type in NUMBER_TYPES else LENGTHS if rules.element is not None else frozenset[str]()
    names = [name for name, _ in limits]
    is_known = known.issuperset(names) and len({*names}) == len(names)
    is_dict = container_of(rules.type) is dict and get_args(rules.type)
    has_key_rules = is_dict and meta_check(get_args(rules.type)[0], path) is not None
    element = None if rules.element is None else struct_field_rules(element_of(rules.type), f"{path}[...]")
    is_exhaustive = rules.is_exhaustive and is_known and not has_key_rules
    within = limited(rules, {name: limit for name, limit in limits if name in known})
    return replace(within, validate=check, is_exhaustive=is_exhaustive, element=element)


def meta_check(annotation: Any, path: str, outer: Sequence[Limit] = ()) -> Check | None:
    """Return a check of the `Meta` constraints of a type and its element types. Return None if it has no constraints.

    Nested classes check their own fields. `outer` contains the constraints of a surrounding union, which apply to its
    members.
    """
    declared, own = meta_limits(annotation)
    limits = [*outer, *own]
    steps = [*_limit_checks(declared, limits, path), *_member_checks(declared, limits, path)]
    if not steps:
        return None

    def check(value: Any) -> Any:
        if value is not None:  # the decoder has already rejected None if the type does not allow it
            for step in steps:
                step(value)
        return value

    return check


def meta_limits(annotation: Any) -> tuple[Any, list[Limit]]:
    """Return the type inside `Annotated`, `Optional`, `NewType` and aliases, and its `Meta` constraints."""
    limits: list[Limit] = []
    while True:
        origin = get_origin(annotation)
        if origin is Annotated:
            metas = (each for each in annotation.__metadata__ if isinstance(each, sys.modules["msgspec"].Meta))
            found = ((name, getattr(meta, name, None)) for meta in metas for name in _TESTS)
            limits += [(name, limit) for name, limit in found if limit is not None]
            annotation = annotation.__origin__
        elif origin in (Union, types.UnionType):
            members = [each for each in get_args(annotation) if each is not type(None)]
            if len(members) > 1:
                return annotation, limits
            annotation = members[0]
        elif isinstance(annotation, typing.NewType):
            annotation = annotation.__supertype__
        elif type(annotation).__name__ == "TypeAliasType":
            annotation = annotation.__value__
        else:
            return annotation, limits


def _limit_checks(declared: Any, limits: Sequence[Limit], path: str) -> Iterator[Check]:
    kind = get_origin(declared) or declared
    for name, limit in limits:
        if name in _applicable(kind):
            # Decimal("0.1") is less than the float 0.1, so the limit is converted from its shortest text.
            exact = Decimal(str(limit)) if isinstance(limit, float) and issubclass(kind, Decimal) else limit
            yield _limit_check(name, exact, _name_of_kind(kind), path)


def _limit_check(name: str, limit: Any, kind: str, path: str) -> Check:
    is_within, text = _TESTS[name]
    message = f"Expected `{kind}` {text.format(limit)} - at `{path}`"

    def check(value: Any) -> None:
        if not is_within(value, limit):
            raise sys.modules["msgspec"].ValidationError(message)

    return check


def _applicable(kind: Any) -> frozenset[str]:
    """Return the constraints that msgspec supports for a class."""
    if not isinstance(kind, type) or issubclass(kind, bool | enum.Enum):
        return frozenset()
    if issubclass(kind, NUMBER_TYPES):
        return LIMITS | {"multiple_of"}
    if issubclass(kind, str):
        return LENGTHS | {"pattern"}
    if issubclass(kind, datetime):
        return frozenset(("tz",))
    return LENGTHS if issubclass(kind, Collection) else frozenset()


def _name_of_kind(kind: type) -> str:
    """Return the name that msgspec's messages use for a type."""
    if issubclass(kind, Collection) and not issubclass(kind, str | bytes):
        return "object" if issubclass(kind, Mapping) else "array"
    return kind.__name__


def _member_checks(declared: Any, limits: Sequence[Limit], path: str) -> Iterator[Check]:
    """Yield the checks of the elements of a container, and of the members of a union."""
    kind, arguments = get_origin(declared), get_args(declared)
    if kind in (Union, types.UnionType):
        members = [(each, meta_check(each, path, limits)) for each in arguments if each is not type(None)]
        if any(check is not None for _, check in members):
            yield _union_check(members)
    elif not arguments or not isinstance(kind, type) or not issubclass(kind, Collection):
        return
    elif issubclass(kind, Mapping):
        keys, values = (meta_check(each, f"{path}[...]") for each in (arguments[0], arguments[-1]))
        if keys is not None:
            yield _each_check(keys)
        if values is not None:
            inner = _each_check(values)
            yield lambda mapping: inner(mapping.values())
    elif kind is tuple and arguments[-1] is not ...:
        checks = [meta_check(each, f"{path}[{place}]") for place, each in enumerate(arguments)]
        for place, check in enumerate(checks):
            if check is not None:
                yield _item_check(check, place)
    elif (check := meta_check(arguments[0], f"{path}[...]")) is not None:
        yield _each_check(check)


def _each_check(check: Check) -> Check:
    def check_each(values: Collection[Any]) -> None:
        for each in values:
            check(each)

    return check_each


def _item_check(check: Check, place: int) -> Check:
    return lambda values: check(values[place])


def _union_check(members: Sequence[tuple[Any, Check | None]]) -> Check:
    """Return a check that accepts a value if the union member with the value's type accepts the value."""
    invalid: type[Exception] = sys.modules["msgspec"].ValidationError

    def check_union(value: Any) -> None:
        problem: Exception | None = None
        for annotation, check in members:
            if not _is_of(value, annotation):
                continue
            try:
                if check is not None:
                    check(value)
            except invalid as found:
                problem = found
            else:
                return
        if problem is not None:
            raise problem

    return check_union


def _is_of(value: Any, annotation: Any) -> bool:
    declared, _ = meta_limits(annotation)
    kind = get_origin(declared) or declared
    if kind is Literal:
        return any(type(value) is type(option) and value == option for option in get_args(declared))
    if kind in (Union, types.UnionType):
        return any(_is_of(value, each) for each in get_args(declared))
    if not isinstance(kind, type):
        return True
    return isinstance(value, kind) and (kind is bool or not isinstance(value, bool) or kind is object)
