"""Key ranges: the Query requests that return every row of an entity whose columns equal constants."""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from itertools import product
from typing import Any, Literal, get_args, get_origin
from uuid import UUID

from singletable.analytics.sql_conditions import Constants
from singletable.client.items.value_reader import reader_of
from singletable.errors import KeyRefused
from singletable.model.entity import Entity
from singletable.model.key_template import LiteralText
from singletable.model.keys import KeyPart, KeyValue, Placement, TemplatePart
from singletable.planner.stored_items import key_attribute_value

RANGES_MAX = 100
"""More Query requests than this are replaced by a Scan."""


@dataclass(frozen=True)
class RowRange:
    """One Query: the keys that it reads, in the table or in an index."""

    placement: Placement
    partition: Mapping[str, KeyValue]
    sort: Mapping[str, KeyValue]
    """The whole sort key. Empty if it is not known, or if there is none."""
    prefix: str = ""
    """The start of the sort key, if the whole sort key is not known."""

    @property
    def text(self) -> str:
        """The range in words."""
        shown = ", ".join(f"{name} = {value!r}" for name, value in (*self.partition.items(), *self.sort.items()))
        if self.prefix:
            shown += f", {self.placement.sort[0].attribute} begins with {self.prefix!r}"
        return f"{self.placement.index.label}: {shown}"

    def request(self, table: str) -> dict[str, Any]:
        """Return the Query request."""
        names: dict[str, str] = {}
        values: dict[str, Any] = {}
        terms: list[str] = []
        for name, value in (*self.partition.items(), *self.sort.items()):
            number = len(names)
            names[f"#k{number}"], values[f":k{number}"] = name, key_attribute_value(value)
            terms.append(f"#k{number} = :k{number}")
        if self.prefix:
            names["#prefix"], values[":prefix"] = self.placement.sort[0].attribute, {"S": self.prefix}
            terms.append("begins_with(#prefix, :prefix)")
        request = {
            "TableName": table,
            "KeyConditionExpression": " AND ".join(terms),
            "ExpressionAttributeNames": names,
            "ExpressionAttributeValues": values,
            "ReturnConsumedCapacity": "TOTAL",
        }
        return request if self.placement.index.is_table else request | {"IndexName": self.placement.index.name}


def key_ranges(entity: Entity, equal: Mapping[str, Constants]) -> list[RowRange] | None:
    """Return the ranges that contain every item of an entity with these values, or None if no key consists of them."""
    found = [
        ranges
        for each in _usable(entity, equal)
        if (ranges := _ranges(entity, each, equal)) and len(ranges) <= RANGES_MAX
    ]
    return min(found, key=_rank, default=None)


def _rank(ranges: list[RowRange]) -> tuple[bool, int, bool]:
    """Return a sort key by which ranges with a whole key come first, then fewer ranges, then ranges of the table."""
    return (not ranges[0].sort, len(ranges), not ranges[0].placement.index.is_table)


def _usable(entity: Entity, equal: Mapping[str, Constants]) -> Iterator[Placement]:
    """Yield the placements that contain every item with these values, with all attributes."""
    for placement in entity.placements.values():
        needed = frozenset[str]().union(*(part.fields for part in placement.partition))
        if not needed or not needed <= equal.keys():
            continue
        index = placement.index
        if not index.is_table:
            # An index lacks the items in which a field of its keys is None.
            is_partial = any(entity.fields[name].may_be_none for name in placement.fields - equal.keys())
            if index.projection.kind != "ALL" or is_partial or (placement.sparse and placement.fields - equal.keys()):
                continue
        yield placement


def _ranges(entity: Entity, placement: Placement, equal: Mapping[str, Constants]) -> list[RowRange] | None:
    fields = sorted(frozenset[str]().union(*(part.fields for part in placement.partition)))
    sort_fields = frozenset[str]().union(*(part.fields for part in placement.sort))
    if placement.sort and sort_fields <= equal.keys():
        fields = sorted({*fields, *sort_fields})
    ranges: list[RowRange] = []
    for values in product(*(sorted(equal[name], key=str) for name in fields)):
        try:
            given = {name: _value(entity, name, value) for name, value in zip(fields, values, strict=True)}
            partition = _encoded(placement.partition, given)
            sort = _encoded(placement.sort, given) if sort_fields <= given.keys() else {}
        except (KeyRefused, ValueError, TypeError, ArithmeticError, KeyError):
            return None
        if partition is None or sort is None:
            return None
        if len(ranges) >= RANGES_MAX:
            return None
        ranges.append(RowRange(placement, partition, sort, "" if sort else _prefix(placement)))
    return ranges


def _encoded(parts: tuple[KeyPart, ...], values: Mapping[str, Any]) -> dict[str, KeyValue] | None:
    keys = {part.attribute: part.encode(values) for part in parts}
    return None if any(value is None for value in keys.values()) else {n: v for n, v in keys.items() if v is not None}


def _prefix(placement: Placement) -> str:
    """Return the literal text at the start of every sort key of a placement."""
    part = placement.sort[0] if placement.sort else None
    first = part.template.parts[0] if isinstance(part, TemplatePart) else None
    return first.text if isinstance(first, LiteralText) else ""


def _value(entity: Entity, name: str, constant: str | int) -> Any:
    """Return a constant as a value of a field. Raise ValueError if equal values can have different keys."""
    declared = entity.fields[name].type
    if get_origin(declared) is Literal and any(
        constant == each and type(constant) is type(each) for each in get_args(declared)
    ):
        return constant
    if entity.declaration.codecs.of_type(declared) is not None or not isinstance(declared, type):
        raise ValueError("the type has another stored form")
    if declared in (str, int) and type(constant) is declared:
        return constant
    if declared is date and isinstance(constant, str) and date.fromisoformat(constant).isoformat() == constant:
        return date.fromisoformat(constant)  # DuckDB casts such a text to a date
    if isinstance(constant, str) and (declared is UUID or issubclass(declared, enum.Enum)):
        return reader_of(declared)({"S": constant})
    raise ValueError("the constant has another type")
