from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from singletable.document.svg import Svg, cells, cut, mono_width, wrap


@given(st.text(), st.integers(1, 30))
def test_a_cut_text_fits_and_is_marked(text: str, most: int) -> None:
    shorter = cut(text, most)
    assert cells(shorter) <= most
    assert shorter == text or (shorter.endswith("…") and text.startswith(shorter[:-1]))


@given(st.text(alphabet="ab#", max_size=36))
def test_a_wrapped_text_is_all_there_line_by_line(text: str) -> None:
    lines = wrap(text, 12)
    assert all(cells(line) <= 12 for line in lines)
    assert "".join(lines) == text


def test_lines_are_broken_behind_a_delimiter_where_there_is_one() -> None:
    assert wrap("SENSOR#cellar#2026-04-11", 16) == ["SENSOR#cellar#", "2026-04-11"]
    assert wrap("", 5) == [""]


def test_a_very_long_text_ends_after_six_lines() -> None:
    assert len(wrap("x" * 1000, 10)) == 6
    assert wrap("x" * 1000, 10)[-1].endswith("…")


def test_wide_characters_take_two_cells_and_combining_ones_none() -> None:
    assert cells("日本") == 4
    assert cells("e\N{COMBINING ACUTE ACCENT}") == 1
    assert mono_width("日", 10) == mono_width("ab", 10)


def test_controls_are_shown_and_what_xml_cannot_hold_is_replaced() -> None:
    svg = Svg(10, 10, "a\0b", "c", "")
    svg.text(0, 0, "x\ty\n\x1b\ud800\uffff", "t")
    document = svg.document()
    assert 'aria-label="a␀b"' in document
    assert ">x␉y␊␛\N{REPLACEMENT CHARACTER}\N{REPLACEMENT CHARACTER}<" in document
