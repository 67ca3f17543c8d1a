"""Tables and targets of the client benchmark: times with their spread, ratios, cold starts, and typed writes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from bench.client_bench.contenders import CONTENDERS, Contender
from bench.client_bench.rows import (
    ENGINE_ROWS,
    GET,
    MOVE,
    PUT,
    PUT_MANY,
    PUT_MANY_ITEMS,
    QUERY_1000,
    READ_ROWS,
    UPDATE,
    WRITE_ROWS,
)
from bench.client_bench.timings import Cell, Timings
from bench.engine_bench.report import TargetResult, format_ratio, table
from bench.engine_bench.targets import Target, at_least, at_most

BOTO3 = "boto3 resource"
BACKENDS = ("memory:", "file:")
TYPED, ENGINE = "typed call", "engine"
"""Cells of the processor time of a typed call, and of the engine alone."""
ENGINE_ROW_NAMES = {**ENGINE_ROWS, PUT_MANY: f"put_many of {PUT_MANY_ITEMS:,}, per item"}

Rows = Mapping[str, str]

IN_PROCESS_TO_BOTO3 = at_least(20)
TO_ENGINE = {PUT: at_most(1.6), UPDATE: at_most(2), MOVE: at_most(2), PUT_MANY: at_most(1.5)}
"""Processor time of a typed call, relative to the engine alone for the same requests."""


def target_over_http(row: str, peer: str) -> Target | None:
    """Return the target for the time of a peer relative to ours, on one server. It is the same for all our classes."""
    if row in WRITE_ROWS:
        return {"boto3 resource": at_least(5), "pydynox dicts": at_least(1)}.get(peer)
    if row == QUERY_1000:
        return {"boto3 resource": at_least(8), "pydynox Model": at_least(3), "pydynox dicts": at_least(1)}.get(peer)
    if row == GET and peer in ("pydynox Model", "pydynox dicts"):
        return at_least(1)
    return None


def times_table(timings: Timings, mode: str, rows: Rows) -> str:
    """Return the microseconds of one call, for every contender."""
    lines = [
        [contender.name, *(time_text(timings, Cell(row, mode, contender.name)) for row in rows)]
        for contender in (*our_contenders(), *peers(timings, mode, rows))
    ]
    return table([f"microseconds, {mode}", *rows.values()], lines)


def time_text(timings: Timings, cell: Cell) -> str:
    """Return a median and its spread. Return a dash if nothing was measured."""
    seconds, spread = timings.seconds(cell), timings.spread(cell)
    if seconds is None:
        return "-"
    return f"{seconds * 1e6:,.0f}" + ("" if spread is None else f" ±{spread:.0%}")


def ratios_table(timings: Timings, mode: str, rows: Rows) -> str:
    """Return the time of each peer, relative to each class of ours."""
    lines = [
        [
            f"{rows[row]}, {peer.name}",
            *(format_ratio(ratio_result(timings, mode, row, rows, mine, peer)) for mine in our_contenders()),
        ]
        for row in rows
        for peer in peers(timings, mode, rows)
    ]
    return table([f"time relative to ours, {mode}", *(each.name for each in our_contenders())], lines)


def ratio_result(
    timings: Timings, mode: str, row: str, rows: Rows, mine: Contender, peer: Contender
) -> TargetResult | None:
    """Return one ratio and its target."""
    ratio = timings.ratio(Cell(row, mode, mine.name), Cell(row, mode, peer.name))
    if ratio is None:
        return None
    return TargetResult(f"{rows[row]}, {mode}, {mine.name} to {peer.name}", ratio, target_over_http(row, peer.name))


def ratio_results(timings: Timings, mode: str, rows: Rows) -> list[TargetResult]:
    """Return every ratio of one mode that was measured."""
    return present(
        ratio_result(timings, mode, row, rows, mine, peer)
        for row in rows
        for mine in our_contenders()
        for peer in peers(timings, mode, rows)
    )


def in_process_times_table(timings: Timings, rows: Rows) -> str:
    """Return the microseconds of one call of ours without a server."""
    lines = [
        [f"{mine.name}, {backend}", *(time_text(timings, Cell(row, "sync", mine.name, backend)) for row in rows)]
        for mine in our_contenders()
        for backend in BACKENDS
    ]
    return table(["microseconds, in the process", *rows.values()], lines)


def in_process_table(timings: Timings) -> str:
    """Return the time of a read with boto3 and a server, relative to ours without a server."""
    lines = []
    for row in READ_ROWS:
        for backend in BACKENDS:
            ratios = [format_ratio(in_process_result(timings, row, mine, backend)) for mine in our_contenders()]
            lines.append([f"{READ_ROWS[row]}, {BOTO3} to {backend}", *ratios])
    return table(["time relative to ours, in the process", *(each.name for each in our_contenders())], lines)


def in_process_result(timings: Timings, row: str, mine: Contender, backend: str) -> TargetResult | None:
    """Return one ratio of boto3 to ours, and its target."""
    ratio = timings.ratio(Cell(row, "sync", mine.name, backend), Cell(row, "sync", BOTO3))
    if ratio is None:
        return None
    return TargetResult(f"{READ_ROWS[row]}, {mine.name} at {backend} to {BOTO3}", ratio, IN_PROCESS_TO_BOTO3)


def in_process_results(timings: Timings) -> list[TargetResult]:
    """Return every ratio of reads without a server."""
    return present(
        in_process_result(timings, row, mine, backend)
        for row in READ_ROWS
        for mine in our_contenders()
        for backend in BACKENDS
    )


def cold_table(timings: Timings) -> str:
    """Return the milliseconds of the import, and from the start of the import to the first order."""
    lines = []
    for contender in (*our_contenders(), *peers(timings, "cold", ("import", "first"))):
        cells = [Cell(row, "cold", contender.name) for row in ("import", "first")]
        figures = [timings.seconds(cell) for cell in cells]
        texts = ["-" if figure is None else f"{figure * 1e3:,.0f}" for figure in figures]
        spread = timings.spread(cells[1])
        lines.append([contender.name, *texts, "" if spread is None else f"±{spread:.0%}"])
    return table(["milliseconds, cold", "import", "to the first order", ""], lines)


def our_contenders() -> list[Contender]:
    """Return the contenders that use singletable."""
    return [contender for contender in CONTENDERS if contender.is_ours]


def peers(timings: Timings, mode: str, rows: Iterable[str]) -> list[Contender]:
    """Return the other contenders that were measured in these rows."""
    names = set(rows)
    found = {cell.contender for cell in timings.figures if cell.mode == mode and cell.row in names}
    return [contender for contender in CONTENDERS if contender.name in found and not contender.is_ours]


def present(results: Iterable[TargetResult | None]) -> list[TargetResult]:
    """Return the ratios that were measured."""
    return [each for each in results if each is not None]


def engine_table(timings: Timings) -> str:
    """Return the processor time of typed writes, the time of the engine, and their ratio."""
    lines = [
        [f"{ENGINE_ROW_NAMES[row]}, {backend} {mine.name}", *comparison_texts(timings, row, backend, mine)]
        for row, backend in rows_and_backends()
        for mine in our_contenders()
    ]
    return table(["CPU microseconds, in the process", "typed", "engine", "typed / engine"], lines)


def comparison_texts(timings: Timings, row: str, backend: str, mine: Contender) -> tuple[str, str, str]:
    """Return one line of the table, with dashes if nothing was measured."""
    result = engine_result(timings, row, backend, mine)
    typed, engine = (timings.seconds(Cell(row, kind, mine.name, backend)) for kind in (TYPED, ENGINE))
    if result is None or typed is None or engine is None:
        return "-", "-", "-"
    ratio = f"{result.figure:.2f}x ({result.target}: {result.verdict})"
    return f"{typed * 1e6:,.1f}", f"{engine * 1e6:,.1f}", ratio


def engine_result(timings: Timings, row: str, backend: str, mine: Contender) -> TargetResult | None:
    """Return the ratio of one typed write to the engine, and its target."""
    ratio = timings.ratio(Cell(row, ENGINE, mine.name, backend), Cell(row, TYPED, mine.name, backend))
    if ratio is None:
        return None
    return TargetResult(f"{ENGINE_ROW_NAMES[row]}, {mine.name} at {backend} to the engine", ratio, TO_ENGINE[row])


def engine_results(timings: Timings) -> list[TargetResult]:
    """Return every ratio of typed writes to the engine that was measured."""
    return present(
        engine_result(timings, row, backend, mine) for row, backend in rows_and_backends() for mine in our_contenders()
    )


def rows_and_backends() -> Iterator[tuple[str, str]]:
    """Iterate over the lines of the table. `put_many` is measured only in memory."""
    for row in ENGINE_ROW_NAMES:
        yield from ((row, backend) for backend in BACKENDS if row != PUT_MANY or backend == "memory:")
