"""Ratios of the client benchmark: medians over rounds, tables, and targets."""

from __future__ import annotations

import pytest

from bench.client_bench import report
from bench.client_bench.command import parse
from bench.client_bench.report import ENGINE, TO_ENGINE, TYPED, target_over_http
from bench.client_bench.rows import GET, MOVE, PUT, PUT_MANY, QUERY_1000, READ_ROWS, UPDATE, WRITE_ROWS
from bench.client_bench.timings import Cell, Timings

OURS = "singletable, dataclass"
PEERS = ("boto3 resource", "boto3 client", "pydynox Model", "pydynox dicts", "aiodynamo")


def timings_of(row: str = QUERY_1000, **figures: list[float]) -> Timings:
    names = {"ours": OURS, "boto3": "boto3 resource", "pydynox": "pydynox Model", "dicts": "pydynox dicts"}
    return Timings({Cell(row, "sync", names[name]): found for name, found in figures.items()})


def test_a_ratio_in_the_client_report_is_the_median_over_the_rounds() -> None:
    # In the third round, other programs used the machine, and both contenders were ten times slower.
    timings = timings_of(ours=[1e-3, 2e-3, 30e-3], boto3=[9e-3, 16e-3, 300e-3])
    assert timings.ratio(Cell(QUERY_1000, "sync", OURS), Cell(QUERY_1000, "sync", "boto3 resource")) == pytest.approx(9)
    assert timings.seconds(Cell(QUERY_1000, "sync", OURS)) == 2e-3


def test_the_spread_in_the_client_report_is_half_of_the_interquartile_range() -> None:
    timings = timings_of(ours=[1.0, 2.0, 3.0, 4.0, 5.0])
    assert timings.spread(Cell(QUERY_1000, "sync", OURS)) == pytest.approx(1 / 3)
    assert timings_of(ours=[1.0]).spread(Cell(QUERY_1000, "sync", OURS)) is None


def test_the_client_report_shows_which_targets_are_met() -> None:
    shown = report.ratios_table(timings_of(ours=[1.0], boto3=[7.5], pydynox=[3.0]), "sync", READ_ROWS)
    boto3 = next(line for line in shown.splitlines() if line.startswith("Query 1,000 items, boto3 resource"))
    pydynox = next(line for line in shown.splitlines() if line.startswith("Query 1,000 items, pydynox Model"))
    assert boto3.split(maxsplit=5)[5].split() == ["-", "7.5x", "(>=", "8:", "missed)", "-"]
    assert "3.0x (>= 3: met)" in pydynox
    assert "PynamoDB" not in shown


def test_the_client_report_of_writes_has_the_contenders_of_the_write_rows_only() -> None:
    timings = timings_of(PUT, ours=[1.0], dicts=[0.9])
    timings.add(Cell(GET, "sync", "dyntastic"), 1.0)
    shown = report.ratios_table(timings, "sync", WRITE_ROWS)
    assert "0.9x (>= 1: missed)" in next(line for line in shown.splitlines() if line.startswith("Put, pydynox dicts"))
    assert "dyntastic" not in shown
    [result] = report.ratio_results(timings, "sync", WRITE_ROWS)
    assert (result.name, result.verdict) == (f"Put, sync, {OURS} to pydynox dicts", "missed")


def test_times_in_the_client_report_are_in_microseconds() -> None:
    line = report.times_table(timings_of(ours=[1e-3, 1e-3, 1e-3]), "sync", READ_ROWS).splitlines()[2]
    assert line.split() == ["singletable,", "dataclass", "-", "-", "1,000", "±0%"]


def test_the_client_report_has_a_target_for_every_read_ratio() -> None:
    assert bounds_of(READ_ROWS) == {
        (QUERY_1000, "boto3 resource"): 8,
        (QUERY_1000, "pydynox Model"): 3,
        (QUERY_1000, "pydynox dicts"): 1,
        (GET, "pydynox Model"): 1,
        (GET, "pydynox dicts"): 1,
    }


def test_the_client_report_has_the_same_targets_for_every_write_row() -> None:
    assert bounds_of(WRITE_ROWS) == {
        (row, peer): bound for row in WRITE_ROWS for peer, bound in (("boto3 resource", 5), ("pydynox dicts", 1))
    }


def bounds_of(rows: dict[str, str]) -> dict[tuple[str, str], float]:
    found = {(row, peer): target_over_http(row, peer) for row in rows for peer in PEERS}
    return {cell: target.bound for cell, target in found.items() if target is not None}


def test_the_client_report_compares_reads_in_process_with_boto3_on_a_server() -> None:
    timings = timings_of(boto3=[21e-3])
    timings.add(Cell(QUERY_1000, "sync", OURS, "memory:"), 1e-3)
    [result] = report.in_process_results(timings)
    assert (result.name, result.verdict) == (f"Query 1,000 items, {OURS} at memory: to boto3 resource", "met")


@pytest.mark.parametrize(("row", "bound"), [(PUT, 1.6), (UPDATE, 2), (MOVE, 2), (PUT_MANY, 1.5)])
def test_the_client_report_compares_typed_writes_with_the_engine(row: str, bound: float) -> None:
    assert (TO_ENGINE[row].bound, TO_ENGINE[row].at_least) == (bound, False)
    timings = Timings()
    for typed in (bound * 10e-6, bound * 11e-6, bound * 90e-6):
        timings.add(Cell(row, TYPED, OURS, "memory:"), typed)
        timings.add(Cell(row, ENGINE, OURS, "memory:"), 10e-6)
    [result] = report.engine_results(timings)
    assert result.figure == pytest.approx(1.1 * bound)
    assert result.verdict == "missed"
    name = report.ENGINE_ROW_NAMES[row]
    line = next(line for line in report.engine_table(timings).splitlines() if f"{name}, memory: {OURS}" in line)
    assert line.endswith(f"10.0  {1.1 * bound:.2f}x (<= {bound:g}: missed)")


def test_the_client_report_compares_put_many_in_memory_only() -> None:
    backends = [backend for row, backend in report.rows_and_backends() if row == PUT_MANY]
    assert backends == ["memory:"]


def test_the_rows_of_the_client_report_can_be_selected() -> None:
    assert [parse(arguments).rows for arguments in ([], ["--rows", "reads"], ["--rows", "writes"])] == [
        "all",
        "reads",
        "writes",
    ]
    assert (parse(["--quick"]).rounds, parse([]).rounds, parse(["--quick", "--rounds", "7"]).rounds) == (3, 9, 7)
