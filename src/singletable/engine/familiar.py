"""Familiar Queries: what was asked of a table before, with other values, is not read and checked a second time.

An application sends the same few Queries again and again. All that differs between two of them is the text of their
values; as long as that is plain, everything else that a Query is held to was found out by the first.
"""

from __future__ import annotations

from collections.abc import Mapping
from operator import attrgetter
from typing import Any, NamedTuple

from singletable.engine.page_request import Source
from singletable.engine.storage.key_range import Comparison, KeyRange, Operator, index_range, table_range
from singletable.engine.table import Item, OpenTable
from singletable.expressions.checks import Check
from singletable.expressions.key_condition import KeyCondition
from singletable.expressions.tree import Parameter
from singletable.values.limits import SORT_KEY_BYTES_MAX
from singletable.wire.pages import Query

# A client that makes up its texts cannot fill the memory.
_FAMILIAR_MAX = 256
_TEXT_MAX = 2048

# What a familiar Query does not have: a filter, a projection, a place to go on from, and all that is older than these.
_MORE = attrgetter(
    "select",
    "filter_expression",
    "projection_expression",
    "exclusive_start_key",
    "attributes_to_get",
    "query_filter",
    "conditional_operator",
    "key_conditions",
)
_NO_MORE = (None,) * 8


class Familiar(NamedTuple):
    """A Query without its values: where it reads, and which placeholder stands for what."""

    source: Source
    partition_name: str
    partition: str
    """The placeholder of the partition key's value."""
    operator: Operator | None
    """What the sort key is held to, if it is."""
    operands: tuple[str, ...]
    checks: tuple[Check, ...]

    def range_of(self, values: Mapping[str, Any]) -> KeyRange | None:
        """The range of these values; None when any of them is not plain."""
        if len(values) != 1 + len(self.operands) or (partition := _plain(values, self.partition)) is None:
            return None
        comparison = None
        if self.operator is not None:
            operands = [_plain(values, placeholder) for placeholder in self.operands]
            if None in operands or any(check(values) for check in self.checks):
                return None
            comparison = Comparison(self.operator, *operands)  # type: ignore[arg-type]  # none of them is None
        if self.source.index is None:
            return table_range(partition, comparison)
        if comparison is not None and comparison.operator == "=":
            return index_range((partition,), (comparison.value,))
        return index_range((partition,), (), comparison)


class Found(NamedTuple):
    """Where a familiar Query reads, and the values of its partition."""

    source: Source
    keys: KeyRange
    partition: Item


def find(table: OpenTable | None, request: Query) -> Found | None:
    """What a Query reads that is familiar; None when it is not, or has to be looked at for another reason."""
    if table is None or _MORE(request) != _NO_MORE or (request.limit is not None and request.limit < 1):
        return None
    familiar: Familiar | None = table.familiar.get(_key(request))
    values = request.expression_attribute_values
    if familiar is None or values is None or (keys := familiar.range_of(values)) is None:
        return None
    return Found(familiar.source, keys, {familiar.partition_name: values[familiar.partition]})


def remember(source: Source, request: Query, condition: KeyCondition) -> None:
    """Remembers a Query that nothing was wrong with, if it is of the plain kind."""
    known, order = source.table.familiar, source.order
    names, text = request.expression_attribute_names or {}, request.key_condition_expression
    if text is None or _MORE(request) != _NO_MORE or len(known) >= _FAMILIAR_MAX:
        return
    if len(text) + sum(map(len, names)) + sum(map(len, names.values())) > _TEXT_MAX:
        return
    if len(order.partition) > 1 or len(order.sort) > 1 or set(order.kinds.values()) != {"S"}:
        return
    first = condition.tests[order.partition_names[0]]
    others = [test for test in condition.tests.values() if test is not first]
    operands = [operand for test in (first, *others) for operand in test.operands]
    placeholders = [operand.name for operand in operands if isinstance(operand, Parameter)]
    if len(set(placeholders)) < len(operands):  # one that stands in two places
        return
    partition, *rest = placeholders
    operator: Operator | None = others[0].operator if others else None
    # Any text passes what one has passed, but for the order of two bounds.
    checks = condition.checks if operator == "BETWEEN" else ()
    known[_key(request)] = Familiar(source, first.attribute, partition, operator, tuple(rest), checks)


def _key(request: Query) -> tuple[object, ...]:
    """All of a Query that may not differ."""
    names = request.expression_attribute_names
    return (
        request.key_condition_expression,
        None if names is None else tuple(names.items()),
        request.index_name,
        request.consistent_read,
    )


def _plain(values: Mapping[str, Any], placeholder: str) -> bytes | None:
    """The bytes of a value that is a text with which nothing can be wrong."""
    value = values.get(placeholder)
    text = None if value is None or len(value) > 1 else value.get("S")
    if type(text) is not str or not text.isascii() or not 0 < len(text) <= SORT_KEY_BYTES_MAX:
        return None
    return text.encode()
