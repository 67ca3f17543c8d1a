"""The heat report: the hottest partitions as traffic grows, and advice for partitions that throttle."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from singletable.cost.call_costs import call_costs
from singletable.cost.monthly_bill import provisioned, units_per_second
from singletable.cost.prices import STANDARD, Prices
from singletable.heat.hot_partitions import Demand, HotPartition, hot_partitions
from singletable.heat.sharding import Sharding, sharding_for
from singletable.heat.simulation import (
    Growth,
    SimulationResult,
    simulate_hot_partition,
    simulate_on_demand,
    simulate_provisioned,
)
from singletable.model.design import Design
from singletable.planner.item_sizes import ItemSizes


@dataclass(frozen=True)
class TableHeat:
    """The traffic of the table or one global secondary index, and its simulations."""

    label: str
    demand: Demand
    results: tuple[SimulationResult, ...]
    """One simulation for each growth."""
    guesses_reads: bool
    guesses_writes: bool


@dataclass(frozen=True)
class HeatAdvice:
    """Advice for one growth of the traffic: the shards that the partition needs, or why sharding does not help."""

    growth: Growth
    what: Sharding | str
    dollars_before: float
    dollars_after: float
    """Dollars per month for requests at the current rates, before and after sharding."""
    guesses_dollars: bool


@dataclass(frozen=True)
class PartitionHeat:
    """A hot partition with its simulations, and advice for each growth that throttles it."""

    partition: HotPartition
    results: tuple[SimulationResult, ...]
    """One simulation for each growth."""
    throttles_at: Growth | None
    """The smallest growth that throttles the partition. None if no growth throttles it."""
    advice: tuple[HeatAdvice, ...] = ()
    """One piece of advice for each growth that throttles the partition."""


@dataclass(frozen=True)
class HeatReport:
    """The heat of a design: simulations for each growth of its traffic."""

    design: Design
    growths: tuple[Growth, ...]
    hot: tuple[PartitionHeat, ...]
    places: tuple[TableHeat, ...]
    without_rate: tuple[str, ...]
    unserved: tuple[str, ...]
    """Unsupported patterns, whose traffic is unknown."""
    guesses: tuple[str, ...]
    is_provisioned: bool

    @property
    def throttles(self) -> bool:
        """Whether a partition, the table or an index throttles at the current traffic."""
        return any(each.throttles_at is not None and each.throttles_at.times <= 1 for each in self.hot)


def heat_report(
    design: Design, prices: Prices, growths: Sequence[Growth], *, is_provisioned: bool = False
) -> HeatReport:
    """Simulate the hottest partitions, the table and its indexes for each growth of the traffic."""
    design.require_keys("the heat report")
    calls = call_costs(design, ItemSizes(design))
    traffic = units_per_second(design, calls)
    dollars = prices.requests(STANDARD, traffic.read_units, traffic.write_units)
    hot = tuple(_hot(design, each, growths, prices, dollars) for each in hot_partitions(design, calls))
    places = []
    for each in provisioned(design, traffic, prices, STANDARD):
        demand = Demand(traffic.reads.get(each.place, 0.0), traffic.writes.get(each.place, 0.0))
        capacity = Demand(each.read_units, each.write_units)
        results = tuple(
            simulate_provisioned(demand, capacity, growth) if is_provisioned else simulate_on_demand(demand, growth)
            for growth in growths
        )
        guessed = (each.place in traffic.guessed_reads, each.place in traffic.guessed_writes)
        places.append(TableHeat(each.place, demand, results, *guessed))
    guesses = [guess for found in hot for guess in found.partition.guessed]
    guesses += [call.rate_guess for call in calls if call.rate_guess is not None]
    guesses += [guess for call in calls if call.calls_per_second for guess in call.estimate.guessed]
    silent = tuple(call.name for call in calls if call.calls_per_second is None)
    known = {call.name for call in calls}
    unserved = tuple(pattern.name for pattern in design.patterns if pattern.name not in known)
    unique_guesses = tuple(dict.fromkeys(guesses))
    return HeatReport(design, tuple(growths), hot, tuple(places), silent, unserved, unique_guesses, is_provisioned)


def _hot(
    design: Design, partition: HotPartition, growths: Sequence[Growth], prices: Prices, dollars: float
) -> PartitionHeat:
    results = tuple(simulate_hot_partition(partition, growth) for growth in growths)
    throttled = [growth for growth, course in zip(growths, results, strict=True) if course.share]
    advice = tuple(_advice(design, partition, growth, prices, dollars) for growth in throttled)
    return PartitionHeat(partition, results, min(throttled, key=lambda growth: growth.times, default=None), advice)


def _advice(design: Design, partition: HotPartition, growth: Growth, prices: Prices, dollars: float) -> HeatAdvice:
    what = sharding_for(design, partition, growth)
    if isinstance(what, str):
        return HeatAdvice(growth, what, dollars, dollars, guesses_dollars=False)
    after = units_per_second(what.design, what.calls)
    dollars_after = prices.requests(STANDARD, after.read_units, after.write_units)
    guesses = bool(after.guessed_reads or after.guessed_writes)
    return HeatAdvice(growth, what, dollars, dollars_after, guesses_dollars=guesses)
