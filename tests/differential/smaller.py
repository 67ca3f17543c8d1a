"""The smallest example of a difference: fewer items, and a request with as few members as still show it."""

from __future__ import annotations

from dataclasses import dataclass

from tests.differential.ask import exchange
from tests.differential.compare import Difference, differences, kind_of
from tests.differential.justified import justification
from tests.differential.shrink import fewer, shrunk
from tests.differential.sides import Request
from tests.differential.state import TABLE_WRITES, BothSides
from tests.engine.generated_values import Given
from tests.engine.plain_table import Key
from tests.engine.plain_values import Item

Contents = dict[str, dict[Key, Item]]


@dataclass(frozen=True)
class Example:
    """A request, the items that were there, and what differs."""

    request: Request
    items: Contents
    difference: Difference


class Smaller:
    """Looks for smaller examples of one kind of difference; everything is as it was afterwards."""

    def __init__(self, both: BothSides, kind: str, action: str, before: Contents, passing: dict[str, Given]) -> None:
        self._both, self._kind, self._action = both, kind, action
        self._before, self._passing = before, passing
        self._found: Difference | None = None

    def of(self, request: Request, difference: Difference) -> Example:
        """The smallest that was found, on the way from the request that came up."""
        if self._action in TABLE_WRITES:
            smaller = shrunk(request, self._shows_table) if self._shows_table(request) else request
            self._restore_table(request)
            return Example(smaller, {}, self._found or difference)
        world = self._both.world
        items = {name: self._before[name] for name in world.named_in(request) if name in self._before}
        if self._shows(request, items):
            items = self._fewer_items(request, items)
            request = shrunk(request, lambda each: self._shows(each, items))
            self._shows(request, items)
        self._both.set_contents({name: kept for name, kept in self._before.items() if name in world.givens})
        return Example(request, items, self._found or difference)

    def _fewer_items(self, request: Request, items: Contents) -> Contents:
        flat = [(name, key) for name, kept in items.items() for key in kept]

        def picked(some: list[tuple[str, Key]]) -> Contents:
            return {name: {key: items[name][key] for of, key in some if of == name} for name in items}

        return picked(fewer(flat, lambda some: self._shows(request, picked(some))))

    def _shows(self, request: Request, items: Contents) -> bool:
        self._both.set_contents(items)
        return self._differs(request)

    def _shows_table(self, request: Request) -> bool:
        self._restore_table(request)
        return self._differs(request)

    def _restore_table(self, request: Request) -> None:
        name = request.get("TableName")
        if isinstance(name, str) and name not in self._both.world.names_of_standing:
            known = self._passing.get(name)
            self._both.set_table(name, known, list(self._before.get(name, {}).values()))

    def _differs(self, request: Request) -> bool:
        done = exchange(self._both.sides, self._both.world, self._action, request)
        for difference in (*differences(done), *self._both.learn(done)):
            if kind_of(done, difference) == self._kind and justification(done, difference) is None:
                self._found = difference
                return True
        return False
