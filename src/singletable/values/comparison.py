"""Equality and order of attribute values, as in conditions and filters."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

from singletable.values.scalars import binary_bytes


def equal(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Return whether two valid values have the same type and content; order matters in lists, but not in sets and maps.

    Numbers and binaries are in canonical form, so equal values have equal strings.
    """
    ((kind, content),) = one.items()
    if kind not in other:
        return False
    other_content = other[kind]
    match kind:
        case "L":
            return len(content) == len(other_content) and all(map(equal, content, other_content))
        case "M":
            return content.keys() == other_content.keys() and all(
                equal(member, other_content[name]) for name, member in content.items()
            )
        case "SS" | "NS" | "BS":
            return set(content) == set(other_content)
        case _:
            return bool(content == other_content)


def compare(one: dict[str, Any], other: dict[str, Any]) -> int | None:
    """Return -1, 0 or 1 when the first value is less than, equal to or greater than the second; None without an order.

    Two strings, two numbers or two binaries have an order; other pairs of values have none.
    """
    ((kind, content),) = one.items()
    if kind not in other or kind not in _ORDERED:
        return None
    ordered = _ORDERED[kind]
    mine, others = ordered(content), ordered(other[kind])
    return int(mine > others) - int(mine < others)


_ORDERED: dict[str, Callable[[str], Any]] = {
    "S": str,  # code points and UTF-8 have the same order
    "N": Decimal,
    "B": binary_bytes,
}
