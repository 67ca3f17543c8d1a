"""A statement of a request, read and checked with the parameters that were given for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from singletable.errors import invalid
from singletable.expressions.tree import Constant, Parameter
from singletable.partiql.parser import parse_statement
from singletable.partiql.statements import Exists, ReadStatement, Select, Statement, parameter_name
from singletable.values.accept import accept_value

# As with expressions: an application has its statements in some places of its code, and what is longer is read again.
_REMEMBERED_MAX = 1024
_REMEMBERED_CHARACTERS_MAX = 2048


class Bound(NamedTuple):
    """A statement with the values of its parameters."""

    read: ReadStatement
    values: dict[str, Any]

    @property
    def statement(self) -> Statement:
        """What is to be done."""
        return self.read.statement

    @property
    def table_name(self) -> str:
        """The table it is done to."""
        statement = self.read.statement
        return (statement.select if isinstance(statement, Exists) else statement).source.table

    @property
    def is_read(self) -> bool:
        """Whether it changes nothing, and is no condition of a change."""
        return isinstance(self.read.statement, Select)


def accept_parameters(parameters: Sequence[Any] | None) -> None:
    """Checks the values of parameters; the service does so before it reads the statement (captured)."""
    for value in parameters or ():
        accept_value(value)


def bound(text: str, parameters: Sequence[Any] | None) -> Bound:
    """Reads a statement and checks it with its accepted parameters; more of them than it uses do no harm."""
    read = (_parsed if len(text) <= _REMEMBERED_CHARACTERS_MAX else _parsed.__wrapped__)(text)
    given = parameters or ()
    if len(given) < len(read.parameters):
        raise invalid("Number of parameters in request and statement don't match.")
    values = {parameter_name(number): value for number, value in enumerate(given, start=1)}
    for check in read.checks:
        if message := check(values):
            raise invalid(message)
    return Bound(read, values)


def value_of(operand: Constant | Parameter, values: Mapping[str, Any]) -> dict[str, Any]:
    """The value that is written in the statement, or given for it."""
    value: dict[str, Any] = values[operand.name] if isinstance(operand, Parameter) else operand.value
    return value


_parsed = lru_cache(_REMEMBERED_MAX)(parse_statement)
