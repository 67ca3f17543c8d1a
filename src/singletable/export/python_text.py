"""Python as its formatters leave it: literals and calls on one line where they fit, else one element a line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from singletable.export.quoted import quoted

# What the formatters of Python are set to unless one says otherwise.
LINE_CHARACTERS = 88
_STEP = "    "


@dataclass(frozen=True)
class Name:
    """An expression that is written as it is."""

    text: str


@dataclass(frozen=True)
class Call:
    """A call with its arguments."""

    function: str
    arguments: tuple[Any, ...] = ()
    keywords: Mapping[str, Any] = field(default_factory=dict)


def statement(head: str, value: Any, indent: str = "") -> str:
    """`head` and the value behind it, as one statement."""
    return f"{indent}{head}{python(value, indent, len(indent) + len(head))}"


def python(value: Any, indent: str = "", column: int = 0, after: int = 0) -> str:
    """A value as Python: `column` is where it begins, `after` how much follows it on its line."""
    flat = _flat(value)
    if column + len(flat) + after <= LINE_CHARACTERS or not _elements(value):
        return flat
    opening, closing = _brackets(value)
    inner = indent + _STEP
    lines = [f"{inner}{head}{python(each, inner, len(inner) + len(head), 1)}," for head, each in _elements(value)]
    return "\n".join((opening, *lines, f"{indent}{closing}"))


def _flat(value: Any) -> str:
    if isinstance(value, Name):
        return value.text
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, Call | Mapping | list):
        opening, closing = _brackets(value)
        return f"{opening}{', '.join(f'{head}{_flat(each)}' for head, each in _elements(value))}{closing}"
    return repr(value)


def _brackets(value: Any) -> tuple[str, str]:
    if isinstance(value, Call):
        return f"{value.function}(", ")"
    return ("{", "}") if isinstance(value, Mapping) else ("[", "]")


def _elements(value: Any) -> list[tuple[str, Any]]:
    """What stands between the brackets of a value, each with what stands before it."""
    return list(_found(value))


def _found(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Call):
        yield from (("", each) for each in value.arguments)
        yield from ((f"{name}=", each) for name, each in value.keywords.items())
    elif isinstance(value, Mapping):
        yield from ((f"{quoted(key)}: ", each) for key, each in value.items())
    elif isinstance(value, list):
        yield from (("", each) for each in value)
