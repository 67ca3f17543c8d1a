"""Drafted tables with other names for their classes, so that several of them can stand in one file."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from singletable.drafts.draft import DraftPattern, DraftTable
from singletable.drafts.naming import is_free, name_of_class
from singletable.drafts.type_text import TypeNode, read_type

_NAMES = frozenset(
    (
        *("DraftEntity.class_name", "DraftEntity.mirror_of", "DraftLink.class_name", "DraftMember.enumeration"),
        "DraftObject.class_name",
        *("DraftClass.class_name", "DraftEnum.class_name", "DraftTable.class_name"),
        *("DraftPattern.entities", "DraftPattern.view", "DraftPattern.entry_class"),
    )
)
"""Where the name of a class stands."""


def distinct(tables: Iterable[DraftTable]) -> Iterator[DraftTable]:
    """The tables with names of their own: they stand in one file."""
    taken: set[str] = set()
    for table in tables:
        names: dict[str, str] = {}
        for name in (*_classes(table), table.class_name):
            if name not in names:
                names[name] = name if is_free(name, taken) else name_of_class(name, taken)
                taken.add(names[name])
        yield renamed(table, names)


def _classes(table: DraftTable) -> Iterator[str]:
    yield from (each.class_name for each in table.entities)
    yield from (each.class_name for each in table.classes)
    yield from (each.class_name for each in table.enums)
    yield from (each.view for each in table.patterns if each.kind == "collection" and each.view is not None)


def renamed(table: DraftTable, names: Mapping[str, str]) -> DraftTable:
    """The table with other names for its classes; its entities are stored under the names that they had."""
    if all(old == new for old, new in names.items()):
        return table
    kept = tuple(
        dataclasses.replace(each, stored_name=each.stored_name or (each.class_name if table.type_attribute else None))
        for each in table.entities
    )
    made: DraftTable = _Renaming(names).value(dataclasses.replace(table, entities=kept))
    return made


class _Renaming:
    """Goes through everything that a draft holds."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names
        self._words = re.compile(r"\b(" + "|".join(map(re.escape, names)) + r")\b")

    def value(self, value: Any) -> Any:
        """The same, with other names."""
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            members = {each.name: getattr(value, each.name) for each in dataclasses.fields(value)}
            return dataclasses.replace(value, **{name: self._member(value, name, of) for name, of in members.items()})
        if isinstance(value, tuple | list | set | frozenset):
            return type(value)(self.value(each) for each in value)
        return {name: self.value(each) for name, each in value.items()} if isinstance(value, Mapping) else value

    def _member(self, owner: Any, name: str, value: Any) -> Any:
        if f"{type(owner).__name__}.{name}" in _NAMES:
            return self._named(value)
        if name == "type":
            return str(self._node(read_type(value)))
        if name == "members" and isinstance(owner, DraftPattern):
            return tuple((each, self._words.sub(lambda found: self._names[found[1]], kind)) for each, kind in value)
        return self.value(value)

    def _named(self, value: Any) -> Any:
        if isinstance(value, tuple):
            return tuple(map(self._named, value))
        return self._names.get(value, value)

    def _node(self, node: TypeNode) -> TypeNode:
        return TypeNode(self._names.get(node.name, node.name), tuple(map(self._node, node.of)), node.literals)
