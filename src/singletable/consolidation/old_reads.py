"""Old reads: methods that are the old implementation of a pattern, declared with `@old_read(Shop.customer)`."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Coroutine
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, TypeVar, overload

from singletable.client.pattern import BoundPattern
from singletable.errors import ArgumentRefused, DesignError, Problem
from singletable.model import source_location

if TYPE_CHECKING:
    from singletable.consolidation.served_reads import AsyncShadowedRead, ShadowedRead
    from singletable.consolidation.shadow_reads import ShadowReads

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")


@dataclass(frozen=True)
class OldReadOptions:
    """The options of `@old_read`."""

    identity: tuple[str, ...] = ()
    ignore: frozenset[str] = frozenset()
    unordered: bool = False
    mask: bool | frozenset[str] = frozenset()
    sample: float | None = None


class OldRead(Generic[P, T]):
    """A method that is the old implementation of a pattern."""

    def __init__(
        self,
        pattern: BoundPattern[..., Any],
        function: Callable[..., Any],
        convert: Callable[[Any], Any] | None,
        options: OldReadOptions,
    ) -> None:
        self.pattern, self.function, self.convert, self.options = pattern, function, convert, options
        self.is_async = inspect.iscoroutinefunction(function)
        self.__doc__ = function.__doc__
        self._check(function)

    def _check(self, function: Callable[..., Any]) -> None:
        declared = self.pattern.declaration
        label = f"old_read({self.pattern.__qualname__}) {function.__name__}"
        location = source_location.of_function(function)
        if declared.is_write:
            remedy = "Shadow reads compare answers. Dual writes keep both sides in step."
            raise DesignError(Problem(f"{label}: the pattern is a write", location, remedy))
        own = list(inspect.signature(function).parameters)[1:]
        if own != list(declared.parameters):
            raise DesignError(
                Problem(
                    f"{label}: the parameters are ({', '.join(own)}), but the pattern has "
                    f"({', '.join(declared.parameters)})",
                    location,
                    "Give the method the same parameters, so that a call can use either implementation.",
                )
            )


class SyncOldRead(OldRead[P, T]):
    """A method that is the old implementation of a pattern, for synchronous code."""

    @overload
    def __get__(self, instance: None, owner: type) -> SyncOldRead[P, T]: ...
    @overload
    def __get__(self, instance: ShadowReads, owner: type) -> ShadowedRead[P, T]: ...
    def __get__(self, instance: ShadowReads | None, owner: type) -> Any:
        return self if instance is None else _not_initialised(owner)


class AsyncOldRead(OldRead[P, T]):
    """A method that is the old implementation of a pattern, for asyncio."""

    @overload
    def __get__(self, instance: None, owner: type) -> AsyncOldRead[P, T]: ...
    @overload
    def __get__(self, instance: ShadowReads, owner: type) -> AsyncShadowedRead[P, T]: ...
    def __get__(self, instance: ShadowReads | None, owner: type) -> Any:
        return self if instance is None else _not_initialised(owner)


def _not_initialised(owner: type) -> Any:
    raise TypeError(f"{owner.__name__}.__init__ must call super().__init__(table) before the first read")


class OldReadDecorator(Generic[P, T]):
    """Declares a method as the old implementation of a pattern."""

    def __init__(
        self, pattern: BoundPattern[..., Any], convert: Callable[[Any], Any] | None, options: OldReadOptions
    ) -> None:
        self._pattern, self._convert, self._options = pattern, convert, options

    @overload
    def __call__(self, function: Callable[Concatenate[Any, P], T], /) -> SyncOldRead[P, T]: ...
    @overload
    def __call__(self, function: Callable[Concatenate[Any, P], Coroutine[Any, Any, T]], /) -> AsyncOldRead[P, T]: ...
    def __call__(self, function: Callable[..., Any], /) -> Any:
        """Return the declared method."""
        kind: type[OldRead[..., Any]] = AsyncOldRead if inspect.iscoroutinefunction(function) else SyncOldRead
        return kind(self._pattern, function, self._convert, self._options)


@overload
def old_read(
    pattern: BoundPattern[P, R],
    /,
    *,
    identity: Collection[str] = (),
    ignore: Collection[str] = (),
    unordered: bool = False,
    mask: bool | Collection[str] = (),
    sample: float | None = None,
) -> OldReadDecorator[P, R]: ...


@overload
def old_read(
    pattern: BoundPattern[P, R],
    /,
    *,
    convert: Callable[[R], T],
    identity: Collection[str] = (),
    ignore: Collection[str] = (),
    unordered: bool = False,
    mask: bool | Collection[str] = (),
    sample: float | None = None,
) -> OldReadDecorator[P, T]: ...


def old_read(
    pattern: BoundPattern[P, R],
    /,
    *,
    convert: Callable[[R], Any] | None = None,
    identity: Collection[str] = (),
    ignore: Collection[str] = (),
    unordered: bool = False,
    mask: bool | Collection[str] = (),
    sample: float | None = None,
) -> OldReadDecorator[P, Any]:
    """Declare a method of a `ShadowReads` class as the old implementation of a pattern: `@old_read(Shop.customer)`.

    The method has the parameters and the return type of the pattern. With `convert`, it returns
    another type, such as the rows that the application uses now; `convert` makes this type from the answer of the
    pattern. `identity` names the fields that identify a row (default: the fields in its key), `ignore` the fields that
    are not compared. `unordered` ignores the order of rows. `mask` and `sample` override the settings of the class for
    this method.
    """
    if sample is not None and not 0 <= sample <= 1:
        raise ArgumentRefused(f"old_read({pattern.__qualname__}): sample must be from 0 to 1, got {sample!r}")
    masked = mask if isinstance(mask, bool) else frozenset(_names(mask))
    options = OldReadOptions(_names(identity), frozenset(_names(ignore)), unordered, masked, sample)
    return OldReadDecorator(pattern, convert, options)


def _names(given: Collection[str]) -> tuple[str, ...]:
    """Return one name or several names as a tuple."""
    return (given,) if isinstance(given, str) else tuple(given)
