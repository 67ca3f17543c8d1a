"""Tables on a terminal: columns where they fit, otherwise row by row, and never a word in two."""

from __future__ import annotations

import sys

import pytest

from singletable.cli.output import print_table

HEADERS = ("#", "pattern", "access pattern", "operation", "transaction", "verdict")
ROWS = [
    ("1", "customers_by_signup", "List all customers chronologically", "Query", "", "one request"),
    ("2", "customer", "Get customer by ID", "GetItem", "2", "one request"),
]


def _drawn(columns: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> list[str]:
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    print_table("Shop: the plans", HEADERS, ROWS)
    return [line.rstrip() for line in capsys.readouterr().out.splitlines()]


def test_a_wide_terminal_has_a_line_for_each_row(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    title, headers, rule, first, second = _drawn(120, monkeypatch, capsys)
    assert (title, headers.split()[0], set(rule)) == ("Shop: the plans", "#", {"─"})
    assert first.split("  ")[:2] == ["1", "customers_by_signup"]
    assert second.endswith("one request")


def test_a_narrower_one_breaks_sentences_between_words(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = _drawn(80, monkeypatch, capsys)
    assert max(map(len, lines)) <= 80
    assert "customers_by_signup" in "\n".join(lines)
    assert "chronologically" in "\n".join(lines)
    assert lines[1].split()[-2:] == ["transaction", "verdict"]


def test_one_that_is_too_narrow_for_columns_has_every_row_under_its_name(
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


def test_a_pipe_gets_aligned_text_of_any_width(capsys: pytest.CaptureFixture[str]) -> None:
    print_table("Shop: the plans", HEADERS, ROWS)
    assert (
        capsys.readouterr().out.splitlines()[3].startswith("1  customers_by_signup  List all customers chronologically")
    )
