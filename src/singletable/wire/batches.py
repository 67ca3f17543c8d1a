"""BatchGetItem and BatchWriteItem on the wire."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from singletable.wire.shape import (
    AttributeNames,
    Item,
    Names,
    Result,
    ReturnConsumedCapacity,
    ReturnItemCollectionMetrics,
    Shape,
    TableName,
)


class KeysAndAttributes(Shape, kw_only=True, frozen=True):
    """The keys to read from one table, and what of the items."""

    # Without an upper bound here: the service has words of its own for too many keys.
    keys: Annotated[list[Item], Meta(min_length=1)]
    attributes_to_get: AttributeNames | None = None
    consistent_read: bool | None = None
    projection_expression: str | None = None
    expression_attribute_names: Names | None = None


class BatchGetItem(Shape, kw_only=True, frozen=True):
    """Up to a hundred items of several tables."""

    return_consumed_capacity: ReturnConsumedCapacity | None = None
    request_items: dict[TableName, KeysAndAttributes]


class BatchGetItemResult(Result, kw_only=True, frozen=True):
    """The items that were there, and the keys to ask for again."""

    responses: dict[str, list[msgspec.Raw]]
    unprocessed_keys: dict[str, Any]
    consumed_capacity: list[dict[str, Any]] | msgspec.UnsetType = msgspec.UNSET


class PutRequest(Shape, kw_only=True, frozen=True):
    """An item to be put."""

    item: Item


class DeleteRequest(Shape, kw_only=True, frozen=True):
    """The key of an item to be deleted."""

    key: Item


class WriteRequest(Shape, kw_only=True, frozen=True):
    """One of the writes of a batch."""

    put_request: PutRequest | None = None
    delete_request: DeleteRequest | None = None


class BatchWriteItem(Shape, kw_only=True, frozen=True):
    """Up to 25 puts and deletes in several tables."""

    return_consumed_capacity: ReturnConsumedCapacity | None = None
    return_item_collection_metrics: ReturnItemCollectionMetrics | None = None
    request_items: dict[TableName, Annotated[list[WriteRequest], Meta(min_length=1, max_length=25)]]


class BatchWriteItemResult(Result, kw_only=True, frozen=True):
    """The writes to ask for again, of which there are none unless capacity is enforced."""

    unprocessed_items: dict[str, Any]
    item_collection_metrics: dict[str, list[dict[str, Any]]] | msgspec.UnsetType = msgspec.UNSET
    consumed_capacity: list[dict[str, Any]] | msgspec.UnsetType = msgspec.UNSET
