"""Chooses the item collections to draw, and marks the rows that a request reads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from singletable.document.blocks import Picture
from singletable.document.collection_picture import draw_collections
from singletable.document.item_collections import (
    CollectionRow,
    Item,
    ItemCollection,
    collections_in,
    index_named,
    key_of,
    labels_of,
)
from singletable.expressions.condition_parser import parse_condition
from singletable.expressions.evaluate import compile_condition
from singletable.model.design import Design
from singletable.planner.planned_requests import Request

# The number of shown collections with the same entities, and the number of rows per entity in each.
_SIMILAR_MAX, _ROWS_MAX = 3, 4
_TEXT_ATTRIBUTES_MAX = 5
_GAP = "  "


@dataclass(frozen=True)
class SelectedPicture:
    """A picture, and a note on the rows it omits."""

    picture: Picture
    omitted: str


def draw_index(design: Design, items: Sequence[Item], index: str | None, name: str) -> SelectedPicture | None:
    """Return a picture of the item collections of the table or an index. Return None if there are none."""
    partitions = collections_in(design, items, index, attributes=_projected_attributes(design, index))
    title = f"Item collections of {index or design.name}"
    return _selected_picture(design, index, partitions, name, title, None) if partitions else None


def draw_read(
    design: Design, items: Sequence[Item], requests: Sequence[Request], name: str, title: str, call: str
) -> SelectedPicture | None:
    """Return a picture of the item collections that requests read. Return None if they read no item."""
    index = next(
        (str(request.parameters["IndexName"]) for request in requests if "IndexName" in request.parameters), None
    )
    read = {key_of(design, item) for request in requests for item in _read_by(design, items, request)}
    found = collections_in(design, items, index, attributes=_projected_attributes(design, index), read=read)
    limits = [request.parameters["Limit"] for request in requests if "Limit" in request.parameters]
    forward = all(request.parameters.get("ScanIndexForward", True) for request in requests)
    if limits:
        found = tuple(_limited(partition, min(limits), forward=forward) for partition in found)
    touched = tuple(partition for partition in found if any(row.is_read for row in partition.rows))
    return _selected_picture(design, index, touched, name, title, call) if touched else None


def _projected_attributes(design: Design, index: str | None) -> tuple[str, ...] | None:
    """Return the non-key attributes that an index projects. Return None for all attributes."""
    projection = index_named(design, index).projection
    return None if projection.kind == "ALL" else projection.attributes


def _selected_picture(
    design: Design, index: str | None, partitions: Sequence[ItemCollection], name: str, title: str, call: str | None
) -> SelectedPicture:
    shown = tuple(_shown_collections(partitions))
    where = index_named(design, index)
    caption = where.name if index else f"table {design.name}"
    svg = draw_collections(title, caption, shown, keys=where.key_attributes, entities=labels_of(design), read_by=call)
    picture = Picture(name, title, svg, _as_text(shown, where.key_attributes[0]))
    return SelectedPicture(picture, _omitted_text(partitions, shown))


def _shown_collections(partitions: Iterable[ItemCollection]) -> Iterator[ItemCollection]:
    seen: Counter[frozenset[str]] = Counter()
    for partition in partitions:
        kinds = frozenset(row.entity for row in partition.rows)
        seen[kinds] += 1
        if seen[kinds] <= _SIMILAR_MAX:
            yield replace(partition, rows=tuple(_first_rows(partition.rows)))


def _first_rows(rows: Iterable[CollectionRow]) -> Iterator[CollectionRow]:
    seen: Counter[str] = Counter()
    for row in rows:
        seen[row.entity] += 1
        if seen[row.entity] <= _ROWS_MAX:
            yield row


def _omitted_text(found: Sequence[ItemCollection], shown: Sequence[ItemCollection]) -> str:
    rows = sum(len(partition.rows) for partition in found) - sum(len(partition.rows) for partition in shown)
    collections = len(found) - len(shown)
    if not rows:
        return ""
    within = f" in {collections:,} similar collections" if collections > 1 else ""
    within = within or (" in one similar collection" if collections else "")
    return f"Not shown: {rows:,} more row{'' if rows == 1 else 's'}{within}."


def _limited(partition: ItemCollection, limit: int, *, forward: bool) -> ItemCollection:
    """Mark at most `limit` rows as read: the first ones, or the last ones if the request reads backward."""
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
        holds = compile_condition(condition)
        values: dict[str, Any] = dict(parameters.get("ExpressionAttributeValues", {}))
        yield from (item for item in items if holds(item, values))
    elif request.operation in {"GetItem", "BatchGetItem"}:
        requested = parameters.get("RequestItems", {}).get(design.name, {}).get("Keys") or [parameters.get("Key", {})]
        keys = {key_of(design, key) for key in requested}
        yield from (item for item in items if key_of(design, item) in keys)


def _as_text(partitions: Sequence[ItemCollection], key: str) -> str:
    rows = [row for partition in partitions for row in partition.rows]
    marks = any(row.is_read for row in rows)
    sort = max((len(row.sort_key or "") for row in rows), default=0)
    entity = max((len(row.entity) for row in rows), default=0)
    lines = []
    for partition in partitions:
        lines.append(f"{key} {partition.key}")
        for row in partition.rows:
            mark = ("> " if row.is_read else _GAP) if marks else ""
            attributes = ", ".join(f"{name} {value}" for name, value in row.attributes[:_TEXT_ATTRIBUTES_MAX])
            more = ", …" if len(row.attributes) > _TEXT_ATTRIBUTES_MAX else ""
            cells = [(row.sort_key or "").ljust(sort), row.entity.ljust(entity), attributes + more]
            lines.append((_GAP + mark + _GAP.join(cell for cell in cells if cell)).rstrip())
    return "\n".join(lines)
