"""What is wrong with the text of a JSON file is said in words, with its place."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.drafts.json_text import NESTING_MAX, NoJson, NoText, json_of, opened_at, text_of

documents: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=15,
)


@given(document=documents, indent=st.sampled_from([None, 1]))
def test_what_is_json_is_read_as_it_is(document: Any, indent: int | None) -> None:
    assert json_of(json.dumps(document, indent=indent)) == document


def _depth(document: Any) -> int:
    held = document.values() if isinstance(document, dict) else document if isinstance(document, list) else None
    return 0 if held is None else 1 + max((_depth(each) for each in held), default=0)


@given(document=documents, indent=st.sampled_from([None, 1]))
def test_the_place_of_a_level_is_where_something_opens(document: Any, indent: int | None) -> None:
    text, depth = json.dumps(document, indent=indent, ensure_ascii=False), _depth(document)
    assert opened_at(text, depth + 1) is None
    if depth:
        place = opened_at(text, depth)
        assert place is not None
        assert text.split("\n")[place[0] - 1][place[1] - 1] in "[{"


@pytest.mark.parametrize("opening", ["[", '{"a":'])
def test_a_document_may_be_nested_so_deep_and_no_deeper(opening: str) -> None:
    closing = "]" if opening == "[" else "}"

    def nested(levels: int) -> str:
        return opening * levels + ("" if opening == "[" else "1") + closing * levels

    json_of(nested(NESTING_MAX))
    for levels in (NESTING_MAX + 1, 100_000):
        with pytest.raises(NoJson, match=r"^it is nested deeper than 200 levels$") as refused:
            json_of(nested(levels))
        assert (refused.value.line, refused.value.column) == (1, NESTING_MAX * len(opening) + 1)


@pytest.mark.parametrize(
    ("text", "said", "line", "column"),
    [
        ("", "there is nothing in it", 1, 1),
        (" \n", "there is nothing in it", 1, 1),
        ('{"a": 1,\n "b": oops}', 'a value is expected, and here is "oops}"', 2, 7),
        ('{"a": 1\n', "a comma is expected, and there is nothing more", 2, 1),
        ('{"a" 1}', 'a colon is expected, and here is "1}"', 1, 6),
        ("{} " + "x" * 100, f'the document has ended, and here is "{"x" * 20}..."', 1, 4),
        ('{"a": "b', "unterminated string", 1, 7),
        ('{"a": "\n"}', "invalid control character", 1, 8),
    ],
)
def test_what_is_wrong_is_said_with_its_place(text: str, said: str, line: int, column: int) -> None:
    with pytest.raises(NoJson) as refused:
        json_of(text)
    assert (str(refused.value), refused.value.line, refused.value.column) == (said, line, column)


@given(text=st.text())
def test_no_text_is_a_traceback(text: str) -> None:
    with suppress(NoJson):
        json_of(text)


def test_bytes_that_are_no_utf_8_are_said_with_their_line() -> None:
    assert text_of("\ufeffGröße".encode()) == "Größe"
    with pytest.raises(NoText, match=r"^byte 6 \(line 2\) is not UTF-8; save the file as UTF-8$"):
        text_of("ab\n{gr\xf6".encode("latin-1"))
    with pytest.raises(NoText, match=r"^it is UTF-16, and not UTF-8"):
        text_of("Größe".encode("utf-16"))
