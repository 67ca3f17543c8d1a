"""Scan: the items of a table or an index, whatever their keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from singletable.engine.asked import page_of, refuse_parts_of_keys
from singletable.engine.legacy.pages import legacy_page
from singletable.engine.legacy.parameters import uses_legacy
from singletable.engine.page import Reading
from singletable.engine.page_request import (
    NO_SPECIFIC,
    STARTING_KEY,
    Source,
    accept_start_key,
    check_select,
    check_start_key,
    read,
    source_of,
    start_position,
    wanted_of,
)
from singletable.engine.storage.key_range import segment_range
from singletable.engine.table import Item
from singletable.errors import invalid
from singletable.wire.pages import PageResult, Scan

if TYPE_CHECKING:
    from singletable.engine.engine import Engine


def scan(engine: Engine, request: Scan) -> PageResult:
    """Reads one page of everything, or of one of several segments."""
    legacy = legacy_page(request) if uses_legacy(request) else None
    accept_start_key(request)
    _check_segments(request)
    asked = page_of(request)
    if legacy is not None:
        asked = legacy.beside(asked, request)
    check_select(request, NO_SPECIFIC)
    table = engine.catalog.require(request.table_name)
    source = source_of(table, request)
    start = request.exclusive_start_key
    if start is not None:
        _check_start(source, start)
    wanted = wanted_of(source, request, asked.keep, asked.projection)
    keys = segment_range(request.segment or 0, request.total_segments or 1)
    if start is not None:
        position = start_position(source, start)
        if not keys.holds(position):
            raise invalid(
                f"{STARTING_KEY}: Invalid ExclusiveStartKey. Please use ExclusiveStartKey with correct Segment. "
                f"TotalSegments: {request.total_segments} Segment: {request.segment}"
            )
        keys = keys.after(position)
    refuse_parts_of_keys(asked.projection.nested_attributes, table)
    if asked.filter is not None:
        refuse_parts_of_keys(asked.filter.nested_attributes, table)
    with engine.store.snapshot() if wanted.fetches else engine.store.reading() as connection:
        return read(connection, source, Reading(source.tree, keys, False, request.limit), request, wanted)


def _check_start(source: Source, start: Item) -> None:
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
