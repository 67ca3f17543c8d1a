"""The cost report of a design: the cost of calls and writes, the monthly bill, and the guesses in these numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from singletable.cost.call_costs import CallCost, WriteCost, call_costs, write_costs
from singletable.cost.design_comparison import DesignComparison, compare
from singletable.cost.measured_items import ItemSample
from singletable.cost.monthly_bill import (
    EntityStorage,
    ProvisionedCapacity,
    UnitsPerSecond,
    provisioned,
    storage_of,
    units_per_second,
)
from singletable.cost.prices import Prices
from singletable.model.design import Design
from singletable.planner.item_sizes import ItemSizes

SCALES: Mapping[str, float] = {"small": 0.1, "expected": 1.0, "large": 10.0}
"""The report multiplies the expected size of collections by each of these factors."""


@dataclass(frozen=True)
class CostReport:
    """The cost of a design for one assumed size of its collections."""

    design: Design
    at: str
    prices: Prices
    table_class: str
    calls: tuple[CallCost, ...]
    writes: tuple[WriteCost, ...]
    traffic: UnitsPerSecond
    capacity: tuple[ProvisionedCapacity, ...]
    storage: tuple[EntityStorage, ...]
    comparison: DesignComparison

    @property
    def on_demand_reads(self) -> float:
        """Dollars per month for on-demand reads."""
        return self.prices.requests(self.table_class, self.traffic.read_units, 0.0)

    @property
    def on_demand_writes(self) -> float:
        """Dollars per month for on-demand writes."""
        return self.prices.requests(self.table_class, 0.0, self.traffic.write_units)

    @property
    def capacity_dollars(self) -> float:
        """Dollars per month for the same requests with provisioned capacity."""
        return sum(each.dollars for each in self.capacity)

    @property
    def stored_bytes(self) -> float | None:
        """The total stored bytes. None if the number of items of an entity is unknown."""
        known = [each.stored_bytes for each in self.storage if each.stored_bytes is not None]
        return sum(known) if len(known) == len(self.storage) else None

    @property
    def storage_dollars(self) -> float | None:
        """Dollars per month for storage."""
        return None if self.stored_bytes is None else self.prices.storage(self.table_class, self.stored_bytes)

    @property
    def guesses_reads(self) -> bool:
        """Whether the monthly reads depend on a guess."""
        return bool(self.traffic.guessed_reads)

    @property
    def guesses_writes(self) -> bool:
        """Whether the monthly writes depend on a guess."""
        return bool(self.traffic.guessed_writes)

    @property
    def guesses_storage(self) -> bool:
        """Whether the storage depends on a guess."""
        return any(each.is_guessed for each in self.storage if each.items)

    @property
    def without_rate(self) -> tuple[str, ...]:
        """The patterns without a declared rate. The monthly sums do not include them."""
        return tuple(call.name for call in self.calls if call.calls_per_second is None)

    @property
    def unserved(self) -> tuple[str, ...]:
        """Unsupported patterns, which have no cost."""
        priced = {call.name for call in self.calls}
        return tuple(pattern.name for pattern in self.design.patterns if pattern.name not in priced)

    @property
    def uncounted(self) -> tuple[str, ...]:
        """Entities without a known number of items."""
        return tuple(each.entity for each in self.storage if each.items is None)

    @property
    def guesses(self) -> tuple[str, ...]:
        """All guesses that the report depends on, without duplicates."""
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
    sample: ItemSample | None = None,
    counts: Mapping[str, float] | None = None,
) -> CostReport:
    """Return the cost report. `sample` contains measured item sizes, `counts` the number of items by entity."""
    design.require_keys("the cost")
    scale = SCALES[at]
    sizes = ItemSizes(design, sample.sizes if sample is not None else {})
    known = dict(counts or {})
    if sample is not None and sample.is_complete:
        known = {**{entity.label: 0.0 for entity in design.entities}, **_counts(sample), **known}
    calls = call_costs(design, sizes, scale)
    traffic = units_per_second(design, calls)
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


def _counts(sample: ItemSample) -> dict[str, float]:
    return {label: float(size.items) for label, size in sample.sizes.items()}
