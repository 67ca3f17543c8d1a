"""Report on the items of a table: each finding with its number of items and examples, and the measured partitions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from singletable.client.items.decoder import Item
from singletable.conformance.counter_totals import CounterTotals
from singletable.conformance.entity_values import ValueFinding
from singletable.conformance.item_comparison import ItemComparer, ItemProblem
from singletable.conformance.key_measurements import NEAR_LIMIT, KeyMeasurements, MeasuredPartitions
from singletable.conformance.measured_findings import MeasuredFinding, measured_findings
from singletable.conformance.scan_items import StoredItem
from singletable.conformance.stored_values import StoredValues
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.values.item_validation import accept_item
from singletable.values.limits import ITEM_BYTES_MAX
from singletable.verify.design_check import accepted, reject_unknown_codes
from singletable.verify.findings import Finding, Rule, entity_finding, table_finding
from singletable.verify.item_rules import (
    EMPTY_KEY,
    HIDDEN_BY_NONE,
    INCOMPLETE_KEY,
    INDEX_KEY_DIFFERS,
    ITEM_RULES,
    KEY_DIFFERS,
    LARGE_ITEM,
    MISSING_IN_INDEX,
    NO_ENTITY,
    UNEXPECTED_IN_INDEX,
    UNPADDED_NUMBER,
    UNREADABLE,
)

EXAMPLES_MAX = 3
_EMPTY = {"S": ""}
REASONS_MAX = 200
"""The maximum number of different reasons. Further reasons are counted together, to limit the memory."""

_REMEDIES = {
    NO_ENTITY: "Declare an entity with these keys, or delete the items.",
    UNREADABLE: "Correct the items, or change the class so that it accepts them: a default, another type, or an "
    "@upgrade function with schema_version=.",
    KEY_DIFFERS: "Write the items under the keys of the model and delete the old items, or correct the template.",
    INDEX_KEY_DIFFERS: "Read and put each item: the client then writes its index keys. Alternatively, correct the "
    "template.",
    MISSING_IN_INDEX: "Read and put each item: the client then writes its index keys.",
    INCOMPLETE_KEY: "Write all key attributes of the index, or none of them.",
    UNEXPECTED_IN_INDEX: "Read and put each item: the client then removes the index keys. Alternatively, declare the "
    "keys.",
    UNPADDED_NUMBER: "Write the keys again with padding. Until then, ranges return the items in the wrong order.",
    HIDDEN_BY_NONE: "If this is intended, declare the keys with sparse(...). Otherwise, give the field a value.",
    EMPTY_KEY: "Remove the attribute from the items. DynamoDB rejects a write with an empty index key.",
    LARGE_ITEM: "Store the large part in S3 and its address in the item, or split the item.",
}


@dataclass(frozen=True)
class ItemExample:
    """The key of an item with a problem, and the values that show the problem."""

    key: str
    detail: str = ""


@dataclass(frozen=True)
class ItemFinding:
    """A finding about stored items, with the number of items and some of their keys."""

    finding: Finding
    items: int
    examples: tuple[ItemExample, ...] = ()


@dataclass(frozen=True)
class EntityItems:
    """The number and sizes of the items of one entity."""

    entity: str
    items: int
    mean_bytes: int
    largest_bytes: int


@dataclass(frozen=True)
class ItemsReport:
    """What `check --items` reports about one table."""

    design: Design
    items: int
    internal_items: int
    is_whole: bool
    """Whether all items of the table were read."""
    entities: tuple[EntityItems, ...]
    partitions: tuple[MeasuredPartitions, ...]
    findings: tuple[ItemFinding, ...]

    @property
    def passes(self) -> bool:
        """Whether every finding that is an error has been accepted."""
        return not any(each.finding.fails for each in self.findings)


class _Group(NamedTuple):
    rule: Rule
    entity: Entity | None
    reason: str


@dataclass
class _Tally:
    items: int = 0
    examples: list[ItemExample] = field(default_factory=list)


class ItemsCheck:
    """Checks the items of a table, one after another, with a limited amount of memory."""

    def __init__(self, design: Design) -> None:
        reject_unknown_codes(design)
        self._design = design
        self._comparer = ItemComparer(design)
        self._measurements = KeyMeasurements(design)
        self._values = StoredValues(design)
        self._counters = CounterTotals(design)
        base = design.table.key_attributes
        indexes = design.indexes.values()
        self._index_keys = frozenset(name for index in indexes for name in index.key_attributes).difference(base)
        self._tallies: dict[tuple[str, str, str], tuple[_Group, _Tally]] = {}
        self.items = 0
        self._internal = 0

    def add(self, item: Item, stored: bytes | None = None) -> None:
        """Check one item. `stored` is the JSON of the item exactly as a server sent it."""
        self.items += 1
        size_bytes = accept_item(item)
        empty = [name for name in self._index_keys if item.get(name) == _EMPTY]
        if empty:
            item, stored = {name: value for name, value in item.items() if name not in empty}, None
        comparison = self._comparer.compare(item, stored)
        entity = comparison.entity
        self._internal += comparison.is_internal
        if empty:
            reason = f"an index key is an empty string: {', '.join(sorted(empty))}"
            self._count(ItemProblem(EMPTY_KEY, reason), entity, item)
        for problem in comparison.problems:
            self._count(problem, entity, item)
        if size_bytes >= ITEM_BYTES_MAX * NEAR_LIMIT:
            reason = f"{NEAR_LIMIT:.0%} or more of the item size limit ({ITEM_BYTES_MAX:,} bytes)"
            self._count(ItemProblem(LARGE_ITEM, reason, f"{size_bytes:,} bytes"), entity, item)
        self._measurements.add(entity, item, comparison.values, size_bytes)
        self._values.add(entity, item)
        self._counters.add(entity, item, comparison.values)

    def add_all(self, page: Iterable[StoredItem]) -> None:
        """Check the items of a page."""
        for item, stored in page:
            self.add(item, stored)

    def report(self, *, is_whole: bool) -> ItemsReport:
        """Return the report, and delete the temporary data."""
        partitions = self._measurements.partitions()
        measured = measured_findings(self._design, self._measurements, partitions, is_whole=is_whole)
        of_values = (*self._values.findings(), *self._counters.findings())
        findings = [*self._item_findings(), *map(_of_measurement, measured), *map(_of_values, of_values)]
        order = {rule.code: place for place, rule in enumerate(ITEM_RULES)}
        findings.sort(key=lambda each: (order[each.finding.code], each.finding.subject, -each.items))
        entities = tuple(
            EntityItems(each.entity.label, each.items, -(-each.total_bytes // each.items), each.largest_bytes)
            for each in self._measurements.entities.values()
            if each.items
        )
        self._measurements.close()
        return ItemsReport(
            self._design, self.items, self._internal, is_whole, entities, tuple(partitions), self._accepted(findings)
        )

    def _accepted(self, findings: list[ItemFinding]) -> tuple[ItemFinding, ...]:
        return tuple(ItemFinding(accepted(self._design, e.finding), e.items, e.examples) for e in findings)

    def _count(self, problem: ItemProblem, entity: Entity | None, item: Item) -> None:
        key = (problem.rule.code, "" if entity is None else entity.name, problem.reason)
        if key not in self._tallies and len(self._tallies) >= REASONS_MAX:
            key = (*key[:2], "other reasons")
        if key not in self._tallies:
            self._tallies[key] = (_Group(problem.rule, entity, key[2]), _Tally())
        tally = self._tallies[key][1]
        tally.items += 1
        if len(tally.examples) < EXAMPLES_MAX:
            tally.examples.append(ItemExample(self._key_text(item), problem.detail))

    def _key_text(self, item: Item) -> str:
        names = self._design.table.key_attributes
        return ", ".join(f"{name}={str(*item[name].values()) if name in item else 'missing'}" for name in names)

    def _item_findings(self) -> Iterator[ItemFinding]:
        for group, tally in self._tallies.values():
            remedy = _REMEDIES[group.rule]
            if group.entity is None:
                finding = table_finding(group.rule, self._design, group.reason, remedy)
            else:
                finding = entity_finding(group.rule, group.entity, group.reason, remedy)
            yield ItemFinding(finding, tally.items, tuple(tally.examples))


def _of_values(found: ValueFinding) -> ItemFinding:
    return ItemFinding(found.finding, found.items, (ItemExample(found.key, found.value),))


def _of_measurement(measured: MeasuredFinding) -> ItemFinding:
    examples = (ItemExample(measured.example),) if measured.example else ()
    return ItemFinding(measured.finding, measured.items, examples)
