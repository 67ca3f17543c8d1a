"""The access that PartiQL requests need: the IAM actions PartiQLSelect, -Insert, -Update and -Delete."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from singletable.engine.access.policy_pattern import Values
from singletable.engine.access.requested_access import RequestedAccess, facts, partition_values, value_text
from singletable.engine.partiql.bound_statement import BoundStatement, accept_parameters, bind_statement
from singletable.engine.partiql.select import planned_select
from singletable.engine.partiql.write_statements import planned_statement
from singletable.expressions.tree import paths
from singletable.partiql.statements import (
    DeleteStatement,
    ExistsStatement,
    InsertStatement,
    SelectStatement,
    StatementSource,
    UpdateStatement,
)
from singletable.wire.statement_requests import (
    BatchStatementRequest,
    ExecuteStatement,
    ExecuteTransaction,
    ParameterizedStatement,
)

if TYPE_CHECKING:
    from singletable.engine.engine import Engine

OneStatement = ExecuteStatement | BatchStatementRequest | ParameterizedStatement
# The RETURNING clauses, and their values for ReturnValues.
_RETURNING = {"ALL OLD": "ALL_OLD", "MODIFIED OLD": "UPDATED_OLD", "ALL NEW": "ALL_NEW", "MODIFIED NEW": "UPDATED_NEW"}


def statement_access(engine: Engine, request: OneStatement, enclosing: str | None = None) -> RequestedAccess:
    """Return the access that one statement needs. Raise an error for a statement that cannot be parsed."""
    accept_parameters(request.parameters)
    bound = bind_statement(request.statement, request.parameters)
    match bound.statement:
        case SelectStatement() as select:
            permission, source = "PartiQLSelect", select.source
            known = _select_facts(engine, bound, select, request, enclosing)
        case ExistsStatement(select):
            # EXISTS has no action of its own. It needs the same action as SELECT.
            permission, source = "PartiQLSelect", select.source
            known = _select_facts(engine, bound, select, request, enclosing)
        case InsertStatement(source):
            permission, known = "PartiQLInsert", _write_facts(engine, bound, request, enclosing)
        case UpdateStatement(source):
            permission, known = "PartiQLUpdate", _write_facts(engine, bound, request, enclosing)
        case DeleteStatement(source):
            permission, known = "PartiQLDelete", _write_facts(engine, bound, request, enclosing)
    return RequestedAccess.of(permission, _resource(engine, source), known)


def _resource(engine: Engine, source: StatementSource) -> str:
    arn = engine.arn(source.table)
    return arn if source.index is None else f"{arn}/index/{source.index}"


def _select_facts(
    engine: Engine, bound: BoundStatement, select: SelectStatement, request: OneStatement, enclosing: str | None
) -> Callable[[], Values]:
    def known() -> Values:
        is_consistent = bool(getattr(request, "consistent_read", None))
        table = engine.catalog.require(select.source.table)
        plan = planned_select(table, select, bound.values, is_consistent=is_consistent)
        kinds = [attribute.kind for attribute in plan.source.order.partition]
        used = {path.attribute for part in (select.where, select.columns) for path in paths(part)}
        whole = "ALL_ATTRIBUTES" if select.source.index is None else "ALL_PROJECTED_ATTRIBUTES"
        return facts(
            partitions=[
                tuple(value_text(kind, value) for kind, value in zip(kinds, read.partition_values, strict=True))
                for read in plan.access.reads
                if read.partition_values
            ],
            attributes=used | {order.attribute for order in select.order},
            select=whole if select.columns is None else "SPECIFIC_ATTRIBUTES",
            enclosing=enclosing,
            full_scan=plan.access.kind == "Scan",
        )

    return known


def _write_facts(
    engine: Engine, bound: BoundStatement, request: OneStatement, enclosing: str | None
) -> Callable[[], Values]:
    def known() -> Values:
        statement = bound.statement
        table = engine.catalog.require(bound.table_name)
        planned = planned_statement(table, bound, returns_old=False, is_alone=enclosing is None)
        used = set(planned.item) | {path.attribute for path in paths(statement)}
        returning = statement.returning if isinstance(statement, UpdateStatement | DeleteStatement) else None
        shows_old = request.return_values_on_condition_check_failure == "ALL_OLD"
        return facts(
            partitions=[partition_values(table.order.partition, planned.item)],
            attributes=used,
            return_values="ALL_OLD" if shows_old else _RETURNING.get(returning or "", "NONE"),
            enclosing=enclosing,
        )

    return known


def execute_statement(engine: Engine, request: ExecuteStatement) -> Iterable[RequestedAccess]:
    """Return the access that an ExecuteStatement needs."""
    yield statement_access(engine, request)


def execute_transaction(engine: Engine, request: ExecuteTransaction) -> Iterable[RequestedAccess]:
    """Return the access that an ExecuteTransaction needs, for each statement."""
    for each in request.transact_statements:
        yield statement_access(engine, each, "ExecuteTransaction")


STATEMENT_ACCESS: Mapping[str, Callable[[Engine, Any], Iterable[RequestedAccess]]] = {
    "ExecuteStatement": execute_statement,
    "ExecuteTransaction": execute_transaction,
}
"""The functions that return the access that a PartiQL request needs, by action.

The statements of a BatchExecuteStatement are authorised one by one.
"""
