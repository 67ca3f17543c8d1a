"""Query: reads the items of one partition, ordered by sort key."""

from __future__ import annotations

from typing import TYPE_CHECKING

from singletable.engine.items import query_ranges
from singletable.engine.items.page_reader import WHOLE_ITEMS, PageRange, PageSource, read_page_result
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
from singletable.engine.items.query_ranges import QueryRange, query_range
from singletable.engine.items.request_expressions import PageExpressions, page_expressions, reject_nested_keys
from singletable.engine.legacy.parameters import has_legacy_parameters
from singletable.engine.legacy.read_parameters import legacy_page
from singletable.engine.tables.stored_table import Item
from singletable.errors import invalid
from singletable.values.fast_path import NotOnFastPath
from singletable.wire.query_and_scan import PageResult, Query

if TYPE_CHECKING:
    from singletable.engine.engine import Engine


def query(engine: Engine, request: Query) -> PageResult:
    """Read one page of the items that match the key condition."""
    try:
        found = query_ranges.find_fast_path(engine.catalog.cached(request.table_name), request)
    except NotOnFastPath:
        found = None
    if found is None:
        return _query_without_fast_path(engine, request)
    with engine.store.reading() as connection:
        page_range = PageRange(found.source.tree, found.keys, request.scan_index_forward is False, request.limit)
        return read_page_result(connection, found.source, page_range, request, WHOLE_ITEMS, found.partition)


def _query_without_fast_path(engine: Engine, request: Query) -> PageResult:
    if request.limit is not None and request.limit < 1:
        raise invalid(
            "1 validation error detected: Value at 'Limit' failed to satisfy constraint: "
            "Member must have value greater than or equal to 1"
        )
    legacy = legacy_page(request) if has_legacy_parameters(request) else None
    accept_start_key(request)
    if request.key_condition_expression is None and request.key_conditions is None:
        raise invalid("Either the KeyConditions or KeyConditionExpression parameter must be specified in the request.")
    expressions = page_expressions(request)
    if legacy is not None:
        expressions = legacy.combine_with(expressions, request)
    check_select(request, f"1 validation error detected: {NO_SPECIFIC}")
    assert expressions.key_condition is not None
    condition = expressions.key_condition
    condition.check()
    table = engine.catalog.require(request.table_name)
    source = source_of(table, request)
    start = request.exclusive_start_key
    if start is not None:
        check_start_key(source, start, source.key_attributes, STARTING_KEY)
    partition = query_range(source, condition)
    keys, descending = partition.keys, request.scan_index_forward is False
    if start is not None:
        position = _start(source, partition, start)
        keys = keys.before(position) if descending else keys.after(position)
    reject_nested_keys(expressions.projection.nested_attributes, table)
    _reject_filter_on_keys(expressions, partition)
    selection = selection_of(source, request, expressions.predicate, expressions.projection)
    if expressions.filter is not None:
        reject_nested_keys(expressions.filter.nested_attributes, table)
        _reject_filter_on_unprojected(expressions.filter.attributes, source)
    query_ranges.add_fast_path(source, request, condition)
    with engine.store.snapshot() if selection.fetches else engine.store.reading() as connection:
        page_range = PageRange(source.tree, keys, descending, request.limit)
        return read_page_result(connection, source, page_range, request, selection, partition.values)


def _start(source: PageSource, partition: QueryRange, start: Item) -> bytes:
    """Return the position where the previous page ended. Raise an error if it is outside the queried range."""
    position = start_position(source, start)
    if partition.keys.holds(position):
        if source.has_single_items:  # captured from AWS by the tests of Alternator
            ((name, value),) = start.items()
            ((kind, content),) = value.items()
            raise invalid(
                "The provided exclusive start key is invalid: "
                f"ExclusiveStartKey: {{{name}=AttributeValue: {{{kind}:{content}}}}}"
            )
        return position
    if not partition.has_sort_test:
        raise invalid("The provided starting key is outside query boundaries based on provided conditions")
    if partition.keys.holds(start_position(source, {**start, **partition.values})):
        raise invalid("The query can return at most one row and cannot be restarted")
    raise invalid("The provided starting key does not match the range key predicate")


def _reject_filter_on_keys(expressions: PageExpressions, partition: QueryRange) -> None:
    if expressions.filter is None:
        return
    for name in partition.key_names:
        if name in expressions.filter.attributes:
            raise invalid(
                f"{expressions.filter_word} can only contain non-primary key attributes: Primary key attribute: {name}"
            )


def _reject_filter_on_unprojected(attributes: frozenset[str], source: PageSource) -> None:
    """Raise an error if a filter uses attributes that the index does not project.

    A Scan allows such a filter (captured from AWS).
    """
    if source.index is None:
        return
    missing = sorted(name for name in attributes if not source.index.holds(name))
    if missing:
        raise invalid(
            f"One or more parameter values were invalid: Secondary index {source.index.name} does not project one or "
            f"more filter attributes: [{', '.join(missing)}]"
        )
