"""Background comparisons: a bounded queue, and the steps that compare the answers of two implementations.

A difference can come from a write between the two reads, or from an index that DynamoDB has not updated yet. So a
comparison with a difference is repeated after a pause: it reads the old, the new and again the old implementation. A
difference counts only if it is the same with both old answers, and if each repetition finds it in the same field.
"""

from __future__ import annotations

import heapq
import itertools
import threading
from collections import Counter, deque
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from singletable.consolidation.answer_differences import AnswerComparer, AnswerDifference
from singletable.consolidation.mode_statistics import Side

if TYPE_CHECKING:
    from singletable.consolidation.shadowed_pattern import ShadowedPattern


@dataclass(frozen=True)
class AnswerComparison:
    """A served answer that waits for its comparison with the other implementation."""

    pattern: ShadowedPattern
    comparer: AnswerComparer
    sides: Mapping[Side, Callable[..., Any]]
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    served: Side
    answer: Any
    round: int
    attempt: int = 0
    suspects: frozenset[tuple[str, str, str]] | None = None
    """The kind, key and field of each difference that every repetition has found. None before the first repetition."""


@dataclass(frozen=True)
class ComparisonResult:
    """The result of one attempt to compare two answers."""

    result: Literal["same", "differs", "timing", "error", "undecided"]
    differences: list[AnswerDifference] = field(default_factory=list)
    error: Exception | None = None


class ComparisonQueue:
    """The comparisons that wait. The queue limits their number for each pattern, so that one cannot displace others."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._ready: deque[AnswerComparison] = deque()
        self._later: list[tuple[float, int, AnswerComparison]] = []
        self._numbers = itertools.count()
        self._waiting: Counter[str] = Counter()
        self._running = 0
        self._idle = threading.Condition()

    def put(self, comparison: AnswerComparison) -> bool:
        """Add a comparison. Return False if too many comparisons of its pattern wait."""
        with self._idle:
            if self._waiting[comparison.pattern.name] >= self._size:
                return False
            self._waiting[comparison.pattern.name] += 1
            self._ready.append(comparison)
            return True

    def take(self, now: float) -> AnswerComparison | None:
        """Return a comparison that is due. The caller must call `finish`."""
        with self._idle:
            if self._later and self._later[0][0] <= now:
                found = heapq.heappop(self._later)[2]
            elif self._ready:
                found = self._ready.popleft()
            else:
                return None
            self._waiting[found.pattern.name] -= 1
            self._running += 1
            return found

    def finish(self, again: AnswerComparison | None = None, at: float = 0.0) -> None:
        """End a comparison, or repeat it at a later time."""
        with self._idle:
            self._running -= 1
            if again is not None:
                self._waiting[again.pattern.name] += 1
                heapq.heappush(self._later, (at, next(self._numbers), again))
            self._idle.notify_all()

    def next_at(self) -> float | None:
        """Return when the next comparison must run: 0 for at once, None if none waits."""
        with self._idle:
            if self._ready:
                return 0.0
            return self._later[0][0] if self._later else None

    @property
    def is_idle(self) -> bool:
        """Whether no comparison waits or runs."""
        return not (self._ready or self._later or self._running)

    def wait_until_idle(self, seconds: float) -> bool:
        """Wait until no comparison waits or runs. Return False after the timeout."""
        with self._idle:
            return self._idle.wait_for(lambda: self.is_idle, seconds)

    def clear(self) -> list[AnswerComparison]:
        """Remove all comparisons that wait, and return them."""
        with self._idle:
            removed = [*self._ready, *(each for _, _, each in self._later)]
            self._ready.clear()
            self._later.clear()
            self._waiting.clear()
            self._idle.notify_all()
        return removed


Reads = Generator[Side, Any, ComparisonResult]
"""A generator that yields the side to read, receives its answer or error, and returns a verdict."""


def comparison_steps(comparison: AnswerComparison, *, is_last: bool) -> Reads:
    """Compare the answers of a call. The caller reads the sides that the generator yields."""
    if comparison.attempt == 0:
        return _compare_served(comparison)
    return _compare_again(comparison, is_last=is_last)


def _compare_served(comparison: AnswerComparison) -> Reads:
    other: Side = "new" if comparison.served == "old" else "old"
    try:
        answer = yield other
    except Exception as problem:  # an implementation can raise anything
        return ComparisonResult("error", error=problem) if other == "new" else ComparisonResult("undecided")
    answers = {comparison.served: comparison.answer, other: answer}
    found = comparison.comparer.differences(answers["old"], answers["new"])
    return ComparisonResult("undecided", found) if found else ComparisonResult("same")


def _compare_again(comparison: AnswerComparison, *, is_last: bool) -> Reads:
    try:
        before = yield "old"
    except Exception:  # an implementation can raise anything
        return _unread(is_last=is_last)
    try:
        new = yield "new"
    except Exception as problem:  # an implementation can raise anything
        return ComparisonResult("error", error=problem)
    try:
        after = yield "old"
    except Exception:  # an implementation can raise anything
        return _unread(is_last=is_last)
    first = comparison.comparer.differences(before, new)
    second = comparison.comparer.differences(after, new)
    suspects = comparison.suspects
    confirmed = [each for each in first if each in second and (suspects is None or each.place in suspects)]
    if not confirmed:
        return ComparisonResult("timing")
    return ComparisonResult("differs" if is_last else "undecided", confirmed)


def _unread(*, is_last: bool) -> ComparisonResult:
    """Return the result of an attempt in which the old implementation failed."""
    return ComparisonResult("timing" if is_last else "undecided")
