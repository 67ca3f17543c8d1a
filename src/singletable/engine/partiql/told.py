"""What a statement becomes, in words: the operation, the table or index it is done to, and by which keys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from singletable.engine.partiql.access import Read
from singletable.engine.partiql.bind import Bound, accept_parameters, bound, value_of
from singletable.engine.partiql.select import planned_select
from singletable.engine.partiql.writes import planned_statement
from singletable.errors import invalid
from singletable.expressions.key_condition import KeyTest
from singletable.expressions.tree import Constant
from singletable.partiql.printer import condition_text, shown_value
from singletable.partiql.statements import Delete, Exists, Insert, Select, Update

if TYPE_CHECKING:
    from singletable.engine.engine import Engine


@dataclass(frozen=True)
class ToldAccess:
    """The operation that a statement is, what it reads or writes, and what is tested on every item that was read."""

    operation: str
    table: str
    index: str | None
    keys: tuple[str, ...]
    filter: str | None

    def __str__(self) -> str:
        where = self.table if self.index is None else f"{self.table}.{self.index}"
        if self.operation == "Scan":
            told = f"Scan of {where}"
        elif len(self.keys) == 1:
            told = f"{self.operation} on {where} ({self.keys[0]})"
        else:
            told = f"{len(self.keys)} x {self.operation} on {where} ({'; '.join(self.keys)})"
        return told if self.filter is None else f"{told}, then filter {self.filter}"


def told_access(engine: Engine, text: str, parameters: Sequence[Any] | None) -> ToldAccess:
    """How a statement would be run; it is refused as if it were."""
    accept_parameters(parameters)
    statement = bound(text, parameters)
    table = engine.catalog.require(statement.table_name)
    match statement.statement:
        case Select() as select:
            plan = planned_select(table, select, statement.values)
            reads = plan.access.reads
            keys = tuple(_told_keys(read, statement.values) for read in reads) if plan.access.kind != "Scan" else ()
            index = None if plan.source.index is None else plan.source.index.name
            return ToldAccess(plan.access.kind, table.name, index, keys, _told_filter(reads, statement.values))
        case Exists():
            raise invalid("EXISTS can only be used in ExecuteTransaction write requests.")
        case _:
            write = planned_statement(table, statement, returns_old=False, is_alone=True)
            key = " AND ".join(f"{name} = {shown_value(Constant(write.item[name]))}" for name in table.key_names)
            return ToldAccess(_operation(statement), table.name, None, (key,), None)


def _operation(statement: Bound) -> str:
    match statement.statement:
        case Insert():
            return "PutItem"
        case Update():
            return "UpdateItem"
        case Delete():
            return "DeleteItem"
        case other:
            raise TypeError(f"{other} is no write")


def _told_keys(read: Read, values: Mapping[str, Any]) -> str:
    return " AND ".join(_told_test(test, values) for test in read.tests)


def _told_test(test: KeyTest, values: Mapping[str, Any]) -> str:
    operands = [shown_value(Constant(value_of(operand, values))) for operand in test.operands]
    match test.operator:
        case "BETWEEN":
            return f"{test.attribute} BETWEEN {operands[0]} AND {operands[1]}"
        case "begins_with":
            return f"begins_with({test.attribute}, {operands[0]})"
        case operator:
            return f"{test.attribute} {operator} {operands[0]}"


def _told_filter(reads: Sequence[Read], values: Mapping[str, Any]) -> str | None:
    """The filter, where all reads have the same one, or each its own."""
    told = dict.fromkeys(condition_text(read.filter, values) for read in reads if read.filter is not None)
    return "; ".join(told) or None
