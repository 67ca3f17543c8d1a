"""Tokens, syntax errors and reserved words."""

from __future__ import annotations

import pytest

from singletable.expressions.lexer import KEYWORDS, RESERVED_WORDS, tokens_of
from tests.expressions.error_messages import error_message


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("a", ["word"]),
        ("a_1 #_x :9", ["word", "name", "value"]),
        (
            "and Or NOT bEtween IN set ADD remove DELETE",
            ["AND", "OR", "NOT", "BETWEEN", "IN", "SET", "ADD", "REMOVE", "DELETE"],
        ),
        ("android ordinal inn", ["word", "word", "word"]),
        ("a.b[10]", ["word", ".", "word", "[", "index", "]"]),
        ("01", ["index", "index"]),
        ("<=<><>=>", ["<=", "<>", "<>", "=", ">"]),
        ("a\t=\r\n:v", ["word", "=", "value"]),
        ("_a é # : \u00a0", ["unknown", "word", "unknown", "unknown", "unknown", "unknown"]),
    ],
)
def test_the_expression_lexer_splits_a_text_into_tokens(text: str, kinds: list[str]) -> None:
    tokens = tokens_of("ConditionExpression", text)
    assert [token.kind for token in tokens] == [*kinds, "end"]
    assert all(text[token.start : token.end] == token.text for token in tokens[:-1])


# Every row was tried on DynamoDB Local; the first two are in the public conformance suite too.
@pytest.mark.parametrize(
    ("parameter", "text", "token", "near"),
    [
        ("UpdateExpression", "INVALID SYNTAX HERE", "INVALID", "INVALID SYNTAX"),
        ("ProjectionExpression", "!!! INVALID !!!", "!", "!!"),
        ("ConditionExpression", "a == :n", "=", "== :n"),
        ("ConditionExpression", "a = ", "<EOF>", "= "),
        ("ConditionExpression", "  and  x", "and", "  and  x"),
        ("ConditionExpression", "  ", "<EOF>", "  "),
        ("ConditionExpression", "(a = :n", "<EOF>", ":n"),
        ("ConditionExpression", "a = :n)", ")", ":n)"),
        ("ConditionExpression", "a[01] = :n", "1", "01]"),
        ("ConditionExpression", "a[-1] = :n", "-", "[-1"),
        ("ConditionExpression", "a = 'x'", "'", "= 'x"),
        ("ConditionExpression", "_a = :n", "_", "_a"),
        ("ConditionExpression", "a.and = :n", "and", ".and ="),
        ("ConditionExpression", "(a) and b = :n", "and", ") and b"),
        ("ConditionExpression", "(a).b = :n", ".", ").b"),
        ("ConditionExpression", "(a = b) = c", "=", ") = c"),
        ("ConditionExpression", "not (a)", "<EOF>", ")"),
        ("ConditionExpression", "size(a)(b)", "(", ")(b"),
        ("ConditionExpression", "a in ()", ")", "()"),
        ("ConditionExpression", "a between (:n and :n)", "and", ":n and :n"),
        ("UpdateExpression", "SET a = :n + :n + :n", "+", ":n + :n"),
        ("UpdateExpression", "SET a = (:n + :n) + :n", "+", ") + :n"),
        ("UpdateExpression", "SET (a) = :n", "(", "SET (a"),
        ("UpdateExpression", "SET a = if_not_exists(a, :n + :n)", "+", ":n + :n"),
        ("UpdateExpression", "SET set = :n", "set", "SET set ="),
        ("UpdateExpression", "REMOVE a, SET b = :n", "SET", ", SET b"),
        ("UpdateExpression", "ADD a b", "b", "a b"),
        ("ProjectionExpression", "a, (b)", "(", ", (b"),
        ("ProjectionExpression", "a.1", "1", ".1"),
        ("ProjectionExpression", "size(a)", "(", "size(a"),
    ],
)
def test_the_expression_lexer_reports_the_first_unexpected_token(
    parameter: str, text: str, token: str, near: str
) -> None:
    assert error_message(parameter, text) == f'Syntax error; token: "{token}", near: "{near}"'


def test_the_expression_lexer_rejects_an_empty_expression() -> None:
    assert error_message("FilterExpression", "") == "The expression can not be empty;"


def test_the_expression_lexer_accepts_at_most_4096_bytes() -> None:
    assert error_message("ProjectionExpression", "x" * 4096) is None
    too_large = "Expression size has exceeded the maximum allowed size; expression size: "
    assert error_message("ProjectionExpression", "x" * 4097) == f"{too_large}4097"
    assert error_message("ConditionExpression", "(" * 4097) == f"{too_large}4097"
    assert error_message("ConditionExpression", "é" * 2049) == f"{too_large}4098"


def test_the_expression_lexer_has_as_many_reserved_words_as_the_developer_guide() -> None:
    assert len(RESERVED_WORDS) == 573


def test_the_expression_lexer_rejects_a_reserved_word_as_a_name() -> None:
    message = "Attribute name is a reserved keyword; reserved keyword: "
    for word in RESERVED_WORDS - KEYWORDS:
        assert error_message("ProjectionExpression", f"a, {word}") == f"{message}{word}"
        assert error_message("ProjectionExpression", f"a.{word.lower()}[0]") == f"{message}{word.lower()}"


def test_the_expression_lexer_accepts_a_placeholder_for_a_reserved_word() -> None:
    assert error_message("UpdateExpression", "SET #status = :s") is None
