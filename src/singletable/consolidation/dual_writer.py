"""Dual writer: sends each write of an old table in one transaction with the writes of the new table."""

from __future__ import annotations

import json
import uuid
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from singletable.client.connected_table import ConnectedTable
from singletable.client.request_steps import Call, CallForChunks, IndependentCalls, Pause, Step, Steps, pause
from singletable.client.responses import Item
from singletable.client.retries import Retries, is_retryable_cancellation
from singletable.client.write.item_actions import KeyId, key_id
from singletable.client.write.stored_expressions import attribute_equals, exists, missing
from singletable.client.write.write_intents import WriteIntent
from singletable.consolidation.consolidation_state import ConsolidationItems, ConsolidationLease, Stage
from singletable.consolidation.entity_changes import EntityChanges, RowChange, Stored
from singletable.consolidation.row_mapping import MappedRow, RowMapping, plain_row
from singletable.consolidation.write_requests import (
    CANCELLED,
    Place,
    RequestedWrite,
    RequestedWrites,
    key_text,
    read_request,
    tables_of,
)
from singletable.consolidation.write_tokens import Repeated, WriteTokens
from singletable.errors import (
    ArgumentRefused,
    ItemRefused,
    RequestRefused,
    SingletableError,
    TableDiffers,
    TransactionCancelled,
    Unreachable,
)
from singletable.expressions.tree import Condition
from singletable.migrations.item_pass import read_related
from singletable.values.limits import TRANSACTION_ACTIONS_MAX, TRANSACTION_BYTES_MAX

ATTEMPTS_MAX = 30
Entry = Mapping[str, Any]


class CompanionFailed(Exception):
    """The condition of a companion entry does not hold: an entry for another table in the same transaction.

    `reasons` are the cancellation reasons of the companion entries.
    """

    def __init__(self, reasons: Sequence[Mapping[str, Any]]) -> None:
        self.reasons = reasons
        super().__init__()


@dataclass
class DualWriter:
    """Writes the rows of the old tables and the items of the new table together."""

    table: ConnectedTable
    mappings: Mapping[str, RowMapping]
    """The mapping of each old table, by name."""
    keys: Mapping[str, tuple[str, ...]]
    """The key attributes of each old table."""
    items: ConsolidationItems
    lease: ConsolidationLease
    shared: frozenset[type] = frozenset()
    """The classes to which the rows of several sources map."""
    retries: Retries = field(default_factory=Retries)

    def __post_init__(self) -> None:
        self.entities = EntityChanges(self.table)
        self.tokens = WriteTokens(self.lease.place, self.table.reader.now)

    def concerns(self, operation: str, parameters: Mapping[str, Any]) -> bool:
        """Return whether a request writes an old table. Raise ArgumentRefused if it writes the new table itself."""
        tables = tables_of(operation, parameters)
        if self.table.reader.name in tables:
            raise ArgumentRefused(
                f"{operation} writes table {self.table.reader.name!r} with boto3, so the old tables would not follow.\n"
                f"  Write its items with {self.table.reader.design.name}, opened by the Consolidation."
            )
        return not tables.isdisjoint(self.keys)

    def write(self, operation: str, parameters: Mapping[str, Any]) -> Steps[dict[str, Any]]:
        """Execute a write request of the application on old tables, and return its response."""
        request = read_request(operation, parameters, self.keys)
        try:
            return (yield from self._write(request))
        except (RequestRefused, _TooManyActions) as problem:
            parts = _halves(request) if isinstance(problem, _TooManyActions) or _is_too_large(problem, request) else ()
            if not parts:
                raise (ArgumentRefused(str(problem)) if isinstance(problem, _TooManyActions) else problem) from None
            for each in parts:
                yield from self.write(each.operation, each.parameters)
            return request.response([None] * len(request.writes), [None] * len(request.writes), {})

    def _stage(self, request: RequestedWrites) -> Steps[Stage]:
        """Return the stage. Raise TableDiffers if the old tables are retired."""
        stage = yield from self.lease.current()
        if stage in (Stage.CLOSING, Stage.RETIRED):
            names = ", ".join(sorted({each.table for each in request.writes}))
            raise TableDiffers(
                f"the table {names} is retired, so it is not written any more; nothing was written.\n  Write the items "
                f"of {self.table.reader.name!r} with {self.table.reader.design.name}."
            )
        return stage

    def _write(self, request: RequestedWrites) -> Steps[dict[str, Any]]:
        for attempt in range(1, ATTEMPTS_MAX + 1):
            if attempt > 2:  # the first retry is immediate
                yield from pause(self.retries.pause(attempt))
            stage = yield from self._stage(request)
            planned = _PlannedWrite([], [], [], {}, [])
            try:
                planned = yield from self._plan(request)
                capacity = yield from self._send(planned, stage)
            except CompanionFailed as failed:
                following = failed.reasons[len(request.writes) :]
                others, added = following[: len(request.others)], following[len(request.others) :]
                # If the token is stored, the request was committed, which the next attempt finds.
                if any(map(_has_failed, others)) and not any(map(_has_failed, added)):
                    raise request.rejection(planned.befores, others) from None
                continue
            except (RequestRefused, _TargetChanged) as problem:
                if isinstance(problem, RequestRefused) and not is_retryable_cancellation(problem):
                    raise
                continue
            except Repeated:
                return request.response((), (), {})
            return request.response(planned.befores, planned.afters, capacity)
        places = ", ".join(f"{each.table} {key_text(each.key)}" for each in request.writes)
        raise RequestRefused(
            "TransactionConflictException", f"other writers changed {places} in each of {ATTEMPTS_MAX} attempts"
        )

    def _plan(self, request: RequestedWrites) -> Steps[_PlannedWrite]:
        """Read the rows and the items that a request concerns, and compute its effect on both.

        Raise Repeated if an earlier transaction had the token of the request. The token is read after the rows: if the
        rows contain the change of an earlier transaction, its token is found.
        """
        rows = yield from self.read_rows([(each.table, each.key) for each in request.writes])
        befores = [rows[each.place] for each in request.writes]
        added = [] if request.token is None else [(yield from self.tokens.entry(request.token, request.parameters))]
        if not all(each.holds(before) for each, before in zip(request.writes, befores, strict=True)):
            raise request.rejection(befores)
        afters = [each.after(before) for each, before in zip(request.writes, befores, strict=True)]
        changes: list[RowChange] = []
        entries: list[Entry] = []
        for write, before, after in zip(request.writes, befores, afters, strict=True):
            change = RowChange(self._mapped(write, before), self._mapped(write, after))
            changes += [change] if write.kind != "ConditionCheck" else []
            guards = row_guards(before, self.keys[write.table], change, write.read)
            entries.append(write.action(before, guards).entry(write.table))
        stored = yield from self.read_items(self.entities.keys(changes))
        changed = (each for each in request.writes if each.kind != "ConditionCheck")
        known = self.entities.mapped(each.before for each in changes).keys()
        try:
            for write, change in zip(changed, changes, strict=True):
                self.reject_taken(self.mappings[write.table], write.key, change, stored, known)
        except ItemRefused:
            if (yield from self.read_rows([(each.table, each.key) for each in request.writes])) != rows:
                raise _TargetChanged from None  # the items are newer than the rows
            raise
        return _PlannedWrite(befores, afters, changes, stored, [*entries, *request.others, *added])

    def _mapped(self, write: RequestedWrite, item: Item | None) -> MappedRow | None:
        if item is None or write.kind == "ConditionCheck":
            return None
        return self.mapped(write.table, item)

    def mapped(self, table: str, item: Item) -> MappedRow:
        """Return the entities of a row. Raise ItemRefused, with the table and the key, if there are none."""
        try:
            return self.mappings[table].mapped(plain_row(item))
        except ItemRefused as problem:
            key = {name: item[name] for name in self.keys[table]}
            raise ItemRefused(f"{table} {key_text(key)}: {problem}; nothing was written") from problem

    def reject_taken(
        self,
        mapping: RowMapping,
        row: Item | None,
        change: RowChange,
        stored: Stored,
        known: Collection[KeyId] | None = None,
    ) -> None:
        """Raise ItemRefused if the stored item of an entity belongs to another row than this one.

        `known` are the keys of the entities of all rows that a request of the application replaces or deletes. It is
        None if the runner copies a row.
        """
        for each in () if change.after is None else change.after.entities:
            item = stored.get(each.key_id)
            if item is None or each.key_id in (known or ()):
                continue
            value = self.entities.stored_entity(item, each)
            if each.entity.cls in self.shared and self.entities.differences(each, value):
                raise ItemRefused(
                    f"the new table has another {each.label}, which may belong to a row of another source"
                )
            part = mapping.row_part(value.value)
            if part is None and known is not None and self.entities.differences(each, value):
                raise ItemRefused(
                    f"the new table has another {each.label}, which may belong to another row of {mapping.name}; "
                    f"nothing was written.\n  Pass a row_of function for {each.entity.label}, so that its row is known."
                )
            part = part or {}
            names = self.keys.get(mapping.name, ()) if row is not None and part else ()
            if row is not None and any(part.get(name) != row[name] for name in names):
                other = key_text({name: part.get(name, {}) for name in names})
                raise ItemRefused(f"the new table has another {each.label}, which belongs to the row {other}")

    def _send(self, planned: _PlannedWrite, stage: Stage) -> Steps[dict[str, float]]:
        intents, entries = self.entities.intents(planned.changes, planned.stored), planned.entries
        while True:
            try:
                return (yield from self.commit(intents, entries))
            except (RequestRefused, Unreachable, _TooManyActions):
                raise
            except ArgumentRefused as problem:  # with their derived data, the items are too many for a transaction
                raise _TooManyActions(str(problem)) from None
            except SingletableError as problem:
                if (yield from self.read_items([dict_of(each) for each in planned.stored])) != planned.stored:
                    raise _TargetChanged from None
                later = self._left_for_later(intents, problem, planned.stored) if stage is Stage.BACKFILL else None
                if later is None:
                    raise
                # The check of the stage fails if another stage has begun meanwhile.
                self.lease.forget()
                check = self.items.backfill_check().entry(self.table.reader.name)
                intents, entries = later, [*planned.entries, check]

    def _left_for_later(
        self, intents: Sequence[WriteIntent], problem: SingletableError, stored: Stored
    ) -> list[WriteIntent] | None:
        """Return the writes after a failed transaction, without the items that depend on an item not copied yet.

        These items are missing afterwards, so that the stage `verify` copies their rows. Return None if the
        transaction failed for another reason.
        """
        reasons = problem.reasons if isinstance(problem, TransactionCancelled) else ()
        failed = {number for number, each in enumerate(reasons) if each.code == "ConditionalCheckFailed"}
        if not failed or any(intents[number].kind not in ("create", "put") for number in failed):
            return None
        return [
            self.entities.left_out(each, stored) if number in failed else each for number, each in enumerate(intents)
        ]

    def commit(self, intents: Sequence[WriteIntent], entries: Sequence[Entry]) -> Steps[dict[str, float]]:
        """Commit writes of the new table with companion entries, in one transaction. Return the units per table.

        Raise CompanionFailed if the condition of a companion does not hold.
        """
        if not intents:
            call = Call("TransactWriteItems", _transaction([], entries), source="dual write")
            try:
                (body,) = yield (call,)
            except RequestRefused as problem:
                raise companion_error(problem, 0) from None
            return units_of(body)
        steps = self.table.writer.executor.commit(intents, source="dual write", is_transaction=True)
        return (yield from with_companions(steps, entries))

    def read_items(self, keys: Sequence[Item]) -> Steps[dict[KeyId, Item | None]]:
        """Read items of the new table by key, with strong consistency."""
        found, _ = yield from read_related(self.table.reader.name, keys)
        return found

    def read_rows(self, places: Sequence[tuple[str, Item]]) -> Steps[dict[Place, Item | None]]:
        """Read rows of the old tables by key, with strong consistency."""
        found: dict[Place, Item | None] = {}
        for table in dict.fromkeys(table for table, _ in places):
            keys = {key_id(key): key for name, key in places if name == table}
            items, _ = yield from read_related(table, list(keys.values()))
            found |= {(table, key): item for key, item in items.items()}
        return found


@dataclass(frozen=True)
class _PlannedWrite:
    """The rows before and after a request, the changes of their entities, and the entries for the rows."""

    befores: list[Item | None]
    afters: list[Item | None]
    changes: list[RowChange]
    stored: dict[KeyId, Item | None]
    entries: list[Entry]


class _TargetChanged(Exception):
    """Another writer changed a row or an item after it was read."""


class _TooManyActions(ArgumentRefused):
    """The transaction has more actions than DynamoDB accepts."""


def row_guards(
    before: Item | None, keys: Sequence[str], change: RowChange, read: frozenset[str] = frozenset()
) -> list[Condition]:
    """Return the conditions under which every attribute that was read from a row is unchanged."""
    if before is None:
        return [missing(keys[0])]
    names = set(read)
    for mapped in (change.before, change.after):
        if mapped is not None:
            names |= before.keys() if mapped.read is None else mapped.read
    return [exists(keys[0]), *(attribute_equals(each, before.get(each)) for each in sorted(names - set(keys)))]


def with_companions(steps: Steps[Any], entries: Sequence[Entry]) -> Steps[dict[str, float]]:
    """Run the steps of a transaction, and add entries for other tables to it. Return the consumed units per table."""
    capacity: dict[str, float] = {}
    is_sent = False
    try:
        step = next(steps)
        while True:
            call = None if is_sent else transaction_of(step)
            try:
                if call is None:
                    responses = yield step
                else:
                    own = call.parameters["TransactItems"]
                    responses = yield (call._replace(parameters=_transaction(own, entries)),)
                    capacity, is_sent = units_of(responses[0]), True
            except RequestRefused as problem:
                if call is not None:
                    problem = companion_error(problem, len(call.parameters["TransactItems"]))
                step = steps.throw(problem)
            except Unreachable as problem:
                step = steps.throw(problem)
            else:
                step = steps.send(responses)
    except StopIteration:
        return capacity
    finally:
        steps.close()


def transaction_of(step: Step) -> Call | None:
    """Return the request of a step if it is one transaction that writes."""
    if isinstance(step, IndependentCalls | CallForChunks | Pause) or len(step) != 1:
        return None
    return step[0] if step[0].operation == "TransactWriteItems" else None


def companion_error(problem: RequestRefused, own: int) -> RequestRefused:
    """Raise CompanionFailed if a condition after the first `own` entries does not hold.

    Otherwise return the error with the reasons of the own entries only.
    """
    reasons: list[dict[str, Any]] = problem.fields.get("CancellationReasons") or []
    if problem.code != CANCELLED or len(reasons) < own:
        return problem
    if any(map(_has_failed, reasons[own:])):
        raise CompanionFailed(reasons[own:])
    if any(each.get("Code") not in ("None", None) for each in reasons[own:]):
        raise problem
    fields = {**problem.fields, "CancellationReasons": reasons[:own]}
    return RequestRefused(problem.code, problem.message, **fields)


def _has_failed(reason: Mapping[str, Any]) -> bool:
    """Return whether a condition does not hold, from the reason of a cancelled transaction."""
    return reason.get("Code") == "ConditionalCheckFailed"


def _transaction(own: Sequence[Entry], entries: Sequence[Entry]) -> dict[str, Any]:
    actions = [*own, *entries]
    if len(actions) > TRANSACTION_ACTIONS_MAX:
        raise _TooManyActions(
            f"the write and its dual write have {len(actions)} actions, but a transaction accepts "
            f"{TRANSACTION_ACTIONS_MAX}; split the write"
        )
    return {
        "TransactItems": actions,
        "ClientRequestToken": uuid.uuid4().hex,
        "ReturnConsumedCapacity": "TOTAL",
    }


def units_of(body: bytes) -> dict[str, float]:
    """Return the consumed units of each table, from the response to a transaction."""
    answer = json.loads(body)
    return {each["TableName"]: float(each["CapacityUnits"]) for each in answer.get("ConsumedCapacity") or ()}


def _is_too_large(problem: RequestRefused, request: RequestedWrites) -> bool:
    """Return whether the rows, items and condition values of a request may exceed the size of a transaction."""
    size = len(json.dumps(request.parameters, default=str))
    return problem.code == "ValidationException" and size > TRANSACTION_BYTES_MAX // 8


def _halves(request: RequestedWrites) -> list[RequestedWrites]:
    """Return two smaller batches. Return nothing for a request that must be atomic."""
    if request.operation != "BatchWriteItem":
        return []
    entries = list(_batch_entries(request))
    if len(entries) < 2:
        return []
    middle = len(entries) // 2
    return [_batch(part) for part in (entries[:middle], entries[middle:])]


def _batch_entries(request: RequestedWrites) -> Iterator[tuple[str, Entry]]:
    for table, requests in request.parameters["RequestItems"].items():
        for each in requests:
            yield table, each


def _batch(entries: Sequence[tuple[str, Entry]]) -> RequestedWrites:
    tables: dict[str, list[Entry]] = {}
    for table, each in entries:
        tables.setdefault(table, []).append(each)
    return RequestedWrites("BatchWriteItem", {"RequestItems": tables}, ())


def dict_of(key: KeyId) -> Item:
    """Return a key from its hashable form."""
    return {name: {kind: value} for name, kind, value in key}
