"""Compare the cost of a single table with one table per entity.

With one table per entity, each table has the current keys of its entity, and the indexes through which patterns read
the entity. If a pattern reads one entity, its request stays the same, but reads no items of other entities. If it reads
a collection, it needs one request per member. Indexes that no pattern reads do not exist, so writes cost less. A
transaction can write to several tables.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from singletable.cost.call_costs import CallCost, call_cost
from singletable.cost.prices import Prices
from singletable.model.design import Design
from singletable.model.table_schema import TABLE
from singletable.planner.estimate import Estimate, estimate
from singletable.planner.formatting import GUESS_MARK, format_dollars, format_number
from singletable.planner.item_sizes import ItemSizes
from singletable.planner.items_read import count_items_read
from singletable.planner.planner import copy_indexes

_ROUNDING = 0.005
"""Half a cent. Bills that differ by less count as equal."""


@dataclass(frozen=True)
class PatternComparison:
    """Units and requests of one call in both designs."""

    name: str
    kind: str
    together: float
    apart: float
    requests_together: int
    requests_apart: int
    calls_per_second: float | None
    guessed: bool


@dataclass(frozen=True)
class DesignComparison:
    """Both designs at the declared rates: dollars per month and requests per second."""

    patterns: tuple[PatternComparison, ...]
    dollars_together: float
    dollars_apart: float
    requests_together: float
    requests_apart: float
    tables: int
    collections: int
    guesses_bill: bool = False
    """Whether the bills depend on a guess."""
    guesses_requests: bool = False
    """Whether the requests per second depend on a guess."""

    @property
    def sentence(self) -> str:
        """The comparison in one sentence."""
        if not self.requests_together:
            return (
                "No pattern declares how often it is called, so costs cannot be compared: declare rate= or frequency=."
            )
        mark = GUESS_MARK if self.guesses_bill else ""
        together, apart = (f"{mark}{format_dollars(each)}" for each in (self.dollars_together, self.dollars_apart))
        bills = f"{together} per month with one table, {apart} with {self.tables}"
        mark = GUESS_MARK if self.guesses_requests else ""
        rates = [f"{mark}{format_number(each)}" for each in (self.requests_together, self.requests_apart)]
        requests = f"{rates[0]} requests per second compared with {rates[1]}"
        return f"{self._verdict}: {bills}; {requests}."

    @property
    def _verdict(self) -> str:
        saved, fewer = self.dollars_apart - self.dollars_together, self.requests_apart - self.requests_together
        bill = ""
        if abs(saved) > _ROUNDING:
            share = f"{GUESS_MARK if self.guesses_bill else ''}{abs(saved) / max(self.dollars_apart, _ROUNDING):.1%}"
            bill = f"{'saves' if saved > 0 else 'costs'} {share} {'of the bill' if saved > 0 else 'more'}"
        part = f"{GUESS_MARK if self.guesses_requests else ''}{fewer / max(1e-9, self.requests_apart):.1%}"
        requests = f"{part} of the requests" if fewer > 0 else ""
        if not bill and not requests:
            return "A single table saves nothing" + (
                "" if self.collections else ", because no pattern reads two entities together"
            )
        if not requests:
            return f"A single table {bill} and saves no requests"
        if not bill:
            return f"A single table saves {requests}, but no money"
        return f"A single table {bill} and {'' if saved > 0 else 'saves '}{requests}"


def compare(
    design: Design, calls: Sequence[CallCost], sizes: ItemSizes, prices: Prices, table_class: str, scale: float = 1.0
) -> DesignComparison:
    """Compare the on-demand request cost of both designs.

    Storage is excluded, because only unused indexes change it.
    """
    apart = replace(sizes, left_out=sizes.left_out | unread_indexes(design, calls))
    compared = []
    sums = {"together": [0.0, 0.0, 0.0], "apart": [0.0, 0.0, 0.0]}
    for call in calls:
        other, requests = _apart(design, call, apart, scale)
        rate = call.calls_per_second or 0.0
        for name, cost, count in (("together", call.estimate, call.requests), ("apart", other, requests)):
            reads, writes = (cost.units, 0.0) if cost.kind == "read" else (cost.reads, cost.units)
            sums[name] = [a + rate * b for a, b in zip(sums[name], (reads, writes, float(count)), strict=True)]
        guessed = bool(call.estimate.guessed or other.guessed)
        compared.append(
            PatternComparison(
                call.name,
                call.estimate.kind,
                call.estimate.units,
                other.units,
                call.requests,
                requests,
                call.calls_per_second,
                guessed,
            )
        )
    return DesignComparison(
        tuple(compared),
        prices.requests(table_class, *sums["together"][:2]),
        prices.requests(table_class, *sums["apart"][:2]),
        sums["together"][2],
        sums["apart"][2],
        len(design.entities),
        sum(1 for call in calls if len(call.plan.members) > 1),
        guesses_bill=any(call.is_guessed for call in calls if call.calls_per_second),
        guesses_requests=any(call.rate_guess is not None for call in calls),
    )


def unread_indexes(design: Design, calls: Sequence[CallCost]) -> frozenset[tuple[str, str]]:
    """Return the entity labels and aliases of indexes that no pattern and no copy query reads."""
    read = {
        (entity.label, c.plan.index.alias) for c in calls if c.estimate.kind == "read" for entity in c.plan.entities
    }
    placed = {(entity.label, alias) for entity in design.entities for alias in entity.placements if alias != TABLE}
    return frozenset(placed - read - copy_indexes(design))


def _apart(design: Design, call: CallCost, sizes: ItemSizes, scale: float) -> tuple[Estimate, int]:
    """Return the cost and the number of requests of a call with one table per entity."""
    plan = call.plan
    if not plan.members:
        other = call_cost(design, replace(plan, other_entities=()), sizes, scale)
        return other.estimate, other.requests
    units, requests, items, guessed = 0.0, 0, 0, dict[str, None]()
    for each in count_items_read(sizes, replace(plan, other_entities=()), guessed, scale):
        options = replace(plan.pattern.options, expected_items=each.items, expected_examined=None)
        pattern = replace(plan.pattern, options=options)
        alone = replace(plan, pattern=pattern, members=(), entities=(each.entity,), other_entities=(), limit=None)
        cost = estimate(design, alone, sizes)
        units, items, requests = units + cost.units, items + cost.items, requests + cost.pages
        guessed |= dict.fromkeys(cost.guessed)
    return replace(call.estimate, units=units, items=items, guessed=tuple(guessed), wasted_items=0), requests
