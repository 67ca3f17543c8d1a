"""A batch for a table that has bought little: what DynamoDB leaves over is sent again until all of it has arrived."""

import asyncio
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal

from singletable import BatchProgress, Retries, Since
from singletable.engine import Engine
from singletable.testing import Used, measured

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
    """How far the batch was after each round of requests, what it took, and how many events are there."""

    rounds: list[BatchProgress]
    used: Used
    stored: int


def ask(_: Guide) -> Arrived:
    """On an engine that throttles, and whose clock goes on by a second after each round."""
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
        with measured(guide) as used:
            asyncio.run(guide.aio.put_many(EVENTS, progress=note))
        return Arrived(rounds, used, guide.latest_events.count("d_009", Since(START)))


def _buy(engine: Engine) -> None:
    """Twenty units a second for the table and for each index."""
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


def tell(arrived: Arrived) -> None:
    for number, progress in enumerate(arrived.rounds, start=1):
        print(f"second {number}: {progress.written} written, {progress.waiting} to be sent again")
    refused = sum(1 for request in arrived.used.made if request.refusal)
    print(f"{arrived.stored} events arrived, by {arrived.used.requests} requests, of which {refused} were throttled")


SCRIPT = Script(Guide, (), ask, tell)

if __name__ == "__main__":
    SCRIPT.main()
