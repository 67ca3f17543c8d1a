"""Dual table: the new table of a consolidation, whose writes also write the rows of the old tables."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from singletable.client.connected_table import ConnectedTable
from singletable.client.design_lease import WRITES
from singletable.client.migrating_table import MigratingTable
from singletable.client.request_steps import (
    Call,
    CallForChunks,
    IndependentCalls,
    Pause,
    Step,
    Steps,
    concurrently,
    pause,
    run,
    run_async,
    with_responses,
)
from singletable.client.responses import Item
from singletable.client.retries import is_retryable_cancellation
from singletable.client.table import Table
from singletable.client.write.stored_expressions import attribute_equals, exists, missing
from singletable.consolidation.consolidation_state import ConsolidationItems, ConsolidationLease, Stage
from singletable.consolidation.dual_writer import ATTEMPTS_MAX, DualWriter, units_of
from singletable.consolidation.row_changes import RowChanges
from singletable.consolidation.row_mapping import MappedEntity
from singletable.consolidation.write_requests import (
    CANCELLED,
    ITEM_WRITES,
    RequestedWrite,
    RequestedWrites,
    key_text,
    read_request,
    tables_of,
)
from singletable.errors import (
    ArgumentRefused,
    ConsolidationRefused,
    ItemRefused,
    RequestRefused,
    SingletableError,
    TableDiffers,
    Unreachable,
)
from singletable.expressions.tree import Condition
from singletable.migrations.table_indexes import describe_table
from singletable.model.reserved_place import NO_PLACE, reserved_place
from singletable.planner.plan import Plan
from singletable.values.limits import TRANSACTION_ACTIONS_MAX

if TYPE_CHECKING:
    from singletable.consolidation.consolidation import Consolidation

R = TypeVar("R")
T = TypeVar("T", bound=Table)
_encode, _decode = msgspec.json.encode, msgspec.json.decode


class DualTable(ConnectedTable):
    """An open table that sends each write of its items in one transaction with the writes of their rows."""

    def __init__(self, table: ConnectedTable, writer: DualWriter, rows: RowChanges) -> None:
        super().__init__(table.session, table.reader, returns_items=table.returns_items)
        self.plain = table
        self.writer_of_both = writer
        self._rows = rows
        self._keys = {table.reader.name: table.reader.design.table.key_attributes}

    def run(self, steps: Steps[R]) -> R:
        """Run the steps of a read or write on this thread."""
        return run(self._in_both(steps), self.session)

    async def run_async(self, steps: Steps[R]) -> R:
        """Run the steps of a read or write on the running event loop."""
        return await run_async(self._in_both(steps), self.session)

    def _run_observed(self, plan: Plan, steps: Steps[R]) -> R:
        return super()._run_observed(plan, self._in_both(steps))

    async def _run_observed_async(self, plan: Plan, steps: Steps[R]) -> R:
        return await super()._run_observed_async(plan, self._in_both(steps))

    def _in_both(self, steps: Steps[R]) -> Steps[R]:
        """Run steps, and replace each write request by a dual write."""
        return with_responses(steps, self._responses)

    def _responses(self, step: Step) -> Steps[Sequence[Any]]:
        if isinstance(step, Pause | CallForChunks):
            return (yield step)
        calls = step.calls if isinstance(step, IndependentCalls) else step
        if not any(call.operation in WRITES for call in calls):
            return (yield step)
        if not isinstance(step, IndependentCalls):
            results: list[bytes] = []
            for call in calls:
                results.append((yield from self._sent(call)))
            return results
        if step.meanwhile is not None:
            step.meanwhile()
        found = yield from concurrently([self._sent(call) for call in calls])
        for each in found:
            if isinstance(each, SingletableError) and not isinstance(each, RequestRefused | Unreachable):
                raise each
        return found

    def _sent(self, call: Call) -> Steps[bytes]:
        """Send a request, as a dual write if it writes items that have rows. Return the body of the response."""
        name = self.reader.name
        if call.operation in WRITES and call.operation not in ITEM_WRITES:
            raise ArgumentRefused(f"{call.operation} writes with PartiQL, which dual writes do not support")
        parameters = _decode(_encode(call.parameters)) if call.operation in ITEM_WRITES else {}
        if name not in tables_of(call.operation, parameters) if parameters else True:
            (body,) = yield (call,)
            return body
        stage = yield from self.writer_of_both.lease.current()
        if stage is Stage.RETIRED:
            (body,) = yield (call,)
            return body
        return (yield from self._dual(call, read_request(call.operation, parameters, self._keys), stage))

    def _dual(self, call: Call, request: RequestedWrites, stage: Stage) -> Steps[bytes]:
        retries = self.reader.retries
        for attempt in range(1, ATTEMPTS_MAX + 1):
            if attempt > 2:  # the first retry is immediate
                yield from pause(retries.pause(attempt))
            keys = [each.key for each in request.writes]
            found = yield from self.writer_of_both.read_items(keys)
            befores = [found[each.place[1]] for each in request.writes]
            if not all(each.holds(before) for each, before in zip(request.writes, befores, strict=True)):
                raise request.rejection(befores)
            afters = [each.after(before) for each, before in zip(request.writes, befores, strict=True)]
            entities = self._rows.entities(befores)
            if not any(entities) and not any(self._rows.entities(afters)):
                (body,) = yield (call,)  # no item has a row
                return body
            self._reject_early(stage)
            try:
                rows = yield from self._rows.entries(request.writes, befores, afters)
            except ItemRefused:
                if (yield from self.writer_of_both.read_items(keys)) != found:
                    continue  # another writer changed the items, so the rows that were read do not belong to them
                if stage is Stage.CLOSING and (yield from self._is_retired()):
                    (body,) = yield (call,)  # other clients do not write the rows any more
                    return body
                raise
            own = [self._entry(*each) for each in zip(request.writes, befores, entities, strict=True)]
            try:
                (body,) = yield (self._transaction(call, [*own, *request.others, *rows]),)
            except RequestRefused as problem:
                if _is_stale(problem) or is_retryable_cancellation(problem):
                    continue
                raise
            return _encode(request.response(befores, afters, units_of(body)))
        places = ", ".join(key_text(each.key) for each in request.writes)
        raise RequestRefused(
            "TransactionConflictException", f"other writers changed {places} in each of {ATTEMPTS_MAX} attempts"
        )

    def _is_retired(self) -> Steps[bool]:
        """Read the stage again, and return whether the rows are no longer written."""
        lease = self.writer_of_both.lease
        lease.forget()
        return (yield from lease.current()) is Stage.RETIRED

    def _entry(self, write: RequestedWrite, before: Item | None, entity: MappedEntity | None) -> dict[str, Any]:
        """Return a write of the new table. It requires that the fields from which its row is computed are unchanged."""
        guards: list[Condition] = []
        if before is None:
            guards = [missing(self.reader.design.table.partition[0].name)]
        elif entity is not None:
            names = sorted({*entity.entity.attributes.values()} - {*self._keys[write.table]})
            guards = [exists(next(iter(write.key))), *(attribute_equals(each, before.get(each)) for each in names)]
        return write.action(before, guards).entry(write.table)

    def _transaction(self, call: Call, entries: Sequence[Any]) -> Call:
        if len(entries) > TRANSACTION_ACTIONS_MAX:
            raise ArgumentRefused(
                f"the write and the rows of its items have {len(entries)} actions, but a transaction accepts "
                f"{TRANSACTION_ACTIONS_MAX}; split the write"
            )
        token = uuid.uuid4().hex
        parameters = {"TransactItems": entries, "ClientRequestToken": token, "ReturnConsumedCapacity": "TOTAL"}
        return Call("TransactWriteItems", parameters, source=call.source)

    def _reject_early(self, stage: Stage) -> None:
        if stage in (Stage.BACKFILL, Stage.VERIFY):
            raise TableDiffers(
                f"table {self.reader.name!r}: the consolidation is in the stage {stage.value!r}, so the table does not "
                "contain every row yet; nothing was written.\n  Write through the old tables; `singletable consolidate "
                "status` shows the progress."
            )


def _is_stale(problem: RequestRefused) -> bool:
    """Return whether a condition of the transaction does not hold, so that the items must be read again."""
    reasons = problem.fields.get("CancellationReasons") or ()
    return problem.code == CANCELLED and any(each.get("Code") == "ConditionalCheckFailed" for each in reasons)


def open_dual_table(consolidation: Consolidation[T], place: Any, options: Any) -> T:
    """Open the new table of a consolidation with dual writes."""
    table = consolidation.table.open(place, **options)
    try:
        opened = table._opened()
        if isinstance(opened, MigratingTable):
            raise ConsolidationRefused(f"table {opened.reader.name!r} has an open migration; finish it first")
        table._open = dual_table(consolidation, opened)
    except BaseException:
        table.close()
        raise
    return table


def opened_dual_table(table: Table) -> DualTable:
    """Return the open table of a consolidation. Raise ArgumentRefused if another function has opened it."""
    opened = table._opened()
    if not isinstance(opened, DualTable):
        name = type(table).__name__
        raise ArgumentRefused(
            f"{name} is not open for dual writes: open {name} with Consolidation.open(), not with its own open()"
        )
    return opened


def dual_table(consolidation: Consolidation[Any], opened: ConnectedTable) -> DualTable:
    """Return an open table with dual writes. Raise ArgumentRefused if an old table does not exist."""
    design = opened.reader.design
    place = reserved_place(design, opened.reader.name)
    if place is None:
        raise ConsolidationRefused(
            f"{design.name}: the keys of the table are not strings, so it cannot contain the state of a consolidation; "
            f"{NO_PLACE}"
        )
    keys = {each.name: run(key_attributes(each.name), opened.session) for each in consolidation.dynamodb_mappings}
    mappings = {each.name: each for each in consolidation.dynamodb_mappings}
    items = ConsolidationItems(design.table.key_attributes, place)
    lease = ConsolidationLease(place)
    writer = DualWriter(opened, mappings, keys, items, lease, consolidation.shared, opened.reader.retries)
    return DualTable(opened, writer, RowChanges(writer, consolidation.mappings))


def key_attributes(table: str) -> Steps[tuple[str, ...]]:
    """Return the key attributes of an old table, the partition key first."""
    try:
        description = yield from describe_table(table)
    except RequestRefused as problem:
        if problem.code != "ResourceNotFoundException":
            raise
        raise ArgumentRefused(
            f"there is no table {table!r} next to the new table; a source must be in the same account and region"
        ) from None
    return tuple(each["AttributeName"] for each in sorted(description["KeySchema"], key=lambda each: each["KeyType"]))
