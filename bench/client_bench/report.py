"""Tables of a run: microseconds with their spread, ratios with their targets, and cold starts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from bench.client_bench.contenders import CONTENDERS, Contender
from bench.client_bench.rows import READ_ROWS
from bench.client_bench.targets import IN_PROCESS_TO_BOTO3, over_http
from bench.client_bench.timings import Cell, Timings
from bench.engine_bench.report import Judged, shown, table

BOTO3 = "boto3 resource"
PLACES = ("memory:", "file:")

Rows = Mapping[str, str]


def times_table(timings: Timings, mode: str, rows: Rows) -> str:
    """Return the microseconds of one call, for every contender."""
    lines = [
        [contender.name, *(time_text(timings, Cell(row, mode, contender.name)) for row in rows)]
        for contender in (*ours(), *peers(timings, mode, rows))
    ]
    return table([f"microseconds, {mode}", *rows.values()], lines)


def time_text(timings: Timings, cell: Cell) -> str:
    """Return a median and its spread; a dash when nothing was measured."""
    seconds, spread = timings.seconds(cell), timings.spread(cell)
    if seconds is None:
        return "-"
    return f"{seconds * 1e6:,.0f}" + ("" if spread is None else f" ±{spread:.0%}")


def ratios_table(timings: Timings, mode: str, rows: Rows) -> str:
    """Return the time of each peer, relative to each class of ours."""
    lines = [
        [f"{rows[row]}, {peer.name}", *(shown(judge(timings, mode, row, rows, mine, peer)) for mine in ours())]
        for row in rows
        for peer in peers(timings, mode, rows)
    ]
    return table([f"time relative to ours, {mode}", *(each.name for each in ours())], lines)


def judge(timings: Timings, mode: str, row: str, rows: Rows, mine: Contender, peer: Contender) -> Judged | None:
    """Return one ratio and its target."""
    ratio = timings.ratio(Cell(row, mode, mine.name), Cell(row, mode, peer.name))
    if ratio is None:
        return None
    return Judged(f"{rows[row]}, {mode}, {mine.name} to {peer.name}", ratio, over_http(row, peer.name))


def judge_all(timings: Timings, mode: str, rows: Rows) -> list[Judged]:
    """Return every ratio of one mode that was measured."""
    return present(
        judge(timings, mode, row, rows, mine, peer)
        for row in rows
        for mine in ours()
        for peer in peers(timings, mode, rows)
    )


def in_process_times_table(timings: Timings, rows: Rows) -> str:
    """Return the microseconds of one call of ours without a server."""
    lines = [
        [f"{mine.name}, {place}", *(time_text(timings, Cell(row, "sync", mine.name, place)) for row in rows)]
        for mine in ours()
        for place in PLACES
    ]
    return table(["microseconds, in the process", *rows.values()], lines)


def in_process_table(timings: Timings) -> str:
    """Return the time of a read with boto3 and a server, relative to ours without a server."""
    lines = []
    for row in READ_ROWS:
        for place in PLACES:
            ratios = [shown(judge_in_process(timings, row, mine, place)) for mine in ours()]
            lines.append([f"{READ_ROWS[row]}, {BOTO3} to {place}", *ratios])
    return table(["time relative to ours, in the process", *(each.name for each in ours())], lines)


def judge_in_process(timings: Timings, row: str, mine: Contender, place: str) -> Judged | None:
    """Return one ratio of boto3 to ours, and its target."""
    ratio = timings.ratio(Cell(row, "sync", mine.name, place), Cell(row, "sync", BOTO3))
    if ratio is None:
        return None
    return Judged(f"{READ_ROWS[row]}, {mine.name} at {place} to {BOTO3}", ratio, IN_PROCESS_TO_BOTO3)


def judge_all_in_process(timings: Timings) -> list[Judged]:
    """Return every ratio of reads without a server."""
    return present(
        judge_in_process(timings, row, mine, place) for row in READ_ROWS for mine in ours() for place in PLACES
    )


def cold_table(timings: Timings) -> str:
    """Return the milliseconds of the import, and from the start of the import to the first order."""
    lines = []
    for contender in (*ours(), *peers(timings, "cold", ("import", "first"))):
        cells = [Cell(row, "cold", contender.name) for row in ("import", "first")]
        figures = [timings.seconds(cell) for cell in cells]
        texts = ["-" if figure is None else f"{figure * 1e3:,.0f}" for figure in figures]
        spread = timings.spread(cells[1])
        lines.append([contender.name, *texts, "" if spread is None else f"±{spread:.0%}"])
    return table(["milliseconds, cold", "import", "to the first order", ""], lines)


def ours() -> list[Contender]:
    """Return our classes."""
    return [contender for contender in CONTENDERS if contender.is_ours]


def peers(timings: Timings, mode: str, rows: Iterable[str]) -> list[Contender]:
    """Return the other contenders that were measured in these rows."""
    wanted = set(rows)
    found = {cell.contender for cell in timings.figures if cell.mode == mode and cell.row in wanted}
    return [contender for contender in CONTENDERS if contender.name in found and not contender.is_ours]


def present(judged: Iterable[Judged | None]) -> list[Judged]:
    """Return the ratios that were measured."""
    return [each for each in judged if each is not None]
