"""Functions that a drafted model names and no document carries: where they are found, and a model without them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from types import FunctionType, ModuleType
from typing import Any

from singletable.drafts.draft import DraftClass, DraftEntity, DraftField, DraftTable


def functions_of(table: DraftTable) -> Iterator[str]:
    """The names of the functions that a table's entities and classes are declared with."""
    for entity in table.entities:
        yield from (each.function for each in entity.derived.values() if each.function is not None)
        yield from (each.function for each in entity.upgrades)
    owners: list[DraftEntity | DraftClass] = [*table.entities, *table.classes]
    for owner in owners:
        yield from (field.default_function for field in owner.fields if field.default_function is not None)


@dataclass(frozen=True)
class FunctionsModule:
    """A module that its user names, as a model imports it, with the functions that it defines."""

    name: str
    functions: Mapping[str, FunctionType]


def defined_in(module: ModuleType, name: str) -> FunctionsModule:
    """The functions that a module defines itself: a document may name these, and nothing that the module imports."""
    found = {
        each: value
        for each, value in vars(module).items()
        if isinstance(value, FunctionType) and value.__module__ == module.__name__ and value.__name__ == each
    }
    return FunctionsModule(name, found)


def with_functions(table: DraftTable, known: Mapping[str, Any]) -> DraftTable:
    """The table with the functions that are known, and plain fields in place of what others would make."""
    notes = list(table.notes)
    entities = tuple(_entity(entity, known, notes) for entity in table.entities)
    classes = tuple(replace(each, fields=_fields(each, known, notes)) for each in table.classes)
    return replace(table, entities=entities, classes=classes, notes=tuple(notes))


def _entity(entity: DraftEntity, known: Mapping[str, Any], notes: list[str]) -> DraftEntity:
    label = entity.class_name
    missing = {name: each for name, each in entity.derived.items() if each.function and each.function not in known}
    for name, each in missing.items():
        notes.append(f"{label}: {name} is a plain field here; the function {each.function} computes it. {_WAY}")
    fields = (
        *_fields(entity, known, notes),
        *(DraftField(name, "str", choices=each.values or ()) for name, each in missing.items()),
    )
    derived = {name: each for name, each in entity.derived.items() if name not in missing}
    if any(each.function not in known for each in entity.upgrades):
        names = ", ".join(each.function for each in entity.upgrades)
        notes.append(f"{label}: schema version {entity.schema_version} is left out: functions upgrade, {names}. {_WAY}")
        entity = replace(entity, upgrades=(), schema_version=None)
    return replace(entity, fields=fields, derived=derived)


def _fields(owner: DraftEntity | DraftClass, known: Mapping[str, Any], notes: list[str]) -> tuple[DraftField, ...]:
    made: list[DraftField] = []
    for each in owner.fields:
        function = each.default_function
        if function is not None and function not in known:
            notes.append(f"{owner.class_name}: {each.name} has to be given; the function {function} makes it. {_WAY}")
            made.append(replace(each, default_function=None, must_be_given=each.optional))
        else:
            made.append(each)
    return tuple(made)


_WAY = "--functions names the module that has it."
