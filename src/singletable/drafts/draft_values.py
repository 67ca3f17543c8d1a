"""A draft as values of JSON and back, checked: what is read can be written as Python and is nothing but a model."""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Mapping
from typing import Any, Literal, Union, get_args, get_origin

from singletable.drafts import draft as drafts
from singletable.drafts.declared import MEMBER
from singletable.drafts.draft import DraftTable, NativeKey, Position, is_name
from singletable.drafts.json_place import Place

# These become names in a Python file, so that they have to be names and nothing else.
_IDENTIFIERS = frozenset(
    (
        "DraftField.name",
        "NativeKey.field",
        "DraftEntity.class_name",
        "DraftEntity.ttl",
        "DraftEntity.mirror_of",
        "DraftLink.class_name",
        "DraftIndex.alias",
        "DraftParameter.name",
        "DraftTest.field",
        "DraftTest.parameter",
        "DraftPattern.name",
        "DraftPattern.entities",
        "DraftPattern.order_by",
        "DraftPattern.changes",
        "DraftPattern.constants",
        "DraftEntity.keys",
        "DraftTable.class_name",
    )
)


def to_values(value: Any) -> Any:
    """The value as JSON has it; members that are as they are without being said are left out."""
    if isinstance(value, NativeKey):
        return {"native": value.field, **({"format": value.format} if value.format else {})}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        kept = {}
        for each in dataclasses.fields(value):
            member = getattr(value, each.name)
            if member != _default(each):
                kept[each.name] = to_values(member)
        return kept
    if isinstance(value, Mapping):
        return {name: to_values(member) for name, member in value.items()}
    return [to_values(each) for each in value] if isinstance(value, tuple) else value


def _default(each: dataclasses.Field[Any]) -> Any:
    if each.default_factory is not dataclasses.MISSING:
        return each.default_factory()
    return each.default


def table_from_values(place: Place) -> DraftTable:
    """The table that `to_values` wrote; raises ImportRefused for anything else."""
    found: DraftTable = _made(DraftTable, place)
    return found


def _made(cls: Any, place: Place) -> Any:
    hints = typing.get_type_hints(cls, dict(vars(drafts)))
    known = {each.name: each for each in dataclasses.fields(cls)}
    for name, member in place.members():
        if name not in known:
            raise member.refuse(f"is no member of a {cls.__name__}")
    given: dict[str, Any] = {}
    for name, each in known.items():
        found = place.mapping().get(name, dataclasses.MISSING)
        if found is dataclasses.MISSING:
            if each.default is dataclasses.MISSING and each.default_factory is dataclasses.MISSING:
                raise place.refuse(f"has no {name}")
            continue
        where = Place(found, f"{place.path}.{name}")
        given[name] = _read(hints[name], where)
        if f"{cls.__name__}.{name}" in _IDENTIFIERS:
            _check_names(given[name], where)
        if name == "members":
            _check_members(given[name], where)
    return cls(**given)


def _check_names(value: Any, place: Place) -> None:
    names = [value] if isinstance(value, str) else list(value or ())
    for name in names:
        if not is_name(str(name)):
            raise place.refuse(f"holds {name!r}, which cannot be a name in Python")


def _check_members(value: Any, place: Place) -> None:
    for name, kind in value:
        _check_names(name, place)
        if MEMBER.fullmatch(kind) is None:
            raise place.refuse(f"holds {kind!r}, which is neither a class nor a list of one")


def _read(hint: Any, place: Place) -> Any:
    if hint == Position:
        if isinstance(place.value, dict):
            written = place.get("format")
            _check_names(place.need("native").text(), place)
            return NativeKey(place.need("native").text(), "" if written is None else written.text())
        return _plain((str,), place)
    origin, arguments = get_origin(hint), get_args(hint)
    if dataclasses.is_dataclass(hint):
        return _made(hint, place)
    if origin is Literal:
        return _chosen(arguments, place)
    if origin is tuple:
        elements = place.elements()
        if arguments[-1] is Ellipsis:
            return tuple(_read(arguments[0], each) for each in elements)
        if len(elements) != len(arguments):
            raise place.refuse(f"has {len(elements)} elements, and should have {len(arguments)}")
        return tuple(_read(kind, each) for kind, each in zip(arguments, elements, strict=True))
    if origin is not None and isinstance(origin, type) and issubclass(origin, Mapping):
        return {name: _read(arguments[1], each) for name, each in place.members()}
    if origin in (Union, types.UnionType):
        if place.value is None and type(None) in arguments:
            return None
        others = [each for each in arguments if each is not type(None)]
        if all(get_origin(each) is Literal for each in others):
            return _chosen(tuple(option for each in others for option in get_args(each)), place)
        return _read(others[0], place) if len(others) == 1 else _plain(tuple(others), place)
    return _plain((hint,), place)


def _chosen(options: tuple[Any, ...], place: Place) -> Any:
    if not isinstance(place.value, str) or place.value not in options:
        raise place.refuse(f"is {place.value!r}; it is one of {', '.join(map(repr, options))}")
    return place.value


def _plain(kinds: tuple[Any, ...], place: Place) -> Any:
    value = place.value
    if float in kinds and type(value) is int:
        return value
    if type(value) not in kinds or value != value:  # noqa: PLR0124  # NaN is no number that a file could hold
        raise place.refuse(f"is {value!r}, and should be {' or '.join(kind.__name__ for kind in kinds)}")
    return value
