"""Requests and results of item actions: single items, batches and transactions."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from singletable.wire.api_types import (
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
    """Read one item by its key."""

    return_consumed_capacity: ReturnConsumedCapacity | None = None
    attributes_to_get: AttributeNames | None = None
    table_name: TableName
    key: Item
    consistent_read: bool | None = None
    projection_expression: str | None = None
    expression_attribute_names: Names | None = None


class GetItemResult(Result, kw_only=True, frozen=True):
    """The item, if it exists."""

    item: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    consumed_capacity: dict[str, Any] | msgspec.UnsetType = msgspec.UNSET


class ItemWrite(Shape, kw_only=True, frozen=True):
    """The parameters that PutItem, UpdateItem and DeleteItem share."""

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
    """Put an item, replacing the item with the same key."""

    item: Item


class DeleteItem(ItemWrite, kw_only=True, frozen=True):
    """Delete one item."""

    key: Item


class UpdateItem(ItemWrite, kw_only=True, frozen=True):
    """Update one item, or create it."""

    key: Item
    attribute_updates: dict[str, AttributeValueUpdate] | None = None
    update_expression: str | None = None


class ItemWriteResult(Result, kw_only=True, frozen=True):
    """The attributes, the consumed capacity and the metrics. A request has one option for each of them."""

    attributes: msgspec.Raw | Item | msgspec.UnsetType = msgspec.UNSET
    consumed_capacity: dict[str, Any] | msgspec.UnsetType = msgspec.UNSET
    item_collection_metrics: dict[str, Any] | msgspec.UnsetType = msgspec.UNSET


class KeysAndAttributes(Shape, kw_only=True, frozen=True):
    """The keys to read from one table, and the attributes to return."""

    # There is no upper bound here, because DynamoDB has a separate message for too many keys.
    keys: Annotated[list[Item], Meta(min_length=1)]
    attributes_to_get: AttributeNames | None = None
    consistent_read: bool | None = None
    projection_expression: str | None = None
    expression_attribute_names: Names | None = None


class BatchGetItem(Shape, kw_only=True, frozen=True):
    """Read up to 100 items from several tables."""

    return_consumed_capacity: ReturnConsumedCapacity | None = None
    request_items: dict[TableName, KeysAndAttributes]


class BatchGetItemResult(Result, kw_only=True, frozen=True):
    """The items that exist, and the keys that the client must request again."""

    responses: dict[str, list[msgspec.Raw]]
    unprocessed_keys: dict[str, Any]
    consumed_capacity: list[dict[str, Any]] | msgspec.UnsetType = msgspec.UNSET


class PutRequest(Shape, kw_only=True, frozen=True):
    """An item to put."""

    item: Item


class DeleteRequest(Shape, kw_only=True, frozen=True):
    """The key of an item to delete."""

    key: Item


class WriteRequest(Shape, kw_only=True, frozen=True):
    """One write of a batch. The request sets exactly one of the fields."""

    put_request: PutRequest | None = None
    delete_request: DeleteRequest | None = None


class BatchWriteItem(Shape, kw_only=True, frozen=True):
    """Put and delete up to 25 items in several tables."""

    return_consumed_capacity: ReturnConsumedCapacity | None = None
    return_item_collection_metrics: ReturnItemCollectionMetrics | None = None
    request_items: dict[TableName, Annotated[list[WriteRequest], Meta(min_length=1, max_length=25)]]


class BatchWriteItemResult(Result, kw_only=True, frozen=True):
    """The writes that the client must send again. Only an engine that enforces throughput returns any."""

    unprocessed_items: dict[str, Any]
    item_collection_metrics: dict[str, list[dict[str, Any]]] | msgspec.UnsetType = msgspec.UNSET
    consumed_capacity: list[dict[str, Any]] | msgspec.UnsetType = msgspec.UNSET


class TransactionAction(Shape, kw_only=True, frozen=True):
    """The parameters that the four actions of a transaction share."""

    table_name: TableName
    expression_attribute_values: Item | None = None
    expression_attribute_names: Names | None = None
    return_values_on_condition_check_failure: ReturnValuesOnFailure | None = None


class Put(TransactionAction, kw_only=True, frozen=True):
    """Put an item, replacing the item with the same key."""

    item: Item
    condition_expression: str | None = None


class Update(TransactionAction, kw_only=True, frozen=True):
    """Update one item, or create it."""

    key: Item
    update_expression: str
    condition_expression: str | None = None


class Delete(TransactionAction, kw_only=True, frozen=True):
    """Delete one item."""

    key: Item
    condition_expression: str | None = None


class ConditionCheck(TransactionAction, kw_only=True, frozen=True):
    """Check a condition on an item that the transaction does not write."""

    key: Item
    condition_expression: str


class TransactWriteItem(Shape, kw_only=True, frozen=True):
    """One action of a transaction. The request sets exactly one of the fields."""

    condition_check: ConditionCheck | None = None
    put: Put | None = None
    delete: Delete | None = None
    update: Update | None = None


class TransactWriteItems(Shape, kw_only=True, frozen=True):
    """Perform up to 100 actions atomically."""

    return_consumed_capacity: ReturnConsumedCapacity | None = None
    return_item_collection_metrics: ReturnItemCollectionMetrics | None = None
    client_request_token: Annotated[str, Meta(min_length=1, max_length=36)] | None = None
    transact_items: Annotated[list[TransactWriteItem], Meta(min_length=1, max_length=100)]


class TransactWriteItemsResult(Result, kw_only=True, frozen=True):
    """The consumed capacity and the metrics of a transaction."""

    item_collection_metrics: dict[str, list[dict[str, Any]]] | msgspec.UnsetType = msgspec.UNSET
    consumed_capacity: list[dict[str, Any]] | msgspec.UnsetType = msgspec.UNSET


class Get(Shape, kw_only=True, frozen=True):
    """Read one item in a transaction."""

    table_name: TableName
    key: Item
    projection_expression: str | None = None
    expression_attribute_names: Names | None = None


class TransactGetItem(Shape, kw_only=True, frozen=True):
    """One read of a transaction."""

    get: Get


class TransactGetItems(Shape, kw_only=True, frozen=True):
    """Read up to 100 items at one point in time."""

    return_consumed_capacity: ReturnConsumedCapacity | None = None
    transact_items: Annotated[list[TransactGetItem], Meta(min_length=1, max_length=100)]


class ItemResponse(Result, kw_only=True, frozen=True):
    """One item of a transaction, if it exists."""

    item: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


class TransactGetItemsResult(Result, kw_only=True, frozen=True):
    """The items, in the order of the request."""

    responses: list[ItemResponse]
    consumed_capacity: list[dict[str, Any]] | msgspec.UnsetType = msgspec.UNSET
