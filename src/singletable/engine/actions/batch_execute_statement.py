"""BatchExecuteStatement: up to 25 independent PartiQL statements, all reads or all writes."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from msgspec import UNSET, Raw

from singletable.engine.items.consumed_capacity import ConsumedUnits, add_units, capacity_per_table, units_of_write
from singletable.engine.items.item_writes import ConditionNotMet, PlannedWrite, conflict_error, perform
from singletable.engine.items.request_expressions import ItemProjection
from singletable.engine.partiql.bound_statement import BoundStatement, accept_parameters, bind_statement
from singletable.engine.partiql.select import planned_get
from singletable.engine.partiql.write_statements import condition_error, planned_statement, returned
from singletable.engine.tables.stored_table import StoredTable
from singletable.errors import RequestRefused, invalid
from singletable.partiql.statements import ExistsStatement, SelectStatement
from singletable.values.item_size import CONSISTENT, EVENTUAL, read_units
from singletable.wire.statement_requests import (
    BatchExecuteStatement,
    BatchExecuteStatementResult,
    BatchStatementError,
    BatchStatementRequest,
    BatchStatementResponse,
)

if TYPE_CHECKING:
    from singletable.engine.engine import Engine

KEY_NEEDED = "Select statements within BatchExecuteStatement must specify the primary key in the where clause."
# In a batch, DynamoDB drops the suffix "Exception" from error codes. Only this code gets a different name.
_CODES = {"ValidationException": "ValidationError"}


class SingleSelect(NamedTuple):
    """A SELECT statement that reads one item."""

    table: StoredTable
    key: bytes
    projection: ItemProjection
    factor: float


class SingleWrite(NamedTuple):
    """A statement that writes one item."""

    statement: BoundStatement
    planned: PlannedWrite

    @property
    def table(self) -> StoredTable:
        """The table that the statement writes to."""
        return self.planned.table

    @property
    def key(self) -> bytes:
        """The stored key of the item that the statement writes."""
        return self.planned.key


PlannedEntry = SingleSelect | SingleWrite | RequestRefused


def batch_execute_statement(engine: Engine, request: BatchExecuteStatement) -> BatchExecuteStatementResult:
    """Run every statement. If a statement fails, its response contains the error."""
    statements = [_bind(each) for each in request.statements]
    kinds = {each.is_read for each in statements if isinstance(each, BoundStatement)}
    if len(kinds) > 1:
        raise invalid("Read and write requests together in the same batch is not supported")
    planned = _plan_all(engine, request, statements)
    # A statement that fails with an outdated table definition may succeed with the current definition.
    if any(isinstance(each, RequestRefused) for each in planned) and engine.catalog.changed():
        planned = _plan_all(engine, request, statements)
    keys = [(each.table.name, each.key) for each in planned if not isinstance(each, RequestRefused)]
    if len(set(keys)) < len(keys):
        raise invalid("Provided list of item keys contains duplicates")
    units: dict[str, ConsumedUnits] = {}
    if any(isinstance(each, SingleWrite) for each in planned):
        responses = _run_writes(engine, planned, units)
    else:
        responses = _run_selects(engine, planned, units)
    detail = request.return_consumed_capacity
    returns_capacity = detail is not None and detail != "NONE"
    return BatchExecuteStatementResult(
        responses=responses, consumed_capacity=capacity_per_table(units, detail) if returns_capacity else UNSET
    )


def _bind(each: BatchStatementRequest) -> BoundStatement | RequestRefused:
    try:
        accept_parameters(each.parameters)
        statement = bind_statement(each.statement, each.parameters)
        if isinstance(statement.statement, ExistsStatement):
            raise invalid("EXISTS can only be used in ExecuteTransaction write requests.")
    except RequestRefused as error:
        return error
    return statement


def _plan_all(
    engine: Engine, request: BatchExecuteStatement, read: list[BoundStatement | RequestRefused]
) -> list[PlannedEntry]:
    planned: list[PlannedEntry] = []
    for each, statement in zip(request.statements, read, strict=True):
        try:
            planned.append(statement if isinstance(statement, RequestRefused) else _plan(engine, each, statement))
        except RequestRefused as error:
            planned.append(error)
    return planned


def _plan(engine: Engine, each: BatchStatementRequest, statement: BoundStatement) -> SingleSelect | SingleWrite:
    table = engine.catalog.require(statement.table_name)
    if isinstance(statement.statement, SelectStatement):
        key, projection = planned_get(table, statement, statement.statement, KEY_NEEDED)
        return SingleSelect(table, key, projection, CONSISTENT if each.consistent_read else EVENTUAL)
    returns_old = each.return_values_on_condition_check_failure == "ALL_OLD"
    return SingleWrite(statement, planned_statement(table, statement, returns_old=returns_old, is_alone=True))


def _run_selects(
    engine: Engine, planned: list[PlannedEntry], units: dict[str, ConsumedUnits]
) -> list[BatchStatementResponse]:
    responses: list[BatchStatementResponse] = []
    with engine.store.reading() as connection:
        for each in planned:
            if isinstance(each, RequestRefused):
                responses.append(BatchStatementResponse(error=statement_error(each)))
                continue
            assert isinstance(each, SingleSelect)
            row = each.table.tree.get(connection, each.key)
            units.setdefault(each.table.name, ConsumedUnits()).table += read_units(row[1] if row else 0, each.factor)
            item = UNSET if row is None else each.projection.bytes_of(row[0])
            responses.append(BatchStatementResponse(table_name=each.table.name, item=item))
    return responses


def _run_writes(
    engine: Engine, planned: list[PlannedEntry], units: dict[str, ConsumedUnits]
) -> list[BatchStatementResponse]:
    """Run the writes independently. A failed write changes nothing, and the other writes still run."""
    responses: list[BatchStatementResponse] = []
    with engine.store.writing() as connection:
        for each in planned:
            if isinstance(each, RequestRefused):
                responses.append(BatchStatementResponse(error=statement_error(each)))
                continue
            assert isinstance(each, SingleWrite)
            name = each.table.name
            try:
                if engine.faults.conflict():
                    raise conflict_error()
                written = perform(connection, each.planned)
            except ConditionNotMet as failure:
                failed = condition_error(each.statement, each.planned, failure)
                responses.append(BatchStatementResponse(table_name=name, error=statement_error(failed)))
                continue
            except RequestRefused as error:
                responses.append(BatchStatementResponse(table_name=name, error=statement_error(error)))
                continue
            add_units(units, name, units_of_write(each.table, *written))
            item = returned(each.statement, written)
            responses.append(BatchStatementResponse(table_name=name, item=UNSET if item is None else item))
    return responses


def statement_error(error: RequestRefused) -> BatchStatementError:
    """Return the error of one statement. Its code lacks the suffix `Exception`."""
    code = _CODES.get(error.code, error.code.removesuffix("Exception"))
    item: Raw | None = error.fields.get("Item")
    return BatchStatementError(code=code, message=error.message, item=UNSET if item is None else item)
