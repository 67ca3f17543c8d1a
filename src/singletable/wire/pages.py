"""Query and Scan on the wire."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from singletable.wire.shape import (
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
    """What Query and Scan have in common."""

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
    """The items of one partition, in the order of the sort key."""

    # Without a bound here: the service refuses a Limit of 0 in other words for Query than for Scan.
    limit: int | None = None
    query_filter: dict[str, Condition] | None = None
    key_conditions: dict[str, Condition] | None = None
    scan_index_forward: bool | None = None
    key_condition_expression: str | None = None


class Scan(PageRequest, kw_only=True, frozen=True):
    """The items of a table or an index, whatever their keys."""

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
