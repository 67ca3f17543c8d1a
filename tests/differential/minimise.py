"""Minimal examples of a difference: fewer items, and a request with fewer members."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from tests.differential.compare import Difference, differences, kind_of
from tests.differential.exchange import exchange
from tests.differential.intended_differences import intended_difference
from tests.differential.sides import Request
from tests.differential.state import TABLE_WRITES, BothSides
from tests.engine.oracle.generated_values import Given
from tests.engine.oracle.oracle_table import Key
from tests.engine.oracle.oracle_values import Item

T = TypeVar("T")

TRIES_MAX = 150


def minimise_document(document: Any, still: Callable[[Any], bool], tries: int = TRIES_MAX) -> Any:
    """Return the smallest document that still shows the difference. Outer members are removed first."""
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


def minimise_list(elements: Sequence[T], still: Callable[[list[T]], bool]) -> list[T]:
    """Return the smallest number of elements. The function tries to remove halves, quarters and single elements."""
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
    """Yield the document without one of its members, from the outside in."""
    for path in _paths(document):
        candidate = copy.deepcopy(document)
        holder = candidate
        for step in path[:-1]:
            holder = holder[step]
        del holder[path[-1]]
        yield candidate


def _paths(document: Any) -> list[tuple[Any, ...]]:
    """Yield the paths of all members, outer ones first."""
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


Contents = dict[str, dict[Key, Item]]


@dataclass(frozen=True)
class Example:
    """A request, the stored items, and the difference."""

    request: Request
    items: Contents
    difference: Difference


class ExampleMinimiser:
    """Searches for smaller examples of one kind of difference, and restores the state."""

    def __init__(self, both: BothSides, kind: str, action: str, before: Contents, temporary: dict[str, Given]) -> None:
        self._both, self._kind, self._action = both, kind, action
        self._before, self._temporary = before, temporary
        self._found: Difference | None = None

    def of(self, request: Request, difference: Difference) -> Example:
        """Return the smallest example, starting from the original request."""
        if self._action in TABLE_WRITES:
            smaller = minimise_document(request, self._shows_table) if self._shows_table(request) else request
            self._restore_table(request)
            return Example(smaller, {}, self._found or difference)
        world = self._both.world
        items = {name: self._before[name] for name in world.named_in(request) if name in self._before}
        if self._shows(request, items):
            items = self._fewer_items(request, items)
            request = minimise_document(request, lambda each: self._shows(each, items))
            self._shows(request, items)
        self._both.set_contents({name: kept for name, kept in self._before.items() if name in world.givens})
        return Example(request, items, self._found or difference)

    def _fewer_items(self, request: Request, items: Contents) -> Contents:
        flat = [(name, key) for name, kept in items.items() for key in kept]

        def picked(some: list[tuple[str, Key]]) -> Contents:
            return {name: {key: items[name][key] for of, key in some if of == name} for name in items}

        return picked(minimise_list(flat, lambda some: self._shows(request, picked(some))))

    def _shows(self, request: Request, items: Contents) -> bool:
        self._both.set_contents(items)
        return self._differs(request)

    def _shows_table(self, request: Request) -> bool:
        self._restore_table(request)
        return self._differs(request)

    def _restore_table(self, request: Request) -> None:
        name = request.get("TableName")
        if isinstance(name, str) and name not in self._both.world.permanent_names:
            known = self._temporary.get(name)
            self._both.set_table(name, known, list(self._before.get(name, {}).values()))

    def _differs(self, request: Request) -> bool:
        done = exchange(self._both.sides, self._both.world, self._action, request)
        for difference in (*differences(done), *self._both.learn(done)):
            if kind_of(done, difference) == self._kind and intended_difference(done, difference) is None:
                self._found = difference
                return True
        return False
