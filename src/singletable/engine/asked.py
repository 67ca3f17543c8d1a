"""What a request asks for in expressions, read and checked: its condition, changes, filter and projection."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import msgspec
from msgspec import Raw

from singletable.engine.table import Item, OpenTable, decode_item
from singletable.errors import invalid
from singletable.expressions.key_condition import KeyCondition
from singletable.expressions.project import Projection
from singletable.expressions.request import (
    BoundCondition,
    BoundUpdate,
    Expressions,
    refuse_without_expressions,
)
from singletable.wire.batches import KeysAndAttributes
from singletable.wire.items import GetItem, ItemWrite, UpdateItem
from singletable.wire.pages import Query, Scan
from singletable.wire.transactions import ConditionCheck, Delete, Get, Put, Update

Check = Callable[[Item], bool]

_encode = msgspec.json.Encoder().encode


class Projected:
    """What is returned of an item: all of it, or the places that a projection names."""

    __slots__ = ("_projection", "attributes", "is_whole", "nested_attributes")

    def __init__(self, projection: Projection | None) -> None:
        self._projection = projection
        self.is_whole = projection is None
        self.attributes: frozenset[str] = frozenset() if projection is None else projection.attributes
        self.nested_attributes: frozenset[str] = frozenset() if projection is None else projection.nested_attributes

    def of(self, item: Item) -> Item:
        """The asked-for places of an item."""
        return item if self._projection is None else self._projection.apply(item)

    def bytes_of(self, body: bytes) -> Raw:
        """The same of an item as it is stored, which is copied when all of it is asked for."""
        if self._projection is None:
            return Raw(body)
        return Raw(_encode(self._projection.apply(decode_item(body))))


WHOLE = Projected(None)


class AskedOfPage(NamedTuple):
    """What a Query or Scan asks for."""

    filter: BoundCondition | None
    projection: Projected
    key_condition: KeyCondition | None
    filter_word: str = "Filter Expression"

    @property
    def keep(self) -> Check | None:
        """The filter as a test of one item."""
        return None if self.filter is None else self.filter.holds


def projected_by(request: GetItem | KeysAndAttributes | Get) -> Projected:
    """The projection of a read by key."""
    text, names = request.projection_expression, request.expression_attribute_names
    if text is None and names is None:
        return WHOLE
    refuse_without_expressions(names, None, {"ProjectionExpression": text})
    expressions = Expressions(names, None)
    projection = None if text is None else expressions.projection(text)
    expressions.finish()
    return Projected(projection)


def condition_of(request: ItemWrite | Put | Delete | ConditionCheck) -> Check | None:
    """The condition of a put, a delete or a check."""
    text = request.condition_expression
    names, values = request.expression_attribute_names, request.expression_attribute_values
    if text is None and names is None and values is None:
        return None
    if text is None:
        refuse_without_expressions(names, values, {"ConditionExpression": None})
    expressions = Expressions(names, values)
    condition = None if text is None else expressions.condition("ConditionExpression", text)
    expressions.finish()
    return None if condition is None else condition.holds


def update_of(request: UpdateItem | Update) -> tuple[BoundUpdate | None, Check | None]:
    """The changes of an update, and its condition."""
    update_text, condition_text = request.update_expression, request.condition_expression
    names, values = request.expression_attribute_names, request.expression_attribute_values
    if update_text is None:
        refuse_without_expressions(names, values, {"UpdateExpression": None, "ConditionExpression": condition_text})
    expressions = Expressions(names, values)
    update = None if update_text is None else expressions.update(update_text)
    condition = None if condition_text is None else expressions.condition("ConditionExpression", condition_text)
    expressions.finish()
    return update, None if condition is None else condition.holds


def page_of(request: Query | Scan) -> AskedOfPage:
    """The expressions of a Query or Scan."""
    key_text = request.key_condition_expression if isinstance(request, Query) else None
    names, values = request.expression_attribute_names, request.expression_attribute_values
    if key_text is None and request.filter_expression is None:
        given = {"ProjectionExpression": request.projection_expression, "FilterExpression": None}
        if isinstance(request, Query):
            given["KeyConditionExpression"] = None
        refuse_without_expressions(names, values, given)
    expressions = Expressions(names, values)
    key_condition = None if key_text is None else expressions.key_condition(key_text)
    keep = None
    if request.filter_expression is not None:
        keep = expressions.condition("FilterExpression", request.filter_expression)
    projection = WHOLE
    if request.projection_expression is not None:
        projection = Projected(expressions.projection(request.projection_expression))
    expressions.finish()
    return AskedOfPage(keep, projection, key_condition)


def looked_into_by(condition: Check | None) -> frozenset[str]:
    """The attributes that the condition of a write looks into; one that no expression was read for looks into none."""
    owner = getattr(condition, "__self__", None)
    return owner.nested_attributes if isinstance(owner, BoundCondition) else frozenset()


def refuse_parts_of_keys(nested: frozenset[str], table: OpenTable) -> None:
    """Keys are scalars: no expression may look into one, be it a key of the table or of any of its indexes."""
    if not nested:
        return
    # The table is named first, then global indexes, then local ones (captured).
    by_index = sorted(table.definition.indexes, key=lambda index: index.is_local)
    keys = [("Key", table.definition.key_attributes), *(("IndexKey", index.key_attributes) for index in by_index)]
    for word, attributes in keys:
        for attribute in attributes:
            if attribute.name in nested:
                raise invalid(
                    "Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: "
                    f"{word}: {attribute.name}"
                )
