"""The compiled fast path for the checksums of stored rows."""

from collections.abc import Iterator

INTERFACE_VERSION: int

def row_checksum(key: bytes, item: bytes, size: int, /) -> bytes:
    """Return the checksum of a row: of its key, its item and the size of the item."""

def verified_size(key: object, item: object, checksum: object, /) -> int:
    """Return the size of an item whose row matches its checksum; raise NotOnFastPath for any other row."""

def verified_join(items: bytes, heads: bytes, descending: bool, /) -> tuple[int, int, int, int]:
    """Verify joined rows; return their number, their size, and the lengths of the last item and key."""

def joined_rows(
    rows: Iterator[tuple[object, object, object]], count_max: int, bytes_max: int, descending: bool, /
) -> tuple[bytes, int, int, bytes | None]:
    """Verify rows and join their items, up to a number of items or bytes."""
