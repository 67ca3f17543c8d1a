"""ExecuteTransaction: up to a hundred PartiQL statements, all reads at one moment, or all writes or none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import UNSET

from singletable.engine.asked import Projected
from singletable.engine.cancellation import NO_REASON, Reason, cancelled, in_conflict, invalid_action
from singletable.engine.capacity import Consumed, told_of_each
from singletable.engine.idempotency import fingerprint_of, remember, replay_of
from singletable.engine.item_write import ConditionFailed, PlannedWrite
from singletable.engine.keys import exact_key, no_match
from singletable.engine.partiql.bind import Bound, accept_parameters, bound
from singletable.engine.partiql.single_reads import selected_columns, selected_key
from singletable.engine.partiql.writes import DUPLICATE, KeyNotNamed, planned_statement, where_parts
from singletable.engine.table import EmptyKeyValue, OpenTable
from singletable.engine.transaction import (
    condition_reason,
    consumed_by_all,
    consumed_by_replay,
    performed,
    replay_kept,
)
from singletable.errors import RequestRefused, invalid
from singletable.partiql.statements import Delete, Exists, Select, Update
from singletable.values.capacity_units import TRANSACTIONAL, read_units
from singletable.values.item_size import item_size
from singletable.values.limits import TRANSACTION_BYTES_MAX
from singletable.wire.statements import (
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
    """Runs every statement in one snapshot, or in one transaction of the store."""
    for each in request.transact_statements:
        accept_parameters(each.parameters)
    statements = [_read(number, each) for number, each in enumerate(request.transact_statements)]
    if len({statement.is_read for statement in statements}) > 1:
        raise invalid("ExecuteTransaction API does not support both read and write operations in the same request.")
    tables = _tables(engine, statements)
    if statements[0].is_read:
        return _selected(engine, request, statements, tables)
    return _written(engine, request, statements, tables)


def _read(number: int, each: ParameterizedStatement) -> Bound:
    try:
        return bound(each.statement, each.parameters)
    except RequestRefused as refusal:
        raise _in_statement(number, refusal) from None


def _in_statement(number: int, refusal: RequestRefused) -> RequestRefused:
    return invalid(f"Validation failed in TransactStatements[{number}]: {refusal.message}")


def _tables(engine: Engine, statements: list[Bound]) -> list[OpenTable]:
    """The tables, once every statement on one that exists is known to have its place in a transaction."""
    tables: list[OpenTable] = []
    reasons: list[Reason] = []
    for number, statement in enumerate(statements):
        try:
            table = engine.catalog.require(statement.table_name)
        except RequestRefused as refusal:
            reasons.append({"Code": "ResourceNotFound", "Message": refusal.message})
            continue
        try:
            _refuse_unfit(table, statement)
        except RequestRefused as refusal:
            raise _in_statement(number, refusal) from None
        tables.append(table)
        reasons.append(NO_REASON)
    if len(tables) < len(statements):
        raise cancelled(reasons)
    return tables


def _refuse_unfit(table: OpenTable, bound: Bound) -> None:
    """Refuses what no transaction does, before any key is looked at."""
    statement = bound.statement
    if isinstance(statement, Select):
        if statement.source.index is not None:
            raise invalid("Reads on indices are not supported within transactions.")
        selected_key(table, bound, statement, KEY_NEEDED)
        selected_columns(table, statement)
        return
    if isinstance(statement, Exists):
        where = where_parts(bound.read, table.key_names)
        if statement.select.source.index is not None:
            raise invalid("Reads on indices are not supported within transactions.")
        if where.test is None or not all(name in where.keys for name in table.key_names):
            raise invalid("EXISTS() must contain a single item read with additional condition")
        return
    if isinstance(statement, Update | Delete):
        if statement.source.index is not None:
            raise invalid("This operation is not supported on an index")
        if statement.returning is not None:
            raise invalid("RETURNING clause is not supported in ExecuteTransaction.")


def _selected(
    engine: Engine, request: ExecuteTransaction, statements: list[Bound], tables: list[OpenTable]
) -> ExecuteTransactionResult:
    keys, projections = _gets(statements, tables)
    if len(set(zip((table.name for table in tables), keys, strict=True))) < len(keys):
        raise invalid(TWICE)
    units: dict[str, Consumed] = {}
    responses: list[TransactedItem] = []
    size_bytes = 0
    with engine.store.snapshot() as connection:
        for table, key, projection in zip(tables, keys, projections, strict=True):
            row = table.tree.get(connection, key)
            size = 0 if row is None else row[1]
            size_bytes += size
            units.setdefault(table.name, Consumed()).table += read_units(size, TRANSACTIONAL)
            responses.append(TransactedItem(item=UNSET if row is None else projection.bytes_of(row[0])))
    if size_bytes > TRANSACTION_BYTES_MAX:
        raise invalid("Aggregated size of all items in the transaction has exceeded the maximum size limit of 4 MB")
    detail = request.return_consumed_capacity
    is_told = detail is not None and detail != "NONE"
    return ExecuteTransactionResult(
        responses=responses,
        consumed_capacity=told_of_each(units, detail, "ReadCapacityUnits") if is_told else UNSET,
    )


def _gets(statements: list[Bound], tables: list[OpenTable]) -> tuple[list[bytes], list[Projected]]:
    """Stored keys and projections; a key that does not fit its table cancels the transaction and is its reason."""
    keys: list[bytes] = []
    projections: list[Projected] = []
    reasons: list[Reason] = []
    for statement, table in zip(statements, tables, strict=True):
        select = statement.statement
        assert isinstance(select, Select)
        projections.append(selected_columns(table, select))
        try:
            keys.append(exact_key(table, selected_key(table, statement, select, KEY_NEEDED)))
            reasons.append(NO_REASON)
        except RequestRefused as refusal:
            reasons.append(invalid_action(refusal))
    if len(keys) < len(reasons):
        raise cancelled(reasons)
    return keys, projections


def _written(
    engine: Engine, request: ExecuteTransaction, statements: list[Bound], tables: list[OpenTable]
) -> ExecuteTransactionResult:
    writes = _planned(request, statements, tables)
    token, detail = request.client_request_token, request.return_consumed_capacity
    fingerprint = fingerprint_of(request.transact_statements) if token is not None else b""
    if engine.faults.conflict():
        raise cancelled([in_conflict(), *[NO_REASON] * (len(writes) - 1)])
    responses = [TransactedItem() for _ in writes]
    with engine.store.writing() as connection:
        if token is not None:
            replay = replay_of(connection, token, fingerprint, engine.now())
            if replay is not None:
                told = consumed_by_replay(replay, detail)
                return ExecuteTransactionResult(responses=responses, consumed_capacity=told)
        done = performed(connection, writes, _reason)
        if token is not None:
            remember(connection, token, fingerprint, engine.now(), replay_kept(writes, done))
    return ExecuteTransactionResult(responses=responses, consumed_capacity=consumed_by_all(writes, done, detail))


def _planned(request: ExecuteTransaction, statements: list[Bound], tables: list[OpenTable]) -> list[PlannedWrite]:
    """Plans every statement; one that does not fit its table cancels the transaction and is its reason."""
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
            reasons.append(invalid_action(no_match()))
        except RequestRefused as refusal:
            reasons.append(invalid_action(refusal))
    if len({(write.table.name, write.key) for write in writes}) < len(writes):
        raise invalid(TWICE)
    if len(writes) < len(reasons):
        raise cancelled(reasons)
    sizes = [*(item_size(write.item) for write in writes), *(item_size(each.values) for each in statements)]
    if sum(sizes) > TRANSACTION_BYTES_MAX:
        raise invalid("Transaction request size exceeded the maximum allowed size of 4 MB")
    return writes


def _reason(write: PlannedWrite, failure: ConditionFailed) -> Reason:
    """Why a condition of a statement did not hold: for an INSERT, because the item is there."""
    return {"Code": "DuplicateItem", "Message": DUPLICATE} if write.kind == "put" else condition_reason(write, failure)
