"""A manual clock, tables with few units, and a count of the requests before throttling."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from singletable.engine.engine import Engine
from singletable.errors import RequestRefused
from tests.engine.table_requests import Document, create, definitions, index

START = 1_700_000_000.0
EXCEEDED = "ProvisionedThroughputExceededException"


class Clock:
    """A clock that the test sets."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> float:
        return self.now


def units(read: int, write: int) -> Document:
    return {"ReadCapacityUnits": read, "WriteCapacityUnits": write}


def create_provisioned(engine: Engine, read: int, write: int, name: str = "table", gsi: Document | None = None) -> None:
    """Create a table with provisioned units, and a global index on `g` if it has units."""
    more: Document = {}
    if gsi is not None:
        more = {
            "AttributeDefinitions": definitions(pk="S", sk="S", g="S"),
            "GlobalSecondaryIndexes": [{**index("gsi", "g"), "ProvisionedThroughput": gsi}],
        }
    create(engine, name, BillingMode=None, ProvisionedThroughput=units(read, write), **more)


def count_until_throttled(ask: Callable[[int], Any], tries: int = 100) -> int:
    """Return how many of `count` requests succeed before a request is throttled."""
    for number in range(tries):
        try:
            ask(number)
        except RequestRefused as refusal:
            if refusal.code not in (EXCEEDED, "ThrottlingException"):
                raise
            return number
    return tries
