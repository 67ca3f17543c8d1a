"""Tables of the engine benchmark: medians over rounds, ratios and targets."""

from __future__ import annotations

import pytest

from bench.engine_bench import targets
from bench.engine_bench.over_http import Cell, Rates
from bench.engine_bench.peers import OURS
from bench.engine_bench.report import (
    Comparison,
    TargetResult,
    comparisons_table,
    rates_table,
    ratio_results,
    ratios_table,
    summary,
    table,
)
from bench.engine_bench.targets import at_least, at_most
from bench.engine_bench.workload import Kind, Row

GET = Row("GetItem", "single", ())


def rates_of(ours: list[float], theirs: list[float]) -> Rates:
    return Rates({Cell("GetItem", 8, OURS): ours, Cell("GetItem", 8, "dynalite"): theirs})


def test_a_ratio_in_the_engine_report_is_the_median_over_the_rounds() -> None:
    # In the third round, other programs used the machine, and both servers were ten times slower.
    rates = rates_of([900.0, 1_000.0, 100.0], [300.0, 500.0, 50.0])
    assert rates.ratio(Cell("GetItem", 8, OURS), "dynalite") == 2
    assert rates.rate(Cell("GetItem", 8, OURS)) == 900


def test_the_engine_report_has_a_ratio_for_a_server_that_was_measured_once() -> None:
    assert rates_of([90.0, 100.0, 110.0], [0.5]).ratio(Cell("GetItem", 8, OURS), "dynalite") == 200


def test_the_engine_report_has_no_figures_for_a_server_that_fails_once() -> None:
    rates = rates_of([2.0], [1.0])
    rates.record_failure("GetItem", "dynalite", ValueError("no\nanswer"))
    assert rates.rate(Cell("GetItem", 8, "dynalite")) is None
    assert rates.ratio(Cell("GetItem", 8, OURS), "dynalite") is None
    assert rates.failures == {("GetItem", "dynalite"): "no answer"}


def test_the_engine_report_shows_which_targets_are_met() -> None:
    assert ratios_table(rates_of([190.0], [100.0]), [GET], ["dynalite"]).splitlines() == [
        "singletable is               x dynalite",
        "GetItem, 1 client                     -",
        "GetItem, 8 clients  1.9x (>= 2: missed)",
    ]
    assert "2.0x (>= 2: met)" in ratios_table(rates_of([200.0], [100.0]), [GET], ["dynalite"])


def test_the_engine_report_has_a_column_of_rates_for_every_server() -> None:
    assert rates_table(rates_of([12_345.0], [12.34]), [GET], [OURS, "dynalite"]).splitlines() == [
        "requests/s          singletable  dynalite",
        "GetItem, 1 client             -         -",
        "GetItem, 8 clients       12,345      12.3",
    ]


def test_comparisons_in_the_engine_report_are_in_microseconds() -> None:
    shown = comparisons_table("ours", "peer", [Comparison("GetItem", 30e-6, 10e-6, 3.0, at_most(4))])
    assert shown.splitlines() == [
        "microseconds  ours  peer             ratio",
        "GetItem       30.0  10.0  3.0x (<= 4: met)",
    ]


def test_the_summary_of_the_engine_report_lists_the_missed_targets() -> None:
    results = [TargetResult("a", 3, at_least(2)), TargetResult("b", 3, at_most(2)), TargetResult("c", 1, None)]
    assert summary(results) == "1 of 2 targets met\n  missed: b: 3.00, should be <= 2"


def test_the_engine_report_contains_only_measured_ratios() -> None:
    [result] = ratio_results(rates_of([200.0], [100.0]), [GET], ["dynalite", "moto"])
    assert (result.figure, result.target) == (2, at_least(2))


@pytest.mark.parametrize(
    ("peer", "kind", "one_client", "eight_clients"),
    [
        ("DynamoDB Local", "single", 5, 8),
        ("DynamoDB Local", "batch", 5, 8),
        ("DynamoDB Local", "transaction", 5, 8),
        ("DynamoDB Local", "query", 4, 4),
        ("dynalite", "single", 1.4, 2),
        ("dynalite", "query", 5, 5),
        ("dynalite", "batch", 5, 5),
        ("dynalite", "transaction", None, None),
        ("ministack", "single", None, 5),
        ("ministack", "query", None, 5),
        ("moto", "single", None, None),
        ("dynoxide", "single", 1, 1),
        ("ExtendDB", "single", None, None),
    ],
)
def test_the_engine_report_has_targets_for_every_server(
    peer: str, kind: Kind, one_client: float | None, eight_clients: float | None
) -> None:
    found = [targets.over_http(peer, kind, clients) for clients in (1, 8)]
    assert [target and target.bound for target in found] == [one_client, eight_clients]


def test_the_columns_of_the_engine_report_are_aligned() -> None:
    assert table(["a", "bcd"], [["long", "1"], ["s", "23"]]) == "a     bcd\nlong    1\ns      23"
