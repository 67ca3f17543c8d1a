"""Item collections as pictures of a document: those worth showing, with the rows that a request reads in a bracket."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from singletable.document.blocks import Picture
from singletable.document.item_collections import Item, Partition, Row, collections_in, index_named, key_of, labels_of
from singletable.document.picture import draw_collections
from singletable.expressions.condition_parser import parse_condition
from singletable.expressions.evaluate import compiled
from singletable.model.design import Design
from singletable.planner.bind import Request

# Of collections that hold the same entities, and of rows of one entity in a collection: enough to see what they are.
_ALIKE_MAX, _ROWS_MAX = 3, 4
_TEXT_ATTRIBUTES_MAX = 5
_GAP = "  "


@dataclass(frozen=True)
class Drawn:
    """A picture, and how much of what is there it leaves out."""

    picture: Picture
    left_out: str


def draw_index(design: Design, items: Sequence[Item], index: str | None, name: str) -> Drawn | None:
    """The item collections of the table or an index; None where there are none."""
    partitions = collections_in(design, items, index, attributes=_held(design, index))
    title = f"Item collections of {index or design.name}"
    return _drawn(design, index, partitions, name, title, None) if partitions else None


def draw_read(
    design: Design, items: Sequence[Item], requests: Sequence[Request], name: str, title: str, call: str
) -> Drawn | None:
    """The item collections that requests read from, with what they read; None where they read nothing."""
    index = next(
        (str(request.parameters["IndexName"]) for request in requests if "IndexName" in request.parameters), None
    )
    read = {key_of(design, item) for request in requests for item in _read_by(design, items, request)}
    found = collections_in(design, items, index, attributes=_held(design, index), read=read)
    limits = [request.parameters["Limit"] for request in requests if "Limit" in request.parameters]
    forward = all(request.parameters.get("ScanIndexForward", True) for request in requests)
    if limits:
        found = tuple(_limited(partition, min(limits), forward=forward) for partition in found)
    touched = tuple(partition for partition in found if any(row.is_read for row in partition.rows))
    return _drawn(design, index, touched, name, title, call) if touched else None


def _held(design: Design, index: str | None) -> tuple[str, ...] | None:
    """The attributes beside the keys that an index holds; None for all of them."""
    projection = index_named(design, index).projection
    return None if projection.kind == "ALL" else projection.attributes


def _drawn(
    design: Design, index: str | None, partitions: Sequence[Partition], name: str, title: str, call: str | None
) -> Drawn:
    shown = tuple(_worth_showing(partitions))
    where = index_named(design, index)
    spoken = where.name if index else f"table {design.name}"
    svg = draw_collections(title, spoken, shown, keys=where.key_attributes, entities=labels_of(design), read_by=call)
    picture = Picture(name, title, svg, _as_text(shown, where.key_attributes[0]))
    return Drawn(picture, _left_out(partitions, shown))


def _worth_showing(partitions: Iterable[Partition]) -> Iterator[Partition]:
    seen: Counter[frozenset[str]] = Counter()
    for partition in partitions:
        kinds = frozenset(row.entity for row in partition.rows)
        seen[kinds] += 1
        if seen[kinds] <= _ALIKE_MAX:
            yield replace(partition, rows=tuple(_first_rows(partition.rows)))


def _first_rows(rows: Iterable[Row]) -> Iterator[Row]:
    seen: Counter[str] = Counter()
    for row in rows:
        seen[row.entity] += 1
        if seen[row.entity] <= _ROWS_MAX:
            yield row


def _left_out(found: Sequence[Partition], shown: Sequence[Partition]) -> str:
    rows = sum(len(partition.rows) for partition in found) - sum(len(partition.rows) for partition in shown)
    collections = len(found) - len(shown)
    if not rows:
        return ""
    within = f" in {collections:,} more collections like these" if collections > 1 else ""
    within = within or (" in one more collection like these" if collections else " like these")
    return f"{rows:,} more row{'' if rows == 1 else 's'}{within} {'is' if rows == 1 else 'are'} not drawn."


def _limited(partition: Partition, limit: int, *, forward: bool) -> Partition:
    """A request reads no more than its limit, from the end that it begins at."""
    left, rows = limit, []
    for row in partition.rows if forward else reversed(partition.rows):
        rows.append(replace(row, is_read=row.is_read and left > 0))
        left -= row.is_read
    return replace(partition, rows=tuple(rows if forward else reversed(rows)))


def _read_by(design: Design, items: Sequence[Item], request: Request) -> Iterator[Item]:
    parameters = request.parameters
    if request.operation == "Query":
        names = parameters.get("ExpressionAttributeNames", {})
        condition = parse_condition("KeyConditionExpression", parameters["KeyConditionExpression"], names).tree
        holds = compiled(condition)
        values: dict[str, Any] = dict(parameters.get("ExpressionAttributeValues", {}))
        yield from (item for item in items if holds(item, values))
    elif request.operation in {"GetItem", "BatchGetItem"}:
        asked = parameters.get("RequestItems", {}).get(design.name, {}).get("Keys") or [parameters.get("Key", {})]
        keys = {key_of(design, key) for key in asked}
        yield from (item for item in items if key_of(design, item) in keys)


def _as_text(partitions: Sequence[Partition], key: str) -> str:
    rows = [row for partition in partitions for row in partition.rows]
    marks = any(row.is_read for row in rows)
    sort = max((len(row.sort_key or "") for row in rows), default=0)
    entity = max((len(row.entity) for row in rows), default=0)
    lines = []
    for partition in partitions:
        lines.append(f"{key} {partition.key}")
        for row in partition.rows:
            mark = ("> " if row.is_read else _GAP) if marks else ""
            said = ", ".join(f"{name} {value}" for name, value in row.attributes[:_TEXT_ATTRIBUTES_MAX])
            more = ", …" if len(row.attributes) > _TEXT_ATTRIBUTES_MAX else ""
            cells = [(row.sort_key or "").ljust(sort), row.entity.ljust(entity), said + more]
            lines.append((_GAP + mark + _GAP.join(cell for cell in cells if cell)).rstrip())
    return "\n".join(lines)
