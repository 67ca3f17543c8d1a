"""Counts and latencies of the old and the new implementation of a pattern, added up over all processes."""

from __future__ import annotations

import math
import threading
from collections import Counter, deque
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Literal

from singletable.client.design_state import CONTENT
from singletable.client.responses import Item
from singletable.consolidation.answer_differences import KINDS
from singletable.model.table_schema import RESERVED_TYPE

Side = Literal["old", "new"]
SIDES: tuple[Side, Side] = ("old", "new")

BUCKETS = 64
"""Two buckets for each power of two, from 1 microsecond to 35 minutes."""
_UPPER = math.sqrt(0.5)
_SERVED_MAX = 256
CLEAN_CALLS, CLEAN_SINCE, ROUND = "clean_calls", "clean_since", "round"
COUNTS = ("calls", "compared", "mismatches", "errors", "dropped", *KINDS)


@dataclass(frozen=True)
class Latency:
    """The number of reads in each bucket of latencies."""

    buckets: Mapping[int, int]

    def percentile(self, share: float) -> float | None:
        """Return the latency in seconds that this share of the reads does not exceed, within 20 %."""
        total = sum(self.buckets.values())
        passed = 0
        for number in sorted(self.buckets):
            passed += self.buckets[number]
            if passed >= share * total:
                exponent, is_upper = divmod(number, 2)
                return math.ldexp((_UPPER if is_upper else 0.5) * 2**0.25, exponent) / 1e6
        return None


def bucket_of(seconds: float) -> int:
    """Return the bucket of a latency."""
    fraction, exponent = math.frexp(seconds * 1e6)
    return min(max(2 * exponent + (fraction >= _UPPER), 0), BUCKETS - 1)


@dataclass(frozen=True)
class PatternCounts:
    """Counts that are not yet stored in the table."""

    counts: Counter[str] = field(default_factory=Counter)
    old: Counter[int] = field(default_factory=Counter)
    new: Counter[int] = field(default_factory=Counter)

    def __bool__(self) -> bool:
        return bool(self.counts or self.old or self.new)


class PatternStatistics:
    """Counts the reads of one pattern in this process. Several threads can use it at the same time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pending = PatternCounts()
        self._served: deque[tuple[Side, float]] = deque()

    def served(self, side: Side, seconds: float) -> None:
        """Count a call that one side served."""
        self._served.append((side, seconds))
        if len(self._served) >= _SERVED_MAX:
            self._count_served()

    def _count_served(self) -> None:
        """Add the latest calls to the counts. A call only appends its latency to a list, to lose no time."""
        with self._lock, suppress(IndexError):
            while True:
                side, seconds = self._served.popleft()
                self._pending.counts["calls"] += 1
                (self._pending.old if side == "old" else self._pending.new)[bucket_of(seconds)] += 1

    def read(self, side: Side, seconds: float) -> None:
        """Count the latency of a read for a comparison."""
        with self._lock:
            (self._pending.old if side == "old" else self._pending.new)[bucket_of(seconds)] += 1

    def count(self, *names: str) -> None:
        """Add 1 to each of these counts."""
        with self._lock:
            for name in names:
                self._pending.counts[name] += 1

    @property
    def is_pending(self) -> bool:
        """Whether there are counts that are not stored yet."""
        return bool(self._pending or self._served)

    def take(self) -> PatternCounts:
        """Return the pending counts, and start again at 0."""
        self._count_served()
        with self._lock:
            taken, self._pending = self._pending, PatternCounts()
        return taken

    def put_back(self, counts: PatternCounts) -> None:
        """Add counts that could not be stored."""
        with self._lock:
            self._pending.counts.update(counts.counts)
            self._pending.old.update(counts.old)
            self._pending.new.update(counts.new)


class ErrorWindow:
    """The calls of the new implementation and their errors in the last period."""

    def __init__(self, seconds: float = 60.0) -> None:
        self._seconds = seconds
        self._started = 0.0
        self._before = self._now = (0, 0)
        self._lock = threading.Lock()

    def add(self, now: float, *, is_error: bool) -> tuple[int, int]:
        """Count a call. Return the numbers of calls and errors in this period and the one before it."""
        with self._lock:
            if now - self._started >= self._seconds:
                self._before = self._now if now - self._started < 2 * self._seconds else (0, 0)
                self._now, self._started = (0, 0), now
            calls, errors = self._now
            self._now = calls + 1, errors + is_error
            return self._before[0] + calls + 1, self._before[1] + errors + is_error


def first_item(key: Item, type_attribute: str | None, round_number: int, now: float) -> Item:
    """Return the item of the statistics of a pattern at the start of a round."""
    item = key | {
        CONTENT: {"M": {ROUND: {"N": str(round_number)}}},
        _stored(CLEAN_SINCE): {"N": repr(now)},
    }
    return item if type_attribute is None else item | {type_attribute: {"S": RESERVED_TYPE}}


def round_condition(round_number: int) -> tuple[str, dict[str, str], Item]:
    """Return the condition that an item belongs to this round, with its names and values."""
    return "#content.#round = :round", {"#content": CONTENT, "#round": ROUND}, {":round": {"N": str(round_number)}}


def addition(counts: PatternCounts, round_number: int, now: float) -> dict[str, Any]:
    """Return the parameters of an UpdateItem that adds counts to the item of a pattern, if the round is not over."""
    condition, names, values = round_condition(round_number)
    numbers = {name: number for name, number in counts.counts.items() if number}
    numbers |= {f"{side}{bucket}": n for side in ("old", "new") for bucket, n in getattr(counts, side).items()}
    changes = ""
    if counts.counts["mismatches"]:
        names |= {"#clean_calls": _stored(CLEAN_CALLS), "#clean_since": _stored(CLEAN_SINCE)}
        values |= {":zero": {"N": "0"}, ":now": {"N": repr(now)}}
        changes = " SET #clean_calls = :zero, #clean_since = :now"
    elif counts.counts["compared"]:
        numbers[CLEAN_CALLS] = counts.counts["compared"]
    names |= {f"#{name}": _stored(name) for name in numbers}
    values |= {f":{name}": {"N": str(number)} for name, number in numbers.items()}
    return {
        "UpdateExpression": "ADD " + ", ".join(f"#{name} :{name}" for name in numbers) + changes,
        "ConditionExpression": condition,
        "ExpressionAttributeNames": names,
        "ExpressionAttributeValues": values,
    }


@dataclass(frozen=True)
class StoredStatistics:
    """The statistics of a pattern in the current round, of all processes."""

    counts: Mapping[str, int]
    clean_calls: int
    clean_since: float | None
    old: Latency
    new: Latency


def statistics_from(item: Item | None) -> StoredStatistics:
    """Return the statistics in an item."""
    found = item or {}

    def number(name: str) -> int:
        return int(found.get(_stored(name), {}).get("N", 0))

    latencies = [Latency({n: number(f"{side}{n}") for n in range(BUCKETS) if number(f"{side}{n}")}) for side in SIDES]
    since = found.get(_stored(CLEAN_SINCE))
    return StoredStatistics(
        {name: number(name) for name in COUNTS},
        number(CLEAN_CALLS),
        None if since is None else float(since["N"]),
        *latencies,
    )


def _stored(name: str) -> str:
    """Return the stored name of a statistic. No index of a user has a key attribute with such a name."""
    return f"{RESERVED_TYPE}:{name}"
