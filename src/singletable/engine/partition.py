"""The part of a table or index that a key condition names, as a range of stored keys."""

from __future__ import annotations

from typing import Any, NamedTuple

from singletable.engine.definition import KeyAttribute
from singletable.engine.keys import EmptyKey
from singletable.engine.page_request import Source
from singletable.engine.storage.key_range import Comparison, KeyRange, index_range, table_range
from singletable.engine.table import PUT_WORDS, Item, check_key_length
from singletable.errors import RequestRefused
from singletable.expressions.key_condition import KeyCondition
from singletable.values.key_bytes import key_bytes
from singletable.values.limits import SORT_KEY_BYTES_MAX


class Partition(NamedTuple):
    """The range, the key attributes it is a range of, the partition's values, and whether the sort key is tested."""

    keys: KeyRange
    key_names: tuple[str, ...]
    values: Item
    has_sort_test: bool


def partition_of(source: Source, condition: KeyCondition) -> Partition:
    """The range that the condition names; refuses a condition that does not fit the key."""
    order = source.order
    asked = condition.range_of(order.partition_names, order.sort_names, order.kinds)
    parts = [
        _part(source, attribute, value, is_partition=True)
        for attribute, value in zip(order.partition, asked.partition, strict=True)
    ]
    equal: list[bytes] = []
    if asked.sort:
        equal = [_part(source, attribute, value) for attribute, value in zip(order.sort, asked.sort, strict=False)]
    comparison = None
    if asked.last is not None:
        # A prefix and a bound are held to what a key is: not empty, and not too long.
        operands = [_part(source, order.sort[len(equal)], value) for value in asked.last.values]
        comparison = Comparison(asked.last.operator, *operands)
    values = dict(zip(order.partition_names, asked.partition, strict=True))
    keys = _range(source, parts, equal, comparison)
    return Partition(keys, order.names, values, bool(equal) or comparison is not None)


def _range(source: Source, parts: list[bytes], equal: list[bytes], comparison: Comparison | None) -> KeyRange:
    if source.index is not None:
        return index_range(parts, equal, comparison)
    return table_range(parts[0], Comparison("=", equal[0]) if equal else comparison)


def _part(source: Source, attribute: KeyAttribute, value: dict[str, Any], *, is_partition: bool = False) -> bytes:
    text = value[attribute.kind]
    if not text:
        raise _empty(source, attribute)
    part = key_bytes(attribute.kind, text)
    if len(part) > SORT_KEY_BYTES_MAX:  # the lower of the two limits
        check_key_length(part, is_partition=is_partition)
    return part


def _empty(source: Source, attribute: KeyAttribute) -> RequestRefused:
    refusal = None if source.index is None else PUT_WORDS.empty(source.index.name, attribute)
    return refusal or EmptyKey(attribute.name, attribute.kind)
