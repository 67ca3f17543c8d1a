"""Row mapping: calls the user's functions that map rows to entities and back, and checks what they return."""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, cast, get_args, get_origin

import msgspec

from singletable.client.items.value_reader import plain_value
from singletable.client.responses import Item
from singletable.client.write.item_actions import KeyId, key_id
from singletable.client.write.write_intents import item_label
from singletable.consolidation.sources import CsvSource, LeftOut, RowOf, Source
from singletable.errors import ArgumentRefused, ItemRefused
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.fields import NotAnEntityClass, fields_of
from singletable.planner.stored_items import key_of, values_of
from singletable.values.attribute_value import attribute_value

_COLLECTIONS = (list, tuple, set, frozenset)


@dataclass(frozen=True)
class MappedEntity:
    """An object of an entity, with its fields and its key."""

    entity: Entity
    value: Any

    @cached_property
    def values(self) -> dict[str, Any]:
        """The fields of the object."""
        return values_of(self.entity, self.value)

    @cached_property
    def key(self) -> Item:
        """The key of the item. Raise ItemRefused if the fields form no key."""
        try:
            return key_of(self.entity, self.values)
        except ValueError as problem:
            raise ItemRefused(f"{self.entity.label}: {problem}") from None

    @cached_property
    def key_id(self) -> KeyId:
        """The key of the item in hashable form."""
        return key_id(self.key)

    @property
    def label(self) -> str:
        """The name of the item for messages."""
        return item_label(self.entity, self.values)


@dataclass(frozen=True)
class MappedRow:
    """The entities of a row, or the reason why the new table does not contain the row."""

    entities: tuple[MappedEntity, ...]
    left_out: str | None = None
    read: frozenset[str] | None = None
    """The attributes that the mapping has read; None if it has read all of them."""


class ReadRow(Mapping[str, Any]):
    """A row as Python values, which records the attributes that a function reads."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = values
        self.read = set[str]()
        self.is_read_whole = False

    def __getitem__(self, name: str) -> Any:
        self.read.add(name)
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        self.is_read_whole = True
        return iter(self._values)

    def __len__(self) -> int:
        self.is_read_whole = True
        return len(self._values)

    def __repr__(self) -> str:
        return repr(self._values)


def plain_row(item: Item) -> dict[str, Any]:
    """Return an item as Python values."""
    return {name: plain_value(value) for name, value in item.items()}


class RowMapping:
    """The mapping of one source: from rows to entities, and from entities to rows."""

    def __init__(self, source: Source, design: Design) -> None:
        """Check the annotations of the functions, which must name classes of the new table."""
        self.source = source
        self._entities = {each.cls: each for each in design.entities}
        self._function, self._label = source.entity_of, _name(source.entity_of)
        hints = _hints(source, source.entity_of)
        self.classes = _entity_classes(source, source.entity_of, hints.get("return"), frozenset(self._entities))
        self._row_class = _row_class(hints)
        given = getattr(source, "row_of", ())
        functions = cast("Sequence[RowOf]", (given,) if callable(given) else given)
        self._rows = dict(self._row_function(each) for each in functions)

    @property
    def name(self) -> str:
        """The name of the source."""
        return self.source.name

    @property
    def restored(self) -> frozenset[type]:
        """The classes with a function that returns their row."""
        return frozenset(self._rows)

    def mapped(self, values: Mapping[str, Any]) -> MappedRow:
        """Return the entities of a row. Raise ItemRefused if the function does not return entities."""
        row = ReadRow(values)
        argument, read = self._argument(row)
        try:
            result = self._function(argument)
            found = tuple(result) if isinstance(result, _COLLECTIONS) else (result,)
        except Exception as problem:  # the user's function can raise anything
            raise ItemRefused(f"{self._label} raised {type(problem).__name__}: {_line(problem)}") from problem
        seen = read if read is not None else None if row.is_read_whole else frozenset(row.read)
        if len(found) == 1 and isinstance(found[0], LeftOut):
            return MappedRow((), found[0].reason, seen)
        if not found or None in found:
            raise ItemRefused(f"{self._label} returned nothing; return LeftOut(reason) to leave the row out on purpose")
        for each in found:
            if type(each) not in self.classes:
                names = ", ".join(sorted(cls.__name__ for cls in self.classes))
                raise ItemRefused(f"{self._label} returned {_shown(each)}, but its annotation says {names}")
        return MappedRow(tuple(MappedEntity(self._entities[type(each)], each) for each in found), None, seen)

    def row_part(self, entity: object) -> Item | None:
        """Return the attributes of the row that an entity contains. Return None if no function maps it to a row."""
        function = self._rows.get(type(entity))
        if function is None:
            return None
        try:
            return dict(_attributes(function(entity)))
        except Exception as problem:  # the user's function can raise anything
            raise ItemRefused(f"{_name(function)} raised {type(problem).__name__}: {_line(problem)}") from problem

    def _argument(self, row: ReadRow) -> tuple[Any, frozenset[str] | None]:
        """Return the argument of the function, and the attributes that its type reads, if it is a class."""
        if self._row_class is None:
            return row, None
        values, names = dict(row), _read_attributes(self._row_class)
        row.is_read_whole = names is None
        try:
            if hasattr(self._row_class, "model_validate"):
                return self._row_class.model_validate(values), names
            is_strict = not isinstance(self.source, CsvSource)
            return msgspec.convert(values, self._row_class, strict=is_strict), names
        except ValueError as problem:
            raise ItemRefused(f"the row is not a {self._row_class.__name__}: {_line(problem)}") from problem

    def _row_function(self, function: RowOf) -> tuple[type, RowOf]:
        hints = _hints(self.source, function)
        parameters = list(inspect.signature(function).parameters)
        cls = hints.get(parameters[0]) if parameters else None
        if cls not in self.classes:
            names = ", ".join(sorted(each.__name__ for each in self.classes))
            raise ArgumentRefused(
                f"{self.name}: the parameter of {_name(function)} must be annotated with a class that {self._label} "
                f"returns: {names}"
            )
        return cast("type", cls), function


def _attributes(row: Any) -> Iterator[tuple[str, Any]]:
    """Yield the attributes of a row in DynamoDB JSON. An attribute is missing if the field of a class is None."""
    if isinstance(row, Mapping):
        values = cast("Mapping[str, Any]", row)
    else:
        cls: Any = type(row)
        names = _row_fields(cls)
        if names is None:
            raise TypeError(f"it returned {_shown(row)}, which is neither a mapping nor an object of a row class")
        stored = _attribute_names(cls)
        found = {stored.get(name, name): getattr(row, name) for name in sorted(names)}
        values = {name: value for name, value in found.items() if value is not None}
    for name, value in values.items():
        if value or not isinstance(value, set | frozenset):  # DynamoDB has no empty sets
            yield name, attribute_value(value)


@cache
def _attribute_names(cls: Any) -> dict[str, str]:
    """Return the attribute of each field of a row class that has another name than the field."""
    if hasattr(cls, "model_validate"):
        given = {name: each.serialization_alias or each.alias for name, each in cls.model_fields.items()}
        return {name: each for name, each in given.items() if each}
    if hasattr(cls, "__struct_config__"):
        return {each.name: each.encode_name for each in msgspec.structs.fields(cls) if each.encode_name != each.name}
    return {}


@cache
def _read_attributes(cls: Any) -> frozenset[str] | None:
    """Return the attributes that a row class reads, or None if it can read any attribute."""
    names = _row_fields(cls) or frozenset()
    if hasattr(cls, "model_validate"):
        return None if any(each.validation_alias for each in cls.model_fields.values()) else names
    return frozenset(_attribute_names(cls).get(name, name) for name in names)


def _hints(source: Source, function: Callable[..., object]) -> dict[str, Any]:
    try:
        return typing.get_type_hints(function)
    except (NameError, TypeError) as problem:
        raise ArgumentRefused(
            f"{source.name}: cannot read the annotations of {_name(function)}: {problem}\n  Import the classes at the "
            "top of the file, not only for type checkers."
        ) from None


def _entity_classes(source: Source, function: object, annotation: Any, known: frozenset[type]) -> frozenset[type]:
    found = set(_classes(annotation)) - {LeftOut, type(None)}
    if not found or not found <= known:
        names = ", ".join(sorted(cls.__name__ for cls in known))
        wrong = ", ".join(sorted(getattr(each, "__name__", str(each)) for each in found - known)) or "nothing"
        raise ArgumentRefused(
            f"{source.name}: {_name(function)} must be annotated with the classes that it returns, got {wrong}.\n  The "
            f"table has {names}; write, for example, `-> {sorted(cls.__name__ for cls in known)[0]} | LeftOut`."
        )
    return frozenset(found)


def _classes(annotation: Any) -> Iterator[Any]:
    """Yield the classes of an annotation: the members of unions and of collections."""
    origin = get_origin(annotation)
    if origin in (typing.Union, types.UnionType) or (
        isinstance(origin, type) and issubclass(origin, Iterable) and not issubclass(origin, str)
    ):
        for each in get_args(annotation):
            if each is not Ellipsis:
                yield from _classes(each)
    elif annotation is not None:
        yield annotation


def _row_class(hints: Mapping[str, Any]) -> Any:
    """Return the class of the rows, or None if the function takes any mapping."""
    annotation = next((each for name, each in hints.items() if name != "return"), None)
    return None if annotation is None or _row_fields(annotation) is None else annotation


@cache
def _row_fields(cls: Any) -> frozenset[str] | None:
    """Return the fields of a row class, or None if the annotation is not one."""
    if typing.is_typeddict(cls):
        return frozenset(typing.get_type_hints(cls))
    try:
        return frozenset(fields_of(cls)) if isinstance(cls, type) else None
    except NotAnEntityClass:
        return None


def _name(function: object) -> str:
    return str(getattr(function, "__name__", function))


def _line(problem: Exception) -> str:
    return " ".join(str(problem).split())


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
