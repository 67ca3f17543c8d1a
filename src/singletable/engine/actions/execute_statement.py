"""ExecuteStatement: runs one PartiQL statement."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import UNSET

from singletable.engine.items.consumed_capacity import capacity_document, units_of_write
from singletable.engine.items.item_writes import ConditionNotMet, conflict_error, perform
from singletable.engine.partiql.bound_statement import BoundStatement, accept_parameters, bind_statement
from singletable.engine.partiql.select import planned_select, run_select
from singletable.engine.partiql.write_statements import condition_error, planned_statement, returned
from singletable.engine.signed_tokens import decode_next_token, encode_next_token, request_digest
from singletable.errors import invalid
from singletable.partiql.statements import ExistsStatement, SelectStatement
from singletable.wire.statement_requests import ExecuteStatement, ExecuteStatementResult

if TYPE_CHECKING:
    from singletable.engine.engine import Engine


def execute_statement(engine: Engine, request: ExecuteStatement) -> ExecuteStatementResult:
    """Return one page of the result of a SELECT, or write the item that the statement identifies."""
    accept_parameters(request.parameters)
    statement = bind_statement(request.statement, request.parameters)
    if isinstance(statement.statement, ExistsStatement):
        raise invalid("EXISTS can only be used in ExecuteTransaction write requests.")
    if isinstance(statement.statement, SelectStatement):
        return _run_select(engine, request, statement, statement.statement)
    return _run_write(engine, request, statement)


def _run_select(
    engine: Engine, request: ExecuteStatement, statement: BoundStatement, select: SelectStatement
) -> ExecuteStatementResult:
    table = engine.catalog.require(select.source.table)
    is_consistent = bool(request.consistent_read)
    plan = planned_select(table, select, statement.values, is_consistent=is_consistent)
    digest = request_digest(request.statement, request.parameters)
    start = None if request.next_token is None else decode_next_token(engine.signed_tokens, digest, request.next_token)
    selected = run_select(engine, plan, start, request.limit, is_consistent=is_consistent)
    stopped_at, detail = selected.stopped_at, request.return_consumed_capacity
    returns_capacity = detail is not None and detail != "NONE"
    return ExecuteStatementResult(
        items=list(selected.items),
        next_token=UNSET if stopped_at is None else encode_next_token(engine.signed_tokens, digest, *stopped_at),
        last_evaluated_key=UNSET if stopped_at is None or not stopped_at.key else stopped_at.key,
        consumed_capacity=capacity_document(table.name, selected.units, detail) if returns_capacity else UNSET,
    )


def _run_write(engine: Engine, request: ExecuteStatement, statement: BoundStatement) -> ExecuteStatementResult:
    table = engine.catalog.require(statement.table_name)
    if request.next_token is not None:
        decode_next_token(
            engine.signed_tokens, request_digest(request.statement, request.parameters), request.next_token
        )
    returns_old = request.return_values_on_condition_check_failure == "ALL_OLD"
    write = planned_statement(table, statement, returns_old=returns_old, is_alone=True)
    with engine.store.writing() as connection:
        if engine.faults.conflict():
            raise conflict_error()
        try:
            written = perform(connection, write)
        except ConditionNotMet as failure:
            raise condition_error(statement, write, failure) from None
    item, detail = returned(statement, written), request.return_consumed_capacity
    returns_capacity = detail is not None and detail != "NONE"
    return ExecuteStatementResult(
        items=[] if item is None else [item],
        consumed_capacity=capacity_document(table.name, units_of_write(table, *written), detail)
        if returns_capacity
        else UNSET,
    )
