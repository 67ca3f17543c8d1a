"""The tables that a run prints: figures, ratios, their targets, and which of them are met."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bench.engine_bench import targets
from bench.engine_bench.over_http import CLIENTS, Cell, Rates
from bench.engine_bench.peers import OURS
from bench.engine_bench.targets import Target
from bench.engine_bench.workload import Row


@dataclass(frozen=True)
class Judged:
    """A figure, the target it has, and the words it stands under in the table."""

    name: str
    figure: float
    target: Target | None

    @property
    def verdict(self) -> str:
        """`met` or `missed`; nothing when there is no target."""
        if self.target is None:
            return ""
        return "met" if self.target.is_met(self.figure) else "missed"


@dataclass(frozen=True)
class Comparison:
    """Two latencies of one run, in seconds, and how many times the first is the second."""

    name: str
    ours: float
    other: float
    ratio: float
    target: Target

    @property
    def judged(self) -> Judged:
        """The ratio before its target."""
        return Judged(self.name, self.ratio, self.target)


def table(head: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """Aligned text: the first column to the left, figures to the right."""
    whole = [list(head), *(list(line) for line in lines)]
    widths = [max(len(line[place]) for line in whole) for place in range(len(head))]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if place else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in whole
    )


def shown_rate(rate: float | None) -> str:
    """A rate with as many digits as it is worth."""
    return "-" if rate is None else f"{rate:,.0f}" if rate >= 100 else f"{rate:.1f}"


def shown(judged: Judged | None) -> str:
    """A ratio, its target and the verdict; a dash where nothing could be compared."""
    if judged is None:
        return "-"
    if judged.target is None:
        return f"{judged.figure:.1f}x"
    return f"{judged.figure:.1f}x ({judged.target}: {judged.verdict})"


def rates_table(rates: Rates, rows: Sequence[Row], servers: Sequence[str]) -> str:
    """Answers a second of every server."""
    lines = [
        [label(row, clients), *(shown_rate(rates.rate(Cell(row.name, clients, server))) for server in servers)]
        for row in rows
        for clients in CLIENTS
    ]
    return table(["requests/s", *servers], lines)


def ratios_table(rates: Rates, rows: Sequence[Row], peers: Sequence[str]) -> str:
    """How many times each peer's rate ours is."""
    lines = [
        [label(row, clients), *(shown(judge(rates, row, clients, peer)) for peer in peers)]
        for row in rows
        for clients in CLIENTS
    ]
    return table(["singletable is", *(f"x {peer}" for peer in peers)], lines)


def judge(rates: Rates, row: Row, clients: int, peer: str) -> Judged | None:
    """Our rate to a peer's in one cell."""
    ratio = rates.ratio(Cell(row.name, clients, OURS), peer)
    if ratio is None:
        return None
    return Judged(f"{label(row, clients)}, {peer}", ratio, targets.over_http(peer, row.kind, clients))


def judge_all(rates: Rates, rows: Sequence[Row], peers: Sequence[str]) -> list[Judged]:
    """Every ratio there is."""
    cells = [judge(rates, row, clients, peer) for row in rows for clients in CLIENTS for peer in peers]
    return [judged for judged in cells if judged is not None]


def label(row: Row, clients: int) -> str:
    """A row and its clients, as the table's first column says it."""
    return f"{row.name}, {clients} client{'s' if clients > 1 else ''}"


def comparisons_table(ours: str, other: str, comparisons: Sequence[Comparison]) -> str:
    """Latencies of one call in microseconds, side by side."""
    lines = [
        [each.name, f"{each.ours * 1e6:,.1f}", f"{each.other * 1e6:,.1f}", shown(each.judged)] for each in comparisons
    ]
    return table(["microseconds", ours, other, "ratio"], lines)


def summary(judged: Sequence[Judged]) -> str:
    """How many targets are met, and those that are not."""
    aimed = [each for each in judged if each.target is not None]
    missed = [each for each in aimed if each.verdict == "missed"]
    lines = [f"{len(aimed) - len(missed)} of {len(aimed)} targets met"]
    lines += [f"  missed: {each.name}: {each.figure:.2f}, should be {each.target}" for each in missed]
    return "\n".join(lines)
