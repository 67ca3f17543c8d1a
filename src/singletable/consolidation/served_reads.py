"""Served reads: a call of a pattern is answered by its old or its new implementation, as its mode says."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, MutableMapping
from random import random
from time import perf_counter
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar

from singletable.consolidation.answer_differences import AnswerComparer, masked_fields
from singletable.consolidation.background_comparisons import AnswerComparison
from singletable.consolidation.mode_statistics import Side
from singletable.consolidation.old_reads import OldRead
from singletable.consolidation.pattern_modes import SERVES
from singletable.consolidation.shadowed_pattern import ShadowedPattern
from singletable.errors import CursorRefused
from singletable.model.pattern_declaration import CURSOR, LIMIT

if TYPE_CHECKING:
    from singletable.consolidation.shadow_reads import ShadowReads

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")
Sides = MutableMapping[Side, Callable[..., Any]]


class ServedRead:
    """A pattern with both implementations: the base class for synchronous and asyncio code.

    Both use the same coroutines. If the implementations are synchronous, a coroutine never waits, and `completed` runs
    it.
    """

    def __init__(self, reads: ShadowReads, declared: OldRead[..., Any], pattern: ShadowedPattern, sides: Sides) -> None:
        options, declaration = declared.options, declared.pattern.declaration
        self.pattern = pattern
        self._reads, self._updates, self._sides = reads, reads._updates, sides
        self._reader = reads._opened.reader
        self._new, self._is_async = declared.pattern, declared.is_async
        self._sample = reads.settings.sample if options.sample is None else options.sample
        self.comparer = AnswerComparer(
            self._reader.design,
            declaration,
            options.identity,
            options.ignore,
            not options.unordered,
            masked_fields(options.mask or reads.settings.mask),
        )
        names = list(declaration.parameters)
        self._cursor_place = names.index(CURSOR) if CURSOR in names else None
        self.__doc__, self.__name__ = declared.__doc__, declared.function.__name__

    async def answer(self, side: Side, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, float]:
        """Return the answer of one side, and its latency."""
        started = perf_counter()
        answer = self._sides[side](*args, **kwargs)
        if self._is_async:
            answer = await answer
        return answer, perf_counter() - started

    def _only_side(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Side | None:
        """Return the side that answers a call in any case. Return None if a cursor or an error can decide it."""
        place = self._cursor_place
        if place is not None and (len(args) > place or CURSOR in kwargs):
            return None
        return self.pattern.only_side

    def _note(self, side: Side, seconds: float, args: tuple[Any, ...], kwargs: dict[str, Any], answer: Any) -> None:
        """Count a served call, and queue a share of the calls for comparison in the background."""
        pattern = self.pattern
        pattern.statistics.served(side, seconds)
        if pattern.compares and random() < self._sample:  # noqa: S311  # a sample needs no secure random numbers
            worker = self._reads._async_worker if self._is_async else self._reads._worker
            if worker.has_room(pattern):
                worker.add(AnswerComparison(self, args, kwargs, side, answer, pattern.current.round))
            else:
                pattern.statistics.count("dropped")

    async def _serve(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Answer a call whose side depends on its cursor, or on an error of the new implementation."""
        pattern = self.pattern
        mode = pattern.mode
        side = SERVES[mode]
        if (issuer := self._issuer(args, kwargs)) is not None:
            side = issuer if mode != "done" else "new"
            answer, seconds = await self.answer(side, args, kwargs)
            pattern.statistics.served(side, seconds)
            return answer
        if mode != "new":
            answer, seconds = await self.answer(side, args, kwargs)
        else:
            try:
                answer, seconds = await self.answer(side, args, kwargs)
            except Exception as problem:  # the old implementation answers a call that the new one fails for any reason
                try:
                    answer, seconds = await self.answer("old", args, kwargs)
                except Exception:  # both implementations fail, so the error is not one of the new implementation
                    raise problem from None
                pattern.note_new_call(perf_counter(), problem)
                pattern.statistics.served("old", seconds)
                return answer
            pattern.note_new_call(perf_counter())
        self._note(side, seconds, args, kwargs, answer)
        return answer

    def _issuer(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Side | None:
        """Return the side that issued the cursor of a call. Return None for a call without a cursor."""
        if self._cursor_place is None:
            return None
        arguments = self._new._arguments(args, kwargs)
        cursor = arguments.get(CURSOR)
        if cursor is None:
            return None
        bound = {name: value for name, value in arguments.items() if name not in (LIMIT, CURSOR)}
        try:
            self._reader.cursors.decode(self.pattern.name, bound, cursor)
        except CursorRefused:
            return "old"
        return "new"


class ShadowedRead(ServedRead, Generic[P, T]):
    """A pattern that its old or its new implementation serves, as its mode says."""

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> T:
        """Return the answer of the implementation that serves the pattern."""
        started = perf_counter()
        if started >= self._updates.stale_at:
            self._reads._refresh()
            started = perf_counter()
        side = self._only_side(args, kwargs)
        if side is None:
            served: T = completed(self._serve(args, kwargs))
            return served
        answer: T = self._sides[side](*args, **kwargs)
        self._note(side, perf_counter() - started, args, kwargs, answer)
        return answer


class AsyncShadowedRead(ServedRead, Generic[P, T]):
    """A pattern that its old or its new implementation serves, for asyncio."""

    async def __call__(self, *args: P.args, **kwargs: P.kwargs) -> T:
        """Return the answer of the implementation that serves the pattern."""
        started = perf_counter()
        if started >= self._updates.stale_at:
            await self._reads._refresh_async()
            started = perf_counter()
        side = self._only_side(args, kwargs)
        if side is None:
            served: T = await self._serve(args, kwargs)
            return served
        answer: T = await self._sides[side](*args, **kwargs)
        self._note(side, perf_counter() - started, args, kwargs, answer)
        return answer


def completed(steps: Coroutine[Any, Any, R]) -> R:
    """Run a coroutine that never waits, and return its result."""
    try:
        steps.send(None)
    except StopIteration as ended:
        result: R = ended.value
        return result
    steps.close()
    raise TypeError("a synchronous implementation must not wait on an event loop")
