"""A clock that stands still, tables with few units, and how many of many requests are let through."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from singletable.engine.engine import Engine
from singletable.errors import RequestRefused
from tests.engine.tables import Document, create, definitions, index

START = 1_700_000_000.0
EXCEEDED = "ProvisionedThroughputExceededException"


class Clock:
    """Time that passes when it is told to."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> float:
        return self.now


def units(read: int, write: int) -> Document:
    return {"ReadCapacityUnits": read, "WriteCapacityUnits": write}


def create_bought(engine: Engine, read: int, write: int, name: str = "table", gsi: Document | None = None) -> None:
    """A table with bought units, and with a global index on `g` when there are units for it."""
    more: Document = {}
    if gsi is not None:
        more = {
            "AttributeDefinitions": definitions(pk="S", sk="S", g="S"),
            "GlobalSecondaryIndexes": [{**index("gsi", "g"), "ProvisionedThroughput": gsi}],
        }
    create(engine, name, BillingMode=None, ProvisionedThroughput=units(read, write), **more)


def let_through(ask: Callable[[int], Any], tries: int = 100) -> int:
    """How many of so many requests are let through before one is throttled."""
    for number in range(tries):
        try:
            ask(number)
        except RequestRefused as refusal:
            if refusal.code not in (EXCEEDED, "ThrottlingException"):
                raise
            return number
    return tries
