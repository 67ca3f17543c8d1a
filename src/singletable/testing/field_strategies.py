"""Hypothesis strategies for the values of a field.

The values have the field's type and limits, and DynamoDB can store them.
"""

from __future__ import annotations

import enum
import inspect
import types
import typing
from collections.abc import Collection, Mapping
from datetime import UTC, date, datetime
from functools import reduce
from string import ascii_letters
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from hypothesis import strategies as st

from singletable.client.items.object_construction import argument_name
from singletable.client.items.value_reader import reader_of
from singletable.errors import ArgumentRefused, SingletableError
from singletable.model.fields import NotAnEntityClass, fields_of, hints_of, name_of
from singletable.model.type_codecs import BUILT_IN
from singletable.planner.stored_items import stored_value
from singletable.testing.field_limits import NO_LIMITS, Limits, limits_of_metadata, limits_of_validator
from singletable.testing.scalar_strategies import MAKERS, Values, characters, dates, datetimes, retried

_MEMBERS_MAX = 5
_REJECTED = object()
_PAST_AND_FUTURE = {
    "PastDate": Limits(high=date(2020, 1, 1)),
    "FutureDate": Limits(low=date(2100, 1, 1)),
    "PastDatetime": Limits(high=datetime(2020, 1, 1, tzinfo=UTC)),
    "FutureDatetime": Limits(low=datetime(2100, 1, 1, tzinfo=UTC)),
}


def annotations_of(cls: type) -> dict[str, Any]:
    """Return the field annotations of a class with all metadata, including attrs validators."""
    hints = dict(hints_of(cls))
    for attribute in getattr(cls, "__attrs_attrs__", ()):
        if attribute.name in hints and attribute.validator is not None:
            hints[attribute.name] = Annotated[hints[attribute.name], limits_of_validator(attribute.validator)]
    for name, info in (getattr(cls, "__pydantic_fields__", None) or {}).items():
        if name in hints and info.metadata:
            hints[name] = Annotated[(hints[name], *info.metadata)]
    return hints


def values_of(annotation: Any, limits: Limits = NO_LIMITS) -> Values:
    """Return a strategy for values of a type, including None if the type is optional."""
    plain, optional, found = _unwrapped(annotation)
    made = _constrained_values(plain, found & limits)
    return st.none() | made if optional else made


def _unwrapped(annotation: Any) -> tuple[Any, bool, Limits]:
    """Strip `Annotated`, `Optional` and aliases. Return the type, whether None is allowed, and the limits."""
    optional, limits = False, NO_LIMITS
    while True:
        origin = get_origin(annotation)
        if origin is Annotated:
            limits &= limits_of_metadata(annotation.__metadata__)
            annotation = annotation.__origin__
        elif origin in (Union, types.UnionType) and type(None) in get_args(annotation):
            members = [member for member in get_args(annotation) if member is not type(None)]
            annotation, optional = reduce(lambda left, right: left | right, members), True
        elif isinstance(annotation, typing.NewType):
            annotation = annotation.__supertype__
        elif type(annotation).__name__ == "TypeAliasType":  # `type Slug = str`, from Python 3.12 on
            annotation = annotation.__value__
        else:
            return annotation, optional, limits


def _constrained_values(declared: Any, limits: Limits) -> Values:
    made = _values_of_type(declared, limits)
    for test in limits.tests:
        made = made.filter(test)
    return made


def _values_of_type(declared: Any, limits: Limits) -> Values:
    origin, arguments = get_origin(declared), get_args(declared)
    if limits.options is not None:
        return st.sampled_from(limits.options)
    if origin is Literal:
        return st.sampled_from(arguments)
    if origin in (Union, types.UnionType):
        return st.one_of([_member_values(declared, argument, limits) for argument in arguments])
    if declared in (Any, object):
        return _anything()
    if limits.is_path:
        names = st.text(characters(limits), min_size=1, max_size=8)
        return st.lists(names, min_size=1, max_size=4).map(tuple)
    container = declared if origin is None and declared in _CONTAINERS else origin
    if isinstance(container, type) and issubclass(container, Collection):
        return _container(container, arguments, limits)
    if not isinstance(declared, type):
        raise _no_strategy(declared)
    if issubclass(declared, enum.Enum):
        return st.sampled_from(list(declared))
    if str(declared.__module__).startswith("pydantic."):
        return _pydantic(declared, limits)
    if declared.__module__ == "ipaddress" or declared.__module__.startswith("pathlib"):
        return st.from_type(declared)
    for base, make in MAKERS.items():
        if issubclass(declared, base):
            made = make(limits)
            return made if declared is base else made.map(declared)
    return _models(declared)


_CONTAINERS = (list, tuple, set, frozenset, dict)


def _member_values(union: Any, member: Any, limits: Limits) -> Values:
    """Return a strategy for one type of a union.

    It omits values that are read back as another type, such as a UUID as str.
    """
    read = reader_of(union)

    def round_trips(value: Any) -> bool:
        try:
            again = read(stored_value(value, BUILT_IN))
        except (SingletableError, ValueError, TypeError, KeyError, ArithmeticError):
            return False
        return type(again) is type(value) and again == value

    return values_of(member, limits).filter(round_trips)


def _anything() -> Values:
    """Return a strategy for nested values of the types that DynamoDB can store."""
    leaves = st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text(max_size=10)
    names = st.text(min_size=1, max_size=5)
    return st.recursive(
        leaves,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
        max_leaves=5,
    )


def _container(kind: type, arguments: tuple[Any, ...], limits: Limits) -> Values:
    if kind is tuple and arguments and arguments[-1] is not ...:
        return st.tuples(*(values_of(argument) for argument in arguments))
    size_min = limits.size_min or 0
    size_max = size_min + _MEMBERS_MAX if limits.size_max is None else limits.size_max
    if issubclass(kind, Mapping):
        key, value = arguments or (str, Any)
        names = values_of(key, Limits(size_min=1)) if key is str else values_of(key)
        return st.dictionaries(names, values_of(value), min_size=size_min, max_size=size_max)
    members = values_of(arguments[0] if arguments else str if kind in (set, frozenset) else Any)
    if kind in (set, frozenset):  # DynamoDB does not allow empty sets
        return st.sets(members, min_size=max(1, size_min), max_size=max(1, size_max)).map(kind)
    return st.lists(members, min_size=size_min, max_size=size_max).map(tuple if kind is tuple else list)


# A recursive class needs one shared strategy that refers to itself. Hypothesis limits the depth.
_models_of: dict[Any, Values] = {}


def _models(declared: Any) -> Values:
    """Return a strategy for objects of a nested class, which DynamoDB stores as maps."""
    known = _models_of.get(declared)
    if known is not None:
        return known
    try:
        fields = fields_of(declared)
    except NotAnEntityClass:
        raise _no_strategy(declared) from None

    def made() -> Values:
        hints = annotations_of(declared)
        given = [name for name, field in fields.items() if field.initialised]
        return objects_from(declared, {name: field_values(declared, name, hints[name]) for name in given})

    _models_of[declared] = st.deferred(made)
    return _models_of[declared]


def objects_from(cls: type, fields: Mapping[str, Values]) -> Values:
    """Return a strategy for objects of a class. It skips field values that the constructor rejects."""

    def made(**values: Any) -> Any:
        try:
            return cls(**values)
        except (ValueError, TypeError):
            return _REJECTED

    made.__name__ = made.__qualname__ = cls.__name__  # Hypothesis prints a failing example as a call of the class
    objects = st.builds(made, **{argument_name(cls, name): each for name, each in fields.items()})
    return retried(objects, lambda value: value is not _REJECTED)


def given_values(annotation: Any, limits: Limits = NO_LIMITS) -> Values:
    """Return a strategy for the values of a field, without None."""
    plain, _, found = _unwrapped(annotation)
    made = _constrained_values(plain, found & limits)
    return made.filter(lambda value: value is not None) if plain in (Any, object) else made


def may_be_none(cls: type, name: str, annotation: Any) -> bool:
    """Return whether None is a valid value of a field that is still None after a write and a read."""
    _, optional, _ = _unwrapped(annotation)
    return optional and _is_read_as_none(cls, name)


def field_values(cls: type, name: str, annotation: Any) -> Values:
    """Return a strategy for the values of a field, including None if `may_be_none`."""
    made = given_values(annotation)
    return st.none() | made if may_be_none(cls, name, annotation) else made


def _is_read_as_none(cls: type, name: str) -> bool:
    """Return whether a read returns None for a field if the item lacks its attribute. None values are not stored."""
    if fields_of(cls)[name].required:
        return True
    info = (getattr(cls, "__pydantic_fields__", None) or {}).get(name)
    if info is not None:
        return info.default is None and info.default_factory is None
    if (names := getattr(cls, "__struct_fields__", None)) is not None:
        defaults: tuple[Any, ...] = cls.__struct_defaults__  # type: ignore[attr-defined]  # defined by msgspec
        return defaults[names.index(name) - len(names) + len(defaults)] is None
    return inspect.signature(cls).parameters[argument_name(cls, name)].default is None


def _no_strategy(declared: Any) -> ArgumentRefused:
    return ArgumentRefused(
        f"no strategy for type {name_of(declared)}; pass a strategy for the field, such as note=st.text()"
    )


def _pydantic(declared: type, limits: Limits) -> Values:
    name = declared.__name__
    if name == "EmailStr":
        return st.emails()
    if name in _PAST_AND_FUTURE:
        limits &= _PAST_AND_FUTURE[name]
    if name.endswith("Url"):
        return st.text(ascii_letters, max_size=10).map(lambda path: declared(f"https://example.com/{path}"))
    if name.endswith("Datetime") and name != "NaiveDatetime":
        return datetimes(limits)
    if name.endswith("Date"):
        return dates(limits)
    try:
        return _models(declared)
    except ArgumentRefused:
        return st.from_type(declared)
