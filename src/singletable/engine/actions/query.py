"""Query: the items of one partition, in the order of the sort key."""

from __future__ import annotations

from typing import TYPE_CHECKING

from singletable.engine import familiar
from singletable.engine.asked import AskedOfPage, page_of, refuse_parts_of_keys
from singletable.engine.legacy.pages import legacy_page
from singletable.engine.legacy.parameters import uses_legacy
from singletable.engine.page import Reading
from singletable.engine.page_request import (
    NO_SPECIFIC,
    STARTING_KEY,
    WHOLE_ITEMS,
    Source,
    accept_start_key,
    check_select,
    check_start_key,
    read,
    source_of,
    start_position,
    wanted_of,
)
from singletable.engine.partition import Partition, partition_of
from singletable.engine.table import Item
from singletable.errors import invalid
from singletable.wire.pages import PageResult, Query

if TYPE_CHECKING:
    from singletable.engine.engine import Engine


def query(engine: Engine, request: Query) -> PageResult:
    """Reads one page of what the key condition names."""
    found = familiar.find(engine.catalog.known(request.table_name), request)
    if found is None:
        return _unfamiliar(engine, request)
    with engine.store.reading() as connection:
        reading = Reading(found.source.tree, found.keys, request.scan_index_forward is False, request.limit)
        return read(connection, found.source, reading, request, WHOLE_ITEMS, found.partition)


def _unfamiliar(engine: Engine, request: Query) -> PageResult:
    if request.limit is not None and request.limit < 1:
        raise invalid(
            "1 validation error detected: Value at 'Limit' failed to satisfy constraint: "
            "Member must have value greater than or equal to 1"
        )
    legacy = legacy_page(request) if uses_legacy(request) else None
    accept_start_key(request)
    if request.key_condition_expression is None and request.key_conditions is None:
        raise invalid("Either the KeyConditions or KeyConditionExpression parameter must be specified in the request.")
    asked = page_of(request)
    if legacy is not None:
        asked = legacy.beside(asked, request)
    check_select(request, f"1 validation error detected: {NO_SPECIFIC}")
    assert asked.key_condition is not None
    condition = asked.key_condition
    condition.check()
    table = engine.catalog.require(request.table_name)
    source = source_of(table, request)
    start = request.exclusive_start_key
    if start is not None:
        check_start_key(source, start, source.key_attributes, STARTING_KEY)
    partition = partition_of(source, condition)
    keys, descending = partition.keys, request.scan_index_forward is False
    if start is not None:
        position = _start(source, partition, start)
        keys = keys.before(position) if descending else keys.after(position)
    refuse_parts_of_keys(asked.projection.nested_attributes, table)
    _refuse_filter_on_keys(asked, partition)
    wanted = wanted_of(source, request, asked.keep, asked.projection)
    if asked.filter is not None:
        refuse_parts_of_keys(asked.filter.nested_attributes, table)
        _refuse_filter_on_lacking(asked.filter.attributes, source)
    familiar.remember(source, request, condition)
    with engine.store.snapshot() if wanted.fetches else engine.store.reading() as connection:
        reading = Reading(source.tree, keys, descending, request.limit)
        return read(connection, source, reading, request, wanted, partition.values)


def _start(source: Source, partition: Partition, start: Item) -> bytes:
    """Where the last page stopped, which lies in what is queried."""
    position = start_position(source, start)
    if partition.keys.holds(position):
        return position
    if not partition.has_sort_test:
        raise invalid("The provided starting key is outside query boundaries based on provided conditions")
    if partition.keys.holds(start_position(source, {**start, **partition.values})):
        raise invalid("The query can return at most one row and cannot be restarted")
    raise invalid("The provided starting key does not match the range key predicate")


def _refuse_filter_on_keys(asked: AskedOfPage, partition: Partition) -> None:
    if asked.filter is None:
        return
    for name in partition.key_names:
        if name in asked.filter.attributes:
            raise invalid(
                f"{asked.filter_word} can only contain non-primary key attributes: Primary key attribute: {name}"
            )


def _refuse_filter_on_lacking(attributes: frozenset[str], source: Source) -> None:
    """A filter sees what the index holds; a Query of an index may not name more, unlike a Scan (captured)."""
    if source.index is None:
        return
    lacking = sorted(name for name in attributes if not source.index.holds(name))
    if lacking:
        raise invalid(
            f"One or more parameter values were invalid: Secondary index {source.index.name} does not project one or "
            f"more filter attributes: [{', '.join(lacking)}]"
        )
