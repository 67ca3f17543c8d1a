"""Patterns as a table's methods: typed by their own signature, explained before they are run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, TypeVar

from singletable.errors import NotConnected
from singletable.model.declaration import Frequency, PatternDeclaration, PatternOptions, declare_pattern
from singletable.model.entity import Accepted

if TYPE_CHECKING:
    from singletable.client.table import Table
    from singletable.planner.explain import Explanation
    from singletable.planner.plan import Outcome

P = ParamSpec("P")
R = TypeVar("R")


class Pattern(Generic[P, R]):
    """An access pattern of a table; `Table.pattern` and `table.pattern` give it bound to its design."""

    def __init__(self, declaration: PatternDeclaration) -> None:
        self.declaration = declaration
        self.__doc__ = declaration.title
        self._bound: dict[type[Table], BoundPattern[P, R]] = {}

    def named(self, name: str) -> Pattern[P, R]:
        """The pattern under the name that a table has for it."""
        return self if self.declaration.name == name else Pattern(replace(self.declaration, name=name))

    def __get__(self, instance: Table | None, owner: type[Table]) -> BoundPattern[P, R]:
        if owner not in self._bound:
            self._bound[owner] = BoundPattern(owner, self.declaration)
        return self._bound[owner]


class BoundPattern(Generic[P, R]):
    """A pattern of one table, with its plan."""

    def __init__(self, table: type[Table], declaration: PatternDeclaration) -> None:
        self._table = table
        self.declaration = declaration

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Ask DynamoDB, once a store stands behind the table."""
        raise NotConnected(
            f"{self._table.__name__}.{self.declaration.name} has no store to read from; "
            f"{self.declaration.name}.explain(...) says what it would ask"
        )

    @cached_property
    def plan(self) -> Outcome:
        """The plan, or the refusal, of this pattern."""
        from singletable.planner.planner import plan

        return plan(self._table.design, self.declaration)

    def explain(self, *args: P.args, **kwargs: P.kwargs) -> Explanation:
        """The exact requests for these arguments, and the proof; raises DesignError when the pattern is refused."""
        from singletable.planner.explain import explain

        return explain(self._table.design, self.plan, self.declaration.signature.bind(None, *args, **kwargs))


def pattern(
    *,
    frequency: Frequency | float | None = None,
    rate: float | None = None,
    budget_ms: float | None = None,
    entry: type | str | None = None,
    fanout: int | None = None,
    expected_items: int | None = None,
    expected_examined: int | None = None,
    accept: Accepted | None = None,
) -> Callable[[Callable[Concatenate[Any, P], R]], Pattern[P, R]]:
    """Declare a method of a table as an access pattern.

    Its parameters bind to fields by name, its return type is the shape of the answer, and its body, evaluated once,
    says what is read. The keywords are the worksheet's columns: how often (`frequency` as a word or a number a second,
    or `rate`), the latency budget, the entry entity, the number of requests that a fan-out may take (`fanout`), how
    many items an answer has (`expected_items`) and how many are read for it (`expected_examined`).
    """
    options = PatternOptions(frequency, rate, budget_ms, entry, fanout, expected_items, expected_examined, accept)

    def declare(function: Callable[Concatenate[Any, P], R]) -> Pattern[P, R]:
        return Pattern(declare_pattern(function, options))

    return declare
