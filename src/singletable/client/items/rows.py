"""Rows: an item with the attributes that a read needs, which msgspec reads straight out of an answer's bytes.

What no field needs, such as the keys of other indexes, is skipped without being made into anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import msgspec

from singletable.model.entity import Entity


class Row(msgspec.Struct, gc=False, omit_defaults=True):
    """An item whose attributes are members; it gives them as the map does that it stands for."""

    members: ClassVar[Mapping[str, str]] = {}
    """The member of each attribute."""
    entity: ClassVar[Entity | None] = None
    """What the item was found to be, by its type."""

    def get(self, attribute: str) -> Any:
        """The value of an attribute in DynamoDB's JSON; None when there is none, or it is not read."""
        value = getattr(self, self.members.get(attribute, ""), None)
        return None if value is None else msgspec.to_builtins(value)

    def __getitem__(self, attribute: str) -> Any:
        value = self.get(attribute)
        if value is None:
            raise KeyError(attribute)
        return value

    def item(self) -> dict[str, Any]:
        """The map of DynamoDB's JSON, as far as it was read."""
        item: dict[str, Any] = msgspec.to_builtins(self)
        return item


@dataclass(frozen=True)
class Column:
    """One attribute of a row: its name in the table and in the row, and its type for msgspec."""

    attribute: str
    member: str
    type: Any
    optional: bool = False
    """Whether an item may be without it."""


def row_type(label: str, columns: Iterable[Column], entity: Entity | None = None) -> type[Row] | None:
    """The rows with these columns; msgspec reads items fastest that have their attributes in this order.

    None where an attribute has a name that JSON would escape, by which msgspec has no members.
    """
    members: dict[str, str] = {}
    fields: list[tuple[str, Any] | tuple[str, Any, Any]] = []
    for column in columns:
        members[column.attribute] = column.member
        kept = (column.member, column.type)
        fields.append((column.member, column.type | None, None) if column.optional else kept)
    if any(character in '"\\' or character < " " for character in "".join(members)):
        return None
    made: Any = msgspec.defstruct(
        label,
        fields,
        bases=(Row,),
        namespace={"members": members, "entity": entity},
        rename={member: attribute for attribute, member in members.items()},
        kw_only=True,
        gc=False,
        omit_defaults=True,
    )
    rows: type[Row] = made
    return rows
