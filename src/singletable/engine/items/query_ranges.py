"""Computes the range of stored keys that a Query reads, from its key condition or on the fast path.

An application sends the same few Queries repeatedly with different values. The first such Query is parsed and checked
in full. Later Queries with the same expressions and valid values take the fast path.
"""

from __future__ import annotations

from operator import attrgetter
from typing import Any, NamedTuple

from singletable.engine.items.item_keys import EmptyKey
from singletable.engine.items.page_reader import PageSource
from singletable.engine.storage.entry_keys import Comparison, EntryRange, Operator, index_range, short_text, table_range
from singletable.engine.tables.stored_table import PUT_ERRORS, Item, StoredTable, check_key_length
from singletable.engine.tables.table_definition import KeyElement
from singletable.errors import RequestRefused
from singletable.expressions.key_condition import KeyCondition
from singletable.expressions.operand_checks import Check
from singletable.expressions.tree import Parameter
from singletable.values.fast_path import FastPath, NotOnFastPath
from singletable.values.limits import SORT_KEY_BYTES_MAX
from singletable.values.scalars import key_bytes
from singletable.wire.query_and_scan import Query


class QueryRange(NamedTuple):
    """A key range, the key attributes, the partition key values, and whether a condition restricts the sort key."""

    keys: EntryRange
    key_names: tuple[str, ...]
    values: Item
    has_sort_test: bool


def query_range(source: PageSource, condition: KeyCondition) -> QueryRange:
    """Return the range that a key condition selects. Reject a condition that does not fit the key schema."""
    order = source.order
    requested = condition.range_of(order.partition_names, order.sort_names, order.kinds)
    parts = [
        _part(source, attribute, value, is_partition=True)
        for attribute, value in zip(order.partition, requested.partition, strict=True)
    ]
    equal: list[bytes] = []
    if requested.sort:
        equal = [_part(source, attribute, value) for attribute, value in zip(order.sort, requested.sort, strict=False)]
    comparison = None
    if requested.last is not None:
        # Prefixes and bounds follow the same rules as key values: they are neither empty nor too long.
        operands = [_part(source, order.sort[len(equal)], value) for value in requested.last.values]
        comparison = Comparison(requested.last.operator, *operands)
    values = dict(zip(order.partition_names, requested.partition, strict=True))
    keys = _range(source, parts, equal, comparison)
    return QueryRange(keys, order.names, values, bool(equal) or comparison is not None)


def _range(source: PageSource, parts: list[bytes], equal: list[bytes], comparison: Comparison | None) -> EntryRange:
    if source.index is not None:
        return index_range(parts, equal, comparison)
    return table_range(parts[0], Comparison("=", equal[0]) if equal else comparison)


def _part(source: PageSource, attribute: KeyElement, value: dict[str, Any], *, is_partition: bool = False) -> bytes:
    text = value[attribute.kind]
    if not text:
        raise _empty(source, attribute)
    part = key_bytes(attribute.kind, text)
    if len(part) > SORT_KEY_BYTES_MAX:  # the lower of the two limits
        check_key_length(part, is_partition=is_partition)
    return part


def _empty(source: PageSource, attribute: KeyElement) -> RequestRefused:
    error = None if source.index is None else PUT_ERRORS.empty(source.index.name, attribute)
    return error or EmptyKey(attribute.name, attribute.kind)


FAST_QUERIES = FastPath("repeated queries")

# Without these limits, clients with many different expressions could fill the memory.
_FAST_PATHS_MAX = 256
_TEXT_MAX = 2048

# A Query with one of these options cannot take the fast path.
_other_options = attrgetter(
    "select",
    "filter_expression",
    "projection_expression",
    "exclusive_start_key",
    "attributes_to_get",
    "query_filter",
    "conditional_operator",
    "key_conditions",
)
_NO_OTHER_OPTIONS = (None,) * 8


class QueryFastPath(NamedTuple):
    """A checked Query without its values: the table or index to read, and the role of each placeholder."""

    source: PageSource
    partition_name: str
    partition: str
    """The placeholder for the partition key value."""
    operator: Operator | None
    """The operator that the key condition applies to the sort key, or None if the sort key has no condition."""
    operands: tuple[str, ...]
    checks: tuple[Check, ...]

    def range_of(self, values: Item) -> EntryRange:
        """Return the key range for the placeholder values. Raise NotOnFastPath if a value needs a full check."""
        if len(values) != 1 + len(self.operands):
            raise NotOnFastPath
        partition = short_text(values, self.partition)
        comparison = None
        if self.operator is not None:
            operands = [short_text(values, placeholder) for placeholder in self.operands]
            if any(check(values) for check in self.checks):
                raise NotOnFastPath
            comparison = Comparison(self.operator, *operands)
        if self.source.index is None:
            return table_range(partition, comparison)
        if comparison is not None and comparison.operator == "=":
            return index_range((partition,), (comparison.value,))
        return index_range((partition,), (), comparison)


class FastPathRead(NamedTuple):
    """The source and the key range that a Query on the fast path reads, and its partition key value."""

    source: PageSource
    keys: EntryRange
    partition: Item


def find_fast_path(table: StoredTable | None, request: Query) -> FastPathRead:
    """Return the range to read for a Query with a fast path. Raise NotOnFastPath if the Query needs a full check."""
    try:
        found = _find_fast_path(table, request)
    except NotOnFastPath:
        FAST_QUERIES.misses += 1
        raise
    FAST_QUERIES.hits += 1
    return found


def _find_fast_path(table: StoredTable | None, request: Query) -> FastPathRead:
    if table is None or _other_options(request) != _NO_OTHER_OPTIONS:
        raise NotOnFastPath
    fast_path: QueryFastPath | None = table.query_fast_paths.get(_key(request))
    values = request.expression_attribute_values
    if fast_path is None or values is None or (request.limit is not None and request.limit < 1):
        raise NotOnFastPath
    keys = fast_path.range_of(values)
    return FastPathRead(fast_path.source, keys, {fast_path.partition_name: values[fast_path.partition]})


def add_fast_path(source: PageSource, request: Query, condition: KeyCondition) -> None:
    """Add a fast path for a valid Query whose keys are all strings and that has no further options."""
    known, order = source.table.query_fast_paths, source.order
    names, text = request.expression_attribute_names or {}, request.key_condition_expression
    if text is None or _other_options(request) != _NO_OTHER_OPTIONS or len(known) >= _FAST_PATHS_MAX:
        return
    if len(text) + sum(map(len, names)) + sum(map(len, names.values())) > _TEXT_MAX:
        return
    if len(order.partition) > 1 or len(order.sort) > 1 or set(order.kinds.values()) != {"S"}:
        return
    first = condition.tests[order.partition_names[0]]
    others = [test for test in condition.tests.values() if test is not first]
    operands = [operand for test in (first, *others) for operand in test.operands]
    placeholders = [operand.name for operand in operands if isinstance(operand, Parameter)]
    if len(set(placeholders)) < len(operands):  # one placeholder is used twice, or an operand is not a placeholder
        return
    partition, *rest = placeholders
    operator: Operator | None = others[0].operator if others else None
    # Any other string passes the same checks, with one exception: the two bounds of a BETWEEN may be in the wrong
    # order.
    checks = condition.checks if operator == "BETWEEN" else ()
    known[_key(request)] = QueryFastPath(source, first.attribute, partition, operator, tuple(rest), checks)


def _key(request: Query) -> tuple[object, ...]:
    """Return the cache key of a Query: all of its parts except the values."""
    names = request.expression_attribute_names
    return (
        request.key_condition_expression,
        None if names is None else tuple(names.items()),
        request.index_name,
        request.consistent_read,
    )
