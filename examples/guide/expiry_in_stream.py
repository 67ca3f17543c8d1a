"""Distinguish expired events from deleted events in the stream."""

from dataclasses import dataclass

from singletable.engine import Engine

from ..script import Script
from .clock import Clock
from .model import Telemetry
from .series_rows import SHARDED


@dataclass
class Removed:
    """A removed item, as the stream reports it."""

    sort_key: str
    by: dict[str, str] | None


def execute(_: Telemetry) -> list[Removed]:
    """Return the records of the stream, from an engine with a manual clock that advances by 90 days."""
    clock = Clock(SHARDED[-1].at.timestamp())
    expiring, deleted, *_others = SHARDED
    with (
        Engine("memory:", now=clock, sweep_seconds=None) as engine,
        Telemetry.open(engine, create=True, now=clock) as telemetry,
    ):
        stream = _stream(engine)
        telemetry.report(expiring)
        telemetry.report(deleted)
        clock.seconds = expiring.expires_at + 1
        telemetry.delete(deleted)
        engine.sweep()
        return _removed(engine, stream)


def _stream(engine: Engine) -> str:
    wanted = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}
    changed = engine.call("UpdateTable", {"TableName": "Telemetry", "StreamSpecification": wanted})
    arn: str = changed["TableDescription"]["LatestStreamArn"]
    return arn


def _removed(engine: Engine, stream: str) -> list[Removed]:
    (shard,) = engine.call("DescribeStream", {"StreamArn": stream})["StreamDescription"]["Shards"]
    place = {"StreamArn": stream, "ShardId": shard["ShardId"], "ShardIteratorType": "TRIM_HORIZON"}
    start = engine.call("GetShardIterator", place)["ShardIterator"]
    return [
        Removed(record["dynamodb"]["Keys"]["SK"]["S"], record.get("userIdentity"))
        for record in engine.call("GetRecords", {"ShardIterator": start})["Records"]
        if record["eventName"] == "REMOVE"
    ]


def show(removed: list[Removed]) -> None:
    for item in removed:
        print(f"REMOVE {item.sort_key}, userIdentity {item.by}")


SCRIPT = Script(Telemetry, (), execute, show)

if __name__ == "__main__":
    SCRIPT.main()
