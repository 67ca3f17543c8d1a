"""Mapping report: what a consolidation would write, and the rows that it cannot map, computed without writing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from singletable.client.request_steps import Call, Steps
from singletable.client.responses import Item
from singletable.client.write.derived_actions import DerivedData
from singletable.client.write.stored_expressions import same_stored_value
from singletable.client.write.write_intents import WriteIntent
from singletable.consolidation.dual_writer import DualWriter, transaction_of
from singletable.consolidation.key_index import KeyIndex
from singletable.consolidation.row_copies import CopyResult, RowCopies
from singletable.consolidation.row_mapping import MappedEntity, RowMapping
from singletable.consolidation.row_readers import OldRow, is_finished, row_reader
from singletable.consolidation.write_requests import key_text
from singletable.errors import ItemRefused
from singletable.evolve.design_snapshot import snapshot_of
from singletable.migrations.change_units import TRANSACTION_FACTOR, change_units
from singletable.migrations.item_changes import ItemFailure
from singletable.migrations.item_pass import FAILURES_MAX
from singletable.model.table_schema import TABLE

PASSES = 2
"""The number of times that a run reads every row: to copy it, and to compare it."""


@dataclass
class MappingReport:
    """The expected work of a consolidation."""

    sources: dict[str, CopyResult] = field(default_factory=dict)

    @property
    def failed(self) -> int:
        """The number of rows that stop the consolidation."""
        return sum(each.failed for each in self.sources.values())

    @property
    def failures(self) -> list[ItemFailure]:
        """The first rows that stop the consolidation, with the reasons."""
        found = [failure for each in self.sources.values() for failure in each.failures]
        return found[:FAILURES_MAX]

    @property
    def read_units(self) -> float:
        """The read units of all passes."""
        return PASSES * sum(each.read_units for each in self.sources.values())

    @property
    def write_units(self) -> float:
        """The write units."""
        return sum(each.write_units for each in self.sources.values())


def report_mapping(writer: DualWriter, mappings: Sequence[RowMapping], segments: int) -> Steps[MappingReport]:
    """Read every row, map it, and compute the writes, assuming that no other client writes meanwhile."""
    report = MappingReport()
    with KeyIndex() as index:
        checks = {each.name: _RowChecks(writer, each, index) for each in mappings}
        for mapping in mappings:
            one = checks[mapping.name]
            report.sources[mapping.name] = one.result
            reader = row_reader(mapping.source, writer.keys, segments, None, None)
            while not is_finished(reader.positions):
                rows = yield from reader.page()
                one.check(rows)
                yield from one.copies.copy(rows)
            one.result.read_units += reader.read_units
        for key, row in index.missing():
            found = yield from writer.read_items([msgspec.json.decode(key)])
            if None in found.values():
                one = next(each for name, each in checks.items() if row.startswith(f"{name} "))
                one.result.fail(ItemFailure(row, f"it refers to {key}, but no row maps to that item"))
    return report


class _RowChecks:
    """The checks of the rows of one source, and the units of their writes."""

    def __init__(self, writer: DualWriter, mapping: RowMapping, index: KeyIndex) -> None:
        self._writer, self._mapping, self._index = writer, mapping, index
        self.result = CopyResult()
        self.copies = RowCopies(writer, mapping, self.result, self._commit)
        snapshot = snapshot_of(writer.table.reader.design)
        self._table, self._indexes = snapshot.indexes[TABLE], list(snapshot.indexes.values())

    def check(self, rows: Sequence[OldRow]) -> None:
        """Report rows that map to the same key as another row, and rows that `row_of` does not restore."""
        for row in rows:
            try:
                entities = self._writer.entities.mapped([self._mapping.mapped(row.values)])
            except ItemRefused:
                continue  # the copy reports it
            for each in entities.values():
                problem = self._repeated(each, f"{row.source} {row.key}") or self._not_restored(row.item, each.value)
                if problem is not None:
                    self.result.fail(ItemFailure(f"{row.source} {row.key}", problem))

    def _repeated(self, each: MappedEntity, label: str) -> str | None:
        """Return which other row has the same key or the same unique value, or None. Note what the item refers to."""
        other = self._index.add(key_text(each.key), label)
        if other is not None:
            return f"it maps to {each.label}, as {other} does"
        derived = DerivedData(self._writer.table.writer.preparer, each.entity, 0)
        for _, _, check in derived.source_checks(each.values):
            self._index.refer(key_text(check.key), label)
        for action in derived.actions(None, each.values):
            if action.kind == "Update":
                self._index.refer(key_text(action.key), label)
            elif (other := self._index.add(key_text(action.key), label)) is not None:
                return f"{each.label} has the same unique value as {other}"
        return None

    def _not_restored(self, item: Item | None, value: object) -> str | None:
        """Return how the result of `row_of` differs from the row, or None."""
        try:
            part = None if item is None else self._mapping.row_part(value)
        except ItemRefused as problem:
            return str(problem)
        if part is None or item is None:
            return None
        names = [name for name, each in part.items() if not same_stored_value(item.get(name), each)]
        return f"row_of does not restore {', '.join(names)}" if names else None

    def _commit(self, intents: Sequence[WriteIntent], entries: Sequence[Mapping[str, Any]]) -> Steps[float]:
        """Plan the transaction, and return its write units instead of sending it."""
        steps = self._writer.table.writer.executor.commit(intents, source="plan", is_transaction=True)
        units = 0.0
        try:
            step = next(steps)
            while True:
                call = transaction_of(step)
                if call is None:
                    step = steps.send((yield step))
                else:
                    units = self._units(call, entries)
                    step = steps.send((b"{}",))
        except StopIteration:
            return units

    def _units(self, call: Call, entries: Sequence[Mapping[str, Any]]) -> float:
        """Return about how many write units a transaction consumes: a check or an update of up to 1 KB is one write."""
        actions = msgspec.json.decode(msgspec.json.encode(call.parameters["TransactItems"]))
        puts = [action["Put"]["Item"] for action in actions if "Put" in action]
        units = TRANSACTION_FACTOR * (len(entries) + len(actions) - len(puts))
        return units + sum(
            change_units(None, each, self._table, self._indexes, factor=TRANSACTION_FACTOR) for each in puts
        )
