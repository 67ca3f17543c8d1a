"""DynamoDB's capacity units: what reading and writing so many bytes costs, and what a write costs an index.

Reads are rounded up to 4 KB and writes to 1 KB. Where a rule below is not in the service's documentation, it was
captured against the service by others and is kept as test vectors.
"""

from __future__ import annotations

from singletable.values.limits import READ_UNIT_BYTES, WRITE_UNIT_BYTES

EVENTUAL = 0.5
CONSISTENT = 1.0
TRANSACTIONAL = 2.0
TRANSACTION_WRITE_FACTOR = 2
"""A transaction doubles what its writes cost the table, and not what they cost the indexes (captured)."""


def read_units(size_bytes: int, factor: float) -> float:
    """The units of reading so many bytes in one go; nothing costs as much as a little."""
    return max(1, -(-size_bytes // READ_UNIT_BYTES)) * factor


def write_units(size_bytes: int) -> int:
    """The units of writing so many bytes."""
    return max(1, -(-size_bytes // WRITE_UNIT_BYTES))


def entry_write_units(old_bytes: int | None, new_bytes: int | None, *, is_moved: bool, is_changed: bool) -> int:
    """The units that a write costs one index, by the item's entry before and after; None is for no entry.

    An entry that did not change costs nothing, one that moved is deleted and written, each rounded by itself.
    """
    if old_bytes is None or new_bytes is None:
        present = old_bytes if new_bytes is None else new_bytes
        return 0 if present is None else write_units(present)
    if is_moved:
        return write_units(old_bytes) + write_units(new_bytes)
    return max(write_units(old_bytes), write_units(new_bytes)) if is_changed else 0
