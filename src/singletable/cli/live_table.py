"""Read an existing table: its description, its TTL attribute and a sample of its items."""

from __future__ import annotations

import json
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from singletable.errors import ArgumentRefused, RequestRefused

SEGMENTS = 4
PAGES_MAX = 200


@dataclass(frozen=True)
class TableSample:
    """The description and sample of a table, with the requests and units that were used to read them."""

    description: dict[str, Any]
    ttl_attribute: str | None
    items: tuple[dict[str, Any], ...]
    requests: int
    read_units: float
    is_whole: bool


class TableRequests:
    """Sends requests with the retries of the data layer, and counts requests and read units."""

    def __init__(self, session: Any) -> None:
        self.session = session
        self.requests = 0
        self.read_units = 0.0

    def send(self, operation: str, parameters: dict[str, Any]) -> dict[str, Any]:
        """Send one request and return the response."""
        from singletable.client.request_steps import Call

        (body,) = self.session.send_all((Call(operation, parameters),))
        answer: dict[str, Any] = json.loads(body)
        self.requests += 1
        self.read_units += float((answer.get("ConsumedCapacity") or {}).get("CapacityUnits") or 0)
        return answer


@contextmanager
def connect(url: str) -> Generator[TableRequests, None, None]:
    """Connect to a URL. A store that does not exist is not created."""
    from singletable.client.open_table import transport_for
    from singletable.client.request_session import Session

    if url == "memory:":
        raise ArgumentRefused("memory: is always empty; use file:PATH, http://HOST:PORT or dynamodb://REGION")
    if url.startswith("file:") and not Path(url.removeprefix("file:")).exists():
        raise ArgumentRefused(f"there is no store at {url}")
    session = Session(transport_for(url))
    try:
        yield TableRequests(session)
    finally:
        session.close()


def sample_table(requests: TableRequests, name: str, items_max: int) -> TableSample:
    """Read the description of a table and up to `items_max` items from all its segments."""
    description = describe(requests, name)
    items, is_whole = _scan(requests, name, items_max)
    return TableSample(
        description, ttl_attribute(requests, name), items, requests.requests, requests.read_units, is_whole
    )


def describe(requests: TableRequests, name: str) -> dict[str, Any]:
    """Return the description of a table. If it does not exist, raise ArgumentRefused with the names of the tables."""
    with existing_table(requests, name):
        description: dict[str, Any] = requests.send("DescribeTable", {"TableName": name})["Table"]
    return description


@contextmanager
def existing_table(requests: TableRequests, name: str) -> Generator[None, None, None]:
    """Raise ArgumentRefused with the names of the tables, if a request in the block does not find the table."""
    try:
        yield
    except RequestRefused as problem:
        if problem.code != "ResourceNotFoundException":
            raise
        raise ArgumentRefused(f"there is no table {name!r}; the tables are {_names(requests)}") from problem


def _names(requests: TableRequests) -> str:
    names = requests.send("ListTables", {"Limit": 20}).get("TableNames") or []
    return ", ".join(names) if names else "none"


def ttl_attribute(requests: TableRequests, name: str) -> str | None:
    """Return the TTL attribute of a table. Return None if there is none, or if the caller may not read it."""
    try:
        described = requests.send("DescribeTimeToLive", {"TableName": name}).get("TimeToLiveDescription") or {}
    except RequestRefused:  # the caller may not have this permission
        return None
    enabled = described.get("TimeToLiveStatus") in ("ENABLED", "ENABLING")
    return described.get("AttributeName") if enabled else None


def _scan(requests: TableRequests, name: str, items_max: int) -> tuple[tuple[dict[str, Any], ...], bool]:
    """Scan an equal share of items from each segment, then more items from the segments that have more."""
    items: list[dict[str, Any]] = []
    waiting: list[tuple[int, dict[str, Any] | None]] = [(segment, None) for segment in range(SEGMENTS)]
    share = -(-items_max // SEGMENTS)
    pages = 0
    while waiting and len(items) < items_max and pages < PAGES_MAX:
        segment, start = waiting.pop(0)
        request: dict[str, Any] = {
            "TableName": name,
            "Segment": segment,
            "TotalSegments": SEGMENTS,
            "Limit": min(share, items_max - len(items)),
            "ReturnConsumedCapacity": "TOTAL",
        }
        if start is not None:
            request["ExclusiveStartKey"] = start
        page = requests.send("Scan", request)
        pages += 1
        items += page.get("Items") or []
        if page.get("LastEvaluatedKey"):
            waiting.append((segment, page["LastEvaluatedKey"]))
    return tuple(items), not waiting
