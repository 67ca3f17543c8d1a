"""Describes how a PartiQL statement is executed: the operation, its table or index, its keys and its filter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from singletable.engine.partiql.bound_statement import BoundStatement, accept_parameters, bind_statement, value_of
from singletable.engine.partiql.select import planned_select
from singletable.engine.partiql.select_access import RangeRead
from singletable.engine.partiql.write_statements import planned_statement
from singletable.errors import invalid
from singletable.expressions.key_condition import KeyTest
from singletable.expressions.tree import Constant
from singletable.partiql.statement_printer import condition_text, shown_value
from singletable.partiql.statements import (
    DeleteStatement,
    ExistsStatement,
    InsertStatement,
    SelectStatement,
    UpdateStatement,
)

if TYPE_CHECKING:
    from singletable.engine.engine import Engine


@dataclass(frozen=True)
class AccessDescription:
    """The operation of a statement, its table or index, its keys, and the filter on the items read."""

    operation: str
    table: str
    index: str | None
    keys: tuple[str, ...]
    filter: str | None

    def __str__(self) -> str:
        where = self.table if self.index is None else f"{self.table}.{self.index}"
        if self.operation == "Scan":
            text = f"Scan of {where}"
        elif len(self.keys) == 1:
            text = f"{self.operation} on {where} ({self.keys[0]})"
        else:
            text = f"{len(self.keys)} x {self.operation} on {where} ({'; '.join(self.keys)})"
        return text if self.filter is None else f"{text}, then filter {self.filter}"


def describe_access(engine: Engine, text: str, parameters: Sequence[Any] | None) -> AccessDescription:
    """Return how a statement would be executed, without executing it. Raise an error if it is invalid."""
    accept_parameters(parameters)
    statement = bind_statement(text, parameters)
    table = engine.catalog.require(statement.table_name)
    match statement.statement:
        case SelectStatement() as select:
            plan = planned_select(table, select, statement.values)
            reads = plan.access.reads
            keys = tuple(_keys_text(read, statement.values) for read in reads) if plan.access.kind != "Scan" else ()
            index = None if plan.source.index is None else plan.source.index.name
            return AccessDescription(plan.access.kind, table.name, index, keys, _filter_text(reads, statement.values))
        case ExistsStatement():
            raise invalid("EXISTS can only be used in ExecuteTransaction write requests.")
        case _:
            write = planned_statement(table, statement, returns_old=False, is_alone=True)
            key = " AND ".join(f"{name} = {shown_value(Constant(write.item[name]))}" for name in table.key_names)
            return AccessDescription(_operation(statement), table.name, None, (key,), None)


def _operation(statement: BoundStatement) -> str:
    match statement.statement:
        case InsertStatement():
            return "PutItem"
        case UpdateStatement():
            return "UpdateItem"
        case DeleteStatement():
            return "DeleteItem"
        case other:
            raise TypeError(f"{other} is not a write")


def _keys_text(read: RangeRead, values: Mapping[str, Any]) -> str:
    return " AND ".join(_test_text(test, values) for test in read.tests)


def _test_text(test: KeyTest, values: Mapping[str, Any]) -> str:
    operands = [shown_value(Constant(value_of(operand, values))) for operand in test.operands]
    match test.operator:
        case "BETWEEN":
            return f"{test.attribute} BETWEEN {operands[0]} AND {operands[1]}"
        case "begins_with":
            return f"begins_with({test.attribute}, {operands[0]})"
        case operator:
            return f"{test.attribute} {operator} {operands[0]}"


def _filter_text(reads: Sequence[RangeRead], values: Mapping[str, Any]) -> str | None:
    """Return the distinct filters of the reads, formatted as text, or None if there are none."""
    texts = dict.fromkeys(condition_text(read.filter, values) for read in reads if read.filter is not None)
    return "; ".join(texts) or None
