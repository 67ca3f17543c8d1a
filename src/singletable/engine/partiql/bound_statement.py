"""A parsed PartiQL statement bound to the parameters of a request."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from singletable.errors import invalid
from singletable.expressions.tree import Constant, Parameter
from singletable.partiql.statement_parser import parse_statement
from singletable.partiql.statements import ExistsStatement, ParsedStatement, SelectStatement, Statement, parameter_name
from singletable.values.item_validation import accept_value

# Parsed statements are cached, because an application has few distinct statements. Long statements are parsed every
# time.
_CACHED_MAX = 1024
_CACHED_CHARACTERS_MAX = 2048


class BoundStatement(NamedTuple):
    """A parsed statement with the values of its parameters."""

    parsed: ParsedStatement
    values: dict[str, Any]

    @property
    def statement(self) -> Statement:
        """The parsed statement, without its parameters."""
        return self.parsed.statement

    @property
    def table_name(self) -> str:
        """The name of the table that the statement reads or writes."""
        statement = self.parsed.statement
        return (statement.select if isinstance(statement, ExistsStatement) else statement).source.table

    @property
    def is_read(self) -> bool:
        """Whether the statement is a SELECT."""
        return isinstance(self.parsed.statement, SelectStatement)


def accept_parameters(parameters: Sequence[Any] | None) -> None:
    """Validate the parameters. DynamoDB validates them before it parses the statement (captured from AWS)."""
    for value in parameters or ():
        accept_value(value)


def bind_statement(text: str, parameters: Sequence[Any] | None) -> BoundStatement:
    """Parse a statement, and check it with its validated parameters. Surplus parameters are ignored."""
    parsed = (_parse if len(text) <= _CACHED_CHARACTERS_MAX else _parse.__wrapped__)(text)
    given = parameters or ()
    if len(given) < len(parsed.parameters):
        raise invalid("Number of parameters in request and statement don't match.")
    values = {parameter_name(number): value for number, value in enumerate(given, start=1)}
    for check in parsed.checks:
        if message := check(values):
            raise invalid(message)
    return BoundStatement(parsed, values)


def value_of(operand: Constant | Parameter, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the value of an operand, which is either a constant in the statement or a parameter."""
    value: dict[str, Any] = values[operand.name] if isinstance(operand, Parameter) else operand.value
    return value


_parse = lru_cache(_CACHED_MAX)(parse_statement)
