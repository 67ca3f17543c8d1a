"""Access patterns as methods of a table: call, await, iterate, count and explain them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from functools import cached_property
from inspect import BoundArguments, Parameter, Signature
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, TypeVar, overload

from singletable.errors import ArgumentRefused, KeyRefused, NotConnected
from singletable.lazy_dataclass import replace
from singletable.model.entity import Accepted
from singletable.model.intents import FeedIntent, Page, QueryIntent
from singletable.model.pattern_declaration import Frequency, PatternDeclaration, PatternOptions, declare_pattern

if TYPE_CHECKING:
    from singletable.client.connected_table import ConnectedTable
    from singletable.client.reading.table_reader import ReadOptions
    from singletable.client.table import Table
    from singletable.model.design import Design
    from singletable.planner.explanation import Explanation, RequestsFor
    from singletable.planner.plan import Outcome, Plan
    from singletable.planner.planned_requests import Request


P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")


class Pattern(Generic[P, R]):
    """An access pattern in the body of a table class. It is a descriptor that returns a BoundPattern."""

    def __init__(self, declaration: PatternDeclaration) -> None:
        self.declaration = declaration
        self.__doc__ = declaration.documentation or declaration.title
        self._bound: dict[type[Table], BoundPattern[P, R]] = {}
        self._name: str | None = None

    def named(self, name: str) -> Pattern[P, R]:
        """Return the same pattern under the name that it has in the table."""
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
        if self._name is not None:  # later lookups find the instance attribute and skip this descriptor
            vars(instance)[self._name] = of_instance
        return of_instance


class BoundPattern(Generic[P, R]):
    """A pattern of one table class or open table, with its plan.

    You can explain a pattern of the class, `Shop.orders_of`, before any table exists. To call it, use the pattern of
    an open table, `shop.orders_of`.
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
        self._options: ReadOptions | None = None
        self.declaration = declaration
        # `help`, `inspect.signature` and editors read these attributes.
        self.__doc__ = declaration.documentation or declaration.title
        self.__name__, self.__module__ = declaration.name, declaration.module
        self.__qualname__ = f"{table.__name__}.{declaration.name}"
        if known is not None:
            self.__dict__.update(known)

    @property
    def __signature__(self) -> Signature:
        """The signature of a call, without `self`."""
        signature = self.declaration.signature
        return signature.replace(parameters=list(signature.parameters.values())[1:])

    def __repr__(self) -> str:
        return f"<pattern {self.__qualname__}{self.__signature__}>"

    def of(self, instance: Table) -> BoundPattern[P, R]:
        """Return the same pattern on an open table."""
        return BoundPattern(self._table, self.declaration, instance, {"plan": self.plan, "_bind": self._bind})

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Run the pattern and return the result that its signature declares."""
        opened = self._opened()
        result: R = opened.run_pattern(self.plan, self._arguments(args, kwargs), self._options)
        return result

    async def aio(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Run the pattern on the running event loop."""
        opened = self._opened()
        result: R = await opened.run_pattern_async(self.plan, self._arguments(args, kwargs), self._options)
        return result

    def all(self: BoundPattern[P, Page[T]], *args: P.args, **kwargs: P.kwargs) -> AllItems[T]:
        """Return an iterable over the items of all pages, for `for` or `async for`.

        It reads each page when it is needed.
        """
        return AllItems(self._opened(), self.plan, self._page_arguments("all", args, kwargs), self._options)

    def count(self: BoundPattern[P, Page[T]], *args: P.args, **kwargs: P.kwargs) -> int:
        """Return the number of items on all pages."""
        return self._opened().count(self.plan, self._page_arguments("count", args, kwargs), self._options)

    async def count_aio(self: BoundPattern[P, Page[T]], *args: P.args, **kwargs: P.kwargs) -> int:
        """Return the number of items on all pages, using the running event loop."""
        arguments = self._page_arguments("count_aio", args, kwargs)
        return await self._opened().count_async(self.plan, arguments, self._options)

    def using(
        self,
        *,
        consistent: bool | None = None,
        expired: bool = False,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> BoundPattern[P, R]:
        """Return the pattern with options that are not in its signature.

        `consistent` requests strongly consistent reads, if the index supports them. `expired` includes items whose time
        to live has passed. `limit` and `cursor` paginate a pattern that has no such parameters.
        """
        from singletable.client.reading.table_reader import ReadOptions

        for option, value in (("consistent", consistent), ("expired", expired)):
            if value is not None and type(value) is not bool:
                raise ArgumentRefused(f"{self.declaration.name}: {option} must be True or False, got {value!r}")
        if limit is not None and (type(limit) is not int or limit < 1):
            raise ArgumentRefused(f"{self.declaration.name}: limit must be an int, 1 or greater, got {limit!r}")
        known = {"plan": self.plan, "_bind": self._bind}
        using: BoundPattern[P, R] = BoundPattern(self._table, self.declaration, self._instance, known)
        using._options = ReadOptions(consistent, expired, limit, cursor)
        return using

    def _opened(self) -> ConnectedTable:
        opened: ConnectedTable | None = None if self._instance is None else vars(self._instance).get("_open")
        if opened is None:
            raise NotConnected(
                f"{self._table.__name__}.{self.declaration.name} is not connected; "
                f'open a table, for example with {self._table.__name__}.open("memory:"), and call the pattern on it. '
                f"{self.declaration.name}.explain(...) shows the requests without a table"
            )
        return opened

    def _arguments(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        try:
            return self._bind(*args, **kwargs)
        except TypeError:
            try:
                self.declaration.signature.bind(None, *args, **kwargs)  # raises an error that names the wrong argument
            except TypeError as problem:
                raise TypeError(f"{self.__qualname__}: {problem}") from None
            raise

    def _page_arguments(self, method: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        """Return the arguments of a call that reads all pages.

        Reject a cursor, and reject a pattern that does not return pages.
        """
        name = self.declaration.name
        if not isinstance(self.declaration.intent, QueryIntent | FeedIntent):
            raise ArgumentRefused(f"{name} does not return a Page, so it has no .{method}; call {name}(...)")
        arguments = self._arguments(args, kwargs)
        given = self._options.cursor if self._options is not None else None
        if given is not None or arguments.get("cursor") is not None:
            raise ArgumentRefused(f"{name}.{method} starts with the first page; remove the cursor, or call {name}(...)")
        return arguments

    @cached_property
    def _bind(self) -> Callable[..., dict[str, Any]]:
        return binder(self.declaration.signature)

    @cached_property
    def plan(self) -> Outcome:
        """The plan of this pattern, or the reason why it is not supported."""
        from singletable.planner.planner import plan

        return plan(self._table.design, self.declaration)

    def explain(self, *args: P.args, **kwargs: P.kwargs) -> Explanation:
        """Return the exact requests for these arguments, with the proof.

        Raise DesignError if the pattern has no plan.
        """
        opened: ConnectedTable | None = None if self._instance is None else vars(self._instance).get("_open")
        name = None if opened is None else opened.reader.name
        try:
            bound = self.declaration.signature.bind(None, *args, **kwargs)
        except TypeError as problem:
            raise TypeError(f"{self.__qualname__}: {problem}") from None
        try:
            return explain_call(self._table.design, self.plan, bound, name)
        except (ArgumentRefused, KeyRefused) as problem:
            name_pattern(problem, self.declaration.name)
            raise


class AllItems(Generic[T]):
    """All items that a pattern finds, read page by page; each iteration sends the Queries again."""

    def __init__(
        self, opened: ConnectedTable, plan: Outcome, arguments: dict[str, Any], options: ReadOptions | None
    ) -> None:
        self._opened, self._plan, self._arguments, self._options = opened, plan, arguments, options

    def __iter__(self) -> Iterator[T]:
        return self._opened.every(self._plan, self._arguments, self._options)

    def __aiter__(self) -> AsyncIterator[T]:
        return self._opened.every_async(self._plan, self._arguments, self._options)


@overload
def pattern(function: Callable[Concatenate[Any, P], R], /) -> Pattern[P, R]: ...


@overload
def pattern(
    *,
    frequency: Frequency | float | None = None,
    rate: float | None = None,
    budget_ms: float | None = None,
    entry: type | str | None = None,
    fanout: int | None = None,
    max_requests: int | None = None,
    expected_items: int | None = None,
    expected_examined: int | None = None,
    accept: Accepted | None = None,
) -> Callable[[Callable[Concatenate[Any, P], R]], Pattern[P, R]]: ...


def pattern(
    function: Callable[Concatenate[Any, P], R] | None = None,
    /,
    *,
    frequency: Frequency | float | None = None,
    rate: float | None = None,
    budget_ms: float | None = None,
    entry: type | str | None = None,
    fanout: int | None = None,
    max_requests: int | None = None,
    expected_items: int | None = None,
    expected_examined: int | None = None,
    accept: Accepted | None = None,
) -> Pattern[P, R] | Callable[[Callable[Concatenate[Any, P], R]], Pattern[P, R]]:
    """Declare a method of a table as an access pattern: `@pattern`, or `@pattern(frequency="high")`.

    The parameters of the method bind to fields by name, and its return type is the type of the result. The body, which
    runs once, declares the reads or writes of the pattern. The keywords are the columns of the access pattern
    worksheet: the frequency (`frequency`, a word or a number per second, or `rate`), the latency budget in milliseconds
    (`budget_ms`), the entity where the access starts (`entry`), the maximum number of requests of a fan-out (`fanout`),
    the maximum number of requests of a call including all pages (`max_requests`), and the numbers of items that the
    pattern returns (`expected_items`) and that DynamoDB examines for it (`expected_examined`). `accept` maps accepted
    findings to reasons.
    """
    options = PatternOptions(
        frequency, rate, budget_ms, entry, fanout, max_requests, expected_items, expected_examined, accept
    )

    def declare(function: Callable[Concatenate[Any, P], R]) -> Pattern[P, R]:
        return Pattern(declare_pattern(function, options))

    return declare if function is None else declare(function)


def binder(signature: Signature) -> Callable[..., dict[str, Any]]:
    """Return a function that takes the parameters of a signature, except the first, and returns the arguments by name.

    The function is generated, because `Signature.bind` takes longer than reading an item. Its source contains only the
    names of the parameters.
    """
    _, *parameters = signature.parameters.values()
    defaults = {each.name: each.default for each in parameters if each.default is not Parameter.empty}
    parts = []
    for place, each in enumerate(parameters):
        previous = parameters[place - 1].kind if place else Parameter.POSITIONAL_OR_KEYWORD
        if previous is Parameter.POSITIONAL_ONLY and each.kind is not Parameter.POSITIONAL_ONLY:
            parts.append("/")
        if each.kind is Parameter.KEYWORD_ONLY and previous is not Parameter.KEYWORD_ONLY:
            parts.append("*")
        parts.append(f"{each.name}=defaults[{each.name!r}]" if each.name in defaults else each.name)
    if parameters and parameters[-1].kind is Parameter.POSITIONAL_ONLY:
        parts.append("/")
    names = ", ".join(f"{each.name!r}: {each.name}" for each in parameters)
    known: dict[str, Any] = {"defaults": defaults}
    exec(f"def bind({', '.join(parts)}): return {{{names}}}", known)  # noqa: S102  # generated text: see above
    bind: Callable[..., dict[str, Any]] = known["bind"]
    return bind


def name_pattern(problem: ArgumentRefused | KeyRefused, name: str) -> None:
    """Put the name of the pattern in front of the message of an error, unless the message begins with it."""
    if len(problem.args) == 1 and not str(problem).startswith(name):
        problem.args = (f"{name}: {problem}",)


def explain_call(
    design: Design, outcome: Outcome, bound: BoundArguments, table: str | None = None, *, is_sample: bool = False
) -> Explanation:
    """Return the exact requests of a call; `table` overrides the table name of the model.

    With `is_sample`, the arguments are sample values, which are not validated.
    """
    from singletable.client.write.dry_run import DryRun
    from singletable.planner.explanation import explain

    def write_requests(
        design: Design, plan: Plan, arguments: dict[str, Any]
    ) -> tuple[tuple[Request, ...], RequestsFor]:
        run = DryRun(design, table or design.name, lambda writer: writer.pattern(plan, arguments), is_sample=is_sample)
        return run.requests(), lambda stored, now: run.requests_for(plan.entities[0], stored, now)

    return explain(design, outcome, bound, write_requests)
