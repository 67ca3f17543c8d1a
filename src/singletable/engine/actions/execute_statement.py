"""ExecuteStatement: one PartiQL statement."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import UNSET

from singletable.engine.capacity import told
from singletable.engine.item_write import ConditionFailed, conflict, perform
from singletable.engine.partiql.bind import Bound, accept_parameters, bound
from singletable.engine.partiql.next_token import opened, request_digest, sealed
from singletable.engine.partiql.select import planned_select, run_select
from singletable.engine.partiql.writes import planned_statement, refused_write, returned
from singletable.engine.write import consumed
from singletable.errors import invalid
from singletable.partiql.statements import Exists, Select
from singletable.wire.statements import ExecuteStatement, ExecuteStatementResult

if TYPE_CHECKING:
    from singletable.engine.engine import Engine


def execute_statement(engine: Engine, request: ExecuteStatement) -> ExecuteStatementResult:
    """Reads a page of what the statement selects, or writes the item that it names."""
    accept_parameters(request.parameters)
    statement = bound(request.statement, request.parameters)
    if isinstance(statement.statement, Exists):
        raise invalid("EXISTS can only be used in ExecuteTransaction write requests.")
    if isinstance(statement.statement, Select):
        return _selected(engine, request, statement, statement.statement)
    return _written(engine, request, statement)


def _selected(engine: Engine, request: ExecuteStatement, statement: Bound, select: Select) -> ExecuteStatementResult:
    table = engine.catalog.require(select.source.table)
    is_consistent = bool(request.consistent_read)
    plan = planned_select(table, select, statement.values, is_consistent=is_consistent)
    digest = request_digest(request.statement, request.parameters)
    start = None if request.next_token is None else opened(engine.places, digest, request.next_token)
    selected = run_select(engine, plan, start, request.limit, is_consistent=is_consistent)
    stopped_at, detail = selected.stopped_at, request.return_consumed_capacity
    is_told = detail is not None and detail != "NONE"
    return ExecuteStatementResult(
        items=list(selected.items),
        next_token=UNSET if stopped_at is None else sealed(engine.places, digest, *stopped_at),
        last_evaluated_key=UNSET if stopped_at is None or not stopped_at.key else stopped_at.key,
        consumed_capacity=told(table.name, selected.units, detail) if is_told else UNSET,
    )


def _written(engine: Engine, request: ExecuteStatement, statement: Bound) -> ExecuteStatementResult:
    table = engine.catalog.require(statement.table_name)
    if request.next_token is not None:
        opened(engine.places, request_digest(request.statement, request.parameters), request.next_token)
    returns_old = request.return_values_on_condition_check_failure == "ALL_OLD"
    write = planned_statement(table, statement, returns_old=returns_old, is_alone=True)
    if engine.faults.conflict():
        raise conflict()
    with engine.store.writing() as connection:
        try:
            written = perform(connection, write)
        except ConditionFailed as failure:
            raise refused_write(statement, write, failure) from None
    item, detail = returned(statement, written), request.return_consumed_capacity
    is_told = detail is not None and detail != "NONE"
    return ExecuteStatementResult(
        items=[] if item is None else [item],
        consumed_capacity=told(table.name, consumed(table, *written), detail) if is_told else UNSET,
    )
