"""The report of a designed table: the keys with their reasons, the proof, the alternatives and the cost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from singletable.cost.call_costs import call_cost
from singletable.cost.prices import Prices
from singletable.design.alternatives import AlternativeDesign, alternatives_to
from singletable.design.assumptions import Assumption, deciding_assumptions
from singletable.design.chosen_templates import shown_key
from singletable.design.design_cost import PatternCost, dollars_of, pattern_costs, request_dollars, without_rate
from singletable.design.designed_table import DesignedTable
from singletable.design.index_projections import plan_affected, thin_indexes, without_projections
from singletable.design.model_workload import DesignOptions
from singletable.design.write_requirements import (
    CopiesUpdated,
    WriteRequirement,
    copies_updated,
    write_requirements,
)
from singletable.heat.hot_partitions import hot_partitions
from singletable.key_solver.common_keys import ColumnKey
from singletable.key_solver.entity_slots import LOCAL_SLOT, TABLE_SLOT, EntityKeys
from singletable.key_solver.key_search import EntityBound, Solution
from singletable.key_solver.read_columns import SkippedPattern
from singletable.key_solver.workload import Read
from singletable.model.derived.bucket import Bucket
from singletable.model.design import Design
from singletable.model.table_schema import TABLE
from singletable.planner.formatting import format_count, format_dollars, format_list, format_number, format_some
from singletable.planner.item_sizes import ItemSizes
from singletable.planner.plan import Outcome, Plan
from singletable.values.limits import PARTITION_READ_UNITS_PER_SECOND_MAX as READ_UNITS_MAX
from singletable.values.limits import PARTITION_WRITE_UNITS_PER_SECOND_MAX as WRITE_UNITS_MAX

NOTABLE_SHARE = 0.1
"""The report names a partition if it receives at least this share of the units per second that it can serve."""


@dataclass(frozen=True)
class KeyReason:
    """One key of an entity: its templates, the patterns that it serves, and the reason for its fields."""

    entity: str
    alias: str
    partition: str
    sort: str
    serves: tuple[str, ...]
    reason: str


@dataclass(frozen=True)
class HotKey:
    """The hottest partition of a key, in units per second at the declared rates."""

    keys: str
    read_units: float
    write_units: float

    def __str__(self) -> str:
        units = f"{format_number(self.read_units)} read and {format_number(self.write_units)} write units per second"
        share = self.read_units / READ_UNITS_MAX + self.write_units / WRITE_UNITS_MAX
        return f"{self.keys}: {units}, {share:.0%} of a partition"


@dataclass(frozen=True)
class ProjectionReason:
    """The projection of a new index, why it has this projection, and the price of another one."""

    index: str
    projection: str
    reason: str
    other: str
    """The other projection with its dollars per month and its effect. Empty if there is none, or without rates."""

    def __str__(self) -> str:
        other = f". {self.other}" if self.other else ""
        return f"{self.index}: {self.projection}, because {self.reason}{other}"


@dataclass(frozen=True)
class DesignReport:
    """The report of `singletable design` about one table."""

    table: DesignedTable
    dollars: float | None
    without_rate: tuple[str, ...]
    costs: tuple[PatternCost, ...]
    alternatives: tuple[AlternativeDesign, ...]
    assumptions: tuple[Assumption, ...]
    hot_keys: tuple[HotKey, ...]
    projections: tuple[ProjectionReason, ...]

    @property
    def headline(self) -> str:
        """The number of indexes, the proof in one clause, and the cost of a month."""
        proof = proof_of(self.table)
        cost = "" if self.dollars is None else f", {format_dollars(self.dollars)} a month at the stated rates"
        return f"{self.table.solution.counted} ({proof}){cost}"

    @property
    def keys(self) -> tuple[KeyReason, ...]:
        """Every new key with the patterns that it serves."""
        return tuple(_key_reasons(self.table))

    @property
    def writes(self) -> tuple[WriteRequirement, ...]:
        """What the caller of each write must pass."""
        return tuple(sorted(write_requirements(self.table), key=lambda each: (each.entity, each.pattern)))

    @property
    def copies(self) -> tuple[CopiesUpdated, ...]:
        """The copied fields, and the writes that update them."""
        return tuple(sorted(copies_updated(self.table), key=lambda each: (each.entity, each.source, each.fields)))

    @property
    def served(self) -> int:
        """The number of patterns that a request serves."""
        return len(self.table.outcomes) - len(self.not_served)

    @property
    def not_served(self) -> tuple[SkippedPattern, ...]:
        """The patterns without a request, each with the reason and a remedy."""
        return tuple(sorted(self.table.not_served, key=lambda each: each.pattern))

    @property
    def guesses(self) -> tuple[str, ...]:
        """The assumptions of the design about facts that the model does not declare."""
        found = sorted(self.table.model.guesses)
        if self.without_rate and self.dollars is not None:
            found.append(f"The cost does not include patterns without a rate: {', '.join(sorted(self.without_rate))}.")
        return tuple(found)

    def document(self) -> dict[str, Any]:
        """Return the report as a dict that can be written as JSON."""
        solution = self.table.solution
        return {
            "table": self.table.after.name,
            "indexes": solution.indexes,
            "local_indexes": solution.local_indexes,
            "proof": proof_of(self.table),
            "certificate": list(_certificate(solution.bound)),
            "dollars_per_month": self.dollars,
            "keys": [vars(each) for each in self.keys],
            "searched": searched_text(self.table),
            "alternatives": [vars(each) for each in self.alternatives],
            "writes": [vars(each) for each in self.writes],
            "copies": [vars(each) for each in self.copies],
            "hot_partitions": [vars(each) for each in self.hot_keys],
            "projections": [vars(each) for each in self.projections],
            "costs": [vars(each) for each in self.costs],
            "guesses": list(self.guesses),
            "assumptions": [vars(each) for each in self.assumptions],
            "not_served": [vars(each) for each in self.not_served],
        }


def design_report(table: DesignedTable, options: DesignOptions, prices: Prices) -> DesignReport:
    """Return the report of a designed table."""
    return DesignReport(
        table,
        dollars_of(table, prices),
        without_rate(table),
        pattern_costs(table, prices),
        alternatives_to(table, options, prices),
        deciding_assumptions(table),
        tuple(_hot_keys(table)),
        tuple(_projections(table, prices)),
    )


def _projections(table: DesignedTable, prices: Prices) -> Iterator[ProjectionReason]:
    """Yield the projection of every new index, with the price of all attributes, or of only the keys."""
    plans = [each for each in table.outcomes if isinstance(each, Plan)]
    has_price = dollars_of(table, prices) is not None
    candidates = thin_indexes(table.after, table.new_indexes, table.outcomes) if has_price else ()
    thin = {each.alias: each for each in candidates}
    for alias in sorted(table.new_indexes, key=lambda name: (len(name), name)):
        reads = sorted(each.pattern.name for each in plans if each.index.alias == alias)
        chosen = table.projections.get(alias)
        whole, verb = format_some(reads), "need" if len(reads) > 1 else "needs"
        if chosen is not None:
            everything = without_projections(table.after, {alias: chosen})
            affected = plan_affected(everything, alias, table.outcomes)
            other = _priced("With all attributes", table, affected, everything, prices)
            yield ProjectionReason(alias, str(chosen), f"{whole} {verb} no other attribute", other)
        elif reads:
            other = ""
            if alias in thin:
                words = "With only the keys and hydrate=True (a BatchGetItem then fetches the items)"
                other = _priced(words, table, thin[alias].affected, thin[alias].after, prices)
            yield ProjectionReason(alias, "all attributes", f"{whole} {verb} whole items", other)


def _priced(words: str, table: DesignedTable, outcomes: Sequence[Outcome], design: Design, prices: Prices) -> str:
    """Return the text with the difference in the cost of a month, for the plans that another projection affects.

    Return an empty text if none of their patterns has a rate.
    """
    sizes = ItemSizes(design)
    calls = [call_cost(design, each, sizes) for each in outcomes if isinstance(each, Plan)]
    names = {each.name for each in calls}
    before = request_dollars((each for each in table.calls if each.name in names), prices)
    after = request_dollars(calls, prices)
    if before is None or after is None:
        return ""
    if abs(after - before) < 0.005:
        return f"{words}: the same cost"
    more = "more" if after > before else "less"
    return f"{words}: {format_dollars(abs(after - before))} {more} a month"


def _hot_keys(table: DesignedTable) -> Iterator[HotKey]:
    """Yield the partitions with a notable share of the units that a partition serves, the hottest first."""
    found = hot_partitions(table.after, table.calls)
    for each in sorted(found, key=lambda hot: (-hot.demand.partitions, hot.spoken)):
        if each.demand.partitions >= NOTABLE_SHARE:
            yield HotKey(each.spoken, each.demand.reads, each.demand.writes)


def searched_text(table: DesignedTable) -> str:
    """Return which keys the search covers and which it does not, as one sentence."""
    reads = sum(len(each.slots) for each in table.solution.entities)
    most = format_count(table.solution.indexes, "index", "indexes")
    uses_attributes = any(each.multi_attribute for each in table.model.workload.entities)
    covered = "multi-attribute keys, tree levels" if uses_attributes else "tree levels"
    missing = "mirrored items" if uses_attributes else "mirrored items and multi-attribute keys"
    return (
        f"The search covers all keys of the table and of up to {most} for {format_count(reads, 'distinct read')}: "
        "every partition key, every sort order, global and local indexes, shared and sparse indexes, "
        f"{covered}, cells, feeds and declared time buckets. It does not cover {missing}"
    )


def proof_of(table: DesignedTable) -> str:
    """Return why fewer indexes do not suffice, as one clause."""
    solution = table.solution
    if not solution.indexes and not solution.is_limited:
        missing = sorted({each.name for each in solution.rejected})
        return f"no key serves {format_some(missing)}" if missing else "no index is needed"
    bound = solution.bound
    if bound is not None and bound.indexes >= solution.indexes:
        keys = format_count(len(bound.reads), "key")
        own = ", one of them the table's" if bound.one_uses_table else " besides the table's"
        return f"{'the limit' if solution.is_limited else 'proved minimal'}: {bound.entity} needs {keys}{own}"
    if solution.is_limited:
        return "the limit"
    return f"proved minimal: all {solution.searched:,} assignments with {_fewer(solution)} were tried"


def certificate_lines(table: DesignedTable) -> Iterator[str]:
    """Yield the pairs of reads that cannot share an index, or the number of assignments that the search tried."""
    solution = table.solution
    bound = solution.bound
    if not solution.indexes and not solution.is_limited:
        return
    if bound is not None and bound.indexes >= solution.indexes:
        if len(bound.reads) > 1:
            yield f"No two of these reads of {bound.entity} can share a key: {', '.join(bound.reads)}."
        yield from (f"  {one} and {other}: {reason}." for one, other, reason in bound.reasons)
        yield from (f"  {read} cannot use the table: {reason}." for read, reason in bound.not_in_table)
        return
    if bound is not None:
        yield f"The reads of {bound.entity} alone need {format_count(bound.indexes, 'index', 'indexes')}."
    if solution.indexes:
        yield f"No assignment of reads and collections to {_fewer(solution)} serves all of them."


def _certificate(bound: EntityBound | None) -> Iterator[str]:
    if bound is not None:
        yield from (f"{one} and {other}: {reason}" for one, other, reason in bound.reasons)
        yield from (f"{read} cannot use the table: {reason}" for read, reason in bound.not_in_table)


def _key_reasons(table: DesignedTable) -> Iterator[KeyReason]:
    for chosen in table.solution.entities:
        templates = table.keys[chosen.entity]
        for slot, (alias, templates_of) in zip(chosen.keys, templates.items(), strict=True):
            serves = tuple(sorted(name for read in chosen.reads_in(slot) for name in _names(table, chosen, read)))
            partition, sort = map(shown_key, templates_of)
            yield KeyReason(chosen.entity, alias, partition, sort, serves, _reason(table, chosen, slot))


def _names(table: DesignedTable, chosen: EntityKeys, read: Read) -> list[str]:
    """Return the names of all reads with the same shape as this read."""
    return sorted(each.name for each in table.model.needs(chosen.entity).reads if each.shape == read.shape)


def _reason(table: DesignedTable, chosen: EntityKeys, slot: int) -> str:
    """Return one sentence that explains the choice of the partition key and sort key fields."""
    key, reads = chosen.keys[slot], chosen.reads_in(slot)
    if not reads:
        return "identifies the item; no read uses it."
    if slot > LOCAL_SLOT:
        strong = sorted(one for read in reads if read.strong for one in _names(table, chosen, read))
        why = f"as in the table, because {format_some(strong)} must be strongly consistent"
        parts = [f"partition by {format_list(key.partition)}, {why}"]
    elif key.partition:
        parts = [f"partition by {format_list(key.partition)}, which every read provides", *_splits(table, chosen, key)]
    else:
        without = sorted(one for read in reads if not read.equal for one in _names(table, chosen, read))
        parts = [f"one partition for all items, because {_provided(without)} no field for it"]
    steps = {name: _step(table, chosen, reads, name) for name in key.sort}
    parts += [step for step in steps.values() if step]
    tail = [name for name, step in steps.items() if not step]
    if tail:
        makes, same = ("make", "order") if len(tail) > 1 else ("makes", "orders")
        purpose = f"{makes} the key unique" if slot == TABLE_SLOT else f"{same} equal items"
        parts.append(f"{format_list(tail)} {purpose}")
    needs = table.model.needs(chosen.entity)
    optional = [name for name in needs.sorted(key.columns) if needs.facts(name).optional]
    if optional:
        parts.append(f"the index contains only items with a value for {format_list(optional)}")
    return f"{'; '.join(parts)}."


def _splits(table: DesignedTable, chosen: EntityKeys, key: ColumnKey) -> Iterator[str]:
    """Yield why a partition key contains a time bucket."""
    derived = table.model.derived[chosen.entity].values
    for name in key.partition:
        if isinstance(value := derived.get(name), Bucket):
            yield f"a range of {value.fields[0]} is one Query for each {value.span}"


def _step(table: DesignedTable, chosen: EntityKeys, reads: Sequence[Read], name: str) -> str:
    """Return why a field is at its place in the sort key. Return an empty text if no read needs it."""
    reasons = {
        "which": [each for each in reads if name in each.equal],
        "which orders the items in": [each for each in reads if each.following == name],
        "without which an item is not in": [each for each in reads if name in each.present],
    }
    for words, found in reasons.items():
        if found:
            names = sorted(one for each in found for one in _names(table, chosen, each))
            shown = _provided(names) if words == "which" else format_some(names)
            return f"then {name}, {words} {shown}"
    return ""


def _provided(names: Sequence[str]) -> str:
    return f"{format_some(names)} {'provide' if len(names) > 1 else 'provides'}"


def _fewer(solution: Solution) -> str:
    """Return the number of indexes of the solution minus one, as text."""
    kind = ("index", "indexes") if solution.local_indexes else ("GSI", "GSIs")
    return format_count(solution.indexes - 1, *kind)


def key_cells(report: DesignReport) -> list[tuple[str, str, str, str]]:
    """Return a row for each key: the entity, the index, the templates, and the patterns that it serves."""
    rows, last = [], ""
    for each in report.keys:
        index = "table" if each.alias == TABLE else each.alias
        rows.append(
            (
                "" if each.entity == last else each.entity,
                index,
                f"{each.partition} / {each.sort}",
                ", ".join(each.serves),
            )
        )
        last = each.entity
    return rows
