"""Requests and results of Query and Scan, and the memory for their pages."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from singletable.values.limits import PAGE_BYTES_MAX
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
    """The parameters that Query and Scan share."""

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

    # There is no bound here, because DynamoDB has different messages for a Limit of 0 in Query and in Scan.
    limit: int | None = None
    query_filter: dict[str, Condition] | None = None
    key_conditions: dict[str, Condition] | None = None
    scan_index_forward: bool | None = None
    key_condition_expression: str | None = None


class Scan(PageRequest, kw_only=True, frozen=True):
    """Read all items of a table or an index, or of one segment of it."""

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


def warm_up_allocator() -> None:
    """Allocate and free a block of memory for a page as JSON, so that the C library keeps blocks of this size.

    The C library of Linux keeps more free memory after a program has freed a large block. Before that, it returns the
    memory of each page to the system and requests new memory for the next page. The system clears new memory, and this
    takes as long as SQLite takes to read the page. Nothing writes to the block, so allocating it costs nothing.
    """
    bytes(2 * PAGE_BYTES_MAX)
