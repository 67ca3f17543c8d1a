"""Background comparisons: a bounded queue, and the coroutine that compares the answers of two implementations.

A difference can come from a write between the two reads, or from an index that DynamoDB has not updated yet. So a
comparison with a difference is repeated after a pause: it reads the old, the new and again the old implementation. A
difference counts only if it is the same with both old answers, and if each repetition finds it in the same field.
"""

from __future__ import annotations

import heapq
import itertools
import threading
from collections import Counter, deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from singletable.consolidation.answer_differences import AnswerDifference
from singletable.consolidation.mode_statistics import Side

if TYPE_CHECKING:
    from singletable.consolidation.served_reads import ServedRead
    from singletable.consolidation.shadowed_pattern import ShadowedPattern


class AnswerComparison(NamedTuple):
    """A served answer that waits for its comparison with the other implementation."""

    read: ServedRead
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    served: Side
    answer: Any
    round: int
    attempt: int = 0
    suspects: frozenset[tuple[str, str, str]] | None = None
    """The kind, key and field of each difference that every repetition has found. None before the first repetition."""

    @property
    def pattern(self) -> ShadowedPattern:
        """The pattern of the call."""
        return self.read.pattern


@dataclass(frozen=True)
class ComparisonResult:
    """The result of one attempt to compare two answers."""

    result: Literal["same", "differs", "timing", "error", "undecided"]
    differences: list[AnswerDifference] = field(default_factory=list)
    error: Exception | None = None


class ComparisonQueue:
    """The comparisons that wait. Their number per pattern is limited, so that no pattern fills the queue alone."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._ready: deque[AnswerComparison] = deque()
        self._later: list[tuple[float, int, AnswerComparison]] = []
        self._numbers = itertools.count()
        self._waiting: Counter[str] = Counter()
        self._running = 0
        self._lock = threading.Lock()

    def has_room(self, pattern: str) -> bool:
        """Return whether a further comparison of a pattern may wait."""
        return self._waiting[pattern] < self._size

    def put(self, comparison: AnswerComparison) -> bool:
        """Add a comparison. Return False if too many comparisons of its pattern wait."""
        with self._lock:
            if not self.has_room(comparison.pattern.name):
                return False
            self._waiting[comparison.pattern.name] += 1
            self._ready.append(comparison)
            return True

    def take(self, now: float) -> AnswerComparison | None:
        """Return a comparison that is due. The caller must call `finish`."""
        with self._lock:
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
        with self._lock:
            self._running -= 1
            if again is not None:
                self._waiting[again.pattern.name] += 1
                heapq.heappush(self._later, (at, next(self._numbers), again))

    def next_at(self) -> float | None:
        """Return when the next comparison must run: 0 for at once, None if none waits."""
        with self._lock:
            if self._ready:
                return 0.0
            return self._later[0][0] if self._later else None

    @property
    def is_idle(self) -> bool:
        """Whether no comparison waits or runs."""
        return not (self._ready or self._later or self._running)

    def clear(self) -> list[AnswerComparison]:
        """Remove all comparisons that wait, and return them."""
        with self._lock:
            removed = [*self._ready, *(each for _, _, each in self._later)]
            self._ready.clear()
            self._later.clear()
            self._waiting.clear()
        return removed


async def compare(comparison: AnswerComparison, *, is_last: bool) -> ComparisonResult:
    """Compare the answers of a call.

    The first attempt compares the served answer with one answer of the other implementation. A repetition reads the
    old, the new and again the old implementation.
    """
    if comparison.attempt == 0:
        return await _compare_served(comparison)
    return await _compare_again(comparison, is_last=is_last)


async def _compare_served(comparison: AnswerComparison) -> ComparisonResult:
    other: Side = "new" if comparison.served == "old" else "old"
    try:
        answer = await _read(comparison, other)
    except Exception as problem:  # an implementation can raise anything
        return ComparisonResult("error", error=problem) if other == "new" else ComparisonResult("undecided")
    answers = {comparison.served: comparison.answer, other: answer}
    found = comparison.read.comparer.differences(answers["old"], answers["new"])
    return ComparisonResult("undecided", found) if found else ComparisonResult("same")


async def _compare_again(comparison: AnswerComparison, *, is_last: bool) -> ComparisonResult:
    try:
        before = await _read(comparison, "old")
    except Exception:  # an implementation can raise anything
        return _unread(is_last=is_last)
    try:
        new = await _read(comparison, "new")
    except Exception as problem:  # an implementation can raise anything
        return ComparisonResult("error", error=problem)
    try:
        after = await _read(comparison, "old")
    except Exception:  # an implementation can raise anything
        return _unread(is_last=is_last)
    first = comparison.read.comparer.differences(before, new)
    second = comparison.read.comparer.differences(after, new)
    suspects = comparison.suspects
    confirmed = [each for each in first if each in second and (suspects is None or each.place in suspects)]
    if not confirmed:
        return ComparisonResult("timing")
    return ComparisonResult("differs" if is_last else "undecided", confirmed)


async def _read(comparison: AnswerComparison, side: Side) -> Any:
    answer, seconds = await comparison.read.answer(side, comparison.args, comparison.kwargs)
    comparison.pattern.statistics.read(side, seconds)
    return answer


def _unread(*, is_last: bool) -> ComparisonResult:
    """Return the result of an attempt in which the old implementation failed."""
    return ComparisonResult("timing" if is_last else "undecided")
