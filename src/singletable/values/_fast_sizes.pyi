"""The sizes of items and attribute values that are valid."""

from collections.abc import Callable
from typing import Any

INTERFACE_VERSION: int
NAME_BYTES_MAX: int
LEVELS_MAX: int
NUMBER_DIGITS_MAX: int

def size_of_item(item: Any, number: Callable[[str], tuple[str, int]], other: Callable[[str, Any], int], /) -> int:
    """Return the size of a valid item in bytes, and write its numbers in canonical form; else raise NotOnFastPath."""

def size_of_value(value: Any, number: Callable[[str], tuple[str, int]], other: Callable[[str, Any], int], /) -> int:
    """Return the size of one valid attribute value in bytes, likewise."""
