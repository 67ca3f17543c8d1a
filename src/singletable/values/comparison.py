"""Equality and order of attribute values, as conditions and filters compare them."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

from singletable.values.binary import binary_bytes


def equal(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether two accepted values are the same: of one type, sets and maps in any order, lists in theirs.

    Accepted numbers and binaries have one text each, so that equal ones have equal texts.
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
    """-1, 0 or 1 as the one comes before the other, is equal to it or comes after it; None where there is no order.

    Accepted texts, numbers and binaries have an order, each among their own kind.
    """
    ((kind, content),) = one.items()
    if kind not in other or kind not in _ORDERED:
        return None
    ordered = _ORDERED[kind]
    mine, others = ordered(content), ordered(other[kind])
    return int(mine > others) - int(mine < others)


_ORDERED: dict[str, Callable[[str], Any]] = {
    "S": str,  # code points sort as their UTF-8 does
    "N": Decimal,
    "B": binary_bytes,
}
