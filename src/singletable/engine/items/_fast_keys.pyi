"""The compiled fast path for the stored key of an item."""

from typing import Any

INTERFACE_VERSION: int
CHARACTERS_MAX: int

def fast_key(item: dict[str, dict[str, Any]], partition: str, sort: str | None, /) -> bytes:
    """Return the stored key of an item; raise NotOnFastPath unless its key attributes are short ASCII strings."""
