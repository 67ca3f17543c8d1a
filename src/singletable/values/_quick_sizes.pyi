"""The quick pass over attribute values: their sizes, where all are as DynamoDB wants them."""

from collections.abc import Callable
from typing import Any

FORM: int
NAME_BYTES_MAX: int
LEVELS_MAX: int
NUMBER_DIGITS_MAX: int

def size_of_item(item: Any, number: Callable[[str], tuple[str, int]], other: Callable[[str, Any], int], /) -> int:
    """The bytes of an item that is plainly right; its numbers are written in plain notation."""

def size_of_value(value: Any, number: Callable[[str], tuple[str, int]], other: Callable[[str, Any], int], /) -> int:
    """The same of one value, without a name."""
