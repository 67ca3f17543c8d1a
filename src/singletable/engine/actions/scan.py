"""Scan: reads all items of a table or an index, or one segment of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from singletable.engine.items.page_reader import PageRange, PageSource, read_page_result
from singletable.engine.items.page_selection import (
    NO_SPECIFIC,
    STARTING_KEY,
    accept_start_key,
    check_select,
    check_start_key,
    selection_of,
    source_of,
    start_position,
)
from singletable.engine.items.request_expressions import page_expressions, reject_nested_keys
from singletable.engine.legacy.parameters import has_legacy_parameters
from singletable.engine.legacy.read_parameters import legacy_page
from singletable.engine.storage.entry_keys import segment_range
from singletable.engine.tables.stored_table import Item
from singletable.errors import invalid
from singletable.wire.query_and_scan import PageResult, Scan

if TYPE_CHECKING:
    from singletable.engine.engine import Engine


def scan(engine: Engine, request: Scan) -> PageResult:
    """Read one page of the table or index, or of one segment of it."""
    legacy = legacy_page(request) if has_legacy_parameters(request) else None
    accept_start_key(request)
    _check_segments(request)
    expressions = page_expressions(request)
    if legacy is not None:
        expressions = legacy.combine_with(expressions, request)
    check_select(request, NO_SPECIFIC)
    table = engine.catalog.require(request.table_name)
    source = source_of(table, request)
    start = request.exclusive_start_key
    if start is not None:
        _check_start(source, start)
    selection = selection_of(source, request, expressions.predicate, expressions.projection)
    keys = segment_range(request.segment or 0, request.total_segments or 1)
    if start is not None:
        position = start_position(source, start)
        if not keys.holds(position):
            raise invalid(
                f"{STARTING_KEY}: Invalid ExclusiveStartKey. Please use ExclusiveStartKey with correct Segment. "
                f"TotalSegments: {request.total_segments} Segment: {request.segment}"
            )
        keys = keys.after(position)
    reject_nested_keys(expressions.projection.nested_attributes, table)
    if expressions.filter is not None:
        reject_nested_keys(expressions.filter.nested_attributes, table)
    with engine.store.snapshot() if selection.fetches else engine.store.reading() as connection:
        return read_page_result(
            connection, source, PageRange(source.tree, keys, False, request.limit), request, selection
        )


def _check_start(source: PageSource, start: Item) -> None:
    if source.index is None:
        check_start_key(source, start, (), f"{STARTING_KEY}: The provided key element does not match the schema")
    else:
        check_start_key(source, start, source.key_attributes, STARTING_KEY)


def _check_segments(request: Scan) -> None:
    segment, total = request.segment, request.total_segments
    if total is None:
        if segment is not None:
            raise invalid(
                "The TotalSegments parameter is required but was not present in the request when Segment parameter is "
                "present"
            )
        return
    if segment is None:
        raise invalid(
            "The Segment parameter is required but was not present in the request when parameter TotalSegments is "
            "present"
        )
    if segment >= total:
        raise invalid(
            "The Segment parameter is zero-based and must be less than parameter TotalSegments: "
            f"Segment: {segment} is not less than TotalSegments: {total}"
        )
