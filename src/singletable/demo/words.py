"""What a tour says of itself: requests on a line each, costs in words, the rows of its summary."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from singletable.demo.captured import Captured, Cost
from singletable.demo.notation import request_line
from singletable.demo.tour import Asked, Tour

ALIKE_SHOWN = 3
LINE_CHARACTERS_MAX = 200
HEADERS = ("pattern", "requests", "units", "a table per entity: requests", "units")


def request_lines(asked: Asked) -> list[str]:
    """The requests that a script made; of those that stand together and are alike, the first ones and a number."""
    lines: list[str] = []
    for _, alike in groupby(asked.requests, key=_likeness):
        together = [_shortened(request_line(request, asked.table_key)) for request in alike]
        if len(together) <= ALIKE_SHOWN + 1:
            lines += together
        else:
            lines += [*together[:ALIKE_SHOWN], f"and {len(together) - ALIKE_SHOWN} more like these"]
    return lines


def _shortened(line: str) -> str:
    return line if len(line) <= LINE_CHARACTERS_MAX else f"{line[: LINE_CHARACTERS_MAX - 4]} ..."


def _likeness(request: Captured) -> tuple[str, ...]:
    sent = request.parameters
    return (request.operation, str(request.pattern), sent.get("TableName", ""), sent.get("IndexName", ""))


def cost_text(cost: Cost) -> str:
    """`1 request, 0.5 read units`."""
    counts = [counted(cost.requests, "request")]
    if cost.read_units or not cost.write_units:
        counts.append(counted(cost.read_units, "read unit"))
    if cost.write_units:
        counts.append(counted(cost.write_units, "write unit"))
    return ", ".join(counts)


def elsewhere_text(asked: Asked) -> str:
    """What the question takes where every entity has a table: the same, or how much, and by which requests."""
    if asked.cost_elsewhere == asked.cost:
        return "the same"
    return f"{cost_text(asked.cost_elsewhere)} ({', '.join(_kinds(asked.elsewhere))})"


NOT_COUNTED = "asks only tables that it makes for itself, which are not counted here"


def answer_lines(asked: Asked) -> list[str]:
    """What the script printed."""
    return asked.answer.rstrip("\n").split("\n") if asked.answer.strip() else []


def summary_rows(tour: Tour) -> list[tuple[str, ...]]:
    """A row for each script that asked the table, and the totals."""
    rows = [_row(asked.name, asked.cost, asked.cost_elsewhere) for asked in tour.asked if asked.requests]
    return [*rows, _row("together", tour.cost, tour.cost_elsewhere)]


def tables_text(tour: Tour) -> str:
    """`One table: Shop, with 13 items of 4 entities.`."""
    told = [
        f"{each.name} ({counted(len(each.items), 'item')}, {counted(len(each.model.design.entities), 'entity')})"
        for each in tour.tables
    ]
    return f"{'Table' if len(told) == 1 else 'Tables'}: {', '.join(told)}"


def counted(count: float, noun: str) -> str:
    """`1 request`, `0.5 read units`, `2 entities`."""
    many = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{amount(count)} {noun if count == 1 else many}"


def amount(number: float) -> str:
    """A number without zeros behind the point."""
    return f"{number:,.1f}".removesuffix(".0")


def _row(name: str, cost: Cost, elsewhere: Cost) -> tuple[str, ...]:
    figures = (cost.requests, cost.units, elsewhere.requests, elsewhere.units)
    return (name, *(amount(figure).rjust(len(header)) for figure, header in zip(figures, HEADERS[1:], strict=True)))


def _kinds(requests: Sequence[Captured]) -> list[str]:
    """`GetItem Order`, `3 x Query OrderItem`."""
    names = [f"{each.operation} {_table(each)}" for each in requests]
    counts = {name: names.count(name) for name in names}
    return [name if count == 1 else f"{count} x {name}" for name, count in counts.items()]


def _table(request: Captured) -> str:
    named = request.parameters.get("TableName")
    return str(named) if named is not None else "of several tables"
