"""The cold start benchmark: every program reads the same item, and the table compares totals."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bench.cold_start import BASE, PROGRAMS, print_table, start
from bench.cold_start_bench.shop_dataclasses import Customer, Shop
from bench.cold_start_bench.steps import NAME, NAMES
from tests.client.places import OURS, server


def test_every_program_without_another_library_starts(tmp_path: Path) -> None:
    with server(OURS, tmp_path) as url:
        with Shop.open(url, create=True) as shop:
            shop.put(Customer("c1", NAME, "ada@example.com", datetime(2026, 1, 1, tzinfo=UTC)))
        for name, _, library in PROGRAMS:
            if not library:
                steps = start(Path(sys.executable), name, url, "wall", tmp_path)
                assert len(steps) == len(NAMES)
                assert sum(steps) > 0


def test_the_cold_start_benchmark_ends_at_a_wrong_result(tmp_path: Path) -> None:
    with server(OURS, tmp_path) as url:
        with Shop.open(url, create=True) as shop:
            shop.put(Customer("c1", "Eve", "eve@example.com", datetime(2026, 1, 1, tzinfo=UTC)))
        with pytest.raises(SystemExit, match="the customer's name is 'Eve', not 'Ada'"):
            start(Path(sys.executable), "singletable_dataclasses", url, "cpu", tmp_path)


def test_the_cold_start_benchmark_compares_the_totals(capsys: pytest.CaptureFixture[str]) -> None:
    print_table({BASE: [100.0, 0.0, 50.0, 10.0, 160.0], "singletable_boto3": [1.0, 2.0, 3.0, 4.0, 240.0]})
    lines = capsys.readouterr().out.splitlines()
    assert lines[2] == "| boto3 client | 100 | 0 | 50 | 10 | 160 | 1.00 |"
    assert lines[3].endswith("| 240 | 1.50 |")
    assert len(lines) == 4
