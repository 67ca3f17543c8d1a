"""Everything that a design costs, brought together: calls, plain writes, a month, and what was guessed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from singletable.cost.calls import CallCost, WriteCost, call_costs, write_costs
from singletable.cost.compare import Comparison, compare
from singletable.cost.month import Provisioned, Storage, Traffic, provisioned, storage_of, traffic_of
from singletable.cost.prices import Prices
from singletable.cost.sample import Sample
from singletable.model.design import Design
from singletable.planner.item_sizes import Sizes

SCALES: Mapping[str, float] = {"small": 0.1, "expected": 1.0, "large": 10.0}
"""How many times as large as expected collections are."""


@dataclass(frozen=True)
class CostReport:
    """What a design costs at one size of its collections."""

    design: Design
    at: str
    prices: Prices
    table_class: str
    calls: tuple[CallCost, ...]
    writes: tuple[WriteCost, ...]
    traffic: Traffic
    capacity: tuple[Provisioned, ...]
    storage: tuple[Storage, ...]
    comparison: Comparison

    @property
    def on_demand_reads(self) -> float:
        """Dollars a month for reads, paid by request."""
        return self.prices.requests(self.table_class, self.traffic.read_units, 0.0)

    @property
    def on_demand_writes(self) -> float:
        """Dollars a month for writes, paid by request."""
        return self.prices.requests(self.table_class, 0.0, self.traffic.write_units)

    @property
    def capacity_dollars(self) -> float:
        """Dollars a month for provisioned capacity instead."""
        return sum(each.dollars for each in self.capacity)

    @property
    def stored_bytes(self) -> float | None:
        """Everything that is stored; None where the number of some entity's items is not known."""
        known = [each.stored_bytes for each in self.storage if each.stored_bytes is not None]
        return sum(known) if len(known) == len(self.storage) else None

    @property
    def storage_dollars(self) -> float | None:
        """Dollars a month for what is stored."""
        return None if self.stored_bytes is None else self.prices.storage(self.table_class, self.stored_bytes)

    @property
    def guesses_reads(self) -> bool:
        """Whether the month's reads rest on a guess."""
        return bool(self.traffic.guessed_reads)

    @property
    def guesses_writes(self) -> bool:
        """Whether the month's writes do."""
        return bool(self.traffic.guessed_writes)

    @property
    def guesses_storage(self) -> bool:
        """Whether what is stored does."""
        return any(each.is_guessed for each in self.storage if each.items)

    @property
    def without_rate(self) -> tuple[str, ...]:
        """Patterns of which nobody says how often they are called; they are in no sum of a month."""
        return tuple(call.name for call in self.calls if call.calls_per_second is None)

    @property
    def unserved(self) -> tuple[str, ...]:
        """Patterns that no request answers, so that they have no cost."""
        priced = {call.name for call in self.calls}
        return tuple(pattern.name for pattern in self.design.patterns if pattern.name not in priced)

    @property
    def uncounted(self) -> tuple[str, ...]:
        """Entities of which nobody says how many items there are."""
        return tuple(each.entity for each in self.storage if each.items is None)

    @property
    def guesses(self) -> tuple[str, ...]:
        """Everything that was guessed, each once."""
        estimates = [call.estimate for call in self.calls] + [write.estimate for write in self.writes]
        found = [guess for each in estimates for guess in each.guessed]
        found += [call.rate_guess for call in self.calls if call.rate_guess is not None]
        return tuple(dict.fromkeys(found))


def cost_report(
    design: Design,
    prices: Prices,
    *,
    at: str = "expected",
    table_class: str = "standard",
    sample: Sample | None = None,
    counts: Mapping[str, float] | None = None,
) -> CostReport:
    """Prices a design; `sample` gives the sizes of real items, `counts` how many there are by entity."""
    scale = SCALES[at]
    sizes = Sizes(design, sample.sizes if sample is not None else {})
    known = dict(counts or {})
    if sample is not None and sample.is_complete:
        known = {**{entity.label: 0.0 for entity in design.entities}, **_counts(sample), **known}
    calls = call_costs(design, sizes, scale)
    traffic = traffic_of(design, calls)
    return CostReport(
        design,
        at,
        prices,
        table_class,
        calls,
        write_costs(design, sizes, scale),
        traffic,
        provisioned(design, traffic, prices, table_class),
        storage_of(design, sizes, calls, prices, known, scale),
        compare(design, calls, sizes, prices, table_class, scale),
    )


def _counts(sample: Sample) -> dict[str, float]:
    return {label: float(size.items) for label, size in sample.sizes.items()}
