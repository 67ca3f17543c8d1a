"""The limits of one partition: held by each key value, in the table and in its indexes, and forgotten when idle."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from singletable.engine.engine import Engine
from singletable.engine.traffic.limits import PartitionLimits
from singletable.engine.traffic.use import TABLE, Use
from tests.engine.tables import create, create_indexed, get, item, put, query, refused, scan, texts, told_fields, values
from tests.engine.traffic.throttling import Clock, create_bought, let_through

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


def test_a_partition_takes_a_thousand_write_units_a_second(engine: Engine, clock: Clock) -> None:
    create(engine)
    assert let_through(lambda number: put_large(engine, "a", number)) == 10
    assert let_through(lambda number: put_large(engine, "b", number)) == 10
    clock.now += 60
    assert let_through(lambda number: put_large(engine, "a", number)) == 10


def test_a_partition_gives_three_thousand_read_units_a_second(engine: Engine) -> None:
    create(engine)
    put_large(engine, "a", 1)
    assert let_through(lambda _: get(engine, texts(pk="a", sk="1"), ConsistentRead=True), 500) == 120
    condition = ("pk = :a", values(a="a"))
    assert let_through(lambda _: query(engine, *condition)) == 0
    get(engine, texts(pk="b", sk="1"))
    # A Scan is spread over partitions, and is not held to the limit of one.
    assert let_through(lambda _: scan(engine)) == 100


@pytest.mark.parametrize("bought", [True, False])
def test_a_hot_key_has_words_for_either_way_to_pay(engine: Engine, bought: bool) -> None:
    if bought:
        create_bought(engine, 1, 1)
    else:
        create(engine)
    assert let_through(lambda number: put_large(engine, "a", number)) == 10
    refusal = refused(engine, "PutItem", {"TableName": "table", "Item": texts(pk="a", sk="1")})
    fields = told_fields(refusal)
    if bought:
        assert refusal.code == "ProvisionedThroughputExceededException"
        reasons = fields["ThrottlingReasons"]
    else:
        assert refusal.code == "ThrottlingException"
        assert "check if you have a hot key" in refusal.message
        reasons = fields["throttlingReasons"]
    assert reasons[0]["reason"] == "TableWriteKeyRangeThroughputExceeded"


def test_a_hot_key_of_an_index_holds_back_the_table(engine: Engine) -> None:
    create_indexed(engine)
    assert let_through(lambda number: put_large(engine, f"p{number}", number, gsiPk="hot")) == 10
    refusal = refused(engine, "PutItem", {"TableName": "table", "Item": texts(pk="other", sk="1", gsiPk="hot")})
    reasons = told_fields(refusal)["throttlingReasons"]
    assert reasons[0]["reason"] == "IndexWriteKeyRangeThroughputExceeded"
    assert reasons[0]["resource"].endswith("/index/gsi")
    put(engine, texts(pk="other", sk="1", gsiPk="cold"))


def test_an_entry_that_moves_is_paid_in_both_of_its_partitions(engine: Engine) -> None:
    create_indexed(engine)
    put(engine, item(pk="a", sk="1", gsiPk="one", body="x" * 300_000))
    for number in range(3):
        put(engine, item(pk=f"b{number}", sk="1", gsiPk="two", body="x" * 300_000))
    # 300 units more would go from `one` to `two`, which has 100 left of its thousand, and then none.
    put(engine, item(pk="a", sk="1", gsiPk="two", body="x" * 300_000))
    assert let_through(lambda _: put(engine, texts(pk="c", sk="1", gsiPk="two"))) == 0
    put(engine, texts(pk="c", sk="1", gsiPk="one"))


def test_idle_partitions_are_forgotten() -> None:
    limits = PartitionLimits(kept_min=10)
    for number in range(1_000):
        limits.take(Use(TABLE, True, 1.0, str(number).encode(), None, {}), number * 0.01)
        assert len(limits) <= 20
    busy = Use(TABLE, True, 5_000.0, b"busy", None, {})
    limits.take(busy, 20.0)
    for number in range(100):
        limits.take(Use(TABLE, False, 1.0, str(number).encode(), None, {}), 21.0 + number * 0.01)
    assert not limits.has_room(busy, 22.0)
