"""Simulate an hour of traffic, second by second, and count the requests that partitions and tables throttle.

A partition serves 3,000 read units or 1,000 write units per second, or a mix of both, and never more. Adaptive capacity
is immediate: a hot item collection has its own partition from the first second. If a partition stays hot, DynamoDB
splits it if this is possible. The delay is not documented; the simulation assumes ten minutes. Traffic is steady,
except for calls that consume more than a tenth of a partition's capacity. Each of these calls is one burst. An
on-demand table serves twice its previous peak, and at least 12,000 read or 4,000 write units per second. A new peak
takes effect half an hour later. A provisioned table saves unused capacity for up to five minutes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from singletable.heat.hot_partitions import Demand, HotPartition, PartitionLoad

SPLITS_AFTER_SECONDS = 600
"""The assumed time until DynamoDB splits a hot partition."""
SPLITS_MAX = 10
PEAK_COUNTS_AFTER_SECONDS = 1800
BURST_SECONDS = 300
NEW_TABLE = Demand(12_000, 4_000)
"""The initial capacity of an on-demand table."""


@dataclass(frozen=True)
class Growth:
    """A growth of the traffic by the factor `times`, at once or over `over_seconds`. The simulation lasts `seconds`."""

    times: float
    over_seconds: int = 0
    seconds: int = 3600

    def factor(self, second: int) -> float:
        """Return the traffic in this second as a multiple of the current traffic."""
        if second >= self.over_seconds:
            return self.times
        return 1 + (self.times - 1) * second / self.over_seconds


@dataclass(frozen=True)
class SimulationResult:
    """The share of throttled traffic in each minute."""

    throttled: tuple[float, ...]
    share: float
    """The throttled share of all traffic."""
    first_second: int | None
    """The first second with throttling. None if nothing is throttled."""
    splits: int = 0

    @property
    def at_the_end(self) -> float:
        """The throttled share in the last minute."""
        return self.throttled[-1] if self.throttled else 0.0


def simulate_hot_partition(hot: HotPartition, growth: Growth) -> SimulationResult:
    """Simulate a hot partition while traffic grows."""
    return simulate_partition(hot.steady, growth, can_split=not hot.unsplittable_reason, bursts=hot.bursts)


def simulate_partition(
    steady: Demand, growth: Growth, *, can_split: bool, bursts: Sequence[PartitionLoad] = ()
) -> SimulationResult:
    """Simulate a partition with steady traffic and bursts, which both grow over time."""
    splits = 0
    hot_since: int | None = None
    arrivals = [_arrivals(load, growth) for load in bursts]

    def needed(second: int) -> float:
        return steady.times(growth.factor(second)).partitions + sum(next(each) for each in arrivals)

    def served(second: int, needed_now: float) -> float:
        nonlocal splits, hot_since
        room = 2**splits
        if needed_now <= room:
            hot_since = None
            return needed_now
        hot_since = second if hot_since is None else hot_since
        if can_split and second - hot_since >= SPLITS_AFTER_SECONDS and splits < SPLITS_MAX:
            splits, hot_since = splits + 1, second
        return float(room)

    return replace(_course(needed, growth, served), splits=splits)


def _arrivals(load: PartitionLoad, growth: Growth) -> Iterator[float]:
    """Yield the demand of burst calls in each second, as a number of partitions. The first second has a call."""
    so_far = 0.0
    for second in range(growth.seconds):
        before, so_far = so_far, so_far + load.calls_per_second * growth.factor(second)
        yield (math.ceil(so_far) - math.ceil(before)) * load.at_once.partitions


def simulate_on_demand(today: Demand, growth: Growth) -> SimulationResult:
    """Simulate an on-demand table or global secondary index."""

    def of_new_table(factor: float) -> float:
        demand = today.times(factor)
        return demand.reads / NEW_TABLE.reads + demand.writes / NEW_TABLE.writes

    peaks = [of_new_table(1.0)]

    def served(second: int, needed_now: float) -> float:
        counted = peaks[max(0, second - PEAK_COUNTS_AFTER_SECONDS)]
        given = min(needed_now, max(1.0, 2 * counted))
        peaks.append(max(peaks[-1], given))
        return given

    return _course(lambda second: of_new_table(growth.factor(second)), growth, served)


def simulate_provisioned(today: Demand, capacity: Demand, growth: Growth) -> SimulationResult:
    """Simulate a provisioned table or global secondary index without auto scaling."""
    saved = _saved(today, capacity)

    def needed(second: int) -> float:
        demand = today.times(growth.factor(second))
        return max(demand.reads / capacity.reads, demand.writes / capacity.writes)

    def served(_: int, needed_now: float) -> float:
        nonlocal saved
        given = min(needed_now, 1.0 + saved)
        saved = min(float(BURST_SECONDS), max(0.0, saved + 1.0 - given))
        return given

    return _course(needed, growth, served)


def _saved(today: Demand, capacity: Demand) -> float:
    """Return the burst capacity that the table has saved before the growth, in seconds of full capacity."""
    used = max(today.reads / capacity.reads, today.writes / capacity.writes)
    return BURST_SECONDS * max(0.0, 1 - used)


def _course(needed: Callable[[int], float], growth: Growth, served: Callable[[int, float], float]) -> SimulationResult:
    total = [0.0] * -(-growth.seconds // 60)
    throttled = [0.0] * len(total)
    first: int | None = None
    for second in range(growth.seconds):
        needed_now = needed(second)
        given = served(second, needed_now)
        total[second // 60] += needed_now
        throttled[second // 60] += needed_now - given
        if first is None and given < needed_now:
            first = second
    minutes = tuple(lost / all_units if all_units else 0.0 for lost, all_units in zip(throttled, total, strict=True))
    return SimulationResult(minutes, sum(throttled) / sum(total) if sum(total) else 0.0, first)
