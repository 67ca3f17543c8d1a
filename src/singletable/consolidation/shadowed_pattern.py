"""The reads of one pattern in this process: its mode, its counts and differences, and the fall-back to `old`."""

from __future__ import annotations

import logging
import random
import threading
from collections import deque
from collections.abc import Collection
from dataclasses import dataclass, replace

from singletable.client.request_log import error_code
from singletable.consolidation.answer_differences import AnswerDifference
from singletable.consolidation.background_comparisons import AnswerComparison, ComparisonResult
from singletable.consolidation.mode_statistics import ErrorWindow, PatternStatistics, Side
from singletable.consolidation.pattern_modes import (
    COMPARES,
    RECORDS_MAX,
    SERVES,
    DifferenceRecord,
    Mode,
    PatternMode,
    difference_text,
)
from singletable.errors import ArgumentRefused

logger = logging.getLogger("singletable.consolidation")
logging.getLogger("singletable").addHandler(logging.NullHandler())
_RECORDS_PER_COMPARISON = 5


@dataclass(frozen=True)
class ShadowSettings:
    """The settings of `ShadowReads`."""

    sample: float = 0.05
    """The share of the calls to compare, from 0 to 1."""
    mask: bool | Collection[str] = False
    """Hide the values of these fields in logs and in the table, or the values of all fields with True. With field
    names, keys hide them too."""
    cpu_share: float = 0.02
    """The share of one processor that comparisons may use. Further comparisons wait or are dropped."""
    queue_max: int = 100
    """The number of comparisons of a pattern that may wait. Further calls are not compared."""
    recheck_seconds: tuple[float, ...] = (0.1, 1.0, 5.0)
    """The pauses before the repeated reads that confirm a difference."""
    error_rate_max: float = 0.05
    """In the mode `new`, a pattern falls back to `old` if the new implementation exceeds this error rate."""
    error_calls_min: int = 20
    """The minimum number of calls in a minute. With fewer calls, the error rate causes no fall-back."""
    refresh_seconds: float = 30.0
    """How often a process reads the modes."""
    flush_seconds: float = 10.0
    """How often a process adds its counts to the table."""

    def __post_init__(self) -> None:
        for name in ("sample", "error_rate_max"):
            if not 0 <= getattr(self, name) <= 1:
                raise ArgumentRefused(f"{name} must be from 0 to 1, got {getattr(self, name)!r}")
        for name in ("cpu_share", "queue_max", "error_calls_min", "refresh_seconds", "flush_seconds"):
            if not getattr(self, name) > 0:
                raise ArgumentRefused(f"{name} must be greater than 0, got {getattr(self, name)!r}")
        if not self.recheck_seconds or min(self.recheck_seconds) < 0:
            raise ArgumentRefused("recheck_seconds must contain at least one number of seconds, 0 or greater")


class ShadowedPattern:
    """What this process knows about one pattern. All methods of a `ShadowReads` for the pattern share it."""

    def __init__(self, table: str, name: str, settings: ShadowSettings) -> None:
        self.name = name
        self.label = f"{table}.{name}"
        self._settings = settings
        self.statistics = PatternStatistics()
        self._window = ErrorWindow()
        self._lock = threading.Lock()
        self._records: deque[DifferenceRecord] = deque(maxlen=RECORDS_MAX)
        self._place = random.randrange(RECORDS_MAX)  # noqa: S311  # processes begin at different places
        self.fall_back: tuple[PatternMode, str] | None = None
        """The mode that this process has left because of errors, and the reason. None after the table has both."""
        self.current = PatternMode("old", 0.0, 0)
        self.mode: Mode = "old"
        self.only_side: Side | None = "old"
        """The side that answers every call without a cursor. None in the mode `new`, where either side can."""
        self.compares = False

    def restart(self) -> None:
        """Start again in a forked child, without the counts of the parent."""
        self._lock, self._window, self.statistics = threading.Lock(), ErrorWindow(), PatternStatistics()
        self._records.clear()

    @property
    def is_pending(self) -> bool:
        """Whether counts or differences are not stored yet."""
        return bool(self._records) or self.statistics.is_pending

    def apply(self, mode: PatternMode) -> None:
        """Use a mode that was read from the table, unless this process has just left it."""
        with self._lock:
            if self.fall_back is not None:
                if self.fall_back[0] == mode:
                    return
                self.fall_back = None
            if mode.round != self.current.round:
                if self.current.round:
                    self.statistics.take()  # they belong to a round that is over
                self._records.clear()
            self._set(mode)

    def _set(self, mode: PatternMode) -> None:
        self.current, self.mode = mode, mode.mode
        self.only_side = None if mode.mode == "new" else SERVES[mode.mode]
        self.compares = COMPARES[mode.mode]

    def note_new_call(self, now: float, problem: Exception | None = None) -> None:
        """Count a call that the new implementation served or failed, and fall back if its error rate is too high."""
        calls, errors = self._window.add(now, is_error=problem is not None)
        if problem is None:
            return
        self.statistics.count("errors")
        logger.warning("%s: the new implementation failed with %s", self.label, error_code(problem))
        settings = self._settings
        if calls < settings.error_calls_min or errors <= settings.error_rate_max * calls:
            return
        with self._lock:
            if self.mode != "new":
                return
            reason = f"{errors:,} of {calls:,} calls failed in the new implementation"
            self.fall_back = (self.current, reason)
            self._set(replace(self.current, mode="old"))
        logger.error("%s: %s; the old implementation serves the pattern again", self.label, reason)

    def record(self, comparison: AnswerComparison, verdict: ComparisonResult, at: float) -> None:
        """Count the verdict of a comparison, and log its differences. Ignore comparisons of an earlier round."""
        if comparison.round != self.current.round:
            return
        if verdict.result == "error":
            if comparison.served == "old":
                self.statistics.count("errors")
            logger.warning("%s: the new implementation failed with %s", self.label, error_code(verdict.error))
        elif verdict.result == "same":
            self.statistics.count("compared")
        elif verdict.result == "timing":
            self.statistics.count("compared", "timing")
        elif verdict.result == "differs":
            kinds = {each.kind for each in verdict.differences}
            self.statistics.count("compared", "mismatches", *kinds)
            call = self._call(comparison)
            for each in verdict.differences[:_RECORDS_PER_COMPARISON]:
                self._note(comparison, each, call, at)

    def _note(self, comparison: AnswerComparison, found: AnswerDifference, call: str, at: float) -> None:
        text = comparison.read.comparer.text
        old, new = text(found.old, found.field), text(found.new, found.field)
        record = DifferenceRecord(at, call, found.kind, found.key, found.field, old, new)
        with self._lock:
            self._records.append(record)
        extra = {"pattern": self.label, "kind": found.kind, "key": found.key, "field": found.field}
        logger.warning("%s: %s", self.label, difference_text(record), extra={**extra, "old": old, "new": new})

    def _call(self, comparison: AnswerComparison) -> str:
        """Return the call as text, with masked arguments."""
        text = comparison.read.comparer.text
        names = list(comparison.read.comparer.pattern.parameters)
        arguments = {**dict(zip(names, comparison.args, strict=False)), **comparison.kwargs}
        shown = ", ".join(f"{name}={text(value, name, hides_all=False)}" for name, value in arguments.items())
        return f"{self.name}({shown})"

    def take_records(self) -> dict[int, DifferenceRecord]:
        """Return the differences that are not stored yet, by their places in the item."""
        with self._lock:
            taken = {(self._place + number) % RECORDS_MAX: each for number, each in enumerate(self._records)}
            self._place = (self._place + len(taken)) % RECORDS_MAX
            self._records.clear()
        return taken
