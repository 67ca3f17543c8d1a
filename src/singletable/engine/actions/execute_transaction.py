"""ExecuteTransaction: runs up to 100 PartiQL statements, either reads from one snapshot or atomic writes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import UNSET

from singletable.engine.items.consumed_capacity import ConsumedUnits, capacity_per_table
from singletable.engine.items.item_keys import exact_key, key_schema_mismatch
from singletable.engine.items.item_writes import ConditionNotMet, PlannedWrite
from singletable.engine.items.request_expressions import ItemProjection
from singletable.engine.items.transaction_execution import (
    NO_REASON,
    Reason,
    actions_fingerprint,
    cancelled_error,
    condition_reason,
    conflict_reason,
    find_replay,
    invalid_action_reason,
    perform_transaction,
    reject_large_payload,
    remember_token,
    replay_capacity,
    replay_record,
    transaction_capacity,
)
from singletable.engine.partiql.bound_statement import BoundStatement, accept_parameters, bind_statement
from singletable.engine.partiql.select import selected_columns, selected_key
from singletable.engine.partiql.where_clause import KeyNotNamed, where_parts
from singletable.engine.partiql.write_statements import DUPLICATE, planned_statement
from singletable.engine.tables.stored_table import EmptyKeyValue, StoredTable
from singletable.errors import RequestRefused, invalid
from singletable.partiql.statements import DeleteStatement, ExistsStatement, SelectStatement, UpdateStatement
from singletable.values.item_size import TRANSACTIONAL, item_size, read_units
from singletable.values.limits import TRANSACTION_BYTES_MAX
from singletable.wire.statement_requests import (
    ExecuteTransaction,
    ExecuteTransactionResult,
    ParameterizedStatement,
    TransactedItem,
)

if TYPE_CHECKING:
    from singletable.engine.engine import Engine

KEY_NEEDED = "Select statements within ExecuteTransaction must specify the primary key in the where clause."
TWICE = "Transaction request cannot include multiple operations on one item"


def execute_transaction(engine: Engine, request: ExecuteTransaction) -> ExecuteTransactionResult:
    """Run all reads in one snapshot of the store, or all writes in one transaction of the store."""
    for each in request.transact_statements:
        accept_parameters(each.parameters)
    statements = [_bind(number, each) for number, each in enumerate(request.transact_statements)]
    if len({statement.is_read for statement in statements}) > 1:
        raise invalid("ExecuteTransaction API does not support both read and write operations in the same request.")
    tables = _tables(engine, statements)
    if statements[0].is_read:
        return _run_selects(engine, request, statements, tables)
    return _run_writes(engine, request, statements, tables)


def _bind(number: int, each: ParameterizedStatement) -> BoundStatement:
    try:
        return bind_statement(each.statement, each.parameters)
    except RequestRefused as error:
        raise _in_statement(number, error) from None


def _in_statement(number: int, error: RequestRefused) -> RequestRefused:
    return invalid(f"Validation failed in TransactStatements[{number}]: {error.message}")


def _tables(engine: Engine, statements: list[BoundStatement]) -> list[StoredTable]:
    """Return the table of each statement.

    Raise an error if a table is missing, or if transactions do not support a statement.
    """
    tables: list[StoredTable] = []
    reasons: list[Reason] = []
    for number, statement in enumerate(statements):
        try:
            table = engine.catalog.require(statement.table_name)
        except RequestRefused as error:
            reasons.append({"Code": "ResourceNotFound", "Message": error.message})
            continue
        try:
            _check_supported(table, statement)
        except RequestRefused as error:
            raise _in_statement(number, error) from None
        tables.append(table)
        reasons.append(NO_REASON)
    if len(tables) < len(statements):
        raise cancelled_error(reasons)
    return tables


def _check_supported(table: StoredTable, bound: BoundStatement) -> None:
    """Raise an error if transactions do not support the statement. DynamoDB checks this before the keys."""
    statement = bound.statement
    if isinstance(statement, SelectStatement):
        if statement.source.index is not None:
            raise invalid("Reads on indices are not supported within transactions.")
        selected_key(table, bound, statement, KEY_NEEDED)
        selected_columns(table, statement)
        return
    if isinstance(statement, ExistsStatement):
        where = where_parts(bound.parsed, table.key_names)
        if statement.select.source.index is not None:
            raise invalid("Reads on indices are not supported within transactions.")
        if where.test is None or not all(name in where.keys for name in table.key_names):
            raise invalid("EXISTS() must contain a single item read with additional condition")
        return
    if isinstance(statement, UpdateStatement | DeleteStatement):
        if statement.source.index is not None:
            raise invalid("This operation is not supported on an index")
        if statement.returning is not None:
            raise invalid("RETURNING clause is not supported in ExecuteTransaction.")


def _run_selects(
    engine: Engine, request: ExecuteTransaction, statements: list[BoundStatement], tables: list[StoredTable]
) -> ExecuteTransactionResult:
    keys, projections = _plan_selects(statements, tables)
    if len(set(zip((table.name for table in tables), keys, strict=True))) < len(keys):
        raise invalid(TWICE)
    units: dict[str, ConsumedUnits] = {}
    responses: list[TransactedItem] = []
    size_bytes = 0
    with engine.store.snapshot() as connection:
        for table, key, projection in zip(tables, keys, projections, strict=True):
            row = table.tree.get(connection, key)
            size = 0 if row is None else row[1]
            size_bytes += size
            units.setdefault(table.name, ConsumedUnits()).table += read_units(size, TRANSACTIONAL)
            responses.append(TransactedItem(item=UNSET if row is None else projection.bytes_of(row[0])))
    if size_bytes > TRANSACTION_BYTES_MAX:
        raise invalid("Aggregated size of all items in the transaction has exceeded the maximum size limit of 4 MB")
    detail = request.return_consumed_capacity
    returns_capacity = detail is not None and detail != "NONE"
    return ExecuteTransactionResult(
        responses=responses,
        consumed_capacity=capacity_per_table(units, detail, "ReadCapacityUnits") if returns_capacity else UNSET,
    )


def _plan_selects(
    statements: list[BoundStatement], tables: list[StoredTable]
) -> tuple[list[bytes], list[ItemProjection]]:
    """Return the stored key and the projection of each SELECT. An invalid key cancels the transaction with a reason."""
    keys: list[bytes] = []
    projections: list[ItemProjection] = []
    reasons: list[Reason] = []
    for statement, table in zip(statements, tables, strict=True):
        select = statement.statement
        assert isinstance(select, SelectStatement)
        projections.append(selected_columns(table, select))
        try:
            keys.append(exact_key(table, selected_key(table, statement, select, KEY_NEEDED)))
            reasons.append(NO_REASON)
        except RequestRefused as error:
            reasons.append(invalid_action_reason(error))
    if len(keys) < len(reasons):
        raise cancelled_error(reasons)
    return keys, projections


def _run_writes(
    engine: Engine, request: ExecuteTransaction, statements: list[BoundStatement], tables: list[StoredTable]
) -> ExecuteTransactionResult:
    writes = _plan_writes(request, statements, tables)
    token, detail = request.client_request_token, request.return_consumed_capacity
    fingerprint = actions_fingerprint(request.transact_statements) if token is not None else b""
    responses = [TransactedItem() for _ in writes]
    with engine.store.writing() as connection:
        if engine.faults.conflict():
            raise cancelled_error([conflict_reason(), *[NO_REASON] * (len(writes) - 1)])
        if token is not None:
            replay = find_replay(connection, token, fingerprint, engine.token_now())
            if replay is not None:
                capacity = replay_capacity(replay, detail)
                return ExecuteTransactionResult(responses=responses, consumed_capacity=capacity)
        done = perform_transaction(connection, writes, _reason)
        if token is not None:
            remember_token(connection, token, fingerprint, engine.token_now(), replay_record(writes, done))
    return ExecuteTransactionResult(responses=responses, consumed_capacity=transaction_capacity(writes, done, detail))


def _plan_writes(
    request: ExecuteTransaction, statements: list[BoundStatement], tables: list[StoredTable]
) -> list[PlannedWrite]:
    """Plan every statement. A statement that is invalid for its table cancels the transaction with a reason."""
    writes: list[PlannedWrite] = []
    reasons: list[Reason] = []
    for each, statement, table in zip(request.transact_statements, statements, tables, strict=True):
        returns_old = each.return_values_on_condition_check_failure == "ALL_OLD"
        try:
            writes.append(planned_statement(table, statement, returns_old=returns_old, is_alone=False))
            reasons.append(NO_REASON)
        except EmptyKeyValue:
            raise
        except KeyNotNamed:
            reasons.append(invalid_action_reason(key_schema_mismatch()))
        except RequestRefused as error:
            reasons.append(invalid_action_reason(error))
    if len({(write.table.name, write.key) for write in writes}) < len(writes):
        raise invalid(TWICE)
    if len(writes) < len(reasons):
        raise cancelled_error(reasons)
    sizes = [*(item_size(write.item) for write in writes), *(item_size(each.values) for each in statements)]
    reject_large_payload(sizes)
    return writes


def _reason(write: PlannedWrite, failure: ConditionNotMet) -> Reason:
    """Return the cancellation reason for a failed condition. For an INSERT, the reason is DuplicateItem."""
    return {"Code": "DuplicateItem", "Message": DUPLICATE} if write.kind == "put" else condition_reason(write, failure)
