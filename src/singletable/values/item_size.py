"""Item sizes in bytes, and the capacity units that reads and writes consume.

DynamoDB rounds reads up to 4 KB and writes up to 1 KB. The DynamoDB documentation omits some rules. Other projects
captured these rules from AWS, and the test vectors contain them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from singletable.values.limits import READ_UNIT_BYTES, WRITE_UNIT_BYTES
from singletable.values.scalars import binary_size, number_size


def item_size(item: dict[str, Any]) -> int:
    """Return the size of a valid item: the sum of its names in UTF-8 and its values."""
    size = 0
    texts = list(item)
    for value in item.values():
        # Most values are strings. Measuring all strings and names in one call halves the time.
        if "S" in value:
            texts.append(value["S"])
        else:
            size += value_size(value)
    return size + texts_size(texts)


def value_size(value: dict[str, Any]) -> int:
    """Return the size of a valid attribute value, without the name of the attribute."""
    ((kind, content),) = value.items()
    return _SIZES[kind](content)


def texts_size(texts: Iterable[str]) -> int:
    """Return the total size of strings in UTF-8."""
    joined = "".join(texts)
    # An ASCII string has one byte per character, so its size is known without encoding it.
    return len(joined) if joined.isascii() else len(joined.encode())


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

# The read units per 4 KB of each kind of read.
EVENTUAL = 0.5
CONSISTENT = 1.0
TRANSACTIONAL = 2.0
TRANSACTION_WRITE_FACTOR = 2
"""A transaction doubles the write units of the table, but not those of the indexes (captured from AWS)."""


def read_units(size_bytes: int, factor: float) -> float:
    """Return the units of one read of this size. A read that finds nothing costs as much as a read of 4 KB."""
    return max(1, -(-size_bytes // READ_UNIT_BYTES)) * factor


def write_units(size_bytes: int) -> int:
    """Return the units of one write of this size."""
    return max(1, -(-size_bytes // WRITE_UNIT_BYTES))


def entry_write_units(old_bytes: int | None, new_bytes: int | None, *, is_moved: bool, is_changed: bool) -> int:
    """Return the write units that one index consumes if an entry changes. A size is None if there is no such entry.

    An unchanged entry costs nothing. An entry whose key changes (`is_moved`) costs a delete and a put. The units of
    each are rounded up separately.
    """
    if old_bytes is None or new_bytes is None:
        only_bytes = old_bytes if new_bytes is None else new_bytes
        return 0 if only_bytes is None else write_units(only_bytes)
    if is_moved:
        return write_units(old_bytes) + write_units(new_bytes)
    return max(write_units(old_bytes), write_units(new_bytes)) if is_changed else 0
