"""The tables of a run: microseconds with their spread, ratios with their targets, and the first call."""

from __future__ import annotations

from collections.abc import Iterable

from bench.client_bench.contenders import CONTENDERS, Contender
from bench.client_bench.targets import IN_PROCESS_TO_BOTO3, ROWS, over_http
from bench.client_bench.timings import Cell, Timings
from bench.engine_bench.report import Judged, shown, table

BOTO3 = "boto3 resource"
PLACES = ("memory:", "file:")


def times_table(timings: Timings, mode: str) -> str:
    """Microseconds of one call, of every contender."""
    lines = [
        [contender.name, *(shown_time(timings, Cell(row, mode, contender.name)) for row in ROWS)]
        for contender in (*ours(), *peers(timings, mode))
    ]
    return table([f"microseconds, {mode}", *ROWS.values()], lines)


def shown_time(timings: Timings, cell: Cell) -> str:
    """A median and its spread; a dash for what was not measured."""
    seconds, spread = timings.seconds(cell), timings.spread(cell)
    if seconds is None:
        return "-"
    return f"{seconds * 1e6:,.0f}" + ("" if spread is None else f" ±{spread:.0%}")


def ratios_table(timings: Timings, mode: str) -> str:
    """How many times as long each peer takes as each class of ours."""
    lines = [
        [f"{ROWS[row]}, {peer.name}", *(shown(judge(timings, mode, row, mine, peer)) for mine in ours())]
        for row in ROWS
        for peer in peers(timings, mode)
    ]
    return table([f"times as long, {mode}", *(each.name for each in ours())], lines)


def judge(timings: Timings, mode: str, row: str, mine: Contender, peer: Contender) -> Judged | None:
    """One ratio, and its target."""
    ratio = timings.ratio(Cell(row, mode, mine.name), Cell(row, mode, peer.name))
    if ratio is None:
        return None
    name = f"{ROWS[row]}, {mode}, {mine.name} to {peer.name}"
    return Judged(name, ratio, over_http(row, peer.name))


def judge_all(timings: Timings, mode: str) -> list[Judged]:
    """Every ratio of one mode that was measured."""
    return present(
        judge(timings, mode, row, mine, peer) for row in ROWS for mine in ours() for peer in peers(timings, mode)
    )


def inside_times_table(timings: Timings) -> str:
    """Microseconds of one call of ours without a server."""
    lines = [
        [f"{mine.name}, {place}", *(shown_time(timings, Cell(row, "sync", mine.name, place)) for row in ROWS)]
        for mine in ours()
        for place in PLACES
    ]
    return table(["microseconds, in the process", *ROWS.values()], lines)


def inside_table(timings: Timings) -> str:
    """How many times as long boto3 takes with a server as ours without one."""
    lines = []
    for row in ROWS:
        for place in PLACES:
            shown_ratios = [shown(judge_inside(timings, row, mine, place)) for mine in ours()]
            lines.append([f"{ROWS[row]}, {BOTO3} to {place}", *shown_ratios])
    return table(["times as long, in the process", *(each.name for each in ours())], lines)


def judge_inside(timings: Timings, row: str, mine: Contender, place: str) -> Judged | None:
    """One ratio to boto3, and its target."""
    ratio = timings.ratio(Cell(row, "sync", mine.name, place), Cell(row, "sync", BOTO3))
    if ratio is None:
        return None
    return Judged(f"{ROWS[row]}, {mine.name} at {place} to {BOTO3}", ratio, IN_PROCESS_TO_BOTO3)


def judge_all_inside(timings: Timings) -> list[Judged]:
    """Every ratio of what runs in the process."""
    return present(judge_inside(timings, row, mine, place) for row in ROWS for mine in ours() for place in PLACES)


def cold_table(timings: Timings) -> str:
    """Milliseconds of the import, and from its beginning to the first order."""
    lines = []
    for contender in (*ours(), *peers(timings, "cold")):
        cells = [Cell(row, "cold", contender.name) for row in ("import", "first")]
        figures = [timings.seconds(cell) for cell in cells]
        written = ["-" if figure is None else f"{figure * 1e3:,.0f}" for figure in figures]
        spread = timings.spread(cells[1])
        lines.append([contender.name, *written, "" if spread is None else f"±{spread:.0%}"])
    return table(["milliseconds, cold", "import", "to the first order", ""], lines)


def ours() -> list[Contender]:
    """Our classes."""
    return [contender for contender in CONTENDERS if contender.is_ours]


def peers(timings: Timings, mode: str) -> list[Contender]:
    """Those who are not ours, and were measured."""
    found = {cell.contender for cell in timings.figures if cell.mode == mode}
    return [contender for contender in CONTENDERS if contender.name in found and not contender.is_ours]


def present(judged: Iterable[Judged | None]) -> list[Judged]:
    """Those that could be compared."""
    return [each for each in judged if each is not None]
