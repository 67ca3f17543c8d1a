"""Patterns as a table's methods: typed by their own signature, called, awaited, iterated, counted and explained."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, TypeVar

from singletable.client.arguments import binder
from singletable.errors import ArgumentRefused, NotConnected
from singletable.model.declaration import Frequency, PatternDeclaration, PatternOptions, declare_pattern
from singletable.model.entity import Accepted
from singletable.model.intents import Query
from singletable.model.page import Page

if TYPE_CHECKING:
    from singletable.client.open_table import OpenTable
    from singletable.client.options import Options
    from singletable.client.table import Table
    from singletable.planner.explain import Explanation
    from singletable.planner.plan import Outcome

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")


class Pattern(Generic[P, R]):
    """An access pattern of a table; `Table.pattern` and `table.pattern` give it bound to its design."""

    def __init__(self, declaration: PatternDeclaration) -> None:
        self.declaration = declaration
        self.__doc__ = declaration.title
        self._bound: dict[type[Table], BoundPattern[P, R]] = {}
        self._name: str | None = None

    def named(self, name: str) -> Pattern[P, R]:
        """The pattern under the name that a table has for it."""
        return self if self.declaration.name == name else Pattern(replace(self.declaration, name=name))

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, instance: Table | None, owner: type[Table]) -> BoundPattern[P, R]:
        bound = self._bound.get(owner)
        if bound is None:
            bound = self._bound[owner] = BoundPattern(owner, self.declaration)
        if instance is None:
            return bound
        of_instance = bound.of(instance)
        if self._name is not None:  # from now on Python finds it without asking us
            vars(instance)[self._name] = of_instance
        return of_instance


class BoundPattern(Generic[P, R]):
    """A pattern of one table, with its plan; of an open table it can be called.

    `Shop.orders_of` can be explained before any table exists; `shop.orders_of` of an open table answers as well.
    """

    def __init__(
        self,
        table: type[Table],
        declaration: PatternDeclaration,
        instance: Table | None = None,
        known: Mapping[str, Any] | None = None,
    ) -> None:
        self._table = table
        self._instance = instance
        self._options: Options | None = None
        self.declaration = declaration
        if known is not None:
            self.__dict__.update(known)

    def of(self, instance: Table) -> BoundPattern[P, R]:
        """The same pattern on an open table."""
        return BoundPattern(self._table, self.declaration, instance, {"plan": self.plan, "_bind": self._bind})

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Ask DynamoDB, and answer what the pattern's signature promises."""
        opened = self._opened()
        result: R = opened.run_pattern(self.plan, self._arguments(args, kwargs), self._options)
        return result

    async def aio(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """The same, awaited."""
        opened = self._opened()
        result: R = await opened.run_pattern_async(self.plan, self._arguments(args, kwargs), self._options)
        return result

    def all(self: BoundPattern[P, Page[T]], *args: P.args, **kwargs: P.kwargs) -> Every[T]:
        """Every item of every page, read as it is needed, by `for` or by `async for`."""
        return Every(self._opened(), self.plan, self._arguments_of_pages("all", args, kwargs), self._options)

    def count(self: BoundPattern[P, Page[T]], *args: P.args, **kwargs: P.kwargs) -> int:
        """How many items all pages have."""
        return self._opened().count(self.plan, self._arguments_of_pages("count", args, kwargs), self._options)

    async def count_aio(self: BoundPattern[P, Page[T]], *args: P.args, **kwargs: P.kwargs) -> int:
        """The same, awaited."""
        arguments = self._arguments_of_pages("count_aio", args, kwargs)
        return await self._opened().count_async(self.plan, arguments, self._options)

    def using(
        self,
        *,
        consistent: bool | None = None,
        expired: bool = False,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> BoundPattern[P, R]:
        """The pattern with options that are not in its signature.

        `consistent` reads strongly where the index allows it; `expired` returns items whose time to live has passed;
        `limit` and `cursor` page through a pattern that has no such parameters.
        """
        from singletable.client.options import Options

        if limit is not None and (type(limit) is not int or limit < 1):
            raise ArgumentRefused(f"limit is {limit!r}; it counts items and is at least 1")
        known = {"plan": self.plan, "_bind": self._bind}
        using: BoundPattern[P, R] = BoundPattern(self._table, self.declaration, self._instance, known)
        using._options = Options(consistent, expired, limit, cursor)
        return using

    def _opened(self) -> OpenTable:
        opened: OpenTable | None = None if self._instance is None else vars(self._instance).get("_open")
        if opened is None:
            raise NotConnected(
                f"{self._table.__name__}.{self.declaration.name} has no store to read from; "
                f'open one, such as {self._table.__name__}.open("memory:"), and call it there. '
                f"{self.declaration.name}.explain(...) says what it would ask"
            )
        return opened

    def _arguments(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        try:
            return self._bind(*args, **kwargs)
        except TypeError:
            self.declaration.signature.bind(None, *args, **kwargs)  # says what is wrong
            raise

    def _arguments_of_pages(self, way: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        """The arguments of a call that goes through all pages, which a pattern has to have."""
        name = self.declaration.name
        if not isinstance(self.declaration.intent, Query):
            raise ArgumentRefused(f"{name} does not answer a Page, of which .{way} has all; call {name}(...) itself")
        arguments = self._arguments(args, kwargs)
        given = self._options.cursor if self._options is not None else None
        if given is not None or arguments.get("cursor") is not None:
            raise ArgumentRefused(f"{name}.{way} begins with the first page; leave the cursor out, or call {name}(...)")
        return arguments

    @cached_property
    def _bind(self) -> Callable[..., dict[str, Any]]:
        return binder(self.declaration.signature)

    @cached_property
    def plan(self) -> Outcome:
        """The plan, or the refusal, of this pattern."""
        from singletable.planner.planner import plan

        return plan(self._table.design, self.declaration)

    def explain(self, *args: P.args, **kwargs: P.kwargs) -> Explanation:
        """The exact requests for these arguments, and the proof; raises DesignError when the pattern is refused."""
        from singletable.client.call_explanation import explain_call

        opened: OpenTable | None = None if self._instance is None else vars(self._instance).get("_open")
        name = None if opened is None else opened.reader.name
        bound = self.declaration.signature.bind(None, *args, **kwargs)
        return explain_call(self._table.design, self.plan, bound, name)


class Every(Generic[T]):
    """Every item that a pattern answers, page by page; each loop over it asks anew."""

    def __init__(self, opened: OpenTable, plan: Outcome, arguments: dict[str, Any], options: Options | None) -> None:
        self._opened, self._plan, self._arguments, self._options = opened, plan, arguments, options

    def __iter__(self) -> Iterator[T]:
        return self._opened.every(self._plan, self._arguments, self._options)

    def __aiter__(self) -> AsyncIterator[T]:
        return self._opened.every_async(self._plan, self._arguments, self._options)


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
    many items an answer has (`expected_items`) and how many are read for it (`expected_examined`). `accept` are
    findings that are meant to be, each with the reason.
    """
    options = PatternOptions(frequency, rate, budget_ms, entry, fanout, expected_items, expected_examined, accept)

    def declare(function: Callable[Concatenate[Any, P], R]) -> Pattern[P, R]:
        return Pattern(declare_pattern(function, options))

    return declare
