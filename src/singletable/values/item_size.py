"""Item sizes in bytes, and the capacity units that reads and writes consume.

DynamoDB rounds reads up to 4 KB and writes up to 1 KB. Some rules are not in its documentation: other
projects captured them from the service, and the test vectors contain them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from singletable.values.limits import READ_UNIT_BYTES, WRITE_UNIT_BYTES
from singletable.values.scalars import binary_size, number_size


def item_size(item: dict[str, Any]) -> int:
    """Return the size of a valid item: every name in UTF-8, and every value."""
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
    """Return the size of a valid value, without its name."""
    ((kind, content),) = value.items()
    return _SIZES[kind](content)


def texts_size(texts: Iterable[str]) -> int:
    """Return the total size of strings in UTF-8."""
    together = "".join(texts)
    # An ASCII string has one byte per character, so it need not be encoded.
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

EVENTUAL = 0.5
CONSISTENT = 1.0
TRANSACTIONAL = 2.0
TRANSACTION_WRITE_FACTOR = 2
"""A transaction doubles the write units of the table, but not those of the indexes (captured from AWS)."""


def read_units(size_bytes: int, factor: float) -> float:
    """Return the units of one read of this size; an empty read costs as much as a small one."""
    return max(1, -(-size_bytes // READ_UNIT_BYTES)) * factor


def write_units(size_bytes: int) -> int:
    """Return the units of one write of this size."""
    return max(1, -(-size_bytes // WRITE_UNIT_BYTES))


def entry_write_units(old_bytes: int | None, new_bytes: int | None, *, is_moved: bool, is_changed: bool) -> int:
    """Return the write units for one index, from the old and the new size of its entry; None means no entry.

    An unchanged entry costs nothing. A moved entry costs a delete and a put, and the units of each are rounded up.
    """
    if old_bytes is None or new_bytes is None:
        present = old_bytes if new_bytes is None else new_bytes
        return 0 if present is None else write_units(present)
    if is_moved:
        return write_units(old_bytes) + write_units(new_bytes)
    return max(write_units(old_bytes), write_units(new_bytes)) if is_changed else 0
