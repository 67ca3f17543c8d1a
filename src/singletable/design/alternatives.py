"""Alternatives to a design, as differences: one index less, one index more, or mirrored items instead of indexes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace

from singletable.cost.prices import Prices
from singletable.design.chosen_templates import shown_key
from singletable.design.design_cost import dollars_of
from singletable.design.designed_table import DesignedTable, design_table
from singletable.design.model_workload import DesignOptions
from singletable.errors import DesignError
from singletable.key_solver.entity_slots import TABLE_SLOT, Rank
from singletable.key_solver.key_search import Solution, counted_indexes, solve
from singletable.key_solver.slot_search import SearchTooLarge
from singletable.model.table_schema import TABLE
from singletable.planner.formatting import format_count, format_dollars, format_list

_SECONDS_PER_MONTH = 730 * 3600
_WRITE_UNIT_BYTES = 1024


@dataclass(frozen=True)
class AlternativeDesign:
    """Another design: its number of indexes, its cost, and the differences from the chosen design."""

    indexes: int
    local_indexes: int
    dollars: float | None
    not_served: tuple[str, ...]
    differences: tuple[str, ...]

    def __str__(self) -> str:
        price = "" if self.dollars is None else f", {format_dollars(self.dollars)} a month"
        without = f"; no request serves {format_list(self.not_served)}" if self.not_served else ""
        differences = "".join(f"; {each}" for each in self.differences)
        return f"{counted_indexes(self.indexes, self.local_indexes)}{price}{without}{differences}"


def alternatives_to(table: DesignedTable, options: DesignOptions, prices: Prices) -> tuple[AlternativeDesign, ...]:
    """Return at most two alternatives, with fewer indexes first."""
    found = [*_fewer(table, options, prices), *_more(table, options, prices)]
    mirrored = _with_mirrors(table, prices) if table.solution.indexes else None
    return tuple(found if mirrored is None else [*found, mirrored])[:2]


def _fewer(table: DesignedTable, options: DesignOptions, prices: Prices) -> Iterator[AlternativeDesign]:
    indexes = table.solution.indexes
    if indexes:
        with suppress(DesignError):  # the search can be too large with fewer indexes
            fewer = design_table(table.before, replace(options, indexes_max=indexes - 1), table.counts)
            yield _alternative(table, fewer, prices)


def _more(table: DesignedTable, options: DesignOptions, prices: Prices) -> Iterator[AlternativeDesign]:
    indexes = table.solution.indexes
    with suppress(SearchTooLarge, DesignError):
        if indexes >= options.indexes_max:
            return
        workload = table.model.workload
        other = solve(workload, indexes_min=indexes + 1, indexes_max=options.indexes_max)
        # One index more is an alternative only if it is better in a part of the rank, such as the cost.
        if other.indexes > indexes and (benefit := _benefit(table.solution, other)) is not None:
            more = design_table(table.before, replace(options, indexes_min=indexes + 1), table.counts)
            found = _alternative(table, more, prices)
            yield replace(found, differences=(benefit, *found.differences))


_BENEFITS = {
    "fan_outs": "fewer reads that are several Queries",
    "reads_of_few_values": "fewer reads of partitions that contain a large part of all items",
    "dollars": "cheaper index entries",
    "reads_off_table": "more reads by identity from the table",
}


def _benefit(solution: Solution, other: Solution) -> str | None:
    """Return the first part of the rank in which another solution is better. Return None if it is not better."""
    for name, before, after in zip(Rank._fields, solution.rank, other.rank, strict=False):
        if after != before:
            return _BENEFITS.get(name) if after < before else None
    return None


def _alternative(table: DesignedTable, other: DesignedTable, prices: Prices) -> AlternativeDesign:
    lost = {each.pattern for each in other.not_served} - {each.pattern for each in table.not_served}
    differences = tuple(_differences(table, other))
    found = other.solution
    dollars = dollars_of(other, prices)
    return AlternativeDesign(found.indexes, found.local_indexes, dollars, tuple(sorted(lost)), differences)


def _differences(table: DesignedTable, other: DesignedTable) -> Iterator[str]:
    """Yield the keys that the other design adds, changes or omits, by entity."""
    for label, before in sorted(table.keys.items()):
        after = other.keys[label]
        kept = {" / ".join(map(shown_key, keys)) for alias, keys in before.items() if alias != TABLE}
        new = {" / ".join(map(shown_key, keys)) for alias, keys in after.items() if alias != TABLE}
        if after[TABLE] != before[TABLE]:
            yield f"{label} in the table with the key {' / '.join(map(shown_key, after[TABLE]))}"
        yield from (f"{label} in an index with the key {keys}" for keys in sorted(new - kept))
        if len(new) < len(kept):
            yield (
                f"{label} in {format_count(len(new), 'index', 'indexes')} instead of {len(kept)}"
                if new
                else (f"{label} only in the table")
            )


def _with_mirrors(table: DesignedTable, prices: Prices) -> AlternativeDesign | None:
    """Return the estimate for items that are stored once more for each index key, in the transaction of the write.

    Return None if an update changes such a key, because it would have to replace the mirrored item.
    """
    base = dollars_of(table, prices)
    labels, more = [], 0.0
    for chosen in table.solution.entities:
        count = sum(number > TABLE_SLOT for number in chosen.keys)
        if not count:
            continue
        needs = table.model.needs(chosen.entity)
        columns = frozenset[str]().union(*(key.columns for number, key in chosen.keys.items() if number > TABLE_SLOT))
        if any(each.changed & columns for each in needs.by_key):
            return None
        if not needs.writes or any(each.rate is None for each in needs.writes):
            base = None
        units = math.ceil(needs.item_bytes / _WRITE_UNIT_BYTES) * sum(each.rate or 0.0 for each in needs.writes)
        more += (1 + count) * units  # each of the items costs one unit more in a transaction
        labels.append(chosen.entity)
    dollars = None if base is None else base + prices.requests("standard", 0.0, more)
    text = f"mirrored items of {format_list(labels)} (an estimate), whose reads can be strongly consistent"
    return AlternativeDesign(0, 0, dollars, (), (text,))
