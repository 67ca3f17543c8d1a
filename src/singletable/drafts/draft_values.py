"""A draft as values of JSON and back, checked: what is read can be written as Python and is nothing but a model."""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Iterator, Mapping
from math import isfinite
from typing import Any, Literal, Union, get_args, get_origin

from singletable.drafts.conditions import refuse_unsaid_count, refuse_unsaid_pattern
from singletable.drafts.constants import constant_from_values, constant_to_values
from singletable.drafts.declared import entity_keywords
from singletable.drafts.declared_patterns import MEMBER
from singletable.drafts.draft import (
    DraftClass,
    DraftDerived,
    DraftEntity,
    DraftIndex,
    DraftLink,
    DraftMember,
    DraftObject,
    DraftPattern,
    DraftTable,
    NativeKey,
    Position,
    is_name,
)
from singletable.drafts.functions import functions_of
from singletable.drafts.json_place import Place
from singletable.drafts.type_text import read_type
from singletable.errors import DesignError
from singletable.expressions import tree

# These become names in a Python file, so that they have to be names and nothing else.
_IDENTIFIERS = frozenset(
    (
        "DraftField.name",
        "DraftField.default_function",
        "NativeKey.field",
        "DraftClass.class_name",
        "DraftDerived.function",
        "DraftEntity.class_name",
        "DraftEntity.ttl",
        "DraftEntity.mirror_of",
        "DraftEnum.class_name",
        "DraftEnum.members",
        "DraftLink.class_name",
        "DraftIndex.alias",
        "DraftParameter.name",
        "DraftPattern.name",
        "DraftPattern.entities",
        "DraftPattern.entry_class",
        "DraftPattern.view",
        "DraftEntity.keys",
        "DraftTable.class_name",
        "DraftUpgrade.function",
    )
)
_VALUES = frozenset(("DraftField.default", "DraftParameter.default", "Constant.value"))
"""What may be any value that a model can hold."""
_FILLED = frozenset(("DraftPattern.entities", "DraftKeys.partition", "DraftIndex.partition", "DraftTable.keys"))
"""Where there is at least one."""
_NODES: Mapping[str, Any] = {
    each.__name__: each
    for each in (
        *(tree.Path, tree.Constant, tree.Parameter, tree.Function, tree.Compare, tree.In, tree.And, tree.Or, tree.Not),
    )
}
"""What conditions and changes are made of, by the names under which they are written."""


def to_values(value: Any) -> Any:
    """The value as JSON has it; members that are as they are without being said are left out."""
    if isinstance(value, NativeKey):
        return {"native": value.field, **({"format": value.format} if value.format else {})}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        kept = {}
        for each in dataclasses.fields(value):
            member = getattr(value, each.name)
            if f"{type(value).__name__}.{each.name}" in _VALUES:
                member = constant_to_values(member)
            if member != _default(each):
                kept[each.name] = to_values(member)
        return {type(value).__name__: kept} if type(value) in _NODES.values() else kept
    if isinstance(value, Mapping):
        return {name: to_values(member) for name, member in value.items()}
    return [to_values(each) for each in value] if isinstance(value, tuple) else value


def _default(each: dataclasses.Field[Any]) -> Any:
    if each.default_factory is not dataclasses.MISSING:
        return each.default_factory()
    return each.default


def table_from_values(place: Place) -> DraftTable:
    """The table that `to_values` wrote; raises ImportRefused for anything else."""
    try:
        found: DraftTable = _made(DraftTable, place)
    except RecursionError:
        raise place.refuse("is nested too deeply") from None
    _check_classes(found, place)
    _check_signatures(found, place)
    return found


def _check_signatures(table: DraftTable, place: Place) -> None:
    """Refuse what Python would: a name that is given twice, and a parameter without a default behind one with it."""
    for entity in table.entities:
        _refuse_twice([name for name, _ in entity_keywords(entity, table)], f"the entity {entity.class_name}", place)
    for pattern in table.patterns:
        _refuse_twice(["self", *(each.name for each in pattern.parameters)], f"the pattern {pattern.name}", place)
        by_place = [each.has_default for each in pattern.parameters if not each.by_name]
        if by_place != sorted(by_place):
            raise place.refuse(f"has the pattern {pattern.name}, whose parameters with defaults are not its last")


def _refuse_twice(names: list[str], owner: str, place: Place) -> None:
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise place.refuse(f"has {owner}, which names {twice} twice")


def _check_classes(table: DraftTable, place: Place) -> None:
    """Refuse a type of a class that the table does not have, and a function that is called as a class is."""
    owners: list[DraftEntity | DraftClass] = [*table.entities, *table.classes]
    classes = {each.class_name for each in owners} | {each.class_name for each in table.enums}
    types = [each.type for owner in owners for each in owner.fields]
    types += [each.type for pattern in table.patterns for each in pattern.parameters]
    for name in (name for each in types for name in read_type(each).names):
        if name not in classes:
            raise place.refuse(f"has a field or parameter of type {name!r}, which is none of its classes")
    members = {each.class_name: each.members for each in table.enums}
    for value in _named_values(table):
        if isinstance(value, DraftMember) and value.name not in members.get(value.enumeration, ()):
            raise place.refuse(f"has the value {value.enumeration}.{value.name}, which none of its enumerations has")
        if isinstance(value, DraftObject) and value.class_name not in classes:
            raise place.refuse(f"has a value of the class {value.class_name!r}, which is none of its classes")
    entities = {each.class_name for each in table.entities}
    links = [each for entity in table.entities for each in (*entity.copies, *entity.counted)]
    named = {each.class_name for each in links} | {each.mirror_of for each in table.entities}
    named |= {name for each in table.patterns for name in (*each.entities, each.entry_class)}
    for each in table.patterns:
        if each.view is not None and each.kind != "collection" and each.view not in classes:
            raise place.refuse(f"has the pattern {each.name}, whose view {each.view!r} is none of its classes")
        kinds = (MEMBER.fullmatch(kind) for _, kind in each.members)
        named |= {found["many"] or found["one"] for found in kinds if found is not None}
    if unknown := named - entities - {None}:
        raise place.refuse(f"speaks of {min(map(str, unknown))!r}, which is none of its entities")
    if twice := classes & set(functions_of(table)):
        raise place.refuse(f"has a function and a class that are both called {min(twice)}")


def _named_values(value: Any) -> Iterator[DraftMember | DraftObject]:
    """Every value below that says of which class it is."""
    if isinstance(value, DraftMember | DraftObject):
        yield value
    if dataclasses.is_dataclass(value):
        value = [getattr(value, each.name) for each in dataclasses.fields(value)]
    elif isinstance(value, Mapping):
        value = value.values()
    elif not isinstance(value, tuple | list | set | frozenset):
        return
    for each in value:
        yield from _named_values(each)


def _made(cls: Any, place: Place) -> Any:
    hints = typing.get_type_hints(cls)
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
        given[name] = _member(cls, name, hints[name], where)
    made = cls(**given)
    if isinstance(made, DraftIndex) and made.kind == "LSI" and len(made.sort) != 1:
        raise place.refuse("is a local index, which has one sort key")
    if isinstance(made, DraftDerived) and (made.kind == "derive") != (made.function is not None):
        raise place.refuse("has to name the function that it is derived by, and no other kind of value does")
    if isinstance(made, DraftEntity):  # what a function derives is a field where the function is not known
        _check_names([derived for derived, each in made.derived.items() if each.function is not None], place)
    if isinstance(made, DraftPattern | DraftLink):
        try:
            refuse_unsaid_pattern(made) if isinstance(made, DraftPattern) else refuse_unsaid_count(made)
        except DesignError as problem:
            raise place.refuse(f"cannot be written: {problem.problems[0].message}") from None
    return made


def _member(cls: type, name: str, hint: Any, place: Place) -> Any:
    if f"{cls.__name__}.{name}" in _VALUES:
        return constant_from_values(place)
    value = _read(hint, place)
    if f"{cls.__name__}.{name}" in _IDENTIFIERS:
        _check_names(value, place)
    if f"{cls.__name__}.{name}" in _FILLED and not value:
        raise place.refuse("is empty")
    if cls is tree.Path and (not value or not isinstance(value[0], str)):
        raise place.refuse("has to begin with a field")
    if name == "members" and cls is DraftPattern:
        _check_members(value, place)
    if name == "type":
        try:
            read_type(value)
        except DesignError as problem:
            raise place.refuse(problem.problems[0].message) from None
    return value


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
        return _made(hint, place) if hint not in _NODES.values() else _node((hint,), place)
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
        if all(dataclasses.is_dataclass(each) for each in others):
            return _node(tuple(others), place)
        if all(get_origin(each) is Literal for each in others):
            return _chosen(tuple(option for each in others for option in get_args(each)), place)
        return _read(others[0], place) if len(others) == 1 else _plain(tuple(others), place)
    return _plain((hint,), place)


def _node(kinds: tuple[Any, ...], place: Place) -> Any:
    """A part of a condition or of a change, under its name."""
    found = place.mapping()
    name = next(iter(found), "")
    if len(found) != 1 or name not in _NODES or _NODES[name] not in kinds:
        raise place.refuse("is no part of a condition that a model can say")
    return _made(_NODES[name], Place(found[name], f"{place.path}.{name}"))


def _chosen(options: tuple[Any, ...], place: Place) -> Any:
    if not isinstance(place.value, str) or place.value not in options:
        raise place.refuse(f"is {place.value!r}; it is one of {', '.join(map(repr, options))}")
    return place.value


def _plain(kinds: tuple[Any, ...], place: Place) -> Any:
    value = place.value
    if float in kinds and type(value) is int:
        return value
    if type(value) not in kinds or (type(value) is float and not isfinite(value)):  # no number that a file could hold
        raise place.refuse(f"is {value!r}, and should be {' or '.join(kind.__name__ for kind in kinds)}")
    return value
