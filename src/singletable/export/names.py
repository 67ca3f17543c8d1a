"""Names for other languages, made out of the names of tables and indexes: valid there, and no two alike."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")


def words(name: str) -> list[str]:
    """The words of a name: `ShopByHash`, `shop-by-hash` and `shop_by_hash` have the same three."""
    return _WORDS.findall(name)


def pascal_case(name: str) -> str:
    """`ShopByHash`: letters and digits only, as CloudFormation's logical ids and Python's classes are."""
    joined = "".join(word if word.isupper() else word.capitalize() for word in words(name))
    return joined if joined[:1].isalpha() else f"Table{joined}"


def snake_case(name: str) -> str:
    """`shop_by_hash`: as Terraform and Python name things."""
    joined = "_".join(word.lower() for word in words(name))
    return joined if joined[:1].isalpha() else f"table_{joined}".rstrip("_")


def told_apart(names: Iterable[str], made: Callable[[str], str]) -> dict[str, str]:
    """What is made of each name; what two names share gets a number from the second on."""
    found: dict[str, str] = {}
    taken: set[str] = set()
    for name in names:
        candidate, number = made(name), 1
        while candidate.lower() in taken:
            number += 1
            candidate = f"{made(name)}{number}"
        taken.add(candidate.lower())
        found[name] = candidate
    return found
