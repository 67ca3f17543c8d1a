"""Widened types: a test whether every stored value of one field type is a valid value of another type."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from singletable.evolve.field_types import stored_kind

_WIDER: Mapping[str, frozenset[str]] = {
    "int": frozenset(("float", "Decimal")),
    "float": frozenset(("Decimal",)),
    "datetime": frozenset(("str",)),
    "date": frozenset(("str",)),
    "UUID": frozenset(("str",)),
    "time": frozenset(("str",)),
    **dict.fromkeys(("IPv4Address", "IPv6Address", "IPv4Network", "IPv6Network"), frozenset(("str",))),
    "tuple": frozenset(("list",)),
    "set": frozenset(("frozenset",)),
    "frozenset": frozenset(("set",)),
}


def is_widened(before: Any, after: Any) -> bool:
    """Return whether every stored value of the type `before` is valid for `after`.

    Return False if this is uncertain.
    """
    if after in (before, "any"):
        return True
    if isinstance(before, str) and isinstance(after, str):
        return after in _WIDER.get(before, ())
    if isinstance(before, dict) and "union" in before:
        return all(is_widened(each, after) for each in before["union"])
    if isinstance(after, dict) and "union" in after:
        return any(is_widened(before, each) for each in after["union"])
    texts, accepted = _values(before), _values(after)
    if texts is not None:
        if accepted is not None:
            return texts <= accepted
        return after in ("str", "int") and stored_kind(before) == stored_kind(after)
    if isinstance(before, dict) and isinstance(after, dict):
        return _is_wider_container(before, after)
    return isinstance(before, dict) and isinstance(after, str) and next(iter(before)) == after


def _is_wider_container(before: dict[str, Any], after: dict[str, Any]) -> bool:
    ((kind, content),), ((other, wider),) = before.items(), after.items()
    if kind != other or kind not in ("list", "tuple", "dict", "set", "frozenset") or len(content) != len(wider):
        return False
    return all(is_widened(one, two) for one, two in zip(content, wider, strict=True))


def _values(document: Any) -> set[Any] | None:
    """Return the stored values of an enum or a literal, or None."""
    if isinstance(document, dict) and "literal" in document:
        return {(type(each).__name__, each) for each in document["literal"]}
    if isinstance(document, dict) and "enum" in document:
        values = document["enum"]["members"].values()
        return {(type(each).__name__, str(each) if isinstance(each, dict) else each) for each in values}
    return None
