"""SVG text: truncation, wrapping, cell widths and control characters."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from singletable.document.svg import Svg, cells, cut, mono_width, wrap


@given(st.text(), st.integers(1, 30))
def test_a_truncated_svg_text_fits_and_has_an_ellipsis(text: str, most: int) -> None:
    shorter = cut(text, most)
    assert cells(shorter) <= most
    assert shorter == text or (shorter.endswith("…") and text.startswith(shorter[:-1]))


@given(st.text(alphabet="ab#", max_size=36))
def test_a_wrapped_svg_text_is_complete(text: str) -> None:
    lines = wrap(text, 12)
    assert all(cells(line) <= 12 for line in lines)
    assert "".join(lines) == text


def test_svg_text_lines_wrap_after_a_delimiter() -> None:
    assert wrap("SENSOR#cellar#2026-04-11", 16) == ["SENSOR#cellar#", "2026-04-11"]
    assert wrap("", 5) == [""]


def test_a_very_long_svg_text_ends_after_six_lines() -> None:
    assert len(wrap("x" * 1000, 10)) == 6
    assert wrap("x" * 1000, 10)[-1].endswith("…")


def test_svg_text_width_counts_two_cells_for_wide_characters_and_none_for_combining_ones() -> None:
    assert cells("日本") == 4
    assert cells("e\N{COMBINING ACUTE ACCENT}") == 1
    assert mono_width("日", 10) == mono_width("ab", 10)


def test_svg_text_replaces_control_characters_and_invalid_xml() -> None:
    svg = Svg(10, 10, "a\0b", "c", "")
    svg.text(0, 0, "x\ty\n\x1b\ud800\uffff", "t")
    document = svg.document()
    assert 'aria-label="a␀b"' in document
    assert ">x␉y␊␛\N{REPLACEMENT CHARACTER}\N{REPLACEMENT CHARACTER}<" in document
