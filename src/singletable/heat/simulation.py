"""An hour of traffic, second by second: what a partition and what a whole table serve, and what they throttle.

A partition gives 3,000 read or 1,000 write units a second, or a mixture of both, and no burst goes beyond that.
Adaptive capacity is instant: a hot item collection has a partition to itself from the first second. DynamoDB splits a
partition that stays hot, where it can; how soon is not published, and ten minutes are assumed.
Traffic is steady, but for a call that alone asks for more than a tenth of that: it comes all at once.
A table on demand serves twice its previous peak, at least 12,000 read or 4,000 write units a second; what it serves
is its peak half an hour later. A table with provisioned capacity keeps what it did not use for five minutes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from singletable.heat.partitions import Demand, HotPartition, Load

SPLITS_AFTER_SECONDS = 600
"""How long a partition is hot before it is split; assumed."""
SPLITS_MAX = 10
PEAK_COUNTS_AFTER_SECONDS = 1800
BURST_SECONDS = 300
NEW_TABLE = Demand(12_000, 4_000)
"""What a new table on demand serves at once, of either."""


@dataclass(frozen=True)
class Growth:
    """How traffic grows: to so many times today's, at once or over a while, and how long it is looked at."""

    times: float
    over_seconds: int = 0
    seconds: int = 3600

    def factor(self, second: int) -> float:
        """How many times today's traffic there is in this second."""
        if second >= self.over_seconds:
            return self.times
        return 1 + (self.times - 1) * second / self.over_seconds


@dataclass(frozen=True)
class Course:
    """What became of the traffic: the share that was throttled in each minute."""

    throttled: tuple[float, ...]
    share: float
    """The share of the whole traffic that was throttled."""
    first_second: int | None
    """The first second in which something was throttled."""
    splits: int = 0

    @property
    def at_the_end(self) -> float:
        """The share that is throttled still in the last minute."""
        return self.throttled[-1] if self.throttled else 0.0


def hot_course(hot: HotPartition, growth: Growth) -> Course:
    """The hottest partition of a form while traffic grows."""
    return partition_course(hot.steady, growth, can_split=not hot.stays_whole, bursts=hot.bursts)


def partition_course(steady: Demand, growth: Growth, *, can_split: bool, bursts: Sequence[Load] = ()) -> Course:
    """A partition while traffic grows: what is asked all the time, and calls that each come all at once."""
    splits = 0
    hot_since: int | None = None
    arrivals = [_arrivals(load, growth) for load in bursts]

    def needed(second: int) -> float:
        return steady.times(growth.factor(second)).partitions + sum(next(each) for each in arrivals)

    def served(second: int, wanted: float) -> float:
        nonlocal splits, hot_since
        room = 2**splits
        if wanted <= room:
            hot_since = None
            return wanted
        hot_since = second if hot_since is None else hot_since
        if can_split and second - hot_since >= SPLITS_AFTER_SECONDS and splits < SPLITS_MAX:
            splits, hot_since = splits + 1, second
        return float(room)

    return replace(_course(needed, growth, served), splits=splits)


def _arrivals(load: Load, growth: Growth) -> Iterator[float]:
    """Second by second what whole calls ask for, in partitions; the first comes at once, however seldom it is."""
    so_far = 0.0
    for second in range(growth.seconds):
        before, so_far = so_far, so_far + load.calls_per_second * growth.factor(second)
        yield (math.ceil(so_far) - math.ceil(before)) * load.at_once.partitions


def on_demand_course(today: Demand, growth: Growth) -> Course:
    """A whole table, or one global index, on demand."""

    def of_new_table(factor: float) -> float:
        asked = today.times(factor)
        return asked.reads / NEW_TABLE.reads + asked.writes / NEW_TABLE.writes

    peaks = [of_new_table(1.0)]

    def served(second: int, wanted: float) -> float:
        counted = peaks[max(0, second - PEAK_COUNTS_AFTER_SECONDS)]
        given = min(wanted, max(1.0, 2 * counted))
        peaks.append(max(peaks[-1], given))
        return given

    return _course(lambda second: of_new_table(growth.factor(second)), growth, served)


def provisioned_course(today: Demand, bought: Demand, growth: Growth) -> Course:
    """A whole table, or one global index, with this capacity, which no auto scaling raises."""
    kept = _kept(today, bought)

    def needed(second: int) -> float:
        asked = today.times(growth.factor(second))
        return max(asked.reads / bought.reads, asked.writes / bought.writes)

    def served(_: int, wanted: float) -> float:
        nonlocal kept
        given = min(wanted, 1.0 + kept)
        kept = min(float(BURST_SECONDS), max(0.0, kept + 1.0 - given))
        return given

    return _course(needed, growth, served)


def _kept(today: Demand, bought: Demand) -> float:
    """What is left of five minutes' capacity beside today's traffic, in seconds of the whole capacity."""
    used = max(today.reads / bought.reads, today.writes / bought.writes)
    return BURST_SECONDS * max(0.0, 1 - used)


def _course(needed: Callable[[int], float], growth: Growth, served: Callable[[int, float], float]) -> Course:
    asked = [0.0] * -(-growth.seconds // 60)
    refused = [0.0] * len(asked)
    first: int | None = None
    for second in range(growth.seconds):
        wanted = needed(second)
        given = served(second, wanted)
        asked[second // 60] += wanted
        refused[second // 60] += wanted - given
        if first is None and given < wanted:
            first = second
    minutes = tuple(lost / all_of_it if all_of_it else 0.0 for lost, all_of_it in zip(refused, asked, strict=True))
    return Course(minutes, sum(refused) / sum(asked) if sum(asked) else 0.0, first)
