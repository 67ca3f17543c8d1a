"""Tables on a terminal: columns if they fit, otherwise row by row, without broken words."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.cli.output import GAP, WORD_CHARACTERS_MAX, column_widths, print_table, print_wrapped

HEADERS = ("#", "pattern", "access pattern", "operation", "transaction", "verdict")
ROWS = [
    ("1", "customers_by_signup", "List all customers chronologically", "Query", "", "one request"),
    ("2", "customer", "Get customer by ID", "GetItem", "2", "one request"),
]


NO_BREAK_SPACE = "\u00a0"


def _terminal(columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("LINES", "25")  # without this, rich ignores COLUMNS on a dumb terminal
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)


def _drawn(columns: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> list[str]:
    _terminal(columns, monkeypatch)
    print_table("Shop: the plans", HEADERS, ROWS)
    return [line.rstrip() for line in capsys.readouterr().out.splitlines()]


def test_cli_output_on_a_wide_terminal_has_a_line_for_each_row(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    title, headers, rule, first, second = _drawn(120, monkeypatch, capsys)
    assert (title, headers.split()[0], set(rule)) == ("Shop: the plans", "#", {"─"})
    assert first.split("  ")[:2] == ["1", "customers_by_signup"]
    assert second.endswith("one request")


def test_cli_output_on_a_narrow_terminal_wraps_between_words(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = _drawn(80, monkeypatch, capsys)
    assert max(map(len, lines)) <= 80
    assert "customers_by_signup" in "\n".join(lines)
    assert "chronologically" in "\n".join(lines)
    assert lines[1].split()[-2:] == ["transaction", "verdict"]


def test_cli_output_on_a_terminal_too_narrow_for_columns_is_row_by_row(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _drawn(60, monkeypatch, capsys) == [
        "Shop: the plans",
        "1  customers_by_signup",
        "  access pattern List all customers chronologically",
        "  operation Query · verdict one request",
        "2  customer",
        "  access pattern Get customer by ID · operation GetItem",
        "  transaction 2 · verdict one request",
    ]


def test_cli_output_in_a_pipe_is_aligned_text_of_any_width(capsys: pytest.CaptureFixture[str]) -> None:
    print_table("Shop: the plans", HEADERS, ROWS)
    assert (
        capsys.readouterr().out.splitlines()[3].startswith("1  customers_by_signup  List all customers chronologically")
    )


_CELLS = st.lists(st.text("ab", max_size=WORD_CHARACTERS_MAX), max_size=4).map(" ".join)
_LINES = st.integers(1, 5).flatmap(lambda n: st.lists(st.lists(_CELLS, min_size=n, max_size=n), min_size=1, max_size=4))


def test_a_cli_output_column_that_fits_is_as_wide_as_its_widest_cell() -> None:
    assert column_widths([("pattern", "one call"), ("customers_by_signup", "115 RRU")], 80) == [19, 8]


def test_the_cli_output_column_with_the_most_spare_width_wraps_first() -> None:
    lines = [("pattern", "what it is for"), ("orders", "Get all orders of a customer, the newest first")]
    assert column_widths(lines, 40) == [7, 31]


def test_cli_output_has_no_columns_for_words_that_do_not_fit_side_by_side() -> None:
    assert column_widths([("operation", "transaction"), ("GetItem", "2")], 21) is None
    assert column_widths([("operation", "transaction"), ("GetItem", "2")], 22) == [9, 11]


def test_cli_output_has_columns_despite_one_long_word() -> None:
    assert column_widths([("key", "of"), ("K" * 100, "table")], 60) == [53, 5]


@given(_LINES, st.integers(1, 120))
def test_cli_output_columns_fit_every_word_whenever_possible(lines: list[list[str]], room: int) -> None:
    widths = column_widths(lines, room)
    words = [
        max((len(word) for cell in column for word in cell.split()), default=0) for column in zip(*lines, strict=True)
    ]
    gaps = GAP * (len(words) - 1)
    if widths is None:
        assert sum(words) + gaps > room
    else:
        assert sum(widths) + gaps <= room
        assert all(width >= word for width, word in zip(widths, words, strict=True))


REASON = "needs equality on status, which no index key supports; GSI1 (KEYS_ONLY) does not project the status"
PLAN_HEADERS = ("#", "operation", "key condition", "verdict", "reason")
PLANS = [
    ("1", "Query", 'GSI1PK = "USER#{user_id}" AND GSI1SK BETWEEN "{placed_at.low}" AND "{high}$"', "one request", ""),
    ("2", "", "", "not supported", REASON),
]


@pytest.mark.parametrize("columns", [60, 80, 120, 200])
def test_cli_output_never_clips_a_plan_or_a_verdict(
    columns: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _terminal(columns, monkeypatch)
    print_table("Shop: the plans", PLAN_HEADERS, PLANS, names=["orders", "orders_in_status"])
    lines = capsys.readouterr().out.splitlines()
    assert max(len(line.rstrip()) for line in lines) <= columns
    shown = "".join("".join(lines).split())
    for word in " ".join(cell for row in PLANS for cell in row).split():
        assert word in shown or columns == 120  # columns interleave the words of several cells
    assert "…" not in shown


def test_cli_output_prints_a_tall_table_as_blocks_with_the_names_of_the_rows(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _terminal(80, monkeypatch)
    print_table("Shop: the plans", PLAN_HEADERS, PLANS, names=["orders", "orders_in_status"])
    assert [line.rstrip() for line in capsys.readouterr().out.splitlines()] == [
        "Shop: the plans",
        "1  orders",
        "  operation Query",
        '  key condition GSI1PK = "USER#{user_id}" AND GSI1SK BETWEEN "{placed_at.low}"',
        '    AND "{high}$"',
        "  verdict one request",
        "2  orders_in_status",
        "  verdict not supported",
        "  reason needs equality on status, which no index key supports; GSI1",
        "    (KEYS_ONLY) does not project the status",
    ]


@pytest.mark.parametrize("columns", [40, 80, 120])
def test_cli_output_wraps_text_with_a_hanging_indent_and_keeps_source_on_one_line(
    columns: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _terminal(columns, monkeypatch)
    source = 'gsi1=("CUST#{id}", "{created_at}")'
    text = f"{REASON}. Set {source.replace(' ', NO_BREAK_SPACE)} in the class."
    print_wrapped(text, "  ", "    ")
    first, *rest = lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= columns
    assert first.startswith("  needs")
    assert all(line.startswith("    ") for line in rest)
    assert any(source in line for line in lines)
    assert " ".join(" ".join(lines).split()) == text.replace(NO_BREAK_SPACE, " ")


def test_cli_output_does_not_wrap_text_in_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    print_wrapped(REASON * 3, "  ", "    ")
    assert capsys.readouterr().out == f"  {REASON * 3}\n"
