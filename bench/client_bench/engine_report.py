"""Table and targets of typed writes compared with the processor time of the engine."""

from __future__ import annotations

from collections.abc import Iterator

from bench.client_bench.contenders import Contender
from bench.client_bench.report import PLACES, ours
from bench.client_bench.rows import ENGINE_ROWS, PUT_MANY, PUT_MANY_ITEMS
from bench.client_bench.targets import TO_ENGINE
from bench.client_bench.timings import Cell, Timings
from bench.engine_bench.report import Judged, table

TYPED, ENGINE = "typed call", "engine"
"""Cells of the processor time of a typed call, and of the engine alone."""
ROWS = {**ENGINE_ROWS, PUT_MANY: f"put_many of {PUT_MANY_ITEMS:,}, per item"}


def engine_table(timings: Timings) -> str:
    """Return the processor time of typed writes, the time of the engine, and their ratio."""
    lines = [
        [f"{ROWS[row]}, {place} {mine.name}", *comparison_texts(timings, row, place, mine)]
        for row, place in rows_and_places()
        for mine in ours()
    ]
    return table(["CPU microseconds, in the process", "typed", "engine", "typed / engine"], lines)


def comparison_texts(timings: Timings, row: str, place: str, mine: Contender) -> tuple[str, str, str]:
    """Return one line of the table; dashes when nothing was measured."""
    verdict = judge_engine(timings, row, place, mine)
    typed, engine = (timings.seconds(Cell(row, kind, mine.name, place)) for kind in (TYPED, ENGINE))
    if verdict is None or typed is None or engine is None:
        return "-", "-", "-"
    ratio = f"{verdict.figure:.2f}x ({verdict.target}: {verdict.verdict})"
    return f"{typed * 1e6:,.1f}", f"{engine * 1e6:,.1f}", ratio


def judge_engine(timings: Timings, row: str, place: str, mine: Contender) -> Judged | None:
    """Return the ratio of one row and its target."""
    ratio = timings.ratio(Cell(row, ENGINE, mine.name, place), Cell(row, TYPED, mine.name, place))
    if ratio is None:
        return None
    return Judged(f"{ROWS[row]}, {mine.name} at {place} to the engine", ratio, TO_ENGINE[row])


def judge_all_engine(timings: Timings) -> list[Judged]:
    """Return every ratio that was measured."""
    found = [judge_engine(timings, row, place, mine) for row, place in rows_and_places() for mine in ours()]
    return [each for each in found if each is not None]


def rows_and_places() -> Iterator[tuple[str, str]]:
    """Iterate over the lines of the table; `put_many` is measured in memory only."""
    for row in ROWS:
        yield from ((row, place) for place in PLACES if row != PUT_MANY or place == "memory:")
