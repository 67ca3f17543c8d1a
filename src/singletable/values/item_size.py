"""The size of an item, to the byte, as DynamoDB limits and bills it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from singletable.values.binary import binary_size
from singletable.values.number import number_size


def item_size(item: dict[str, Any]) -> int:
    """The bytes of an accepted item: every name in UTF-8, and every value."""
    size = 0
    texts = list(item)
    for value in item.values():
        # Most values are texts; measured together with the names they cost half of what a function for each would.
        if "S" in value:
            texts.append(value["S"])
        else:
            size += value_size(value)
    return size + texts_size(texts)


def value_size(value: dict[str, Any]) -> int:
    """The bytes of an accepted value, without its name."""
    ((kind, content),) = value.items()
    return _SIZES[kind](content)


def texts_size(texts: Iterable[str]) -> int:
    """The bytes of texts in UTF-8, all together."""
    together = "".join(texts)
    # ASCII knows that it is ASCII, and its length, without being encoded.
    return len(together) if together.isascii() else len(together.encode())


_SIZES: dict[str, Callable[[Any], int]] = {
    "S": lambda text: texts_size((text,)),
    "N": number_size,
    "B": binary_size,
    "BOOL": lambda _: 1,
    "NULL": lambda _: 1,
    "SS": texts_size,
    "NS": lambda members: sum(map(number_size, members)),
    "BS": lambda members: sum(map(binary_size, members)),
    "L": lambda elements: 3 + len(elements) + sum(map(value_size, elements)),
    "M": lambda members: 3 + len(members) + item_size(members),
}
