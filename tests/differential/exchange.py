"""Sends requests to both sides, and makes responses comparable if the sides read in different orders."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from tests.differential.sides import Request, Response, Side
from tests.differential.world import World
from tests.engine.oracle.oracle_values import Item, normal_item

PAGES_MAX = 300
SEGMENTS_MAX = 8
OK = 200


@dataclass(frozen=True)
class Exchange:
    """A request, and the responses of both sides."""

    action: str
    request: Request
    ours: Response
    theirs: Response

    @property
    def is_agreed(self) -> bool:
        """Return whether both sides accepted the request, or both rejected it."""
        return self.ours.is_error == self.theirs.is_error


def exchange(sides: tuple[Side, Side], world: World, action: str, request: Request) -> Exchange:
    """Send a request to both sides."""
    ours, theirs = (comparable_response(side, world, action, request) for side in sides)
    return Exchange(action, request, ours, theirs)


def comparable_response(side: Side, world: World, action: str, request: Request) -> Response:
    """Return one response. If pages depend on the order of partitions, return all pages as one."""
    first = side.send(action, request)
    if action == "ExecuteStatement" and "Items" in first.document:
        return Response(first.status, {**first.document, "Items": _grouped(first.document["Items"], ())})
    if action not in ("Query", "Scan") or first.is_error:
        return first
    given = world.givens.get(request.get("TableName", ""))
    if given is None:
        return first
    index = given.table.indexes.get(request.get("IndexName") or "")
    if action == "Query" and index is None:
        return first
    if request.get("ExclusiveStartKey"):
        # The items after a key depend on the side. Whether the key is accepted does not.
        return Response(first.status, {"Behind": sorted(request["ExclusiveStartKey"])})
    if request.get("TotalSegments"):
        return _of_all_segments(side, request)
    if request.get("Limit"):
        return _of_all_pages(side, action, request)
    document = dict(first.document)
    if "Items" in document:
        sort = index.sort if index is not None and action == "Query" else ()
        document["Items"] = _grouped(document["Items"], sort)
    return Response(first.status, document)


def _of_all_pages(side: Side, action: str, request: Request) -> Response:
    """Return all pages of a read, and their number, because a page ends after `Limit` items on both sides."""
    found: Request = {"Count": 0, "ScannedCount": 0, "Pages": 0}
    page = dict(request)
    for _ in range(PAGES_MAX):
        response = side.send(action, page)
        if response.is_error:
            return response
        _add(found, response.document)
        if "LastEvaluatedKey" not in response.document:
            return Response(OK, found)
        found["KeyOf"] = sorted(response.document["LastEvaluatedKey"])
        page["ExclusiveStartKey"] = response.document["LastEvaluatedKey"]
    return Response(OK, {"Endless": True})


def _of_all_segments(side: Side, request: Request) -> Response:
    """Return the items of all segments together, because each side decides which segment contains which items."""
    total = request["TotalSegments"]
    if total > SEGMENTS_MAX:
        return Response(OK, {"Segments": total})
    found: Request = {"Count": 0, "ScannedCount": 0}
    for segment in range(total):
        response = _of_all_pages(side, "Scan", {**request, "Segment": segment})
        if response.is_error:
            return response
        _add(found, response.document)
    return Response(OK, {name: value for name, value in found.items() if name in ("Items", "Count", "ScannedCount")})


def _add(found: Request, page: Request) -> None:
    found["Count"] += page.get("Count", 0)
    found["ScannedCount"] += page.get("ScannedCount", 0)
    if "Pages" in found:
        found["Pages"] += 1
    if "Items" in page:
        found["Items"] = sorted([*found.get("Items", ()), *page["Items"]], key=_order)


def _order(item: Item) -> str:
    """Return a sort key for an item that ignores the notation of numbers and the order of sets."""
    return json.dumps(normal_item(item), sort_keys=True)


def _grouped(items: list[Item], sort: tuple[str, ...]) -> list[Item]:
    """Sort the items whose order is undefined: items with equal sort keys, or all items."""
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
