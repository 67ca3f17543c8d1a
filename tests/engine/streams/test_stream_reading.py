"""A stream contains every change once, in order, with the images of its view type, for 24 hours."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.engine.engine import Engine
from singletable.engine.integrity_check import check_store
from singletable.errors import RequestRefused
from tests.engine.table_requests import Document, create, create_hash, delete, get, item, put, texts, update, values

DAY = 86400.0


class Clock:
    """A clock that the test advances."""

    def __init__(self) -> None:
        self.now = 1_800_000_000.25

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def engine(clock: Clock) -> Iterator[Engine]:
    with Engine(now=clock, sweep_seconds=None) as made:
        create_streamed(made)
        yield made


def create_streamed(engine: Engine, name: str = "table", view: str = "NEW_AND_OLD_IMAGES") -> None:
    create(engine, name, StreamSpecification={"StreamEnabled": True, "StreamViewType": view})


def switch(engine: Engine, view: str | None) -> None:
    specification: Document = {"StreamEnabled": view is not None}
    if view is not None:
        specification["StreamViewType"] = view
    engine.call("UpdateTable", {"TableName": "table", "StreamSpecification": specification})


def arn_of(engine: Engine, table: str = "table") -> str:
    arn: str = engine.call("DescribeTable", {"TableName": table})["Table"]["LatestStreamArn"]
    return arn


def described(engine: Engine, arn: str) -> Document:
    stream: Document = engine.call("DescribeStream", {"StreamArn": arn})["StreamDescription"]
    return stream


def iterator(engine: Engine, arn: str, kind: str = "TRIM_HORIZON", **more: str) -> str:
    (shard,) = described(engine, arn)["Shards"]
    request = {"StreamArn": arn, "ShardId": shard["ShardId"], "ShardIteratorType": kind, **more}
    text: str = engine.call("GetShardIterator", request)["ShardIterator"]
    return text


def records(engine: Engine, arn: str | None = None, kind: str = "TRIM_HORIZON", **more: str) -> list[Document]:
    place = iterator(engine, arn or arn_of(engine), kind, **more)
    found: list[Document] = engine.call("GetRecords", {"ShardIterator": place})["Records"]
    return found


def images(record: Document) -> tuple[Any, Any, Any]:
    return record["eventName"], record["dynamodb"].get("OldImage"), record["dynamodb"].get("NewImage")


A = texts(pk="a", sk="1")


def test_stream_reading_returns_records_of_put_update_and_delete_in_order(engine: Engine, clock: Clock) -> None:
    put(engine, {**A, **item(n=1)})
    clock.now += 10
    update(engine, A, "SET n = :n", ExpressionAttributeValues=values(n=2))
    delete(engine, A)
    found = records(engine)
    assert [images(record) for record in found] == [
        ("INSERT", None, {**A, **item(n=1)}),
        ("MODIFY", {**A, **item(n=1)}, {**A, **item(n=2)}),
        ("REMOVE", {**A, **item(n=2)}, None),
    ]
    first = found[0]
    details = first["dynamodb"]
    assert details["Keys"] == A
    assert details["ApproximateCreationDateTime"] == 1_800_000_000
    assert found[1]["dynamodb"]["ApproximateCreationDateTime"] == 1_800_000_010
    assert details["StreamViewType"] == "NEW_AND_OLD_IMAGES"
    # The keys (pk, a, sk, 1), and the image, which contains the keys and the number n.
    assert [record["dynamodb"]["SizeBytes"] for record in found] == [6 + 9, 6 + 9 + 9, 6 + 9]
    numbers = [record["dynamodb"]["SequenceNumber"] for record in found]
    assert numbers == sorted(set(numbers))
    assert {len(number) for number in numbers} == {21}
    assert len({record["eventID"] for record in found}) == 3
    assert (first["eventSource"], first["eventVersion"], first["awsRegion"]) == ("aws:dynamodb", "1.1", "us-east-1")
    assert "userIdentity" not in first


@pytest.mark.parametrize(
    ("view", "old", "new"),
    [
        ("NEW_IMAGE", False, True),
        ("OLD_IMAGE", True, False),
        ("NEW_AND_OLD_IMAGES", True, True),
        ("KEYS_ONLY", False, False),
    ],
)
def test_stream_reading_returns_only_the_images_of_the_view_type(clock: Clock, view: str, old: bool, new: bool) -> None:
    with Engine(now=clock) as engine:
        create_streamed(engine, view=view)
        put(engine, {**A, **item(n=1)})
        put(engine, {**A, **item(n=2)})
        _, changed = records(engine)
    assert ("OldImage" in changed["dynamodb"], "NewImage" in changed["dynamodb"]) == (old, new)
    assert changed["dynamodb"]["Keys"] == A


def test_the_change_recorder_ignores_a_write_that_changes_nothing(engine: Engine) -> None:
    whole = {**A, "s": {"SS": ["x", "y"]}, **item(n=1)}
    put(engine, whole)
    put(engine, whole)
    # equal to the stored item, but in another order and notation
    put(engine, {"n": {"N": "1.0"}, "s": {"SS": ["y", "x"]}, **A})
    update(engine, A, "SET n = :n", ExpressionAttributeValues=values(n=1))
    delete(engine, texts(pk="nobody", sk="1"))
    with pytest.raises(RequestRefused):
        put(engine, {**A, **item(n=5)}, ConditionExpression="attribute_not_exists(pk)")
    assert [record["eventName"] for record in records(engine)] == ["INSERT"]


def test_the_change_recorder_records_batches_and_committed_transactions(engine: Engine) -> None:
    puts = [{"PutRequest": {"Item": texts(pk="b", sk=str(number))}} for number in range(3)]
    engine.call("BatchWriteItem", {"RequestItems": {"table": puts}})
    engine.call(
        "TransactWriteItems",
        {
            "TransactItems": [
                {"Put": {"TableName": "table", "Item": A}},
                {"Delete": {"TableName": "table", "Key": texts(pk="b", sk="0")}},
                {
                    "ConditionCheck": {
                        "TableName": "table",
                        "Key": texts(pk="b", sk="1"),
                        "ConditionExpression": "attribute_exists(pk)",
                    }
                },
            ]
        },
    )
    refused = {"Put": {"TableName": "table", "Item": A, "ConditionExpression": "attribute_not_exists(pk)"}}
    other = {"Put": {"TableName": "table", "Item": texts(pk="c", sk="1")}}
    with pytest.raises(RequestRefused):
        engine.call("TransactWriteItems", {"TransactItems": [other, refused]})
    assert [(record["eventName"], record["dynamodb"]["Keys"]["pk"]["S"]) for record in records(engine)] == [
        *[("INSERT", "b")] * 3,
        ("INSERT", "a"),
        ("REMOVE", "b"),
    ]


@given(
    st.lists(
        st.tuples(st.sampled_from("abc"), st.sampled_from(["put", "update", "delete", "batch"]), st.integers(0, 3)),
        max_size=25,
    )
)
def test_replaying_the_records_of_stream_reading_rebuilds_the_table(steps: list[tuple[str, str, int]]) -> None:
    with Engine() as engine:
        create_streamed(engine)
        for name, kind, number in steps:
            key = texts(pk=name, sk="1")
            if kind == "put":
                put(engine, {**key, **item(n=number)})
            elif kind == "update":
                update(engine, key, "SET n = :n", ExpressionAttributeValues=values(n=number))
            elif kind == "delete":
                delete(engine, key)
            else:
                batch = [{"PutRequest": {"Item": {**key, **item(n=number)}}}]
                engine.call("BatchWriteItem", {"RequestItems": {"table": batch}})
        replayed: dict[str, Document | None] = {}
        for record in records(engine):
            event, old, new = images(record)
            name = record["dynamodb"]["Keys"]["pk"]["S"]
            assert replayed.get(name) == old
            assert old != new
            assert event == ("INSERT" if old is None else "REMOVE" if new is None else "MODIFY")
            replayed[name] = new
        for name in "abc":
            assert replayed.get(name) == get(engine, texts(pk=name, sk="1"))


def test_get_records_returns_all_records_in_pages_with_a_limit(engine: Engine) -> None:
    for number in range(7):
        put(engine, texts(pk="a", sk=str(number)))
    place, seen = iterator(engine, arn_of(engine)), []
    for expected in (3, 3, 1, 0):
        answer = engine.call("GetRecords", {"ShardIterator": place, "Limit": 3})
        assert len(answer["Records"]) == expected
        seen += [record["dynamodb"]["Keys"]["sk"]["S"] for record in answer["Records"]]
        place = answer["NextShardIterator"]
    assert seen == [str(number) for number in range(7)]


def test_get_records_returns_at_most_a_megabyte_and_at_least_one_record(engine: Engine) -> None:
    for number in range(8):
        put(engine, {**texts(pk="a", sk=str(number)), "long": {"S": "x" * 390_000}})
    answer = engine.call("GetRecords", {"ShardIterator": iterator(engine, arn_of(engine))})
    assert len(answer["Records"]) == 2
    for number in range(8):
        put(engine, {**texts(pk="a", sk=str(number)), "long": {"S": "y" * 390_000}})
    large = engine.call("GetRecords", {"ShardIterator": iterator(engine, arn_of(engine), "LATEST")})
    assert large["Records"] == []


def test_get_shard_iterator_starts_at_a_record_after_it_or_at_the_end(engine: Engine) -> None:
    for number in range(4):
        put(engine, texts(pk="a", sk=str(number)))
    numbers = [record["dynamodb"]["SequenceNumber"] for record in records(engine)]

    def seen(kind: str, **more: str) -> list[str]:
        return [record["dynamodb"]["Keys"]["sk"]["S"] for record in records(engine, None, kind, **more)]

    assert seen("AT_SEQUENCE_NUMBER", SequenceNumber=numbers[2]) == ["2", "3"]
    assert seen("AFTER_SEQUENCE_NUMBER", SequenceNumber=numbers[2]) == ["3"]
    assert seen("AFTER_SEQUENCE_NUMBER", SequenceNumber=numbers[3]) == []
    latest = iterator(engine, arn_of(engine), "LATEST")
    put(engine, texts(pk="a", sk="new"))
    (record,) = engine.call("GetRecords", {"ShardIterator": latest})["Records"]
    assert record["dynamodb"]["Keys"]["sk"]["S"] == "new"


def test_the_change_recorder_gives_all_records_of_a_transaction_the_same_time(clock: Clock) -> None:
    def ticking() -> float:
        clock.now += 1
        return clock.now

    with Engine(now=ticking, sweep_seconds=None) as engine:
        create_streamed(engine)
        puts = [{"Put": {"TableName": "table", "Item": texts(pk=name, sk="1")}} for name in "abc"]
        engine.call("TransactWriteItems", {"TransactItems": puts})
        put(engine, texts(pk="d", sk="1"))
        *together, later = [record["dynamodb"]["ApproximateCreationDateTime"] for record in records(engine)]
    assert len(set(together)) == 1
    assert later > together[0]


def test_stream_reading_works_for_a_disabled_stream_and_the_next_one_starts_after_it(
    engine: Engine, clock: Clock
) -> None:
    first = arn_of(engine)
    put(engine, A)
    switch(engine, None)
    put(engine, texts(pk="unseen", sk="1"))
    table = engine.call("DescribeTable", {"TableName": "table"})["Table"]
    assert "StreamSpecification" not in table
    assert table["LatestStreamArn"] == first
    ended = described(engine, first)
    assert ended["StreamStatus"] == "DISABLED"
    assert "EndingSequenceNumber" in ended["Shards"][0]["SequenceNumberRange"]
    answer = engine.call("GetRecords", {"ShardIterator": iterator(engine, first)})
    assert len(answer["Records"]) == 1
    assert "NextShardIterator" not in answer
    switch(engine, "KEYS_ONLY")  # within the same millisecond
    second = arn_of(engine)
    assert second != first
    put(engine, texts(pk="seen", sk="1"))
    assert [record["dynamodb"]["Keys"]["pk"]["S"] for record in records(engine, second)] == ["seen"]
    assert len(records(engine, first)) == 1
    assert len(engine.call("ListStreams", {"TableName": "table"})["Streams"]) == 2


def test_log_retention_drops_a_stream_24_hours_after_its_table(engine: Engine, clock: Clock) -> None:
    arn = arn_of(engine)
    put(engine, A)
    engine.call("DeleteTable", {"TableName": "table"})
    clock.now += DAY - 1
    engine.sweep()
    assert len(records(engine, arn)) == 1
    clock.now += 2
    engine.sweep()
    assert engine.call("ListStreams", {}) == {"Streams": []}
    with pytest.raises(RequestRefused, match=r"Stream: .* not found"):
        described(engine, arn)


def test_log_retention_trims_records_after_24_hours(engine: Engine, clock: Clock) -> None:
    put(engine, A)
    clock.now += DAY / 2
    put(engine, texts(pk="b", sk="1"))
    arn = arn_of(engine)
    old, _ = records(engine)
    number = old["dynamodb"]["SequenceNumber"]
    clock.now += DAY / 2 + 1
    assert [record["dynamodb"]["Keys"]["pk"]["S"] for record in records(engine)] == ["b"]
    with pytest.raises(RequestRefused) as error:
        iterator(engine, arn, "AT_SEQUENCE_NUMBER", SequenceNumber=number)
    assert error.value.code == "TrimmedDataAccessException"
    engine.sweep()
    with engine.store.reading() as connection:
        assert connection.execute("SELECT count(*) FROM c1").fetchone() == (1,)
    clock.now += DAY
    engine.sweep()
    assert records(engine) == []
    put(engine, texts(pk="c", sk="1"))
    (new,) = records(engine)
    assert new["dynamodb"]["SequenceNumber"] > number


def test_a_shard_iterator_for_stream_reading_expires_after_15_minutes(engine: Engine, clock: Clock) -> None:
    place = iterator(engine, arn_of(engine))
    clock.now += 900
    engine.call("GetRecords", {"ShardIterator": place})
    clock.now += 1
    with pytest.raises(RequestRefused) as error:
        engine.call("GetRecords", {"ShardIterator": place})
    assert error.value.code == "ExpiredIteratorException"


def test_stream_reading_rejects_a_forged_shard_iterator(engine: Engine) -> None:
    place = iterator(engine, arn_of(engine))
    head, _, signed = place.rpartition("|")
    forged = [
        "",
        "x",
        place[:-6] + ("AAAAAA" if place[-6:] != "AAAAAA" else "BBBBBB"),
        f"{head}|ä",
        f"{head}|",
        f"{head.replace('table/table', 'table/other')}|{signed}",
    ]
    for text in forged[1:]:
        with pytest.raises(RequestRefused, match="Invalid ShardIterator"):
            engine.call("GetRecords", {"ShardIterator": text})
    with Engine() as other:
        create_streamed(other)
        with pytest.raises(RequestRefused, match="Invalid ShardIterator"):
            other.call("GetRecords", {"ShardIterator": place})


@pytest.mark.parametrize(
    ("change", "code", "words"),
    [
        ({"ShardIteratorType": "AT_SEQUENCE_NUMBER"}, "ValidationException", "Invalid SequenceNumber"),
        ({"SequenceNumber": "1" * 21}, "ValidationException", "SequenceNumber should not be passed"),
        (
            {"ShardIteratorType": "AT_SEQUENCE_NUMBER", "SequenceNumber": "9" * 21},
            "ValidationException",
            "Invalid SequenceNumber for the shard",
        ),
        (
            {"ShardIteratorType": "AT_SEQUENCE_NUMBER", "SequenceNumber": "9" * 22},
            "ValidationException",
            "Invalid SequenceNumber$",
        ),
        ({"ShardId": "shardId-00000000000000000000-00000000"}, "ResourceNotFoundException", "Shard does not exist"),
        ({"StreamArn": "x" * 40}, "ValidationException", "Invalid StreamArn"),
        (
            {"StreamArn": "arn:aws:dynamodb:us-east-1:000000000000:table/missing/stream/2026"},
            "ResourceNotFoundException",
            "Stream: .*/missing/stream/2026 not found",
        ),
        ({"ShardIteratorType": "FIRST"}, "ValidationException", "shardIteratorType"),
    ],
)
def test_get_shard_iterator_rejects_invalid_positions(engine: Engine, change: Document, code: str, words: str) -> None:
    arn = arn_of(engine)
    shard = described(engine, arn)["Shards"][0]["ShardId"]
    request = {"StreamArn": arn, "ShardId": shard, "ShardIteratorType": "TRIM_HORIZON", **change}
    with pytest.raises(RequestRefused, match=words) as error:
        engine.call("GetShardIterator", request)
    assert error.value.code == code


def test_list_streams_is_paginated(engine: Engine) -> None:
    for name in ("aaa", "zzz"):
        create_streamed(engine, name)
    create_hash(engine)
    first = engine.call("ListStreams", {"Limit": 2})
    assert [stream["TableName"] for stream in first["Streams"]] == ["aaa", "table"]
    rest = engine.call("ListStreams", {"ExclusiveStartStreamArn": first["LastEvaluatedStreamArn"]})
    assert [stream["TableName"] for stream in rest["Streams"]] == ["zzz"]
    assert "LastEvaluatedStreamArn" not in rest
    assert engine.call("ListStreams", {"TableName": "hash"}) == {"Streams": []}


@pytest.mark.parametrize(
    ("specification", "new", "changed"),
    [
        (
            {"StreamEnabled": True},
            "Table is being created with a stream enabled, UpdateViewType is required",
            "If stream is being enabled then UpdateViewType is required",
        ),
        (
            {"StreamEnabled": False, "StreamViewType": "KEYS_ONLY"},
            "Table is being created with a stream disabled, UpdateViewType should not be specified",
            "If stream is being disabled, then UpdateViewType must not be specified",
        ),
        ({"StreamEnabled": True, "StreamViewType": "ALL"}, "streamViewType", "streamViewType"),
    ],
)
def test_create_table_and_update_table_require_a_view_type_for_a_stream(
    engine: Engine, specification: Document, new: str, changed: str
) -> None:
    with pytest.raises(RequestRefused, match=new):
        create(engine, "new", StreamSpecification=specification)
    with pytest.raises(RequestRefused, match=changed):
        engine.call("UpdateTable", {"TableName": "table", "StreamSpecification": specification})


def test_update_table_cannot_enable_or_disable_a_stream_twice(engine: Engine) -> None:
    with pytest.raises(RequestRefused, match=r": Table already has an enabled stream: TableName: table$"):
        switch(engine, "KEYS_ONLY")
    switch(engine, None)
    with pytest.raises(RequestRefused, match=r": Table has no stream to disable: TableName: table$"):
        switch(engine, None)


def test_stream_reading_continues_after_a_restart_and_passes_the_integrity_check(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    with Engine(f"file:{path}") as engine:
        create_streamed(engine)
        put(engine, A)
        place = iterator(engine, arn_of(engine))
    with Engine(f"file:{path}") as engine:
        assert len(engine.call("GetRecords", {"ShardIterator": place})["Records"]) == 1
        delete(engine, A)
        switch(engine, None)
        put(engine, {**A, **item(n=7)})  # no change log records this write
        switch(engine, "NEW_IMAGE")
        put(engine, {**A, **item(n=8)})
    assert check_store(path).problems == []


def test_the_integrity_check_finds_a_log_that_contradicts_the_items(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    with Engine(f"file:{path}") as engine:
        create_streamed(engine)
        put(engine, A)
        put(engine, {**A, **item(n=1)})
        with engine.store.writing() as connection:
            connection.execute("DELETE FROM c1 WHERE sequence = 2")
    (problem,) = check_store(path).problems
    assert "differs from its last change" in problem


def test_stream_reading_works_with_boto3(engine: Engine) -> None:
    put(engine, A)
    client = engine.boto3_client("dynamodbstreams")
    (stream,) = client.list_streams()["Streams"]
    description = client.describe_stream(StreamArn=stream["StreamArn"])["StreamDescription"]
    place = client.get_shard_iterator(
        StreamArn=stream["StreamArn"],
        ShardId=description["Shards"][0]["ShardId"],
        ShardIteratorType="TRIM_HORIZON",
    )["ShardIterator"]
    (record,) = client.get_records(ShardIterator=place)["Records"]
    assert record["dynamodb"]["Keys"] == A
    assert record["dynamodb"]["ApproximateCreationDateTime"].year == 2027
    with pytest.raises(client.exceptions.ResourceNotFoundException):
        client.describe_stream(StreamArn="arn:aws:dynamodb:us-east-1:000000000000:table/missing/stream/2026")
    with pytest.raises(ValueError, match="service_name must be one of"):
        engine.boto3_client("s3")


@pytest.mark.parametrize(
    ("action", "change", "words"),
    [
        ("ListStreams", {"Limit": 101}, "less than or equal to 100"),
        ("ListStreams", {"ExclusiveStartStreamArn": "x" * 40}, "Invalid StreamArn"),
        ("DescribeStream", {"Limit": 101}, "less than or equal to 100"),
        ("DescribeStream", {"StreamArn": "x" * 40}, "Invalid StreamArn"),
        ("DescribeStream", {"ShardFilter": {"Type": "PARENTS", "ShardId": "x" * 28}}, "shardFilter.type"),
        ("DescribeStream", {"ShardFilter": {"Type": "CHILD_SHARDS", "ShardId": "x"}}, "shardFilter.shardId"),
        ("DescribeStream", {"ShardFilter": {"Type": "CHILD_SHARDS"}}, "shardFilter.shardId"),
        ("DescribeStream", {"ShardFilter": {"ShardId": "x" * 28}}, "shardFilter.type"),
    ],
)
def test_stream_actions_reject_invalid_limits_filters_and_arns(
    engine: Engine, action: str, change: Document, words: str
) -> None:
    # Alternator's tests of these requests pass on DynamoDB. The API reference contains the limits.
    request = {**({"StreamArn": arn_of(engine)} if action == "DescribeStream" else {}), **change}
    with pytest.raises(RequestRefused, match=words) as error:
        engine.call(action, request)
    assert error.value.code == "ValidationException"


def test_describe_stream_returns_no_child_shards(engine: Engine) -> None:
    arn = arn_of(engine)
    shard = described(engine, arn)["Shards"][0]["ShardId"]
    request = {"StreamArn": arn, "ShardFilter": {"Type": "CHILD_SHARDS", "ShardId": shard}}
    assert engine.call("DescribeStream", request)["StreamDescription"]["Shards"] == []
