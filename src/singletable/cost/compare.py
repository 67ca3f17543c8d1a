"""The same patterns with a table for each entity, so that "is a single table worth it?" has a number.

Every entity has a table with the keys it has now and with those of its indexes that some pattern reads it by. A pattern
that reads one entity is the same request, without the others that lie in its range; a collection is a request for each
of its members. Writes leave out the index entries that nothing reads; a transaction may write several tables.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from singletable.cost.calls import CallCost, call_cost
from singletable.cost.prices import Prices
from singletable.model.design import Design
from singletable.model.index import TABLE
from singletable.planner.amounts import GUESS, money, number
from singletable.planner.estimate import Estimate, estimate
from singletable.planner.examined import examined
from singletable.planner.holders import copies_found_by
from singletable.planner.item_sizes import Sizes

_ROUNDING = 0.005
"""A half of a cent, below which two bills are the same."""


@dataclass(frozen=True)
class Compared:
    """A pattern in both designs: units and requests of one call."""

    name: str
    kind: str
    together: float
    apart: float
    requests_together: int
    requests_apart: int
    calls_per_second: float | None
    guessed: bool


@dataclass(frozen=True)
class Comparison:
    """Both designs at the declared rates, by month and by second."""

    patterns: tuple[Compared, ...]
    dollars_together: float
    dollars_apart: float
    requests_together: float
    requests_apart: float
    tables: int
    collections: int
    guesses_bill: bool = False
    """Whether the bills rest on a guess."""
    guesses_requests: bool = False
    """Whether the requests a second do."""

    @property
    def sentence(self) -> str:
        """Whether a single table is worth it, in words."""
        if not self.requests_together:
            return "No pattern says how often it is called, so no month can be compared: declare rate= or frequency=."
        mark = GUESS if self.guesses_bill else ""
        together, apart = (f"{mark}{money(each)}" for each in (self.dollars_together, self.dollars_apart))
        bills = f"{together} a month in one table, {apart} in {self.tables}"
        mark = GUESS if self.guesses_requests else ""
        asked = [f"{mark}{number(each)}" for each in (self.requests_together, self.requests_apart)]
        requests = f"{asked[0]} requests a second beside {asked[1]}"
        return f"{self._verdict}: {bills}; {requests}."

    @property
    def _verdict(self) -> str:
        saved, fewer = self.dollars_apart - self.dollars_together, self.requests_apart - self.requests_together
        bill = ""
        if abs(saved) > _ROUNDING:
            share = f"{GUESS if self.guesses_bill else ''}{abs(saved) / max(self.dollars_apart, _ROUNDING):.1%}"
            bill = f"{'saves' if saved > 0 else 'costs'} {share} {'of the bill' if saved > 0 else 'more'}"
        part = f"{GUESS if self.guesses_requests else ''}{fewer / max(1e-9, self.requests_apart):.1%}"
        asked = f"{part} of the requests" if fewer > 0 else ""
        if not bill and not asked:
            return "A single table saves nothing" + ("" if self.collections else ", as no pattern reads two entities")
        if not asked:
            return f"A single table {bill} and saves no requests"
        if not bill:
            return f"A single table saves {asked} and nothing of the bill"
        return f"A single table {bill} and {'' if saved > 0 else 'saves '}{asked}"


def compare(
    design: Design, calls: Sequence[CallCost], sizes: Sizes, prices: Prices, table_class: str, scale: float = 1.0
) -> Comparison:
    """Prices the patterns in both designs, requests on demand; storage is the same but for unread indexes."""
    apart = replace(sizes, left_out=sizes.left_out | unread(design, calls))
    compared = []
    sums = {"together": [0.0, 0.0, 0.0], "apart": [0.0, 0.0, 0.0]}
    for call in calls:
        other, requests = _apart(design, call, apart, scale)
        rate = call.calls_per_second or 0.0
        for name, cost, asked in (("together", call.estimate, call.requests), ("apart", other, requests)):
            reads, writes = (cost.units, 0.0) if cost.kind == "read" else (cost.reads, cost.units)
            sums[name] = [a + rate * b for a, b in zip(sums[name], (reads, writes, float(asked)), strict=True)]
        guessed = bool(call.estimate.guessed or other.guessed)
        compared.append(
            Compared(
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
    return Comparison(
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


def unread(design: Design, calls: Sequence[CallCost]) -> frozenset[tuple[str, str]]:
    """The indexes that no pattern reads an entity by, and that nothing else needs to find its copies."""
    read = {(entity.label, c.plan.index.alias) for c in calls if c.estimate.kind == "read" for entity in c.plan.wanted}
    placed = {(entity.label, alias) for entity in design.entities for alias in entity.placements if alias != TABLE}
    return frozenset(placed - read - copies_found_by(design))


def _apart(design: Design, call: CallCost, sizes: Sizes, scale: float) -> tuple[Estimate, int]:
    """What the call costs with a table for each entity, and how many requests it is."""
    plan = call.plan
    if not plan.members:
        other = call_cost(design, replace(plan, foreign=()), sizes, scale)
        return other.estimate, other.requests
    units, requests, items, guessed = 0.0, 0, 0, dict[str, None]()
    for each in examined(sizes, replace(plan, foreign=()), guessed, scale):
        options = replace(plan.pattern.options, expected_items=each.items, expected_examined=None)
        pattern = replace(plan.pattern, options=options)
        alone = replace(plan, pattern=pattern, members=(), wanted=(each.entity,), foreign=(), limit=None)
        cost = estimate(design, alone, sizes)
        units, items, requests = units + cost.units, items + cost.items, requests + cost.pages
        guessed |= dict.fromkeys(cost.guessed)
    return replace(call.estimate, units=units, items=items, guessed=tuple(guessed), vain_items=0), requests
