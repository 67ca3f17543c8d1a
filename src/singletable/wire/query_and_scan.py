"""Requests and results of Query and Scan."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from singletable.wire.api_types import (
    AttributeNames,
    Condition,
    ConditionalOperator,
    IndexName,
    Item,
    Names,
    Result,
    ReturnConsumedCapacity,
    Select,
    Shape,
    TableName,
)


class PageRequest(Shape, kw_only=True, frozen=True):
    """Parameters of Query and Scan."""

    select: Select | None = None
    index_name: IndexName | None = None
    return_consumed_capacity: ReturnConsumedCapacity | None = None
    table_name: TableName
    conditional_operator: ConditionalOperator | None = None
    attributes_to_get: AttributeNames | None = None
    exclusive_start_key: Item | None = None
    consistent_read: bool | None = None
    filter_expression: str | None = None
    projection_expression: str | None = None
    expression_attribute_values: Item | None = None
    expression_attribute_names: Names | None = None


class Query(PageRequest, kw_only=True, frozen=True):
    """Read items of one partition in the order of the sort key."""

    # No bound here: for a Limit of 0, the service has different messages for Query and Scan.
    limit: int | None = None
    query_filter: dict[str, Condition] | None = None
    key_conditions: dict[str, Condition] | None = None
    scan_index_forward: bool | None = None
    key_condition_expression: str | None = None


class Scan(PageRequest, kw_only=True, frozen=True):
    """Read all items of a table or an index."""

    limit: Annotated[int, Meta(ge=1)] | None = None
    scan_filter: dict[str, Condition] | None = None
    segment: Annotated[int, Meta(ge=0, le=999_999)] | None = None
    total_segments: Annotated[int, Meta(ge=1, le=1_000_000)] | None = None


class PageResult(Result, kw_only=True, frozen=True):
    """One page of items."""

    items: list[msgspec.Raw] | list[Item] | msgspec.UnsetType = msgspec.UNSET
    count: int | msgspec.UnsetType = msgspec.UNSET
    scanned_count: int | msgspec.UnsetType = msgspec.UNSET
    last_evaluated_key: Item | msgspec.UnsetType = msgspec.UNSET
    consumed_capacity: dict[str, Any] | msgspec.UnsetType = msgspec.UNSET
