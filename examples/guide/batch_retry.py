"""Write a batch to a table with little provisioned capacity: the client retries the unprocessed items."""

import asyncio
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal

from singletable import BatchProgress, Retries, Since
from singletable.engine import Engine
from singletable.testing import RecordedUsage, measure

from ..script import Script
from .clock import Clock
from .model import Event, Guide
from .rows import moment

START = moment("2026-04-26T12:00:00")
BOUGHT = {"ReadCapacityUnits": 20, "WriteCapacityUnits": 20}
EVENTS = [
    Event(device_id="d_009", id=f"e_{number:03}", at=START + timedelta(seconds=number), kind="TEMP", value=Decimal(20))
    for number in range(60)
]


@dataclass
class Arrived:
    """The progress and cost of each round of requests, and the number of stored events."""

    rounds: list[BatchProgress]
    used: RecordedUsage
    stored: int


def execute(_: Guide) -> Arrived:
    """Write the batch on an engine that throttles; its clock advances by a second after each round of requests."""
    clock = Clock(START.timestamp())
    rounds: list[BatchProgress] = []

    def note(progress: BatchProgress) -> None:
        rounds.append(progress)
        clock.seconds += 1

    with (
        Engine("memory:", enforce_capacity=True, now=clock, sweep_seconds=None) as engine,
        Guide.open(engine, create=True, retries=Retries(attempts=1, first_seconds=0.001)) as guide,
    ):
        _buy(engine)
        with measure(guide) as used:
            asyncio.run(guide.aio.put_many(EVENTS, progress=note))
        return Arrived(rounds, used, guide.latest_events.count("d_009", Since(START)))


def _buy(engine: Engine) -> None:
    """Return the table settings, with twenty units per second for the table and each index."""
    indexes = [{"Update": {"IndexName": name, "ProvisionedThroughput": BOUGHT}} for name in ("GSI1", "GSI2")]
    engine.call(
        "UpdateTable",
        {
            "TableName": "AppTable",
            "BillingMode": "PROVISIONED",
            "ProvisionedThroughput": BOUGHT,
            "GlobalSecondaryIndexUpdates": indexes,
        },
    )


def show(arrived: Arrived) -> None:
    for number, progress in enumerate(arrived.rounds, start=1):
        print(f"second {number}: {progress.written} written, {progress.waiting} to retry")
    throttled = sum(1 for request in arrived.used.recorded_requests if request.error)
    print(f"{arrived.stored} events stored with {arrived.used.requests} requests; {throttled} were throttled")


SCRIPT = Script(Guide, (), execute, show)

if __name__ == "__main__":
    SCRIPT.main()
