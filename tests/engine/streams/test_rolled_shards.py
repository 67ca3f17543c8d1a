"""An engine that closes shards after n records lists them with their parents, and each record is in one shard."""

from __future__ import annotations

from typing import Any

import pytest

from singletable.engine import Engine
from singletable.errors import RequestRefused
from tests.engine.table_requests import create, item


def stream_of(engine: Engine, count: int) -> str:
    create(engine, "table", StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"})
    for number in range(count):
        engine.call("PutItem", {"TableName": "table", "Item": item(pk=f"p{number}", sk="s")})
    arn: str = engine.call("DescribeTable", {"TableName": "table"})["Table"]["LatestStreamArn"]
    return arn


def described(engine: Engine, arn: str, **parameters: Any) -> dict[str, Any]:
    found: dict[str, Any] = engine.call("DescribeStream", {"StreamArn": arn, **parameters})["StreamDescription"]
    return found


def read(engine: Engine, arn: str, shard: str, **parameters: Any) -> tuple[list[str], bool]:
    """Return the sequence numbers of the records of a shard, and whether it is closed."""
    request = {"StreamArn": arn, "ShardId": shard, "ShardIteratorType": "TRIM_HORIZON", **parameters}
    iterator = engine.call("GetShardIterator", request)["ShardIterator"]
    found: list[str] = []
    while True:
        page = engine.call("GetRecords", {"ShardIterator": iterator, "Limit": 2})
        found += [each["dynamodb"]["SequenceNumber"] for each in page["Records"]]
        iterator = page.get("NextShardIterator")
        if iterator is None or not page["Records"]:
            return found, iterator is None


@pytest.mark.parametrize("count", [0, 1, 4, 5, 6, 15, 17])
def test_every_stream_record_is_in_one_shard_in_order(count: int) -> None:
    with Engine(shard_records=5, sweep_seconds=None) as engine:
        arn = stream_of(engine, count)
        shards = described(engine, arn)["Shards"]
        read_shards = [read(engine, arn, each["ShardId"]) for each in shards]
        numbers = [number for found, _ in read_shards for number in found]
        assert len(numbers) == count
        assert numbers == sorted(set(numbers))
        assert [is_closed for _, is_closed in read_shards] == [True] * (len(shards) - 1) + [False]
        parents = [each.get("ParentShardId") for each in shards]
        assert parents == [None, *(each["ShardId"] for each in shards[:-1])]


def test_the_shards_of_a_stream_are_listed_in_pages_and_by_parent() -> None:
    with Engine(shard_records=1, sweep_seconds=None) as engine:
        arn = stream_of(engine, 4)
        first = described(engine, arn, Limit=3)
        rest = described(engine, arn, ExclusiveStartShardId=first["LastEvaluatedShardId"])
        assert (len(first["Shards"]), len(rest["Shards"])) == (3, 2)
        assert "LastEvaluatedShardId" not in rest
        parent = first["Shards"][1]["ShardId"]
        children = described(engine, arn, ShardFilter={"Type": "CHILD_SHARDS", "ShardId": parent})["Shards"]
        assert [each["ParentShardId"] for each in children] == [parent]


def test_stream_reading_rejects_a_position_of_another_shard() -> None:
    with Engine(shard_records=2, sweep_seconds=None) as engine:
        arn = stream_of(engine, 5)
        first, second, *_ = described(engine, arn)["Shards"]
        (number, _), _ = read(engine, arn, second["ShardId"])
        after = {"ShardIteratorType": "AFTER_SEQUENCE_NUMBER", "SequenceNumber": number}
        assert len(read(engine, arn, second["ShardId"], **after)[0]) == 1
        with pytest.raises(RequestRefused, match="Invalid SequenceNumber for the shard"):
            read(engine, arn, first["ShardId"], **after)


def test_the_last_shard_is_closed_when_its_stream_ends() -> None:
    with Engine(shard_records=2, sweep_seconds=None) as engine:
        arn = stream_of(engine, 4)
        engine.call("UpdateTable", {"TableName": "table", "StreamSpecification": {"StreamEnabled": False}})
        shards = described(engine, arn)["Shards"]
        assert all(read(engine, arn, each["ShardId"])[1] for each in shards)
        assert sum(len(read(engine, arn, each["ShardId"])[0]) for each in shards) == 4
