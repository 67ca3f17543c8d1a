"""A table that exists, read as it is: its description, how its items expire, and a sample of them with its price."""

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
class Sample:
    """What was read of a table, and what reading it took."""

    description: dict[str, Any]
    ttl_attribute: str | None
    items: tuple[dict[str, Any], ...]
    requests: int
    read_units: float
    is_whole: bool


class Asked:
    """Requests to one table through a session of the data layer, which repeats those that fail in passing."""

    def __init__(self, session: Any) -> None:
        self._session = session
        self.requests = 0
        self.read_units = 0.0

    def ask(self, operation: str, parameters: dict[str, Any]) -> dict[str, Any]:
        """The answer to one request."""
        from singletable.client.steps import Call

        (body,) = self._session.ask_all((Call(operation, parameters),))
        answer: dict[str, Any] = json.loads(body)
        self.requests += 1
        self.read_units += float((answer.get("ConsumedCapacity") or {}).get("CapacityUnits") or 0)
        return answer


@contextmanager
def asking(url: str) -> Generator[Asked, None, None]:
    """A session to whatever a URL leads to; a store that is not there is not made."""
    from singletable.client.connecting import transport_for
    from singletable.client.session import Session

    if url == "memory:":
        raise ArgumentRefused("memory: is empty; a live table is at file:PATH, http://HOST:PORT or dynamodb://REGION")
    if url.startswith("file:") and not Path(url.removeprefix("file:")).exists():
        raise ArgumentRefused(f"{url} is not there: no store has that path")
    session = Session(transport_for(url))
    try:
        yield Asked(session)
    finally:
        session.close()


def sampled_table(asked: Asked, name: str, items_max: int) -> Sample:
    """The table with up to so many items, from everywhere in it."""
    try:
        description = asked.ask("DescribeTable", {"TableName": name})["Table"]
    except RequestRefused as refusal:
        if refusal.code != "ResourceNotFoundException":
            raise
        raise ArgumentRefused(f"there is no table {name!r}; there are {_names(asked)}") from refusal
    items, is_whole = _scanned(asked, name, items_max)
    return Sample(description, _ttl(asked, name), items, asked.requests, asked.read_units, is_whole)


def _names(asked: Asked) -> str:
    names = asked.ask("ListTables", {"Limit": 20}).get("TableNames") or []
    return ", ".join(names) if names else "none"


def _ttl(asked: Asked, name: str) -> str | None:
    try:
        described = asked.ask("DescribeTimeToLive", {"TableName": name}).get("TimeToLiveDescription") or {}
    except RequestRefused:  # a key that may read a table need not be allowed to ask this
        return None
    enabled = described.get("TimeToLiveStatus") in ("ENABLED", "ENABLING")
    return described.get("AttributeName") if enabled else None


def _scanned(asked: Asked, name: str, items_max: int) -> tuple[tuple[dict[str, Any], ...], bool]:
    """A share of the items from each segment of the table, then more from those that have more."""
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
        page = asked.ask("Scan", request)
        pages += 1
        items += page.get("Items") or []
        if page.get("LastEvaluatedKey"):
            waiting.append((segment, page["LastEvaluatedKey"]))
    return tuple(items), not waiting
