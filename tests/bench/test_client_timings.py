"""Ratios of the client's bench are medians over rounds, judged by their targets."""

from __future__ import annotations

import pytest

from bench.client_bench import report
from bench.client_bench.targets import GET, QUERY_100, QUERY_1000, over_http
from bench.client_bench.timings import Cell, Timings

OURS = "singletable, dataclass"


def timed(**figures: list[float]) -> Timings:
    names = {"ours": OURS, "boto3": "boto3 resource", "pydynox": "pydynox Model"}
    return Timings({Cell(QUERY_1000, "sync", names[name]): found for name, found in figures.items()})


def test_a_ratio_is_the_median_of_the_ratios_of_the_rounds() -> None:
    # In the third round the machine was busy with something else, and both were ten times slower.
    timings = timed(ours=[1e-3, 2e-3, 30e-3], boto3=[9e-3, 16e-3, 300e-3])
    assert timings.ratio(Cell(QUERY_1000, "sync", OURS), Cell(QUERY_1000, "sync", "boto3 resource")) == pytest.approx(9)
    assert timings.seconds(Cell(QUERY_1000, "sync", OURS)) == 2e-3


def test_the_spread_is_half_of_the_middle_half() -> None:
    timings = timed(ours=[1.0, 2.0, 3.0, 4.0, 5.0])
    assert timings.spread(Cell(QUERY_1000, "sync", OURS)) == pytest.approx(1 / 3)
    assert timed(ours=[1.0]).spread(Cell(QUERY_1000, "sync", OURS)) is None


def test_the_table_says_which_targets_are_met() -> None:
    shown = report.ratios_table(timed(ours=[1.0], boto3=[7.5], pydynox=[3.0]), "sync")
    boto3 = next(line for line in shown.splitlines() if line.startswith("Query 1,000 items, boto3 resource"))
    pydynox = next(line for line in shown.splitlines() if line.startswith("Query 1,000 items, pydynox Model"))
    assert boto3.split(maxsplit=5)[5].split() == ["-", "7.5x", "(>=", "8:", "missed)", "-"]
    assert "3.0x (>= 3: met)" in pydynox
    assert "PynamoDB" not in shown


def test_times_are_in_microseconds() -> None:
    line = report.times_table(timed(ours=[1e-3, 1e-3, 1e-3]), "sync").splitlines()[2]
    assert line.split() == ["singletable,", "dataclass", "-", "-", "1,000", "±0%"]


def test_every_ratio_has_its_target() -> None:
    bounds = {
        (row, peer): target.bound
        for row in (GET, QUERY_100, QUERY_1000)
        for peer in ("boto3 resource", "boto3 client", "pydynox Model", "pydynox dicts", "aiodynamo")
        if (target := over_http(row, peer)) is not None
    }
    assert bounds == {
        (QUERY_1000, "boto3 resource"): 8,
        (QUERY_1000, "pydynox Model"): 3,
        (QUERY_1000, "pydynox dicts"): 1,
        (GET, "pydynox Model"): 1,
        (GET, "pydynox dicts"): 1,
    }


def test_what_is_in_the_process_is_judged_beside_boto3_with_a_server() -> None:
    timings = timed(boto3=[21e-3])
    timings.note(Cell(QUERY_1000, "sync", OURS, "memory:"), 1e-3)
    [judged] = report.judge_all_inside(timings)
    assert (judged.name, judged.verdict) == (f"Query 1,000 items, {OURS} at memory: to boto3 resource", "met")
