"""GetItem, PutItem, UpdateItem and DeleteItem on the wire."""

from __future__ import annotations

from typing import Any

import msgspec

from singletable.wire.shape import (
    AttributeNames,
    AttributeValueUpdate,
    ConditionalOperator,
    ExpectedAttributeValue,
    Item,
    Names,
    Result,
    ReturnConsumedCapacity,
    ReturnItemCollectionMetrics,
    ReturnValues,
    ReturnValuesOnFailure,
    Shape,
    TableName,
)


class GetItem(Shape, kw_only=True, frozen=True):
    """One item by its key."""

    return_consumed_capacity: ReturnConsumedCapacity | None = None
    attributes_to_get: AttributeNames | None = None
    table_name: TableName
    key: Item
    consistent_read: bool | None = None
    projection_expression: str | None = None
    expression_attribute_names: Names | None = None


class GetItemResult(Result, kw_only=True, frozen=True):
    """The item, if it is there."""

    item: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    consumed_capacity: dict[str, Any] | msgspec.UnsetType = msgspec.UNSET


class ItemWrite(Shape, kw_only=True, frozen=True):
    """What the three writes of one item have in common."""

    return_consumed_capacity: ReturnConsumedCapacity | None = None
    table_name: TableName
    conditional_operator: ConditionalOperator | None = None
    expected: dict[str, ExpectedAttributeValue] | None = None
    return_values: ReturnValues | None = None
    return_item_collection_metrics: ReturnItemCollectionMetrics | None = None
    condition_expression: str | None = None
    expression_attribute_values: Item | None = None
    expression_attribute_names: Names | None = None
    return_values_on_condition_check_failure: ReturnValuesOnFailure | None = None


class PutItem(ItemWrite, kw_only=True, frozen=True):
    """A whole item, in place of whatever has its key."""

    item: Item


class DeleteItem(ItemWrite, kw_only=True, frozen=True):
    """The end of one item."""

    key: Item


class UpdateItem(ItemWrite, kw_only=True, frozen=True):
    """Changes to one item, which is made when it is not there."""

    key: Item
    attribute_updates: dict[str, AttributeValueUpdate] | None = None
    update_expression: str | None = None


class ItemWriteResult(Result, kw_only=True, frozen=True):
    """What the writer asked to be told of the item."""

    attributes: msgspec.Raw | Item | msgspec.UnsetType = msgspec.UNSET
    consumed_capacity: dict[str, Any] | msgspec.UnsetType = msgspec.UNSET
    item_collection_metrics: dict[str, Any] | msgspec.UnsetType = msgspec.UNSET
