"""The compiled fast path for the sizes of valid items and attribute values."""

from collections.abc import Callable
from typing import Any

INTERFACE_VERSION: int
NAME_BYTES_MAX: int
LEVELS_MAX: int
NUMBER_DIGITS_MAX: int

def size_of_item(item: Any, number: Callable[[str], tuple[str, int]], other: Callable[[str, Any], int], /) -> int:
    """Return the size of a valid item, and convert its numbers in place; raise NotOnFastPath for other input."""

def size_of_value(value: Any, number: Callable[[str], tuple[str, int]], other: Callable[[str, Any], int], /) -> int:
    """Return the size of a valid attribute value, and convert its numbers in place, like `size_of_item`."""
