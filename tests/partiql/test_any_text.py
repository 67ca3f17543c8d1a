"""Any text as a statement is parsed or rejected, however long, deep or odd."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from singletable.errors import RequestRefused
from singletable.expressions.evaluate import compile_condition
from singletable.expressions.tree import paths
from singletable.partiql.statement_parser import parse_statement
from singletable.partiql.statement_printer import statement_text
from singletable.partiql.statements import SelectStatement

WORDS = ["SELECT ", "INSERT INTO ", "UPDATE ", "DELETE FROM ", "EXISTS(", " FROM ", " WHERE ", " SET ", " REMOVE "]
WORDS += [" AND ", " OR ", " NOT ", " IN ", " BETWEEN ", " IS ", " MISSING ", " ORDER BY ", " RETURNING ALL OLD *"]
SYMBOLS = [" ", "(", ")", "[", "]", "{", "}", "<<", ">>", ",", ".", ":", ";", "=", "<", "+", "-", "--", "/*", "?", "*"]
TERMS = ["a", '"t"', "'s'", "0", "1.5e3", "1e999", "true", "null", "VALUE {'a': ", "size(", "set_add(", "contains("]
TEXTS = st.text(max_size=40) | st.lists(st.sampled_from(WORDS + SYMBOLS + TERMS), max_size=30).map("".join)


@given(TEXTS)
@example("\ud800")
@example("SELECT '\ud800' FROM t")
@example("SELECT a[" + "9" * 8000 + "] FROM t")
@example("SELECT * FROM t WHERE a = 1e" + "9" * 8000)
def test_the_statement_parser_parses_or_rejects_any_text(text: str) -> None:
    with contextlib.suppress(RequestRefused):
        parse_statement(text)


@given(TEXTS)
def test_the_where_parser_parses_or_rejects_any_condition_text(text: str) -> None:
    with contextlib.suppress(RequestRefused):
        parse_statement(f"SELECT * FROM t WHERE a = 1 AND {text}")


DEEP = {
    "parentheses": "(" * 8000,
    "closed parentheses": "(" * 4000 + "a = 1" + ")" * 4000,
    "conditions": "(a = 1 AND " * 700 + "a = 1" + ")" * 700,
    "negations": "NOT " * 2000 + "a = 1",
    "functions": "size(" * 1600 + "a" + ")" * 1600,
    "lists": "a = " + "[" * 8000,
    "maps": "a = " + "{'a':" * 1600,
    "signs": "a = " + "- " * 4000 + "1",
    "a chain of OR": "a = 1 OR " * 900 + "a = 1",
    "comparisons of comparisons": "a = 1" + " = b" * 1500,
    "comparisons with truth": "a = 1" + " = false" * 1000,
    "comparisons with numbers": "a = 1" + " = 1" * 1900,
    "a path": "a" + ".b" * 4000 + " = 1",
}


@pytest.mark.parametrize("condition", DEEP.values(), ids=DEEP.keys())
def test_the_where_parser_parses_or_rejects_a_deep_condition(condition: str) -> None:
    with contextlib.suppress(RequestRefused):
        parse_statement(f"SELECT * FROM t WHERE {condition}")


@pytest.mark.parametrize(
    "condition",
    [
        "(a = 1 AND " * 64 + "a = 1" + ")" * 64,
        "(NOT a = 2 OR (a = 2 AND " * 32 + "a = 1" + "))" * 32,
        "NOT " * 298 + "a = 1",
        "a = 1" + " = true" * 290,
        "a = 1 OR " * 149 + "a = 1",
    ],
)
def test_the_deepest_conditions_of_the_where_parser_are_evaluated_and_printed(condition: str) -> None:
    statement = parse_statement(f"SELECT * FROM t WHERE {condition}").statement
    assert isinstance(statement, SelectStatement)
    assert statement.where is not None
    assert compile_condition(statement.where)({"a": {"N": "1"}}, {})
    assert {path.attribute for path in paths(statement.where)} == {"a"}
    assert parse_statement(statement_text(statement)).statement == statement
