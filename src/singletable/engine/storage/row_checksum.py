"""Checksums of stored rows: each write stores one, and each read verifies it, so that no read returns altered bytes.

    crc32 of size, key and item (4) | size of the item (4) | bytes of the item (4) | bytes of the key (2)

A CRC finds every single changed bit, and zlib computes it in every Python. The lengths separate rows that SQLite has
joined. Rows of the other tables, such as the catalog, have only the crc32 of their columns.
"""

from __future__ import annotations

import sqlite3
import struct
from collections.abc import Callable, Iterator
from zlib import crc32

from singletable.engine.storage import store_format
from singletable.errors import StoreRefused
from singletable.values.fast_path import FastPath, NotOnFastPath, compiled_module

FAST_CHECKSUMS = FastPath("row checksums")
"""Counts the reads and writes of rows; a miss is a row without a checksum, or a damaged row."""
_fast_checksums = compiled_module("singletable.engine.storage._fast_checksums")

_CHECKSUM = struct.Struct(">IIIH")  # crc32, size, bytes of the item, bytes of the key
_CHANGE = struct.Struct(">qdqIqq")  # sequence, time, by_service, bytes of the key and of the items (-1 for no item)
_FLOAT = struct.Struct(">d")
_COMMA = ord(",")

JoinedRows = tuple[bytes, int, int, bytes | None]
"""Items joined with commas, their number, the sum of their sizes, and the item that reached a limit, or None."""


def _row_checksum(key: bytes, item: bytes, size: int) -> bytes:
    return _CHECKSUM.pack(crc32(item, crc32(key, size)), size, len(item), len(key))


def _verified_size(key: bytes, item: bytes, checksum: bytes | None) -> int:
    try:
        crc, size, item_bytes, key_bytes = _CHECKSUM.unpack(checksum)  # type: ignore[arg-type]  # raises TypeError
        if crc == crc32(item, crc32(key, size)) and item_bytes == len(item) and key_bytes == len(key):
            return int(size)
    except (TypeError, struct.error):
        raise NotOnFastPath from None
    raise NotOnFastPath


def _verified_join(items: bytes, heads: bytes, descending: bool) -> tuple[int, int, int, int]:
    view = memoryview(items)
    rows = total = item_end = head_end = item_bytes = key_bytes = 0
    previous: bytes | None = None
    while head_end + _CHECKSUM.size <= len(heads):
        crc, size, item_bytes, key_bytes = _CHECKSUM.unpack_from(heads, head_end)
        head_end += _CHECKSUM.size
        key = heads[head_end : head_end + key_bytes]
        if previous is not None:
            if items[item_end : item_end + 1] != b"," or (key >= previous if descending else key <= previous):
                raise NotOnFastPath
            item_end += 1
        if crc != crc32(view[item_end : item_end + item_bytes], crc32(key, size)):
            raise NotOnFastPath
        previous = key
        item_end += item_bytes
        head_end += key_bytes
        total += size
        rows += 1
    if not rows or item_end != len(items) or head_end != len(heads):
        raise NotOnFastPath
    return rows, total, item_bytes, key_bytes


row_checksum: Callable[[bytes, bytes, int], bytes] = (
    _row_checksum if _fast_checksums is None else _fast_checksums.row_checksum
)
"""Return the checksum of a row: of its key, its item and the size of the item."""

verified_size: Callable[[bytes, bytes, bytes | None], int] = (
    _verified_size if _fast_checksums is None else _fast_checksums.verified_size
)
"""Return the size of an item whose row matches its checksum; raise NotOnFastPath for any other row."""

verified_join: Callable[[bytes, bytes, bool], tuple[int, int, int, int]] = (
    _verified_join if _fast_checksums is None else _fast_checksums.verified_join
)
"""Verify joined items and heads (the checksum and the key of each item).

Return the number of rows, the sum of their sizes, and the bytes of the last item and key. Raise NotOnFastPath unless
all rows match their checksums and their keys are in order.
"""


def joined_rows(
    rows: Iterator[tuple[bytes, bytes, bytes | None]], count_max: int, bytes_max: int, descending: bool
) -> JoinedRows:
    """Verify rows and join their items, until the number or the sizes of the items reach a limit.

    Raise NotOnFastPath for a row that does not match its checksum, and without the compiled module.
    """
    if _fast_checksums is None:
        raise NotOnFastPath
    joined: JoinedRows = _fast_checksums.joined_rows(rows, count_max, bytes_max, descending)
    return joined


def record_checksum(*values: str | bytes | float | None) -> int:
    """Return the checksum of the columns of a row, with a type and a length before each of them."""
    crc = 0
    for value in values:
        if value is None:
            kind, data = b"n", b""
        elif isinstance(value, str):
            kind, data = b"s", value.encode()
        elif isinstance(value, bytes):
            kind, data = b"b", value
        elif isinstance(value, int):
            kind, data = b"i", b"%d" % value
        else:
            kind, data = b"f", _FLOAT.pack(value)
        crc = crc32(data, crc32(b"%b%d:" % (kind, len(data)), crc))
    return crc


def change_checksum(
    sequence: int, at: float, by_service: int, key: bytes, before: bytes | None, after: bytes | None
) -> int:
    """Return the checksum of a row of a change log."""
    lengths = [-1 if body is None else len(body) for body in (before, after)]
    head = _CHANGE.pack(sequence, at, by_service, len(key), *lengths)
    return crc32(after or b"", crc32(before or b"", crc32(key, crc32(head))))


def check_record(
    connection: sqlite3.Connection, what: str, checksum: object, *values: str | bytes | float | None
) -> None:
    """Raise StoreRefused if a row of a table such as the catalog does not match its checksum."""
    try:
        is_sound = checksum == record_checksum(*values)
    except (TypeError, ValueError):
        is_sound = False
    if not is_sound and not (checksum is None and store_format.may_lack_checksums(connection)):
        raise damage_error(what)


def damage_error(what: str) -> StoreRefused:
    """Return the error for a read of a damaged row."""
    return StoreRefused(
        f"{what} is damaged: it does not match its checksum.\n"
        "  Run `singletable check-store` on the file, which lists all damage; then restore a backup of the table or a "
        "copy of the file."
    )
