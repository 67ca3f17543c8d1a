"""Everything that heat says of a design: its hottest partitions under growing traffic, and what would carry it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from singletable.cost.calls import call_costs
from singletable.cost.month import provisioned, traffic_of
from singletable.cost.prices import STANDARD, Prices
from singletable.heat.partitions import Demand, HotPartition, hot_partitions
from singletable.heat.sharding import Sharding, sharding_for
from singletable.heat.simulation import Course, Growth, hot_course, on_demand_course, provisioned_course
from singletable.model.design import Design
from singletable.planner.item_sizes import Sizes


@dataclass(frozen=True)
class Place:
    """The table, or one global index: its whole traffic, and what becomes of it."""

    label: str
    demand: Demand
    courses: tuple[Course, ...]
    """One for each growth."""
    guesses_reads: bool
    guesses_writes: bool


@dataclass(frozen=True)
class Advice:
    """What would carry a growth of the traffic, or in words why nothing does."""

    growth: Growth
    what: Sharding | str
    dollars_before: float
    dollars_after: float
    """What requests cost in a month at today's rates, now and with the advice."""
    guesses_dollars: bool


@dataclass(frozen=True)
class Hot:
    """A partition with its courses, and what to do where it throttles."""

    partition: HotPartition
    courses: tuple[Course, ...]
    """One for each growth."""
    throttles_at: Growth | None
    """The least growth that throttles it."""
    advice: tuple[Advice, ...] = ()
    """One for each growth that throttles it."""


@dataclass(frozen=True)
class HeatReport:
    """A design under growing traffic."""

    design: Design
    growths: tuple[Growth, ...]
    hot: tuple[Hot, ...]
    places: tuple[Place, ...]
    without_rate: tuple[str, ...]
    unserved: tuple[str, ...]
    """Patterns that no request answers, so that nobody knows what they would read."""
    guesses: tuple[str, ...]
    is_provisioned: bool

    @property
    def throttles(self) -> bool:
        """Whether anything throttles at today's traffic."""
        return any(each.throttles_at is not None and each.throttles_at.times <= 1 for each in self.hot)


def heat_report(
    design: Design, prices: Prices, growths: Sequence[Growth], *, is_provisioned: bool = False
) -> HeatReport:
    """Simulates every growth of the traffic on the hottest partitions and on the table and its indexes as a whole."""
    calls = call_costs(design, Sizes(design))
    traffic = traffic_of(design, calls)
    dollars = prices.requests(STANDARD, traffic.read_units, traffic.write_units)
    hot = tuple(_hot(design, each, growths, prices, dollars) for each in hot_partitions(design, calls))
    places = []
    for each in provisioned(design, traffic, prices, STANDARD):
        demand = Demand(traffic.reads.get(each.place, 0.0), traffic.writes.get(each.place, 0.0))
        capacity = Demand(each.read_units, each.write_units)
        courses = tuple(
            provisioned_course(demand, capacity, growth) if is_provisioned else on_demand_course(demand, growth)
            for growth in growths
        )
        guessed = (each.place in traffic.guessed_reads, each.place in traffic.guessed_writes)
        places.append(Place(each.place, demand, courses, *guessed))
    guesses = [guess for found in hot for guess in found.partition.guessed]
    guesses += [call.rate_guess for call in calls if call.rate_guess is not None]
    guesses += [guess for call in calls if call.calls_per_second for guess in call.estimate.guessed]
    silent = tuple(call.name for call in calls if call.calls_per_second is None)
    known = {call.name for call in calls}
    unserved = tuple(pattern.name for pattern in design.patterns if pattern.name not in known)
    said = tuple(dict.fromkeys(guesses))
    return HeatReport(design, tuple(growths), hot, tuple(places), silent, unserved, said, is_provisioned)


def _hot(design: Design, partition: HotPartition, growths: Sequence[Growth], prices: Prices, dollars: float) -> Hot:
    courses = tuple(hot_course(partition, growth) for growth in growths)
    throttled = [growth for growth, course in zip(growths, courses, strict=True) if course.share]
    advice = tuple(_advice(design, partition, growth, prices, dollars) for growth in throttled)
    return Hot(partition, courses, min(throttled, key=lambda growth: growth.times, default=None), advice)


def _advice(design: Design, partition: HotPartition, growth: Growth, prices: Prices, dollars: float) -> Advice:
    what = sharding_for(design, partition, growth)
    if isinstance(what, str):
        return Advice(growth, what, dollars, dollars, guesses_dollars=False)
    after = traffic_of(what.design, what.calls)
    dollars_after = prices.requests(STANDARD, after.read_units, after.write_units)
    guesses = bool(after.guessed_reads or after.guessed_writes)
    return Advice(growth, what, dollars, dollars_after, guesses_dollars=guesses)
