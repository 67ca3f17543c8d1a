"""How both sides are asked so that their answers can be compared, also where each reads in an order of its own."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from tests.differential.sides import Request, Side, Told
from tests.differential.world import World
from tests.engine.plain_values import Item, normal_item

PAGES_MAX = 300
SEGMENTS_MAX = 8
OK = 200


@dataclass(frozen=True)
class Exchange:
    """A request, and what both sides answered."""

    action: str
    request: Request
    ours: Told
    theirs: Told

    @property
    def is_agreed(self) -> bool:
        """Whether both did it or both refused it."""
        return self.ours.is_refused == self.theirs.is_refused


def exchange(sides: tuple[Side, Side], world: World, action: str, request: Request) -> Exchange:
    """Asks both sides."""
    ours, theirs = (asked(side, world, action, request) for side in sides)
    return Exchange(action, request, ours, theirs)


def asked(side: Side, world: World, action: str, request: Request) -> Told:
    """One answer; of a reading whose pages depend on the order of partitions, all pages in one."""
    first = side.ask(action, request)
    if action == "ExecuteStatement" and "Items" in first.document:
        return Told(first.status, {**first.document, "Items": _grouped(first.document["Items"], ())})
    if action not in ("Query", "Scan") or first.is_refused:
        return first
    given = world.givens.get(request.get("TableName", ""))
    if given is None:
        return first
    index = given.table.indexes.get(request.get("IndexName") or "")
    if action == "Query" and index is None:
        return first
    if request.get("ExclusiveStartKey"):
        # What comes behind a key is another matter on each side; that the key is accepted is not.
        return Told(first.status, {"Behind": sorted(request["ExclusiveStartKey"])})
    if request.get("TotalSegments"):
        return _of_all_segments(side, request)
    if request.get("Limit"):
        return _of_all_pages(side, action, request)
    document = dict(first.document)
    if "Items" in document:
        sort = index.sort if index is not None and action == "Query" else ()
        document["Items"] = _grouped(document["Items"], sort)
    return Told(first.status, document)


def _of_all_pages(side: Side, action: str, request: Request) -> Told:
    """Everything that a reading returns; its pages are counted, since a page ends after `Limit` items on both sides."""
    found: Request = {"Count": 0, "ScannedCount": 0, "Pages": 0}
    page = dict(request)
    for _ in range(PAGES_MAX):
        told = side.ask(action, page)
        if told.is_refused:
            return told
        _add(found, told.document)
        if "LastEvaluatedKey" not in told.document:
            return Told(OK, found)
        found["KeyOf"] = sorted(told.document["LastEvaluatedKey"])
        page["ExclusiveStartKey"] = told.document["LastEvaluatedKey"]
    return Told(OK, {"Endless": True})


def _of_all_segments(side: Side, request: Request) -> Told:
    """Everything that the segments return together; which of them has what is each side's own affair."""
    total = request["TotalSegments"]
    if total > SEGMENTS_MAX:
        return Told(OK, {"Segments": total})
    found: Request = {"Count": 0, "ScannedCount": 0}
    for segment in range(total):
        told = _of_all_pages(side, "Scan", {**request, "Segment": segment})
        if told.is_refused:
            return told
        _add(found, told.document)
    return Told(OK, {name: value for name, value in found.items() if name in ("Items", "Count", "ScannedCount")})


def _add(found: Request, page: Request) -> None:
    found["Count"] += page.get("Count", 0)
    found["ScannedCount"] += page.get("ScannedCount", 0)
    if "Pages" in found:
        found["Pages"] += 1
    if "Items" in page:
        found["Items"] = sorted([*found.get("Items", ()), *page["Items"]], key=_order)


def _order(item: Item) -> str:
    """One place for an item, however its numbers are spelt and its sets are ordered."""
    return json.dumps(normal_item(item), sort_keys=True)


def _grouped(items: list[Item], sort: tuple[str, ...]) -> list[Item]:
    """Items whose place among each other has no meaning, put in one order: those of one sort key, or all."""
    if not all(name in item for name in sort for item in items):
        sort = ()
    groups: list[list[Item]] = []
    last: Any = None
    for item in items:
        key = [item[name] for name in sort]
        if not groups or key != last:
            groups.append([])
        groups[-1].append(item)
        last = key
    return [item for group in groups for item in sorted(group, key=_order)]
