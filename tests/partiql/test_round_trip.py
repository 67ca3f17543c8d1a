"""Parser and printer are inverse: a printed statement parses to the same statement."""

from __future__ import annotations

from hypothesis import given

from singletable.partiql.statement_parser import parse_statement
from singletable.partiql.statement_printer import statement_text
from singletable.partiql.statements import Statement
from tests.partiql.statement_strategies import STATEMENTS


@given(STATEMENTS)
def test_the_statement_printer_writes_a_text_that_parses_to_the_same_statement(statement: Statement) -> None:
    text = statement_text(statement)
    assert parse_statement(text).statement == statement, text


@given(STATEMENTS)
def test_the_statement_printer_writes_the_same_text_for_a_parsed_statement(statement: Statement) -> None:
    text = statement_text(statement)
    assert statement_text(parse_statement(text).statement) == text


@given(STATEMENTS)
def test_the_statement_parser_ignores_comments_spaces_and_a_semicolon(statement: Statement) -> None:
    text = statement_text(statement)
    around = f"-- a note\n\t{text} /* 'another' */ ; -- the end"
    assert parse_statement(around).statement == statement, text
