"""Parser and printer are mirror images: a printed statement is read back as it was."""

from __future__ import annotations

from hypothesis import given

from singletable.partiql.parser import parse_statement
from singletable.partiql.printer import statement_text
from singletable.partiql.statements import Statement
from tests.partiql.statements_made import STATEMENTS


@given(STATEMENTS)
def test_a_printed_statement_is_read_back(statement: Statement) -> None:
    text = statement_text(statement)
    assert parse_statement(text).statement == statement, text


@given(STATEMENTS)
def test_a_statement_that_was_read_is_printed_as_the_same_text(statement: Statement) -> None:
    text = statement_text(statement)
    assert statement_text(parse_statement(text).statement) == text


@given(STATEMENTS)
def test_comments_spaces_and_a_semicolon_say_nothing(statement: Statement) -> None:
    text = statement_text(statement)
    around = f"-- a note\n\t{text} /* 'another' */ ; -- the end"
    assert parse_statement(around).statement == statement, text
