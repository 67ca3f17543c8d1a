"""A model as comparable values: two models are the same if these values are equal."""

from __future__ import annotations

import dataclasses
import enum
import inspect
import types
from typing import Any, Literal, Union, get_args, get_origin

from singletable import Table
from singletable.cost.prices import prices_of
from singletable.heat.heat_report import heat_report
from singletable.heat.simulation import Growth
from singletable.importers.workbench.field_defaults import default_of
from singletable.model.condition_recorder import ParameterPlaceholder
from singletable.model.entity import Entity, EntityDeclaration, declaration_of
from singletable.model.fields import NotAnEntityClass, fields_of, strip
from singletable.model.intents import CollectionIntent
from singletable.model.pattern_declaration import PatternDeclaration
from singletable.model.table_schema import Sparse, TableSettings
from singletable.verify.design_check import check
from singletable.verify.worksheet import worksheet

# Compared in another form: classes by name, keys by position.
_OTHERWISE = ("cls", "location", "fields", "keys", "copies", "counted", "mirror_of")


def said(table: type[Table]) -> dict[str, Any]:
    """All that the model says, and what the planner, cost and heat make of it."""
    design = table.design
    settings = {each.name: getattr(design.settings, each.name) for each in dataclasses.fields(TableSettings)}
    for name in ("location", "keys", "indexes"):  # can be declared in several ways; the compiled indexes are compared
        del settings[name]
    return {
        "doc": _doc(table),
        "settings": settings,
        "indexes": design.indexes,
        "entities": [_entity(each) for each in design.entities],
        "patterns": [_pattern(each) for each in design.patterns],
        "plans": [
            (row.pattern, row.operation, row.index, row.key_condition, row.sort, row.limit, row.verdict)
            for row in worksheet(design, check(design).outcomes)
        ],
        "heat": _heat(table),
    }


def _entity(entity: Entity) -> dict[str, Any]:
    declared = entity.declaration
    plain = {
        each.name: getattr(declared, each.name)
        for each in dataclasses.fields(EntityDeclaration)
        if each.name not in _OTHERWISE
    }
    return plain | {
        "name": entity.name,
        "doc": _doc(entity.cls),
        "fields": _fields(entity.cls),
        "stored": entity.attributes,
        "keys": {alias: _keys(each) for alias, each in declared.keys.items()},
        "copies": [(_named(each.source), each.by, each.fields, each.in_parts) for each in declared.copies],
        "counted": [(_named(each.owner), each.by, each.field, _value(each.condition)) for each in declared.counted],
        "mirror": declared.mirror_of and _named(declared.mirror_of),
        "upgrades": {version: each.function for version, each in entity.upgrades.items()},
    }


def _doc(cls: type) -> str:
    """What the class says of itself; a dataclass that says nothing has its signature there."""
    said = cls.__doc__ or ""
    return "" if said.startswith(f"{cls.__name__}(") else inspect.cleandoc(said)


def _keys(keys: Any) -> Any:
    """Templates and native fields by position, and whether the index is sparse."""
    is_sparse = isinstance(keys, Sparse)
    given = keys.keys if isinstance(keys, Sparse) else keys
    positions = given if isinstance(given, tuple) else (given,)
    return is_sparse, [each if isinstance(each, tuple) else (each,) for each in positions]


def _pattern(pattern: PatternDeclaration) -> dict[str, Any]:
    intent = pattern.intent
    given = {each.name: getattr(intent, each.name) for each in dataclasses.fields(intent)}
    options = dataclasses.fields(pattern.options)
    return {
        "name": (pattern.name, pattern.title),
        "options": {each.name: _value(getattr(pattern.options, each.name)) for each in options},
        "parameters": [
            (each.name, each.test, _type(each.type), each.required, given_as.kind, _value(given_as.default))
            for each in pattern.parameters.values()
            for given_as in (pattern.signature.parameters[each.name],)
        ],
        "kind": type(intent).__name__,
        "intent": {name: _value(each) for name, each in given.items()},
        "shape": (_doc(intent.shape), _fields(intent.shape)) if isinstance(intent, CollectionIntent) else None,
        "view": (_doc(given["view"]), _fields(given["view"])) if given.get("view") is not None else None,
    }


def _fields(cls: type) -> dict[str, Any]:
    """The fields by name, in no order: one that may be left out stands behind the others in a dataclass."""
    return {
        name: (_type(each.type), each.optional, each.required, _default(cls, name) if not each.required else None)
        for name, each in fields_of(cls).items()
    }


def _default(cls: type, name: str) -> Any:
    found = default_of(cls, name)
    return None if found is None else (_value(found.value), found.function)


def _type(annotation: Any) -> Any:
    """A type by what it is made of."""
    declared, optional = strip(annotation)
    origin, arguments = get_origin(declared), get_args(declared)
    if origin in (Union, types.UnionType):
        found: Any = ("or", frozenset(_type(each) for each in arguments))
    elif origin is Literal:
        found = ("one of", arguments)
    elif origin is not None:
        found = (origin, tuple(each if each is ... else _type(each) for each in arguments))
    elif isinstance(declared, type) and declaration_of(declared) is not None:
        found = _named(declared)
    elif isinstance(declared, type) and issubclass(declared, enum.Enum):
        members = tuple((each.name, each.value) for each in declared)
        found = (declared.__name__, _doc(declared), members, declared.__mro__[1:])
    else:
        found = _value_class(declared)
    return (found, "or None") if optional else found


def _value_class(declared: Any) -> Any:
    try:
        return declared.__name__, _doc(declared), tuple(sorted(_fields(declared).items(), key=lambda each: each[0]))
    except (NotAnEntityClass, TypeError, AttributeError):
        return declared


def _value(value: Any) -> Any:
    """A value, in which objects of classes are what they hold."""
    if isinstance(value, enum.Enum):
        return type(value).__name__, value.name
    if isinstance(value, ParameterPlaceholder):
        return "parameter", value.argument_name
    if isinstance(value, type) and declaration_of(value) is not None:
        return _named(value)
    if isinstance(value, type):
        return value.__name__
    if isinstance(value, list | tuple):
        return type(value), tuple(_value(each) for each in value)
    if isinstance(value, set | frozenset):
        return type(value), frozenset(_value(each) for each in value)
    if isinstance(value, dict):
        return {name: _value(each) for name, each in value.items()}
    try:
        names = fields_of(type(value))
    except (NotAnEntityClass, NameError):
        return type(value), value
    return type(value).__name__, {name: _value(getattr(value, name)) for name in names}


def _named(cls: type) -> str:
    """An entity by the name it is stored under: its class may have to be called otherwise."""
    declared = declaration_of(cls)
    assert declared is not None
    return declared.name or cls.__name__


def _heat(table: type[Table]) -> Any:
    report = heat_report(table.design, prices_of("us-east-1"), [Growth(1), Growth(100)])
    return [(hot.partition.template, hot.partition.demand, hot.results) for hot in report.hot], report.places
