"""Identifiers, string literals and Python source for exported files."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")


def name_words(name: str) -> list[str]:
    """Split a name into words: `ShopByHash`, `shop-by-hash` and `shop_by_hash` have the same three words."""
    return _WORDS.findall(name)


def pascal_case(name: str) -> str:
    """Return `ShopByHash`, with only letters and digits, for CloudFormation logical IDs and Python classes."""
    joined = "".join(word if word.isupper() else word.capitalize() for word in name_words(name))
    return joined if joined[:1].isalpha() else f"Table{joined}"


def snake_case(name: str) -> str:
    """Return `shop_by_hash`, for Terraform and Python names."""
    joined = "_".join(word.lower() for word in name_words(name))
    return joined if joined[:1].isalpha() else f"table_{joined}".rstrip("_")


def unique_names(names: Iterable[str], convert: Callable[[str], str]) -> dict[str, str]:
    """Convert each name. If several names have the same result, append a number to the second and later ones."""
    found: dict[str, str] = {}
    taken: set[str] = set()
    for name in names:
        candidate, number = convert(name), 1
        while candidate.lower() in taken:
            number += 1
            candidate = f"{convert(name)}{number}"
        taken.add(candidate.lower())
        found[name] = candidate
    return found


_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def quoted(text: str) -> str:
    """Return a string literal that YAML, HCL and Python all accept. Unprintable characters are escaped."""
    return f'"{"".join(_escaped(character) for character in text)}"'


def _escaped(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    if character.isprintable():
        return character
    code = ord(character)
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


# The default line length of Python formatters.
LINE_CHARACTERS = 88
_STEP = "    "


@dataclass(frozen=True)
class PythonName:
    """A Python expression, which is written unchanged."""

    text: str


@dataclass(frozen=True)
class PythonCall:
    """A call with its arguments."""

    function: str
    arguments: tuple[Any, ...] = ()
    keywords: Mapping[str, Any] = field(default_factory=dict)


def statement(head: str, value: Any, indent: str = "") -> str:
    """Return `head` followed by the value, as one statement."""
    return f"{indent}{head}{python_source(value, indent, len(indent) + len(head))}"


def python_source(value: Any, indent: str = "", column: int = 0, after: int = 0) -> str:
    """Return a value as Python source. It starts at `column`, and `after` characters follow on its last line."""
    flat = _flat(value)
    if column + len(flat) + after <= LINE_CHARACTERS or not _elements(value):
        return flat
    opening, closing = _brackets(value)
    inner = indent + _STEP
    lines = [
        f"{inner}{head}{python_source(each, inner, len(inner) + len(head), 1)}," for head, each in _elements(value)
    ]
    return "\n".join((opening, *lines, f"{indent}{closing}"))


def _flat(value: Any) -> str:
    if isinstance(value, PythonName):
        return value.text
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, PythonCall | Mapping | list):
        opening, closing = _brackets(value)
        return f"{opening}{', '.join(f'{head}{_flat(each)}' for head, each in _elements(value))}{closing}"
    return repr(value)


def _brackets(value: Any) -> tuple[str, str]:
    if isinstance(value, PythonCall):
        return f"{value.function}(", ")"
    return ("{", "}") if isinstance(value, Mapping) else ("[", "]")


def _elements(value: Any) -> list[tuple[str, Any]]:
    """Return the elements of a value, each with its prefix (`name=` or `"key": `)."""
    return list(_found(value))


def _found(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, PythonCall):
        yield from (("", each) for each in value.arguments)
        yield from ((f"{name}=", each) for name, each in value.keywords.items())
    elif isinstance(value, Mapping):
        yield from ((f"{quoted(key)}: ", each) for key, each in value.items())
    elif isinstance(value, list):
        yield from (("", each) for each in value)
