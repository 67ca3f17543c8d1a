"""The limits of a partition: enforced for each key value, in tables and indexes, and discarded when idle."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from singletable.engine.engine import Engine
from singletable.engine.traffic.capacity_use import TABLE, CapacityUse
from singletable.engine.traffic.throughput_limits import PartitionLimits
from tests.engine.table_requests import (
    create,
    create_indexed,
    error_fields,
    get,
    item,
    put,
    query,
    refused,
    scan,
    texts,
    values,
)
from tests.engine.traffic.throttled_tables import Clock, count_until_throttled, create_provisioned

LARGE = "x" * 102_000  # a hundred write units, and 25 of a consistent read


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def engine(clock: Clock) -> Iterator[Engine]:
    with Engine(now=clock, enforce_partition_limit=True) as made:
        yield made


def put_large(engine: Engine, partition: str, number: int, **more: str) -> None:
    put(engine, texts(pk=partition, sk=str(number), body=LARGE, **more))


def test_throughput_limits_of_a_partition_allow_a_thousand_write_units_per_second(engine: Engine, clock: Clock) -> None:
    create(engine)
    assert count_until_throttled(lambda number: put_large(engine, "a", number)) == 10
    assert count_until_throttled(lambda number: put_large(engine, "b", number)) == 10
    clock.now += 60
    assert count_until_throttled(lambda number: put_large(engine, "a", number)) == 10


def test_throughput_limits_of_a_partition_allow_three_thousand_read_units_per_second(engine: Engine) -> None:
    create(engine)
    put_large(engine, "a", 1)
    assert count_until_throttled(lambda _: get(engine, texts(pk="a", sk="1"), ConsistentRead=True), 500) == 120
    condition = ("pk = :a", values(a="a"))
    assert count_until_throttled(lambda _: query(engine, *condition)) == 0
    get(engine, texts(pk="b", sk="1"))
    # A Scan reads many partitions, so the limit of one does not apply.
    assert count_until_throttled(lambda _: scan(engine)) == 100


@pytest.mark.parametrize("is_provisioned", [True, False])
def test_the_throughput_limits_of_a_hot_key_have_an_error_for_each_billing_mode(
    engine: Engine, is_provisioned: bool
) -> None:
    if is_provisioned:
        create_provisioned(engine, 1, 1)
    else:
        create(engine)
    assert count_until_throttled(lambda number: put_large(engine, "a", number)) == 10
    refusal = refused(engine, "PutItem", {"TableName": "table", "Item": texts(pk="a", sk="1")})
    fields = error_fields(refusal)
    if is_provisioned:
        assert refusal.code == "ProvisionedThroughputExceededException"
        reasons = fields["ThrottlingReasons"]
    else:
        assert refusal.code == "ThrottlingException"
        assert "check if you have a hot key" in refusal.message
        reasons = fields["throttlingReasons"]
    assert reasons[0]["reason"] == "TableWriteKeyRangeThroughputExceeded"


def test_the_throughput_limits_of_a_hot_index_key_block_writes_of_the_table(engine: Engine) -> None:
    create_indexed(engine)
    assert count_until_throttled(lambda number: put_large(engine, f"p{number}", number, gsiPk="hot")) == 10
    refusal = refused(engine, "PutItem", {"TableName": "table", "Item": texts(pk="other", sk="1", gsiPk="hot")})
    reasons = error_fields(refusal)["throttlingReasons"]
    assert reasons[0]["reason"] == "IndexWriteKeyRangeThroughputExceeded"
    assert reasons[0]["resource"].endswith("/index/gsi")
    put(engine, texts(pk="other", sk="1", gsiPk="cold"))


def test_throughput_limits_count_a_moving_index_entry_in_both_partitions(engine: Engine) -> None:
    create_indexed(engine)
    put(engine, item(pk="a", sk="1", gsiPk="one", body="x" * 300_000))
    for number in range(3):
        put(engine, item(pk=f"b{number}", sk="1", gsiPk="two", body="x" * 300_000))
    # 300 more units would move from `one` to `two`, but `two` has only 100 of its thousand units left.
    put(engine, item(pk="a", sk="1", gsiPk="two", body="x" * 300_000))
    assert count_until_throttled(lambda _: put(engine, texts(pk="c", sk="1", gsiPk="two"))) == 0
    put(engine, texts(pk="c", sk="1", gsiPk="one"))


def test_throughput_limits_of_idle_partitions_are_discarded() -> None:
    limits = PartitionLimits(buckets_min=10)
    for number in range(1_000):
        limits.take(CapacityUse(TABLE, True, 1.0, str(number).encode(), None, {}), number * 0.01)
        assert len(limits) <= 20
    busy = CapacityUse(TABLE, True, 5_000.0, b"busy", None, {})
    limits.take(busy, 20.0)
    for number in range(100):
        limits.take(CapacityUse(TABLE, False, 1.0, str(number).encode(), None, {}), 21.0 + number * 0.01)
    assert not limits.allows(busy, 22.0)
