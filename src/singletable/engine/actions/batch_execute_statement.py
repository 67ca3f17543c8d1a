"""BatchExecuteStatement: up to 25 PartiQL statements, each by itself, all reads or all writes."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from msgspec import UNSET, Raw

from singletable.engine.asked import Projected
from singletable.engine.capacity import Consumed, add, told_of_each
from singletable.engine.item_write import ConditionFailed, PlannedWrite, conflict, perform
from singletable.engine.partiql.bind import Bound, accept_parameters, bound
from singletable.engine.partiql.single_reads import planned_get
from singletable.engine.partiql.writes import planned_statement, refused_write, returned
from singletable.engine.table import OpenTable
from singletable.engine.write import consumed
from singletable.errors import RequestRefused, invalid
from singletable.partiql.statements import Exists, Select
from singletable.values.capacity_units import CONSISTENT, EVENTUAL, read_units
from singletable.wire.statements import (
    BatchExecuteStatement,
    BatchExecuteStatementResult,
    BatchStatementError,
    BatchStatementRequest,
    BatchStatementResponse,
)

if TYPE_CHECKING:
    from singletable.engine.engine import Engine

KEY_NEEDED = "Select statements within BatchExecuteStatement must specify the primary key in the where clause."
# The codes of a batch are those of the API without what they end with, but for this one.
_CODES = {"ValidationException": "ValidationError"}


class Get(NamedTuple):
    """A SELECT of one item."""

    table: OpenTable
    key: bytes
    projection: Projected
    factor: float


class Write(NamedTuple):
    """A statement that writes one item."""

    statement: Bound
    planned: PlannedWrite

    @property
    def table(self) -> OpenTable:
        """The table it writes to."""
        return self.planned.table

    @property
    def key(self) -> bytes:
        """The stored key of the item."""
        return self.planned.key


Planned = Get | Write | RequestRefused


def batch_execute_statement(engine: Engine, request: BatchExecuteStatement) -> BatchExecuteStatementResult:
    """Runs every statement; what is refused is told in its place."""
    read = [_read(each) for each in request.statements]
    kinds = {each.is_read for each in read if isinstance(each, Bound)}
    if len(kinds) > 1:
        raise invalid("Read and write requests together in the same batch is not supported")
    planned = _planned(engine, request, read)
    # What was refused by a table as it was may fit it as it is.
    if any(isinstance(each, RequestRefused) for each in planned) and engine.catalog.changed():
        planned = _planned(engine, request, read)
    places = [(each.table.name, each.key) for each in planned if not isinstance(each, RequestRefused)]
    if len(set(places)) < len(places):
        raise invalid("Provided list of item keys contains duplicates")
    units: dict[str, Consumed] = {}
    if any(isinstance(each, Write) for each in planned):
        responses = _written(engine, planned, units)
    else:
        responses = _got(engine, planned, units)
    detail = request.return_consumed_capacity
    is_told = detail is not None and detail != "NONE"
    return BatchExecuteStatementResult(
        responses=responses, consumed_capacity=told_of_each(units, detail) if is_told else UNSET
    )


def _read(each: BatchStatementRequest) -> Bound | RequestRefused:
    try:
        accept_parameters(each.parameters)
        statement = bound(each.statement, each.parameters)
        if isinstance(statement.statement, Exists):
            raise invalid("EXISTS can only be used in ExecuteTransaction write requests.")
    except RequestRefused as refusal:
        return refusal
    return statement


def _planned(engine: Engine, request: BatchExecuteStatement, read: list[Bound | RequestRefused]) -> list[Planned]:
    planned: list[Planned] = []
    for each, statement in zip(request.statements, read, strict=True):
        try:
            planned.append(statement if isinstance(statement, RequestRefused) else _plan(engine, each, statement))
        except RequestRefused as refusal:
            planned.append(refusal)
    return planned


def _plan(engine: Engine, each: BatchStatementRequest, statement: Bound) -> Get | Write:
    table = engine.catalog.require(statement.table_name)
    if isinstance(statement.statement, Select):
        key, projection = planned_get(table, statement, statement.statement, KEY_NEEDED)
        return Get(table, key, projection, CONSISTENT if each.consistent_read else EVENTUAL)
    returns_old = each.return_values_on_condition_check_failure == "ALL_OLD"
    return Write(statement, planned_statement(table, statement, returns_old=returns_old, is_alone=True))


def _got(engine: Engine, planned: list[Planned], units: dict[str, Consumed]) -> list[BatchStatementResponse]:
    responses: list[BatchStatementResponse] = []
    with engine.store.reading() as connection:
        for each in planned:
            if isinstance(each, RequestRefused):
                responses.append(BatchStatementResponse(error=_error(each)))
                continue
            assert isinstance(each, Get)
            row = each.table.tree.get(connection, each.key)
            units.setdefault(each.table.name, Consumed()).table += read_units(row[1] if row else 0, each.factor)
            item = UNSET if row is None else each.projection.bytes_of(row[0])
            responses.append(BatchStatementResponse(table_name=each.table.name, item=item))
    return responses


def _written(engine: Engine, planned: list[Planned], units: dict[str, Consumed]) -> list[BatchStatementResponse]:
    """Every write by itself: one that is refused has changed nothing, and the others go on."""
    responses: list[BatchStatementResponse] = []
    with engine.store.writing() as connection:
        for each in planned:
            if isinstance(each, RequestRefused):
                responses.append(BatchStatementResponse(error=_error(each)))
                continue
            assert isinstance(each, Write)
            name = each.table.name
            try:
                if engine.faults.conflict():
                    raise conflict()
                written = perform(connection, each.planned)
            except ConditionFailed as failure:
                refusal = refused_write(each.statement, each.planned, failure)
                responses.append(BatchStatementResponse(table_name=name, error=_error(refusal)))
                continue
            except RequestRefused as refusal:
                responses.append(BatchStatementResponse(table_name=name, error=_error(refusal)))
                continue
            add(units, name, consumed(each.table, *written))
            item = returned(each.statement, written)
            responses.append(BatchStatementResponse(table_name=name, item=UNSET if item is None else item))
    return responses


def _error(refusal: RequestRefused) -> BatchStatementError:
    code = _CODES.get(refusal.code, refusal.code.removesuffix("Exception"))
    item: Raw | None = refusal.fields.get("Item")
    return BatchStatementError(code=code, message=refusal.message, item=UNSET if item is None else item)
