"""A marked section: what is between the markers is replaced, and nothing else is touched."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.document.marked_section import END, put_between_markers, start_of
from singletable.errors import ExportRefused

START = start_of("model.py")


def put(file: str, text: str = "new\n") -> str:
    return put_between_markers(file, text, "model.py", "README.md")


def test_the_section_is_replaced() -> None:
    assert put(f"# Title\n\n{START}\nold\nolder\n{END}\nbelow\n") == f"# Title\n\n{START}\n\nnew\n\n{END}\nbelow\n"


@given(
    before=st.text(st.characters(exclude_characters="`~", exclude_categories=["Cs"])),
    after=st.text(st.characters(exclude_categories=["Cs"])),
    ending=st.sampled_from(["\n", "\r\n"]),
)
def test_what_is_outside_stays_to_the_byte(before: str, after: str, ending: str) -> None:
    file = f"{before}\n{START}{ending}old{ending}{END}{ending}{after}"
    assert put(file) == f"{before}\n{START}{ending}{ending}new{ending}{ending}{END}{ending}{after}"


def test_putting_it_twice_changes_nothing() -> None:
    once = put(f"{START}\n{END}")
    assert put(once) == once


def test_another_model_has_its_own_section() -> None:
    other = start_of("other.py")
    file = f"{other}\nkept\n{END}\n{START}\n{END}\n"
    assert put(file) == f"{other}\nkept\n{END}\n{START}\n\nnew\n\n{END}\n"


def test_markers_in_a_fenced_block_are_an_example() -> None:
    example = f"````\n```\n{START}\n{END}\n````\n"
    assert put(f"{example}{START}\n{END}\n") == f"{example}{START}\n\nnew\n\n{END}\n"


def test_a_file_without_markers_says_what_to_add() -> None:
    with pytest.raises(ExportRefused) as refused:
        put("# Title\n")
    assert f"  {START}\n  {END}" in str(refused.value)


def test_a_section_of_another_model_is_named() -> None:
    with pytest.raises(ExportRefused, match=r"It has a section for other\.py"):
        put(f"{start_of('other.py')}\n{END}\n")


@pytest.mark.parametrize("file", [f"{START}\nold\n", f"{START}\n{start_of('other.py')}\n{END}\n"])
def test_a_section_without_an_end_is_refused(file: str) -> None:
    with pytest.raises(ExportRefused, match=r"README\.md:1: the section has no end"):
        put(file)


def test_two_sections_of_one_model_are_refused() -> None:
    with pytest.raises(ExportRefused, match="more than once, on lines 1 and 3"):
        put(f"{START}\n{END}\n{START}\n{END}\n")
