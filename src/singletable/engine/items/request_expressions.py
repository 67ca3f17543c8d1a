"""Parses the expressions in a request (condition, update, filter, projection), and checks them against the keys."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import msgspec
from msgspec import Raw

from singletable.engine.tables.stored_table import Item, StoredTable, decode_item
from singletable.errors import invalid
from singletable.expressions.bound_expressions import (
    BoundCondition,
    BoundUpdate,
    Expressions,
    reject_placeholders_without_expressions,
)
from singletable.expressions.key_condition import KeyCondition
from singletable.expressions.projection import PathProjection
from singletable.expressions.tree import Arithmetic, Change, Constant, Function, Parameter
from singletable.wire.item_requests import (
    ConditionCheck,
    Delete,
    Get,
    GetItem,
    ItemWrite,
    KeysAndAttributes,
    Put,
    Update,
    UpdateItem,
)
from singletable.wire.query_and_scan import Query, Scan

ItemPredicate = Callable[[Item], bool]

_encode = msgspec.json.Encoder().encode


class ItemProjection:
    """The projection of a request: the whole item, or the paths of a projection expression."""

    __slots__ = ("_projection", "attributes", "is_whole", "nested_attributes")

    def __init__(self, projection: PathProjection | None) -> None:
        self._projection = projection
        self.is_whole = projection is None
        self.attributes: frozenset[str] = frozenset() if projection is None else projection.attributes
        self.nested_attributes: frozenset[str] = frozenset() if projection is None else projection.nested_attributes

    def of(self, item: Item) -> Item:
        """Return the projected part of an item."""
        return item if self._projection is None else self._projection.apply(item)

    def bytes_of(self, body: bytes) -> Raw:
        """Return the projected part of a stored item as JSON. If there is no projection, the item is not decoded."""
        if self._projection is None:
            return Raw(body)
        return Raw(_encode(self._projection.apply(decode_item(body))))


WHOLE = ItemProjection(None)


class PageExpressions(NamedTuple):
    """The expressions of a Query or Scan."""

    filter: BoundCondition | None
    projection: ItemProjection
    key_condition: KeyCondition | None
    filter_word: str = "Filter Expression"

    @property
    def predicate(self) -> ItemPredicate | None:
        """Return the filter as a function that takes one item, or None if there is no filter."""
        return None if self.filter is None else self.filter.holds


def read_projection(request: GetItem | KeysAndAttributes | Get) -> ItemProjection:
    """Return the projection of a request that reads items by key."""
    text, names = request.projection_expression, request.expression_attribute_names
    if text is None and names is None:
        return WHOLE
    reject_placeholders_without_expressions(names, None, {"ProjectionExpression": text})
    expressions = Expressions(names, None)
    projection = None if text is None else expressions.projection(text)
    expressions.finish()
    return ItemProjection(projection)


def write_condition(request: ItemWrite | Put | Delete | ConditionCheck) -> ItemPredicate | None:
    """Return the condition of a put, a delete or a condition check."""
    text = request.condition_expression
    names, values = request.expression_attribute_names, request.expression_attribute_values
    if text is None and names is None and values is None:
        return None
    if text is None:
        reject_placeholders_without_expressions(names, values, {"ConditionExpression": None})
    expressions = Expressions(names, values)
    condition = None if text is None else expressions.condition("ConditionExpression", text)
    expressions.finish()
    return None if condition is None else condition.holds


def update_expressions(request: UpdateItem | Update) -> tuple[BoundUpdate | None, ItemPredicate | None]:
    """Return the update and the condition of an UpdateItem or Update."""
    update_text, condition_text = request.update_expression, request.condition_expression
    names, values = request.expression_attribute_names, request.expression_attribute_values
    if update_text is None:
        reject_placeholders_without_expressions(
            names, values, {"UpdateExpression": None, "ConditionExpression": condition_text}
        )
    expressions = Expressions(names, values)
    update = None if update_text is None else expressions.update(update_text)
    condition = None if condition_text is None else expressions.condition("ConditionExpression", condition_text)
    expressions.finish()
    return update, None if condition is None else condition.holds


def page_expressions(request: Query | Scan) -> PageExpressions:
    """Return the expressions of a Query or Scan."""
    key_text = request.key_condition_expression if isinstance(request, Query) else None
    names, values = request.expression_attribute_names, request.expression_attribute_values
    if key_text is None and request.filter_expression is None:
        given = {"ProjectionExpression": request.projection_expression, "FilterExpression": None}
        if isinstance(request, Query):
            given["KeyConditionExpression"] = None
        reject_placeholders_without_expressions(names, values, given)
    expressions = Expressions(names, values)
    key_condition = None if key_text is None else expressions.key_condition(key_text)
    filter_ = None
    if request.filter_expression is not None:
        filter_ = expressions.condition("FilterExpression", request.filter_expression)
    projection = WHOLE
    if request.projection_expression is not None:
        projection = ItemProjection(expressions.projection(request.projection_expression))
    expressions.finish()
    return PageExpressions(filter_, projection, key_condition)


def attributes_of(condition: ItemPredicate | None) -> frozenset[str]:
    """Return the top-level attributes that a condition reads."""
    owner = getattr(condition, "__self__", None)
    return owner.attributes if isinstance(owner, BoundCondition) else frozenset()


def nested_attributes_of(condition: ItemPredicate | None) -> frozenset[str]:
    """Return the top-level attributes of all nested paths in a condition. Legacy conditions have no nested paths."""
    owner = getattr(condition, "__self__", None)
    return owner.nested_attributes if isinstance(owner, BoundCondition) else frozenset()


def reject_nested_keys(nested: frozenset[str], table: StoredTable) -> None:
    """Reject nested paths into key attributes of the table or of its indexes, because keys are scalars."""
    if not nested:
        return
    # DynamoDB checks the table first, then global indexes, then local indexes (captured from AWS).
    by_index = sorted(table.definition.indexes, key=lambda index: index.is_local)
    keys = [("Key", table.definition.key_attributes), *(("IndexKey", index.key_attributes) for index in by_index)]
    for word, attributes in keys:
        for attribute in attributes:
            if attribute.name in nested:
                raise invalid(
                    "Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: "
                    f"{word}: {attribute.name}"
                )


def check_index_keys(table: StoredTable, update: BoundUpdate) -> None:
    """Reject an update that sets an index key to a value of the wrong type, or that has a nested path into a key.

    The type of a value that is copied from another attribute is not known yet. The write later rejects a wrong type
    with a different message (captured from AWS).
    """
    if not table.index_keys and not update.update.accessed_inside:
        return
    wrong = []
    for change in update.update.changes:
        if len(change.path.steps) > 1 or change.path.attribute not in table.index_keys:
            continue
        attribute, index = table.index_keys[change.path.attribute]
        actual = _kind(change, update)
        if actual is not None and actual != attribute.kind:
            wrong.append((index, attribute, actual))
    if wrong:
        index, attribute, actual = min(wrong, key=lambda each: each[0])
        raise invalid(
            f"One or more parameter values were invalid: Type mismatch for Index Key {attribute.name} "
            f"Expected: {attribute.kind} Actual: {actual} IndexName: {index}"
        )
    reject_nested_keys(update.update.accessed_inside, table)


def _kind(change: Change, update: BoundUpdate) -> str | None:
    """Return the type of the value that a change writes, or None if it depends on the item."""
    if change.action not in ("SET", "ADD"):
        return None
    match change.value:
        case Parameter(name):
            return _type_of(update.values[name])
        case Constant(value):
            return _type_of(value)
        case Arithmetic():
            return "N"
        case Function("list_append"):
            return "L"
        case _:
            return None


def _type_of(value: dict[str, Any]) -> str:
    return next(iter(value))
