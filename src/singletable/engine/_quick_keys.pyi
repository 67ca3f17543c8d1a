"""The stored key of an item whose key attributes are short ASCII texts."""

from typing import Any

FORM: int
CHARACTERS_MAX: int

def plain_key(item: dict[str, dict[str, Any]], partition: str, sort: str | None, /) -> bytes | None:
    """The stored key of an item, if that is plain to see; else None."""
