"""Validation of incoming items and attribute values, which also converts their numbers and computes their size.

A fast path accepts valid input in one pass. For all other input, `value_checks` finds the error that DynamoDB reports
first.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from singletable.errors import RequestRefused, invalid
from singletable.values.fast_path import FastPath, NotOnFastPath, compiled_module
from singletable.values.item_size import item_size, texts_size, value_size
from singletable.values.limits import ATTRIBUTE_NAME_BYTES_MAX, ITEM_BYTES_MAX, NESTING_LEVELS_MAX, NUMBER_DIGITS_MAX
from singletable.values.scalars import binary_bytes, canonical_number, number_size
from singletable.values.value_checks import check_item, check_value

ITEM_TOO_LARGE = "Item size has exceeded the maximum allowed size"

FAST_SIZES = FastPath("item sizes")
_fast_sizes = compiled_module("singletable.values._fast_sizes")

# The exceptions that invalid input raises: for a wrong JSON type, invalid Unicode, invalid base64 or an invalid number.
_INVALID_INPUT = (TypeError, AttributeError, ValueError, RequestRefused)

# Only short numbers are cached. Long numbers rarely repeat, and thousands of them would need too much memory.
_CACHED_NUMBER_LENGTH_MAX = 64


def accept_item(item: Any) -> int:
    """Validate an item, replace its numbers with their canonical form, and return its size in bytes."""
    try:
        if _fast_sizes is not None:
            size: int = _fast_sizes.size_of_item(item, _number, _binary_or_set_size)
        else:
            size = _size(item, is_item=True)
    except NotOnFastPath:
        FAST_SIZES.misses += 1
    else:
        FAST_SIZES.hits += 1
        return size
    check_item(item)
    return item_size(item)


def accept_value(value: Any) -> int:
    """Validate one attribute value like an item; reject a list or map above the item size limit (captured from AWS)."""
    try:
        if _fast_sizes is not None:
            size: int = _fast_sizes.size_of_value(value, _number, _binary_or_set_size)
        else:
            size = _size(value, is_item=False)
    except NotOnFastPath:
        FAST_SIZES.misses += 1
        size = -1
    else:
        FAST_SIZES.hits += 1
    if size < 0:
        check_value(value)
        size = value_size(value)
    if size > ITEM_BYTES_MAX and ("M" in value or "L" in value):
        (content,) = value.values()
        # The limit does not count the overhead of the list or map itself: 3 bytes, and one byte per element.
        if size - 3 - len(content) > ITEM_BYTES_MAX:
            raise invalid(ITEM_TOO_LARGE)
    return size


# The fast path in Python. Every write runs the fast path, so its speed matters: an item of eight attributes and 1 KB
# takes 2 microseconds here, and 14 in `check_item` and `item_size`. Where `_fast_sizes.c` is compiled, it replaces this
# code and is ten times as fast. This code handles S and N inside the loop, to avoid a function call for each value. It
# measures all strings together. `join` raises an error for a value that is not a string, and ASCII text needs no
# encoding.


def _size(content: Any, *, is_item: bool) -> int:
    """Return the size of a valid item or attribute value; raise NotOnFastPath for other input."""
    names: list[str] = []
    texts: list[str] = []
    try:
        if is_item:
            names.extend(content)
        size = _values_size(content.values() if is_item else (content,), names, texts, 1)
        if "" in names:
            raise NotOnFastPath
        names_size = texts_size(names)
        if names_size > ATTRIBUTE_NAME_BYTES_MAX and any(texts_size((n,)) > ATTRIBUTE_NAME_BYTES_MAX for n in names):
            raise NotOnFastPath
        return size + names_size + texts_size(texts)
    except _INVALID_INPUT as problem:
        raise NotOnFastPath from problem


def _values_size(values: Iterable[dict[str, Any]], names: list[str], texts: list[str], level: int) -> int:
    """Return the size of values, except their strings and names, which are appended to `texts` and `names`."""
    size = 0
    for value in values:
        if len(value) != 1:
            raise NotOnFastPath
        if "S" in value:
            texts.append(value["S"])
        elif "N" in value:
            text = value["N"]
            # A plain integer is already canonical. Caching it would evict numbers that take longer to parse.
            if text.isdigit() and text.isascii() and text[0] != "0" and len(text) <= NUMBER_DIGITS_MAX:
                size += 1 + (len(text.rstrip("0")) + 1) // 2
            else:
                value["N"], number_bytes = _number(text)
                size += number_bytes
        else:
            size += _other_size(value, names, texts, level)
    return size


def _other_size(value: dict[str, Any], names: list[str], texts: list[str], level: int) -> int:
    """Return the size of a value that is neither S nor N. As in `_values_size`, its strings and names do not count."""
    ((kind, content),) = value.items()
    if kind in ("BOOL", "NULL"):
        if content is True or (content is False and kind == "BOOL"):
            return 1
        raise NotOnFastPath
    if kind == "B":
        return len(binary_bytes(content))
    if kind == "M":
        if level == NESTING_LEVELS_MAX:
            raise NotOnFastPath
        members = content.values()
        names.extend(content)
        return 3 + len(content) + _values_size(members, names, texts, level + 1)
    if type(content) is not list:
        raise NotOnFastPath
    if kind == "L":
        if level == NESTING_LEVELS_MAX:
            raise NotOnFastPath
        return 3 + len(content) + _values_size(content, names, texts, level + 1)
    return _set_size(kind, content, texts)


def _binary_or_set_size(kind: str, content: Any) -> int:
    """Return the size of a binary or a set; the compiled module calls this function."""
    texts: list[str] = []
    try:
        if kind == "B":
            return len(binary_bytes(content))
        if type(content) is not list:
            raise NotOnFastPath
        return _set_size(kind, content, texts) + texts_size(texts)
    except _INVALID_INPUT as problem:
        raise NotOnFastPath from problem


def _set_size(kind: str, members: list[Any], texts: list[str]) -> int:
    size = 0
    if kind == "SS":
        texts.extend(members)
    elif kind == "NS":
        numbers = [_number(member) for member in members]
        members[:] = [canonical for canonical, _ in numbers]
        size = sum(number_bytes for _, number_bytes in numbers)
    elif kind == "BS":
        size = sum(len(binary_bytes(member)) for member in members)
    else:
        raise NotOnFastPath
    if not members or len(set(members)) < len(members):
        raise NotOnFastPath
    return size


def _number(text: str) -> tuple[str, int]:
    """Return the canonical form of a number, and its size; the compiled module calls this function too."""
    try:
        return _cached_number(text) if len(text) <= _CACHED_NUMBER_LENGTH_MAX else _number_with_size(text)
    except _INVALID_INPUT as problem:
        raise NotOnFastPath from problem


def _number_with_size(text: str) -> tuple[str, int]:
    canonical = canonical_number(text)
    return canonical, number_size(canonical)


_cached_number = lru_cache(maxsize=4096)(_number_with_size)
