"""Errors in JSON documents are reported with their line and column."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.errors import ImportRefused
from singletable.importers.json_document import (
    NESTING_MAX,
    InvalidJson,
    InvalidText,
    Problems,
    decode_text,
    load_json,
    opened_at,
    parse_document,
    shown,
    suggestion,
)

documents: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=15,
)


@given(document=documents, indent=st.sampled_from([None, 1]))
def test_the_json_document_reads_every_document_that_it_wrote(document: Any, indent: int | None) -> None:
    assert load_json(json.dumps(document, indent=indent)) == document


def _depth(document: Any) -> int:
    held = document.values() if isinstance(document, dict) else document if isinstance(document, list) else None
    return 0 if held is None else 1 + max((_depth(each) for each in held), default=0)


@given(document=documents, indent=st.sampled_from([None, 1]))
def test_the_json_document_gives_the_position_of_an_opening_bracket(document: Any, indent: int | None) -> None:
    text, depth = json.dumps(document, indent=indent, ensure_ascii=False), _depth(document)
    assert opened_at(text, depth + 1) is None
    if depth:
        place = opened_at(text, depth)
        assert place is not None
        assert text.split("\n")[place[0] - 1][place[1] - 1] in "[{"


@pytest.mark.parametrize("opening", ["[", '{"a":'])
def test_the_json_document_rejects_more_than_200_levels(opening: str) -> None:
    closing = "]" if opening == "[" else "}"

    def nested(levels: int) -> str:
        return opening * levels + ("" if opening == "[" else "1") + closing * levels

    load_json(nested(NESTING_MAX))
    for levels in (NESTING_MAX + 1, 100_000):
        with pytest.raises(InvalidJson, match=r"^the document is nested deeper than 200 levels$") as refused:
            load_json(nested(levels))
        assert (refused.value.line, refused.value.column) == (1, NESTING_MAX * len(opening) + 1)


@pytest.mark.parametrize(
    ("text", "said", "line", "column"),
    [
        ("", "the document is empty", 1, 1),
        (" \n", "the document is empty", 1, 1),
        ('{"a": 1,\n "b": oops}', 'expected a value, found "oops}"', 2, 7),
        ('{"a": 1\n', "expected a comma, but the document ends", 2, 1),
        ('{"a" 1}', 'expected a colon, found "1}"', 1, 6),
        ("{} " + "x" * 100, f'expected the end of the document, found "{"x" * 20}..."', 1, 4),
        ('{"a": "b', "unterminated string", 1, 7),
        ('{"a": "\n"}', "invalid control character", 1, 8),
    ],
)
def test_an_invalid_json_document_is_reported_with_line_and_column(
    text: str, said: str, line: int, column: int
) -> None:
    with pytest.raises(InvalidJson) as refused:
        load_json(text)
    assert (str(refused.value), refused.value.line, refused.value.column) == (said, line, column)


@given(text=st.text())
def test_the_json_document_raises_only_invalid_json_for_any_text(text: str) -> None:
    with suppress(InvalidJson):
        load_json(text)


def test_the_json_document_reports_bytes_that_are_not_utf_8_with_their_line() -> None:
    assert decode_text("\ufeffGröße".encode()) == "Größe"
    with pytest.raises(InvalidText, match=r"^byte 6 \(line 2\) is not UTF-8; save the file as UTF-8$"):
        decode_text("ab\n{gr\xf6".encode("latin-1"))
    with pytest.raises(InvalidText, match=r"^the file is UTF-16, not UTF-8"):
        decode_text("Größe".encode("utf-16"))


def test_a_parsing_error_of_a_json_document_has_the_line_and_column() -> None:
    with pytest.raises(ImportRefused, match=r"model\.json:2:8: invalid JSON: "):
        parse_document('{\n  "a": ?}', "model.json")


def test_the_json_document_raises_all_problems_together() -> None:
    problems = Problems("model.json", "model")
    problems.raise_if_any()
    assert problems.mapping([], "a") == {}
    assert problems.rows({}, "b") == []
    assert problems.text({"c": " "}, "c", "x") is None
    problems.word({"d": "Quary"}, "d", "x", ("Query", "Scan"))
    with pytest.raises(ImportRefused, match=r"model\.json is not a valid model: 4 problems") as refused:
        problems.raise_if_any()
    assert "x.d: unknown \"Quary\" (did you mean 'Query'?); use Query or Scan" in str(refused.value)
    assert shown("x" * 500).endswith("...")
    assert suggestion("zzz", ["Query"]) == ""
