"""Stream handlers: functions, declared with `on`, that receive the changes of items; the events that they receive."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Generic, Literal, ParamSpec, TypeVar, cast, get_args, overload

from singletable.errors import DesignError, Location, Problem
from singletable.lazy_dataclass import dataclass
from singletable.model import source_location

if TYPE_CHECKING:
    from singletable.client.transaction import Transaction
    from singletable.model.entity import Entity

ChangeKind = Literal["insert", "modify", "remove", "expire"]
"""The kind of a change. `expire` is the deletion of an expired item (TTL); `remove` is every other deletion."""
KINDS: tuple[ChangeKind, ...] = get_args(ChangeKind)

A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")
E = TypeVar("E")
E_co = TypeVar("E_co", covariant=True)
Old = TypeVar("Old")
New = TypeVar("New")
P = ParamSpec("P")
R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)
T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class ChangeEvent(Generic[E_co]):
    """One change of an item, as handlers receive it."""

    kind: ChangeKind
    old: E_co | None
    """The object before the change. None for an insert."""
    new: E_co | None
    """The object after the change. None for a removed or expired item."""
    changed: frozenset[str]
    """The names of the changed fields. For an insert or a deletion, all fields that have a value."""
    sequence_number: str
    """The position of the change in the stream. It is the same in every delivery of the change."""
    time: datetime
    """When the change was made, in UTC, to the second."""
    id: str
    """Identifies the change for one handler: an idempotency key for requests to other services."""
    opened: object = field(repr=False)
    begin: Callable[[str], Transaction] = field(repr=False)

    def table(self, table: type[T]) -> T:
        """Return the open table of the item: `shop = event.table(Shop)`."""
        if not isinstance(self.opened, table):
            raise TypeError(f"the change is from a table {type(self.opened).__name__}, not {table.__name__}")
        return self.opened

    def transaction(self) -> Transaction:
        """Return a transaction that has an effect only once, however often the change is delivered.

        Use it like `shop.transaction()`: `with event.transaction() as tx:`, or `async with`. The transaction also
        writes a marker for this change and this handler, so a second transaction for the same change raises an error.
        The marker expires after 30 days; in a table without a time to live, it never expires.
        """
        return self.begin(self.id)


@dataclass(frozen=True, eq=False)
class StreamHandler(Generic[P, R_co]):
    """A function that receives changes. You can call it like the function, for example in a test."""

    function: Callable[P, R_co]
    entities: tuple[type, ...]
    kinds: frozenset[ChangeKind]
    where: Callable[[ChangeEvent[Any]], bool] | None
    is_batch: bool
    takes_event: bool
    location: Location

    @property
    def name(self) -> str:
        """The name of the function. It identifies the handler in markers and in reports."""
        return str(getattr(self.function, "__qualname__", type(self.function).__qualname__))

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R_co:
        """Call the function."""
        return self.function(*args, **kwargs)

    def accepts(self, event: ChangeEvent[Any]) -> bool:
        """Return whether the condition of the handler holds for a change of one of its entities and kinds."""
        return self.where is None or bool(self.where(event))

    def deliver(self, events: Sequence[ChangeEvent[Any]]) -> Any:
        """Call the function with changes, of which there is one unless the handler takes batches."""
        call = cast("Callable[..., Any]", self.function)
        if self.is_batch:
            return call(events)
        (event,) = events
        return call(event.old, event.new, event) if self.takes_event else call(event.old, event.new)


class HandlerDecorator(Generic[Old, New, E]):
    """Makes a handler of a function that takes `(old, new)` or `(old, new, event)`."""

    def __init__(
        self,
        entities: tuple[type, ...],
        kinds: frozenset[ChangeKind],
        where: Callable[[ChangeEvent[Any]], bool] | None,
        location: Location,
    ) -> None:
        self._entities, self._kinds, self._where, self._location = entities, kinds, where, location

    @overload
    def __call__(self, function: Callable[[Old, New], R], /) -> StreamHandler[[Old, New], R]: ...
    @overload
    def __call__(
        self, function: Callable[[Old, New, ChangeEvent[E]], R], /
    ) -> StreamHandler[[Old, New, ChangeEvent[E]], R]: ...
    def __call__(self, function: Callable[..., Any], /) -> StreamHandler[..., Any]:
        """Return the handler."""
        location = _location(function, self._location)
        count = _positional_count(function, (2, 3), "(old, new) or (old, new, event)", location)
        return StreamHandler(function, self._entities, self._kinds, self._where, False, count == 3, location)


class BatchDecorator(Generic[E]):
    """Makes a handler of a function that takes a sequence of changes."""

    def __init__(
        self,
        entities: tuple[type, ...],
        kinds: frozenset[ChangeKind],
        where: Callable[[ChangeEvent[Any]], bool] | None,
        location: Location,
    ) -> None:
        self._entities, self._kinds, self._where, self._location = entities, kinds, where, location

    def __call__(
        self, function: Callable[[Sequence[ChangeEvent[E]]], R], /
    ) -> StreamHandler[[Sequence[ChangeEvent[E]]], R]:
        """Return the handler."""
        location = _location(function, self._location)
        _positional_count(function, (1,), "(events), because batch=True", location)
        return StreamHandler(function, self._entities, self._kinds, self._where, True, False, location)


Where = Callable[[ChangeEvent[E]], bool]
Gone = Literal["remove", "expire"]


@overload
def on(
    entity: type[A], kind: Literal["insert"], /, *, where: Where[A] | None = None
) -> HandlerDecorator[None, A, A]: ...
@overload
def on(entity: type[A], kind: Literal["modify"], /, *, where: Where[A] | None = None) -> HandlerDecorator[A, A, A]: ...
@overload
def on(  # pyright: ignore[reportOverlappingOverload]  # deletions only have a more precise result than any two kinds
    entity: type[A],
    kind: Gone,
    /,
    *kinds: Gone,
    where: Where[A] | None = None,
) -> HandlerDecorator[A, None, A]: ...
@overload
def on(
    entity: type[A], kind: ChangeKind, second: ChangeKind, /, *kinds: ChangeKind, where: Where[A] | None = None
) -> HandlerDecorator[A | None, A | None, A]: ...
@overload
def on(
    entity: type[A], kind: ChangeKind, /, *kinds: ChangeKind, where: Where[A] | None = None, batch: Literal[True]
) -> BatchDecorator[A]: ...
@overload
def on(
    entity: type[A], other: type[B], kind: Literal["insert"], /, *, where: Where[A | B] | None = None
) -> HandlerDecorator[None, A | B, A | B]: ...
@overload
def on(
    entity: type[A], other: type[B], kind: Literal["modify"], /, *, where: Where[A | B] | None = None
) -> HandlerDecorator[A | B, A | B, A | B]: ...
@overload
def on(  # pyright: ignore[reportOverlappingOverload]  # as above
    entity: type[A], other: type[B], kind: Gone, /, *kinds: Gone, where: Where[A | B] | None = None
) -> HandlerDecorator[A | B, None, A | B]: ...
@overload
def on(
    entity: type[A],
    other: type[B],
    kind: ChangeKind,
    second: ChangeKind,
    /,
    *kinds: ChangeKind,
    where: Where[A | B] | None = None,
) -> HandlerDecorator[A | B | None, A | B | None, A | B]: ...
@overload
def on(
    entity: type[A],
    other: type[B],
    kind: ChangeKind,
    /,
    *kinds: ChangeKind,
    where: Where[A | B] | None = None,
    batch: Literal[True],
) -> BatchDecorator[A | B]: ...
@overload
def on(
    entity: type[A],
    other: type[B],
    third: type[C],
    /,
    *more: type[Any] | ChangeKind,
    where: Where[Any] | None = None,
) -> HandlerDecorator[Any, Any, Any]: ...
@overload
def on(
    entity: type[A],
    other: type[B],
    third: type[C],
    /,
    *more: type[Any] | ChangeKind,
    where: Where[Any] | None = None,
    batch: Literal[True],
) -> BatchDecorator[Any]: ...
def on(*selected: Any, where: Callable[[ChangeEvent[Any]], bool] | None = None, batch: bool = False) -> Any:
    """Declare a function that receives the changes of entities: `@on(Order, "insert", "modify")`.

    The arguments are one or more entities, followed by the kinds of change: `insert`, `modify`, `remove` (a deletion by
    a client) and `expire` (a deletion after the time to live). The function takes `(old, new)` or `(old, new, event)`;
    `old` is None for an insert, `new` for a deletion. `event` is a `ChangeEvent`. With `batch=True`, the function takes
    a sequence of events, in the order of the changes. The function can be `async`. `where` is a condition on the event:
    `where=lambda event: "status" in event.changed`.

    List the handlers in the table: `class Shop(Table, entities=[...], handlers=[mail_customer])`. A change that affects
    only counters, copies, index keys or the schema version reaches no handler, and neither do mirrored edges.
    """
    location = source_location.caller()
    entities = tuple(each for each in selected if isinstance(each, type))
    kinds = selected[len(entities) :]
    wrong = next((each for each in kinds if each not in KINDS), None)
    if not entities or not kinds or wrong is not None:
        shown = "" if wrong is None else f", got {wrong!r}"
        message = f"@on needs entities, followed by kinds of change{shown}"
        raise DesignError(Problem(message, location, f"Write @on(Order, {', '.join(map(repr, KINDS))})."))
    decorator = BatchDecorator if batch else HandlerDecorator
    return decorator(entities, frozenset(kinds), where, location)


def _location(function: Callable[..., Any], declared_at: Location) -> Location:
    return source_location.of_function(function) if hasattr(function, "__code__") else declared_at


def _positional_count(function: Callable[..., Any], counts: tuple[int, ...], shape: str, location: Location) -> int:
    """Return the largest of these numbers of arguments with which the function can be called."""
    signature = inspect.signature(function)
    for count in reversed(counts):
        try:
            signature.bind(*range(count))
        except TypeError:
            continue
        return count
    name = getattr(function, "__qualname__", repr(function))
    raise DesignError(Problem(f"the stream handler {name} must take {shape}", location))


def handler_problems(
    table: str, handlers: Sequence[object], entities: Sequence[Entity], location: Location
) -> Iterator[Problem]:
    """Yield the problems of the handlers of a table."""
    known = {entity.cls: entity for entity in entities}
    seen: dict[str, Location] = {}
    for each in handlers:
        if not isinstance(each, StreamHandler):
            message = f"{table}: handlers must contain functions with @on, got {each!r}"
            yield Problem(message, location, "Decorate the function with @on(Entity, kinds).")
            continue
        handler = cast("StreamHandler[..., Any]", each)
        if handler.name in seen:
            message = f"two stream handlers of {table} have the name {handler.name}; the other is at"
            yield Problem(f"{message} {seen[handler.name]}", handler.location, "Rename one handler.")
        seen[handler.name] = handler.location
        yield from _entity_problems(table, handler, known)


def _entity_problems(table: str, handler: StreamHandler[..., Any], known: dict[type, Entity]) -> Iterable[Problem]:
    for cls in handler.entities:
        entity = known.get(cls)
        if entity is None:
            message = f"the stream handler {handler.name}: {cls.__name__} is not an entity of {table}"
            yield Problem(message, handler.location, "Add it to entities=[...].")
        elif (mirrored := entity.declaration.mirror_of) is not None:
            message = f"the stream handler {handler.name}: {cls.__name__} mirrors {mirrored.__name__}, so its items"
            yield Problem(f"{message} are derived data", handler.location, f"Handle {mirrored.__name__} instead.")
