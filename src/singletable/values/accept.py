"""Attribute values at the door: checked as DynamoDB does, numbers in plain notation, the size told on the way.

Items are looked at in one quick pass that knows only what is right. Whatever stops it is looked at again by `checks`,
which knows DynamoDB's words and order. So the pass decides nothing but that all is well, and can leave out the rest.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from singletable.errors import RequestRefused, invalid
from singletable.values.binary import binary_bytes
from singletable.values.checks import check_item, check_value
from singletable.values.compiled import compiled
from singletable.values.item_size import item_size, texts_size, value_size
from singletable.values.limits import ATTRIBUTE_NAME_BYTES_MAX, ITEM_BYTES_MAX, NESTING_LEVELS_MAX, NUMBER_DIGITS_MAX
from singletable.values.number import canonical_number, number_size

ITEM_TOO_LARGE = "Item size has exceeded the maximum allowed size"

# What stops the quick pass: content of another type, text that has no UTF-8 or is no base64, a number that is refused,
# and the ValueError that the pass raises itself.
_NOT_PLAIN = (TypeError, AttributeError, ValueError, RequestRefused)

# A longer text is no number that anyone sends twice, and thousands of them would fill the memory.
_REMEMBERED_NUMBER_LENGTH_MAX = 64


_quick_sizes = compiled("singletable.values._quick_sizes", form=1)


def accept_item(item: Any) -> int:
    """Checks an item as DynamoDB does, writes its numbers in plain notation in place, and returns its size in bytes."""
    try:
        if _quick_sizes is not None:
            size: int = _quick_sizes.size_of_item(item, _quick_number, _rest_size)
            return size
        if "" not in item:
            return _quick_size(list(item), item.values())
    except _NOT_PLAIN:
        pass
    check_item(item)
    return item_size(item)


def accept_value(value: Any) -> int:
    """The same for one attribute value, without a name; a list or a map may hold no more than an item (captured)."""
    try:
        if _quick_sizes is not None:
            size: int = _quick_sizes.size_of_value(value, _quick_number, _rest_size)
        else:
            size = _quick_size([], (value,))
    except _NOT_PLAIN:
        check_value(value)
        size = value_size(value)
    if size > ITEM_BYTES_MAX and ("M" in value or "L" in value):
        (content,) = value.values()
        # What it holds, without the 3 bytes for itself and the one for each element.
        if size - 3 - len(content) > ITEM_BYTES_MAX:
            raise invalid(ITEM_TOO_LARGE)
    return size


# Every write pays for the pass: for an item of eight attributes and 1 KB it takes 2 microseconds, where `checks` and
# `item_size` take 14. It handles plain S and N in the loop itself, without a call for each, and measures the texts of
# all values in one piece: joining them also finds any that is no text, and ASCII needs no encoding to be measured.
# `_quick_sizes.c` does the same in a tenth of the time, where it was compiled.


def _quick_size(names: list[str], values: Iterable[dict[str, Any]]) -> int:
    texts: list[str] = []
    size = _quick_values(values, names, texts, 1)
    names_size = texts_size(names)
    if names_size > ATTRIBUTE_NAME_BYTES_MAX and any(texts_size((name,)) > ATTRIBUTE_NAME_BYTES_MAX for name in names):
        raise ValueError
    return size + names_size + texts_size(texts)


def _quick_values(values: Iterable[dict[str, Any]], names: list[str], texts: list[str], level: int) -> int:
    """The size of the values without their texts and names, which are added to those still to be measured."""
    size = 0
    for value in values:
        if len(value) != 1:
            raise ValueError
        if "S" in value:
            texts.append(value["S"])
        elif "N" in value:
            text = value["N"]
            # A plain integer is canonical as it stands; remembering it would push out those that are dearer to read.
            if text.isdigit() and text.isascii() and text[0] != "0" and len(text) <= NUMBER_DIGITS_MAX:
                size += 1 + (len(text.rstrip("0")) + 1) // 2
            else:
                value["N"], number_bytes = _quick_number(text)
                size += number_bytes
        else:
            size += _quick_other(value, names, texts, level)
    return size


def _quick_other(value: dict[str, Any], names: list[str], texts: list[str], level: int) -> int:
    ((kind, content),) = value.items()
    if kind in ("BOOL", "NULL"):
        if content is True or (content is False and kind == "BOOL"):
            return 1
        raise ValueError
    if kind == "B":
        return len(binary_bytes(content))
    if kind == "M":
        if level == NESTING_LEVELS_MAX or "" in content:
            raise ValueError
        members = content.values()
        names.extend(content)
        return 3 + len(content) + _quick_values(members, names, texts, level + 1)
    if type(content) is not list:
        raise TypeError
    if kind == "L":
        if level == NESTING_LEVELS_MAX:
            raise ValueError
        return 3 + len(content) + _quick_values(content, names, texts, level + 1)
    return _quick_set(kind, content, texts)


def _rest_size(kind: str, content: Any) -> int:
    """The size of what the compiled pass leaves to this one: binaries and sets."""
    if kind == "B":
        return len(binary_bytes(content))
    if type(content) is not list:
        raise TypeError
    texts: list[str] = []
    return _quick_set(kind, content, texts) + texts_size(texts)


def _quick_set(kind: str, members: list[Any], texts: list[str]) -> int:
    size = 0
    if kind == "SS":
        texts.extend(members)
    elif kind == "NS":
        numbers = [_quick_number(member) for member in members]
        members[:] = [canonical for canonical, _ in numbers]
        size = sum(number_bytes for _, number_bytes in numbers)
    elif kind == "BS":
        size = sum(len(binary_bytes(member)) for member in members)
    else:
        raise ValueError
    if not members or len(set(members)) < len(members):
        raise ValueError
    return size


def _quick_number(text: str) -> tuple[str, int]:
    return _remembered_number(text) if len(text) <= _REMEMBERED_NUMBER_LENGTH_MAX else _number_with_size(text)


def _number_with_size(text: str) -> tuple[str, int]:
    canonical = canonical_number(text)
    return canonical, number_size(canonical)


_remembered_number = lru_cache(maxsize=4096)(_number_with_size)
