"""Served reads: a call of a pattern is answered by its old or its new implementation, as its mode says."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from random import random
from time import perf_counter
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar

from singletable.consolidation.answer_differences import AnswerComparer, masked_fields
from singletable.consolidation.background_comparisons import AnswerComparison
from singletable.consolidation.mode_statistics import Side
from singletable.consolidation.old_reads import OldRead
from singletable.consolidation.shadowed_pattern import ShadowedPattern
from singletable.errors import CursorRefused
from singletable.model.pattern_declaration import CURSOR, LIMIT

if TYPE_CHECKING:
    from singletable.consolidation.shadow_reads import ShadowReads

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")
Sides = Mapping[Side, Callable[..., Any]]
SideSteps = Generator[Side, Any, R]
"""A generator that yields the side to read, and receives its answer or its error."""


class ServedRead:
    """A pattern with both implementations: the base class for synchronous and asyncio code."""

    def __init__(self, reads: ShadowReads, declared: OldRead[..., Any], pattern: ShadowedPattern, sides: Sides) -> None:
        options, declaration = declared.options, declared.pattern.declaration
        self._reads, self._pattern, self._sides = reads, pattern, sides
        self._opened = reads._opened
        self._new, self._is_async = declared.pattern, declared.is_async
        self._sample = reads.settings.sample if options.sample is None else options.sample
        self._comparer = AnswerComparer(
            self._opened.reader.design,
            declaration,
            options.identity,
            options.ignore,
            not options.unordered,
            masked_fields(options.mask or reads.settings.mask),
        )
        self._has_cursor = CURSOR in declaration.parameters
        self._cursor_place = list(declaration.parameters).index(CURSOR) if self._has_cursor else 0
        self.__doc__, self.__name__ = declared.__doc__, declared.function.__name__

    def _serve(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> SideSteps[Any]:
        """Answer a call from the side that the mode names, and compare a share of the calls."""
        pattern = self._pattern
        if self._has_cursor and (issuer := self._issuer(args, kwargs)) is not None:
            return (yield issuer if pattern.mode != "done" else "new")
        served, compares = pattern.serves, pattern.compares
        if served == "new" and compares:
            try:
                answer = yield served
            except Exception as problem:  # the old implementation answers a call that the new one fails for any reason
                try:
                    answer = yield "old"
                except Exception:  # both implementations fail, so the error is not one of the new implementation
                    raise problem from None
                pattern.note_new_call(perf_counter(), problem)
                return answer
            pattern.note_new_call(perf_counter())
        else:
            answer = yield served
        if compares and random() < self._sample:  # noqa: S311  # a sample needs no secure random numbers
            self._reads._compare(
                AnswerComparison(
                    pattern, self._comparer, self._sides, args, kwargs, served, answer, pattern.current.round
                ),
                is_async=self._is_async,
            )
        return answer

    def _issuer(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Side | None:
        """Return the side that issued the cursor of a call. Return None for a call without a cursor."""
        if len(args) <= self._cursor_place and kwargs.get(CURSOR) is None:
            return None
        arguments = self._new._arguments(args, kwargs)
        cursor = arguments.get(CURSOR)
        if cursor is None:
            return None
        bound = {name: value for name, value in arguments.items() if name not in (LIMIT, CURSOR)}
        try:
            self._opened.reader.cursors.decode(self._pattern.name, bound, cursor)
        except CursorRefused:
            return "old"
        return "new"


class ShadowedRead(ServedRead, Generic[P, T]):
    """A pattern that its old or its new implementation serves, as its mode says."""

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> T:
        """Return the answer of the implementation that serves the pattern."""
        if perf_counter() >= self._reads._updates.stale_at:
            self._reads._refresh()
        answer: T = run_sides(self._serve(args, kwargs), self._sides, args, kwargs, self._pattern.statistics.served)
        return answer


class AsyncShadowedRead(ServedRead, Generic[P, T]):
    """A pattern that its old or its new implementation serves, for asyncio."""

    async def __call__(self, *args: P.args, **kwargs: P.kwargs) -> T:
        """Return the answer of the implementation that serves the pattern."""
        if perf_counter() >= self._reads._updates.stale_at:
            await self._reads._refresh_async()
        answer: T = await run_sides_async(
            self._serve(args, kwargs), self._sides, args, kwargs, self._pattern.statistics.served
        )
        return answer


def run_sides(
    steps: SideSteps[R],
    sides: Sides,
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any],
    note: Callable[[Side, float], None],
) -> R:
    """Run steps that read sides with the same arguments. `note` receives the latency of each answer."""
    try:
        side = next(steps)
        while True:
            started = perf_counter()
            try:
                answer = sides[side](*args, **kwargs)
            except Exception as problem:  # the steps decide what an error of an implementation means
                side = steps.throw(problem)
            else:
                note(side, perf_counter() - started)
                side = steps.send(answer)
    except StopIteration as finished:
        result: R = finished.value
        return result


async def run_sides_async(
    steps: SideSteps[R],
    sides: Sides,
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any],
    note: Callable[[Side, float], None],
) -> R:
    """Run steps that read sides on the running event loop."""
    try:
        side = next(steps)
        while True:
            started = perf_counter()
            try:
                answer = await sides[side](*args, **kwargs)
            except Exception as problem:  # the steps decide what an error of an implementation means
                side = steps.throw(problem)
            else:
                note(side, perf_counter() - started)
                side = steps.send(answer)
    except StopIteration as finished:
        result: R = finished.value
        return result
