"""Row copies: copies rows into the new table, if the rows and items that were read are still unchanged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from singletable.client.request_steps import Steps, concurrently, pause
from singletable.client.responses import Item
from singletable.client.write.item_actions import ItemAction, KeyId, key_id
from singletable.client.write.write_intents import WriteIntent
from singletable.consolidation.dual_writer import CompanionFailed, DualWriter, row_guards
from singletable.consolidation.entity_changes import RowChange
from singletable.consolidation.row_mapping import MappedRow, RowMapping
from singletable.consolidation.row_readers import OldRow, table_row
from singletable.errors import ItemRefused, MigrationStopped, SingletableError, Unreachable
from singletable.migrations.item_changes import ItemFailure
from singletable.migrations.item_pass import CONFLICT_SECONDS, RECHECK_SECONDS, RECHECKS, PassResult, read_related
from singletable.values.item_size import item_size

BATCH_ROWS = 40
BATCH_BYTES = 1_000_000
BATCHES_AT_ONCE = 8
ATTEMPTS_MAX = 20
Commit = Callable[[Sequence[WriteIntent], Sequence[Mapping[str, Any]]], Steps[float]]
"""Commits the writes of some rows with the entries that guard them, and returns the consumed write units."""


@dataclass
class CopyResult(PassResult):
    """The result of a pass over the rows of a source."""

    left_out: Counter[str] = field(default_factory=Counter)
    """The number of rows that the mapping leaves out, by reason."""
    entities: Counter[str] = field(default_factory=Counter)
    """The number of entities that the rows map to, by class."""

    def add(self, other: PassResult) -> None:
        """Add the numbers of another pass."""
        super().add(other)
        if isinstance(other, CopyResult):
            self.left_out += other.left_out
            self.entities += other.entities


@dataclass(frozen=True)
class PlannedRow:
    """A row, its entities, and the key attributes of its table if it is in DynamoDB."""

    row: OldRow
    mapped: MappedRow

    @property
    def change(self) -> RowChange:
        """The row as a new one, whose entities replace the stored ones."""
        return RowChange(None, self.mapped)


class RowCopies:
    """Copies the rows of one source, or compares them with the new table."""

    def __init__(
        self,
        writer: DualWriter,
        mapping: RowMapping,
        result: CopyResult,
        commit: Commit | None,
        check: ItemAction | None = None,
    ) -> None:
        """Store the parts. Without `commit`, a difference is a failure. `check` is the check of the epoch."""
        self._writer, self._mapping, self.result = writer, mapping, result
        self._commit, self._check = commit, check
        self._keys = writer.keys.get(mapping.name, ())
        self._name = writer.table.reader.name

    def copy(self, rows: Sequence[OldRow]) -> Steps[None]:
        """Copy some rows."""
        self.result.items += len(rows)
        planned = [each for each in map(self._planned, rows) if each is not None]
        for each in planned:
            self.result.entities.update(entity.entity.label for entity in each.mapped.entities)
        stored = yield from self._read_items(planned)
        different = [each for each in planned if self._differs(each, stored)]
        if self._commit is None:
            for each in different:
                yield from self._copy_one(each)
            return
        batches = list(_batches(different))
        for start in range(0, len(batches), BATCHES_AT_ONCE):
            part = batches[start : start + BATCHES_AT_ONCE]
            results = yield from concurrently([self._copy_batch(each, stored) for each in part])
            for batch, result in zip(part, results, strict=True):
                if isinstance(result, SingletableError):
                    raise result
                if result is not None:  # the batch was not written
                    for each in batch:
                        yield from self._copy_one(each)

    def _planned(self, row: OldRow) -> PlannedRow | None:
        """Return a row with its entities. Count a failure or a left-out row, and return None."""
        try:
            mapped = self._mapping.mapped(row.values)
        except ItemRefused as problem:
            self._fail(row, str(problem))
            return None
        if mapped.left_out is not None:
            self.result.left_out[mapped.left_out] += 1
            return None
        return PlannedRow(row, mapped)

    def _differs(self, planned: PlannedRow, stored: Mapping[KeyId, Item | None]) -> bool:
        """Return whether the new table does not contain the entities of a row."""
        try:
            return self._difference(planned, stored) != ""
        except SingletableError:
            return True  # the row is copied alone, and fails with its reason

    def _intents(self, planned: Sequence[PlannedRow], stored: Mapping[KeyId, Item | None]) -> list[WriteIntent]:
        for each in planned:
            self._writer.reject_taken(self._mapping, each.row.item, each.change, stored)
        return self._writer.entities.intents([each.change for each in planned], stored)

    def _copy_batch(self, batch: Sequence[PlannedRow], stored: Mapping[KeyId, Item | None]) -> Steps[str | None]:
        """Copy some rows in one transaction. Return why it was not committed, or None."""
        assert self._commit is not None, "only called to write"
        try:
            intents = self._intents(batch, stored)
            units = yield from self._commit(intents, self._guards(batch))
        except CompanionFailed as failed:
            if self._check is not None and failed.reasons[0].get("Code") == "ConditionalCheckFailed":
                raise MigrationStopped(
                    f"table {self._name!r}: another runner has taken over the consolidation, so this runner stops"
                ) from None
            return "a row has changed"
        except Unreachable:
            raise
        except SingletableError as problem:
            return str(problem)
        self.result.write_units += units
        self.result.written += len(batch)
        return None

    def _copy_one(self, planned: PlannedRow) -> Steps[None]:
        """Copy one row, and try again if the row or its items change meanwhile. Count a failure with its reason."""
        current: PlannedRow | None = planned
        rechecks = 0
        for attempt in range(ATTEMPTS_MAX):
            if attempt:
                yield from pause(CONFLICT_SECONDS)
            current = yield from self._read_again(current)
            if current is None:
                return
            stored = yield from self._read_items([current])
            problem: str | None
            try:
                problem = self._difference(current, stored)
                if not problem:
                    return
            except SingletableError as refused:
                problem = str(refused)
            else:
                if self._commit is not None:
                    refusal = yield from self._copy_batch([current], stored)
                    if refusal is None:
                        return
                    problem = refusal
                    self.result.conflicts += 1
            again = yield from self._read_items([current])
            if again == stored and (yield from self._is_unchanged(current)):
                if rechecks == RECHECKS or self._commit is not None:
                    self._fail(current.row, problem or "")
                    return
                rechecks += 1
                yield from pause(RECHECK_SECONDS)
        self._fail(planned.row, f"other writers changed the row in each of {ATTEMPTS_MAX} attempts")

    def _difference(self, planned: PlannedRow, stored: Mapping[KeyId, Item | None]) -> str:
        """Return how the items of a row differ from its entities."""
        entities = self._writer.entities
        found: list[str] = []
        for each in planned.mapped.entities:
            item = stored.get(each.key_id)
            if item is None:
                found.append(f"{each.label} is missing")
            elif names := entities.differences(each, entities.stored_entity(item, each)):
                found.append(f"{each.label} differs in {', '.join(names)}")
        return "; ".join(found)

    def _is_unchanged(self, planned: PlannedRow) -> Steps[bool]:
        item = planned.row.item
        return item is None or (yield from self._read_row(item)) == item

    def _read_again(self, planned: PlannedRow | None) -> Steps[PlannedRow | None]:
        """Return the current state of a row. A row of a file or of a SQL query stays as it was read."""
        if planned is None or planned.row.item is None:
            return planned
        item = yield from self._read_row(planned.row.item)
        return None if item is None else self._planned(table_row(self._mapping.name, self._keys, item))

    def _read_row(self, item: Item) -> Steps[Item | None]:
        key = {name: item[name] for name in self._keys}
        found, units = yield from read_related(self._mapping.name, [key])
        self.result.read_units += units
        return found[key_id(key)]

    def _read_items(self, planned: Sequence[PlannedRow]) -> Steps[dict[KeyId, Item | None]]:
        keys: dict[KeyId, Item] = {}
        for each in planned:
            try:
                keys |= {key_id(key): key for key in self._writer.entities.keys([each.change])}
            except SingletableError:
                continue  # the row is copied alone, and fails with its reason
        found, units = yield from read_related(self._name, list(keys.values()))
        self.result.read_units += units
        return found

    def _guards(self, batch: Sequence[PlannedRow]) -> list[Mapping[str, Any]]:
        """Return the checks that the rows of a table are unchanged, and that no other runner has taken over."""
        entries: list[Mapping[str, Any]] = [] if self._check is None else [self._check.entry(self._name)]
        for each in batch:
            if (item := each.row.item) is not None:
                key = {name: item[name] for name in self._keys}
                guards = row_guards(item, self._keys, each.change)
                entries.append(ItemAction("ConditionCheck", key, 0, guards=tuple(guards)).entry(self._mapping.name))
        return entries

    def _fail(self, row: OldRow, reason: str) -> None:
        self.result.fail(ItemFailure(f"{row.source} {row.key}", reason))


def _batches(planned: Sequence[PlannedRow]) -> Iterator[list[PlannedRow]]:
    """Yield groups of rows that fit into one transaction."""
    batch: list[PlannedRow] = []
    size = actions = 0
    for each in planned:
        own = len(each.mapped.entities)
        large = 0 if each.row.item is None else item_size(each.row.item)
        if batch and (actions + own > BATCH_ROWS or size + large > BATCH_BYTES):
            yield batch
            batch, size, actions = [], 0, 0
        batch.append(each)
        size, actions = size + large, actions + own
    if batch:
        yield batch
