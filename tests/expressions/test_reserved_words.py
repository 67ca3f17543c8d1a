"""Reserved words are refused as names, wherever they stand and however they are written."""

from __future__ import annotations

from singletable.expressions.lexer import KEYWORDS
from singletable.expressions.reserved_words import RESERVED_WORDS
from tests.expressions.refused import refusal


def test_there_are_as_many_as_the_developer_guide_lists() -> None:
    assert len(RESERVED_WORDS) == 573


def test_a_reserved_word_is_no_name() -> None:
    told = "Attribute name is a reserved keyword; reserved keyword: "
    for word in RESERVED_WORDS - KEYWORDS:
        assert refusal("ProjectionExpression", f"a, {word}") == f"{told}{word}"
        assert refusal("ProjectionExpression", f"a.{word.lower()}[0]") == f"{told}{word.lower()}"


def test_a_placeholder_may_stand_for_a_reserved_word() -> None:
    assert refusal("UpdateExpression", "SET #status = :s") is None
