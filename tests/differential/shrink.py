"""A request made smaller by leaving out its members, one after another, while what is wrong with it remains."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

T = TypeVar("T")

TRIES_MAX = 150


def shrunk(document: Any, still: Callable[[Any], bool], tries: int = TRIES_MAX) -> Any:
    """The smallest document on the way that is still as wrong; outer members are left out first."""
    changed = True
    while changed and tries > 0:
        changed = False
        for candidate in _smaller(document):
            tries -= 1
            if still(candidate):
                document, changed = candidate, True
                break
            if tries == 0:
                break
    return document


def fewer(elements: Sequence[T], still: Callable[[list[T]], bool]) -> list[T]:
    """As few of the elements as are needed, tried in halves, quarters and one by one."""
    kept = list(elements)
    size = len(kept)
    while size and kept:
        for start in range(0, len(kept), size):
            without = kept[:start] + kept[start + size :]
            if still(without):
                kept = without
                break
        else:
            size //= 2
    return kept


def _smaller(document: Any) -> Iterator[Any]:
    """The document without one of its members, from the outside in."""
    for path in _paths(document):
        candidate = copy.deepcopy(document)
        holder = candidate
        for step in path[:-1]:
            holder = holder[step]
        del holder[path[-1]]
        yield candidate


def _paths(document: Any) -> list[tuple[Any, ...]]:
    """The ways to all members, those further out first."""
    found: list[tuple[Any, ...]] = []
    level: list[tuple[tuple[Any, ...], Any]] = [((), document)]
    while level:
        deeper: list[tuple[tuple[Any, ...], Any]] = []
        for path, node in level:
            members = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
            for name, inner in members:
                found.append((*path, name))
                deeper.append(((*path, name), inner))
        level = deeper
    return found
