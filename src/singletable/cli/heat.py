"""`singletable heat MODEL`: simulate growing traffic, find hot partitions, and propose shards."""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from singletable.cli.load_model import load_tables
from singletable.cli.output import print_heading, print_json, print_table
from singletable.cli.price_options import add_price_options, chosen_prices
from singletable.errors import ArgumentRefused
from singletable.heat.heat_chart import heat_chart
from singletable.heat.heat_report import HeatAdvice, HeatReport, PartitionHeat, TableHeat, heat_report
from singletable.heat.hot_partitions import Demand, HotPartition, PartitionLoad
from singletable.heat.sharding import Sharding
from singletable.heat.simulation import Growth, SimulationResult
from singletable.planner.formatting import GUESS_MARK, format_dollars
from singletable.values.limits import PARTITION_READ_UNITS_PER_SECOND_MAX, PARTITION_WRITE_UNITS_PER_SECOND_MAX

ON_DEMAND_GROWTH = (
    "An on-demand table serves up to twice its previous peak at once, and more after half an hour. Increase traffic "
    "slowly (--over 60), or raise the warm throughput first."
)
PROVISIONED_GROWTH = (
    "Raise the provisioned capacity before traffic grows, or use auto scaling. The simulation does not change the "
    "current capacity."
)
TIMES = (1.0, 10.0, 100.0, 1000.0)


def add_to(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "heat", help="simulate growing traffic, find hot partitions and propose shards", description=__doc__
    )
    parser.add_argument("model", metavar="MODEL", help="a Python file or module; add :Table to select one table")
    parser.add_argument(
        "--times",
        type=_times,
        default=TIMES,
        metavar="N,N",
        help="multiples of today's traffic (default: 1,10,100,1000)",
    )
    parser.add_argument(
        "--over", type=_minutes, default=0, metavar="MINUTES", help="minutes until full traffic (default: 0)"
    )
    parser.add_argument(
        "--minutes",
        type=_minutes,
        metavar="MINUTES",
        help="minutes to simulate (default: 60 after the growth)",
    )
    parser.add_argument(
        "--provisioned",
        action="store_true",
        help="simulate provisioned capacity instead of on-demand billing",
    )
    add_price_options(parser)
    parser.add_argument("--picture", type=_svg, metavar="FILE.svg", help="also draw a chart to this file")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.set_defaults(run=run)


def _times(text: str) -> tuple[float, ...]:
    try:
        times = tuple(float(each) for each in text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(f"invalid list {text!r}: write numbers such as 1,10,100") from None
    if not all(0 < each <= 1e9 for each in times):
        raise argparse.ArgumentTypeError("multiples must be above 0 and at most a billion")
    return tuple(sorted(set(times)))


def _minutes(text: str) -> int:
    if not text.isdigit() or int(text) > 1440:
        raise argparse.ArgumentTypeError(f"invalid number of minutes {text!r}: write 0 to 1440")
    return int(text)


def _svg(text: str) -> Path:
    if not text.lower().endswith(".svg"):
        raise argparse.ArgumentTypeError(f"output path must end in .svg, got {text!r}")
    return Path(text)


def run(options: argparse.Namespace) -> int:
    """Print the heat of every table. Return 1 if the current traffic is already throttled."""
    minutes = options.over + 60 if options.minutes is None else options.minutes
    if minutes <= options.over:
        raise ArgumentRefused(f"--minutes {minutes} must be longer than --over {options.over}")
    growths = [Growth(times, options.over * 60, minutes * 60) for times in options.times]
    prices = chosen_prices(options)
    reports = [
        heat_report(table.design, prices, growths, is_provisioned=options.provisioned)
        for table in load_tables(options.model)
    ]
    if options.picture is not None:
        _draw(reports, options.picture)
    if options.json:
        print_json({"tables": [_as_json(report) for report in reports]})
    else:
        for number, report in enumerate(reports):
            print("\n" if number else "", end="")
            _print(report)
    return 1 if any(report.throttles for report in reports) else 0


def _draw(reports: Sequence[HeatReport], path: Path) -> None:
    for report in reports:
        one = path if len(reports) == 1 else path.with_stem(f"{path.stem}-{report.design.name}")
        one.write_text(heat_chart(report), encoding="utf-8")


def _print(report: HeatReport) -> None:
    name = report.design.name
    if not report.hot:
        print(f"{name}: no pattern declares rate= or frequency=, so there is no traffic to simulate")
        _print_unserved(report)
        return
    headers = ["#", "partition", "index", "reads/s", "writes/s", *(f"x{growth.times:g}" for growth in report.growths)]
    rows = [_hot_row(number, hot) for number, hot in enumerate(report.hot, start=1)]
    print_table(f"{name}: hottest partition per key template, at multiples of today's traffic", headers, rows)
    print()
    mode = "provisioned for today's traffic" if report.is_provisioned else "on-demand"
    headers = ["index", "reads/s", "writes/s", *(f"x{growth.times:g}" for growth in report.growths)]
    print_table(f"{name}: table and indexes, {mode}", headers, [_place_row(p) for p in report.places])
    if any(course.share for place in report.places for course in place.results):
        print(PROVISIONED_GROWTH if report.is_provisioned else ON_DEMAND_GROWTH)
    for hot in report.hot:
        if hot.advice:
            print()
            _print_advice(hot)
    if report.without_rate:
        print(f"\nNot counted, without rate= or frequency=: {', '.join(report.without_rate)}")
    _print_unserved(report)
    if report.guesses:
        print()
        print_heading("Assumptions")
        for guess in report.guesses:
            print(f"  {GUESS_MARK} {guess}")


def _print_unserved(report: HeatReport) -> None:
    if report.unserved:
        print(f"\nNot counted, because no request serves them: {', '.join(report.unserved)}")


def _hot_row(number: int, hot: PartitionHeat) -> list[str]:
    partition = hot.partition
    served = (_served(course, is_guessed=_is_guessed(partition)) for course in hot.results)
    return [str(number), partition.template, partition.index.label, *_units(partition.demand, partition), *served]


def _units(demand: Demand, of: HotPartition | TableHeat) -> list[str]:
    marks = (GUESS_MARK if guessed else "" for guessed in (of.guesses_reads, of.guesses_writes))
    amounts = (demand.reads, demand.writes)
    return [f"{mark}{_amount(amount)}" if amount else "" for mark, amount in zip(marks, amounts, strict=True)]


def _is_guessed(of: HotPartition | TableHeat) -> bool:
    return of.guesses_reads or of.guesses_writes


def _amount(units: float) -> str:
    """Return units per second with three significant digits, without an exponent."""
    if units >= 100:
        return f"{units:,.0f}"
    return f"{units:.3g}" if units >= 0.001 else "<0.001"


def _part(share: float) -> str:
    if share == 1:
        return "100% of its traffic"
    return f"{share * 100:.3g}% of its traffic" if share >= 0.0001 else "less than 0.01% of its traffic"


def _served(course: SimulationResult, *, is_guessed: bool) -> str:
    if not course.share:
        return "served"
    mark = GUESS_MARK if is_guessed else ""
    splits = f", {course.splits} split{'' if course.splits == 1 else 's'}" if course.splits else ""
    return f"throttled {mark}{course.share:.1%}{splits}"


def _place_row(place: TableHeat) -> list[str]:
    served = (_served(course, is_guessed=_is_guessed(place)) for course in place.results)
    return [place.label, *_units(place.demand, place), *served]


def _print_advice(hot: PartitionHeat) -> None:
    partition = hot.partition
    print_heading(f"{partition.spoken}")
    for load in sorted(partition.loads, key=lambda each: -each.demand.partitions):
        kind, amount = ("write", load.demand.writes) if load.demand.writes else ("read", load.demand.reads)
        mark = GUESS_MARK if load.is_guessed else ""
        part = f"{GUESS_MARK if load.share.guessed else ''}{_part(load.share.part)}"
        print(f"  {load.pattern}: {mark}{_amount(amount)} {kind} units per second, {part}")
    for load in partition.bursts:
        print(f"  {_burst(load)}")
    if partition.unsplittable_reason:
        print(f"  DynamoDB cannot split this partition: {partition.unsplittable_reason}")
    for advice in hot.advice:
        print(f"  {_at(advice.growth)}: {advice.what}")
        if isinstance(advice.what, Sharding):
            served = _served(advice.what.course, is_guessed=_is_guessed(partition))
            print(f"    simulated result: {served}{_price(advice)}")


def _at(growth: Growth) -> str:
    return "at today's traffic" if growth.times == 1 else f"at {growth.times:,g} times today's traffic"


def _burst(load: PartitionLoad) -> str:
    """Explain why a large call throttles even if it is rare."""
    kind, units, given = (
        ("read", load.at_once.reads, PARTITION_READ_UNITS_PER_SECOND_MAX)
        if load.at_once.reads
        else ("write", load.at_once.writes, PARTITION_WRITE_UNITS_PER_SECOND_MAX)
    )
    seconds = math.ceil(load.at_once.partitions)
    lasts = f"takes at least {seconds} seconds and " if seconds > 1 else ""
    less = "; add a limit to make it smaller" if kind == "read" and not load.finds_copies else ""
    return (
        f"one call of {load.pattern} needs {_amount(units)} {kind} units, and a partition serves {given:,} per second: "
        f"it {lasts}throttles other requests to the partition{less}"
    )


def _price(advice: HeatAdvice) -> str:
    change = advice.dollars_after - advice.dollars_before
    if abs(change) < 0.005:
        return "; same cost"
    mark = GUESS_MARK if advice.guesses_dollars else ""
    after, before = (f"{mark}{format_dollars(each)}" for each in (advice.dollars_after, advice.dollars_before))
    return f"; at today's traffic {after} per month instead of {before}"


def _as_json(report: HeatReport) -> dict[str, Any]:
    return {
        "table": report.design.name,
        "mode": "provisioned" if report.is_provisioned else "on-demand",
        "partitions": [_hot_as_json(report, hot) for hot in report.hot],
        "places": [
            {
                "place": place.label,
                "reads_per_second": place.demand.reads,
                "writes_per_second": place.demand.writes,
                "guessed": _is_guessed(place),
                "simulations": _courses(report, place.results),
            }
            for place in report.places
        ],
        "without_rate": report.without_rate,
        "unserved": report.unserved,
        "guessed": report.guesses,
    }


def _hot_as_json(report: HeatReport, hot: PartitionHeat) -> dict[str, Any]:
    partition = hot.partition
    return {
        "partition": partition.template,
        "index": partition.index.label,
        "hot_fields": partition.hot_fields,
        "reads_per_second": partition.demand.reads,
        "writes_per_second": partition.demand.writes,
        "of_a_partition": partition.demand.partitions,
        "guessed": _is_guessed(partition),
        "unsplittable_reason": partition.unsplittable_reason or None,
        "patterns": [
            {
                "pattern": load.pattern,
                "reads": load.demand.reads,
                "writes": load.demand.writes,
                "reads_of_one_call": load.at_once.reads,
                "writes_of_one_call": load.at_once.writes,
                "guessed": load.is_guessed,
            }
            for load in partition.loads
        ],
        "simulations": _courses(report, hot.results),
        "advice": [_advice_as_json(advice) for advice in hot.advice],
    }


def _advice_as_json(advice: HeatAdvice) -> dict[str, Any]:
    said: dict[str, Any] = {"times": advice.growth.times, "advice": str(advice.what)}
    if isinstance(advice.what, Sharding):
        said |= {
            "entity": advice.what.entity.label,
            "index": advice.what.alias,
            "partition": advice.what.partition,
            "shards": advice.what.shards,
            "fanned": advice.what.fanned,
            "fanouts": dict(advice.what.fanouts),
            "throttled": advice.what.course.share,
            "dollars_before": advice.dollars_before,
            "dollars_after": advice.dollars_after,
        }
    return said


def _courses(report: HeatReport, courses: Sequence[SimulationResult]) -> list[dict[str, Any]]:
    return [
        {
            "times": growth.times,
            "throttled": course.share,
            "throttled_in_the_end": course.at_the_end,
            "first_throttled_second": course.first_second,
            "splits": course.splits,
        }
        for growth, course in zip(report.growths, courses, strict=True)
    ]
