"""Entity rows: converts stored items to Arrow record batches, one schema per entity."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]  # pyarrow has no type information

from singletable.analytics.arrow_types import EMPTY_SET, ArrowColumn, columns_of_entity, without_zone
from singletable.client.items.item_types import ItemTypes
from singletable.client.items.value_reader import Value
from singletable.client.responses import Item
from singletable.errors import AnalyticsRefused, ItemRefused
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.planner.stored_items import field_value

_WRONG = (KeyError, TypeError, ValueError, ArithmeticError, AttributeError)


class EntityRows:
    """Converts items of one entity."""

    def __init__(self, entity: Entity, types: ItemTypes, *, with_zone: bool = True) -> None:
        self.entity = entity
        self.columns = columns_of_entity(entity)
        if not with_zone:
            arrows = [each.arrow._replace(type=without_zone(each.arrow.type)) for each in self.columns]
            self.columns = [each._replace(arrow=arrow) for each, arrow in zip(self.columns, arrows, strict=True)]
        self.schema = pa.schema([pa.field(each.name, each.arrow.type) for each in self.columns])
        self._decoder = types.decoder(entity)
        self._upgrader = types.upgrader(entity)

    def batch(self, items: Sequence[Item]) -> pa.RecordBatch:
        """Return a record batch. Raise AnalyticsRefused if an item cannot be read, or a value does not fit its column.

        If every item has the current schema version and all attributes, whole columns are converted at once.
        """
        try:
            if self._upgrader is not None and any(map(self._upgrader.is_older, items)):
                raise KeyError("older items")
            values = [self._column(column, items) for column in self.columns]
        except (*_WRONG, ItemRefused):
            rows = [self._row(item) for item in items]
            values = [[row[number] for row in rows] for number in range(len(self.columns))]
        arrays = [self._array(*each, items) for each in zip(self.columns, values, strict=True)]
        return pa.RecordBatch.from_arrays(arrays, schema=self.schema)

    def _column(self, column: ArrowColumn, items: Sequence[Item]) -> list[Any]:
        attribute, read = column.attribute, column.arrow.read
        if column.if_missing:
            (missing,) = column.if_missing
            return [missing if (value := item.get(attribute)) is None else read(value) for item in items]
        return [read(item[attribute]) for item in items]

    def _row(self, item: Item) -> list[Any]:
        """Return the values of one item through its object, as a read of the client does."""
        try:
            made = self._decoder.read(item)
        except ItemRefused as problem:
            raise AnalyticsRefused(f"{problem}.\n  Repair the item, or declare an @upgrade.") from problem
        values = []
        for column in self.columns:
            value = getattr(made, column.name)
            stored = stored_field(self.entity, column.name, value)
            try:
                values.append(None if stored is None else column.arrow.read(stored))
            except _WRONG as problem:
                raise AnalyticsRefused(self._refusal(column, value, item)) from problem
        return values

    def _array(self, column: ArrowColumn, values: list[Any], items: Sequence[Item]) -> pa.Array:
        try:
            return pa.array(values, column.arrow.type)
        except (pa.ArrowException, OverflowError, *_WRONG):
            for value, item in zip(values, items, strict=True):
                try:
                    pa.array([value], column.arrow.type)
                except (pa.ArrowException, OverflowError, *_WRONG) as problem:
                    raise AnalyticsRefused(self._refusal(column, value, item)) from problem
            raise

    def _refusal(self, column: ArrowColumn, value: Any, item: Item) -> str:
        keys = {name: item.get(name) for name in self.entity.base.index.key_attributes}
        return (
            f"the item {keys}: {self.entity.label}.{column.name} is {value!r}, which does not fit the column type "
            f"{column.arrow.type}.\n  Correct the item, or declare more digits or another type."
        )


def stored_field(entity: Entity, name: str, value: Any) -> Value | None:
    """Return the stored value of a field, or None for None. An empty set, which items omit, is an empty list."""
    return None if value is None else field_value(entity, name, value) or EMPTY_SET


def require_distinct(names: Iterable[str], written: Callable[[str], str], target: str) -> None:
    """Raise AnalyticsRefused if two entities or fields have the same name in a target, which ignores the case."""
    seen: dict[str, str] = {}
    for name in names:
        known = seen.setdefault(written(name), name)
        if known != name:
            raise AnalyticsRefused(f"{target} cannot distinguish the names {known} and {name}.\n  Rename one of them.")


class TableRows:
    """Converts items of all entities of a table."""

    def __init__(self, design: Design, *, with_zone: bool = True) -> None:
        """Without `with_zone`, columns with times have no zone, as DuckDB needs them."""
        self.types = ItemTypes(design)
        self.entities = {each.name: EntityRows(each, self.types, with_zone=with_zone) for each in design.entities}
        self._type_attribute = design.settings.type_attribute

    def batches(self, items: Iterable[Item], unknown: dict[str, int]) -> Mapping[str, pa.RecordBatch]:
        """Return a record batch per entity. Count items without an entity in `unknown`, and skip internal items."""
        groups: dict[str, list[Item]] = {}
        for item in items:
            entity = self.types.entity_of(item)
            if entity is not None:
                groups.setdefault(entity.name, []).append(item)
            elif not self.types.is_marker(item):
                named = None if self._type_attribute is None else item.get(self._type_attribute)
                what = "no type" if named is None else str(next(iter(named.values())))
                unknown[what] = unknown.get(what, 0) + 1
        return {name: self.entities[name].batch(group) for name, group in groups.items()}
