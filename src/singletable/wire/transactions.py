"""TransactWriteItems and TransactGetItems on the wire."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from singletable.wire.shape import (
    Item,
    Names,
    Result,
    ReturnConsumedCapacity,
    ReturnItemCollectionMetrics,
    ReturnValuesOnFailure,
    Shape,
    TableName,
)


class TransactionAction(Shape, kw_only=True, frozen=True):
    """What the four actions of a transaction have in common."""

    table_name: TableName
    expression_attribute_values: Item | None = None
    expression_attribute_names: Names | None = None
    return_values_on_condition_check_failure: ReturnValuesOnFailure | None = None


class Put(TransactionAction, kw_only=True, frozen=True):
    """A whole item, in place of whatever has its key."""

    item: Item
    condition_expression: str | None = None


class Update(TransactionAction, kw_only=True, frozen=True):
    """Changes to one item."""

    key: Item
    update_expression: str
    condition_expression: str | None = None


class Delete(TransactionAction, kw_only=True, frozen=True):
    """The end of one item."""

    key: Item
    condition_expression: str | None = None


class ConditionCheck(TransactionAction, kw_only=True, frozen=True):
    """A condition on an item that the transaction does not write."""

    key: Item
    condition_expression: str


class TransactWriteItem(Shape, kw_only=True, frozen=True):
    """One action of a transaction, of one of four kinds."""

    condition_check: ConditionCheck | None = None
    put: Put | None = None
    delete: Delete | None = None
    update: Update | None = None


class TransactWriteItems(Shape, kw_only=True, frozen=True):
    """Up to a hundred actions, all or none."""

    return_consumed_capacity: ReturnConsumedCapacity | None = None
    return_item_collection_metrics: ReturnItemCollectionMetrics | None = None
    client_request_token: Annotated[str, Meta(min_length=1, max_length=36)] | None = None
    transact_items: Annotated[list[TransactWriteItem], Meta(min_length=1, max_length=100)]


class TransactWriteItemsResult(Result, kw_only=True, frozen=True):
    """What a transaction consumed."""

    item_collection_metrics: dict[str, list[dict[str, Any]]] | msgspec.UnsetType = msgspec.UNSET
    consumed_capacity: list[dict[str, Any]] | msgspec.UnsetType = msgspec.UNSET


class Get(Shape, kw_only=True, frozen=True):
    """One item to be read in a transaction."""

    table_name: TableName
    key: Item
    projection_expression: str | None = None
    expression_attribute_names: Names | None = None


class TransactGetItem(Shape, kw_only=True, frozen=True):
    """One read of a transaction."""

    get: Get


class TransactGetItems(Shape, kw_only=True, frozen=True):
    """Up to a hundred items as they are at one moment."""

    return_consumed_capacity: ReturnConsumedCapacity | None = None
    transact_items: Annotated[list[TransactGetItem], Meta(min_length=1, max_length=100)]


class ItemResponse(Result, kw_only=True, frozen=True):
    """One item of a transaction, or nothing."""

    item: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


class TransactGetItemsResult(Result, kw_only=True, frozen=True):
    """The items, in the order in which they were asked for."""

    responses: list[ItemResponse]
    consumed_capacity: list[dict[str, Any]] | msgspec.UnsetType = msgspec.UNSET
