"""Tables of a run: figures, ratios, their targets, and which targets are met."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bench.engine_bench import targets
from bench.engine_bench.over_http import CLIENTS, Cell, Rates
from bench.engine_bench.peers import OURS
from bench.engine_bench.targets import Target
from bench.engine_bench.workload import Row


@dataclass(frozen=True)
class TargetResult:
    """A figure with its name in the summary and its target, if it has one."""

    name: str
    figure: float
    target: Target | None

    @property
    def verdict(self) -> str:
        """`met` or `missed`. Empty without a target."""
        if self.target is None:
            return ""
        return "met" if self.target.is_met(self.figure) else "missed"


@dataclass(frozen=True)
class Comparison:
    """Two latencies of one run, in seconds, and the ratio of the first to the second."""

    name: str
    ours: float
    other: float
    ratio: float
    target: Target

    @property
    def result(self) -> TargetResult:
        """The ratio with its target."""
        return TargetResult(self.name, self.ratio, self.target)


def table(head: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """Return an aligned table: the first column is flush left, the others are flush right."""
    whole = [list(head), *(list(line) for line in lines)]
    widths = [max(len(line[column]) for line in whole) for column in range(len(head))]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if column else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in whole
    )


def format_rate(rate: float | None) -> str:
    """Return a rate with about three digits or more. Return a dash if nothing was measured."""
    return "-" if rate is None else f"{rate:,.0f}" if rate >= 100 else f"{rate:.1f}"


def format_ratio(result: TargetResult | None) -> str:
    """Return a ratio with its target and verdict. Return a dash if nothing was measured."""
    if result is None:
        return "-"
    if result.target is None:
        return f"{result.figure:.1f}x"
    return f"{result.figure:.1f}x ({result.target}: {result.verdict})"


def rates_table(rates: Rates, rows: Sequence[Row], servers: Sequence[str]) -> str:
    """Return the responses per second of every server."""
    lines = [
        [label(row, clients), *(format_rate(rates.rate(Cell(row.name, clients, server))) for server in servers)]
        for row in rows
        for clients in CLIENTS
    ]
    return table(["requests/s", *servers], lines)


def ratios_table(rates: Rates, rows: Sequence[Row], peers: Sequence[str]) -> str:
    """Return our rates relative to each peer."""
    lines = [
        [label(row, clients), *(format_ratio(ratio_result(rates, row, clients, peer)) for peer in peers)]
        for row in rows
        for clients in CLIENTS
    ]
    return table(["singletable is", *(f"x {peer}" for peer in peers)], lines)


def ratio_result(rates: Rates, row: Row, clients: int, peer: str) -> TargetResult | None:
    """Return our rate relative to a peer in one cell, with its target."""
    ratio = rates.ratio(Cell(row.name, clients, OURS), peer)
    if ratio is None:
        return None
    return TargetResult(f"{label(row, clients)}, {peer}", ratio, targets.over_http(peer, row.kind, clients))


def ratio_results(rates: Rates, rows: Sequence[Row], peers: Sequence[str]) -> list[TargetResult]:
    """Return every ratio that was measured."""
    cells = [ratio_result(rates, row, clients, peer) for row in rows for clients in CLIENTS for peer in peers]
    return [result for result in cells if result is not None]


def label(row: Row, clients: int) -> str:
    """Return the first column of a row with a number of clients."""
    return f"{row.name}, {clients} client{'s' if clients > 1 else ''}"


def comparisons_table(ours: str, other: str, comparisons: Sequence[Comparison]) -> str:
    """Return the latencies of one call in two columns, in microseconds."""
    lines = [
        [each.name, f"{each.ours * 1e6:,.1f}", f"{each.other * 1e6:,.1f}", format_ratio(each.result)]
        for each in comparisons
    ]
    return table(["microseconds", ours, other, "ratio"], lines)


def summary(results: Sequence[TargetResult]) -> str:
    """Return the number of targets that are met, and the missed ones."""
    with_target = [each for each in results if each.target is not None]
    missed = [each for each in with_target if each.verdict == "missed"]
    lines = [f"{len(with_target) - len(missed)} of {len(with_target)} targets met"]
    lines += [f"  missed: {each.name}: {each.figure:.2f}, should be {each.target}" for each in missed]
    return "\n".join(lines)
