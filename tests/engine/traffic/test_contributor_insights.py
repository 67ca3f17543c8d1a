"""Contributor Insights: the most accessed and most throttled keys while it is enabled."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from singletable.engine.engine import Engine
from singletable.engine.traffic.contributor_insights import Contributor
from singletable.errors import RequestRefused
from tests.engine.table_requests import (
    Document,
    create,
    create_hash,
    create_indexed,
    get,
    item,
    key_schema,
    put,
    query,
    scan,
    texts,
    update,
    values,
)
from tests.engine.traffic.throttled_tables import Clock, count_until_throttled, create_provisioned


@pytest.fixture
def engine() -> Iterator[Engine]:
    with Engine() as made:
        create_indexed(made)
        yield made


def enable(engine: Engine, table: str = "table", **more: Any) -> None:
    request = {"TableName": table, "ContributorInsightsAction": "ENABLE", **more}
    engine.call("UpdateContributorInsights", request)


def disable(engine: Engine, **more: Any) -> None:
    request = {"TableName": "table", "ContributorInsightsAction": "DISABLE", **more}
    engine.call("UpdateContributorInsights", request)


def amounts(found: list[Contributor]) -> list[tuple[str, float]]:
    return [(" ".join(next(iter(value.values())) for value in each.key.values()), each.amount) for each in found]


def test_contributor_insights_count_keys_by_consumed_units(engine: Engine) -> None:
    enable(engine)
    put(engine, texts(pk="a", sk="1"))
    put(engine, texts(pk="a", sk="2", body="x" * 3_000))
    update(engine, texts(pk="b", sk="1"), "SET n = :n", ExpressionAttributeValues=values(n=1))
    get(engine, texts(pk="b", sk="1"), ConsistentRead=True)
    query(engine, "pk = :b", values(b="b"))
    scan(engine)  # the read concerns no single key
    found = engine.most_accessed("table")
    assert amounts(found.partition_keys) == [("a", 4.0), ("b", 2.5)]
    assert amounts(found.keys) == [("a 2", 3.0), ("b 1", 2.0), ("a 1", 1.0)]
    assert amounts(engine.most_accessed("table", count=1).keys) == [("a 2", 3.0)]
    assert found.keys[0].key == texts(pk="a", sk="2")


def test_contributor_insights_count_batches_and_transactions_item_by_item(engine: Engine) -> None:
    enable(engine)
    writes = [{"PutRequest": {"Item": texts(pk="a", sk=str(number))}} for number in range(3)]
    engine.call("BatchWriteItem", {"RequestItems": {"table": writes}})
    engine.call("BatchGetItem", {"RequestItems": {"table": {"Keys": [texts(pk="a", sk="0")]}}})
    engine.call("TransactGetItems", {"TransactItems": [{"Get": {"TableName": "table", "Key": texts(pk="a", sk="1")}}]})
    removal = {"Delete": {"TableName": "table", "Key": texts(pk="a", sk="2")}}
    engine.call("TransactWriteItems", {"TransactItems": [removal]})
    assert amounts(engine.most_accessed("table").keys) == [("a 1", 3.0), ("a 2", 3.0), ("a 0", 1.5)]


def test_contributor_insights_have_separate_counts_for_an_index(engine: Engine) -> None:
    enable(engine, IndexName="gsi")
    for number in range(3):
        put(engine, texts(pk=f"p{number}", sk="1", gsiPk="g"))
    put(engine, texts(pk="p0", sk="1", gsiPk="h"))
    query(engine, "gsiPk = :g", values(g="g"), IndexName="gsi")
    found = engine.most_accessed("table", "gsi")
    assert amounts(found.partition_keys) == [("g", 4.5), ("h", 1.0)]
    assert found.keys == []  # the index has no sort key
    with pytest.raises(RequestRefused, match="The keys of table are not counted"):
        engine.most_accessed("table")


def test_contributor_insights_count_equal_numbers_as_one_key(engine: Engine) -> None:
    create_hash(engine, "numbers", "N")
    enable(engine, "numbers")
    for text in ("1", "1.0", "10E-1"):
        get(engine, {"pk": {"N": text}}, "numbers")
    (only,) = engine.most_accessed("numbers").partition_keys
    assert only.amount == 1.5


def test_disabling_and_enabling_contributor_insights_resets_the_counts(engine: Engine) -> None:
    enable(engine)
    get(engine, texts(pk="a", sk="1"))
    engine.call("TagResource", {"ResourceArn": engine.arn("table"), "Tags": [{"Key": "k", "Value": "v"}]})
    assert amounts(engine.most_accessed("table").partition_keys) == [("a", 0.5)]
    disable(engine)
    assert engine.catalog.require("table").traffic is None
    get(engine, texts(pk="a", sk="1"))
    enable(engine)
    assert engine.most_accessed("table").partition_keys == []


def test_contributor_insights_count_throttled_keys_by_number_of_requests(engine: Engine) -> None:
    clock = Clock()
    with Engine(now=clock, enforce_capacity=True) as throttled:
        create_provisioned(throttled, 1, 1)
        enable(throttled, ContributorInsightsMode="THROTTLED_KEYS")
        put(throttled, texts(pk="a", sk="1"))
        for key in ("a", "b", "b"):
            assert count_until_throttled(lambda _, key=key: put(throttled, texts(pk=key, sk="1"))) == 0  # type: ignore[misc]
        assert amounts(throttled.most_throttled("table").partition_keys) == [("b", 2), ("a", 1)]
        assert throttled.most_accessed("table").partition_keys == []


def test_contributor_insights_count_a_bounded_number_of_keys(engine: Engine) -> None:
    create(
        engine, "many", KeySchema=key_schema("pk"), AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}]
    )
    enable(engine, "many")
    for number in range(1_500):
        get(engine, texts(pk=str(number)), "many")
        get(engine, texts(pk="hot"), "many")
    found = engine.most_accessed("many", count=5_000).partition_keys
    assert len(found) == 1_000
    assert found[0] == (texts(pk="hot"), 750.0, 0.0)


def most_accessed_keys(engine: Engine, **request: Any) -> tuple[int, Document]:
    answer = engine.answer("Singletable.MostAccessedKeys", msgspec.json.encode({"TableName": "table", **request}))
    return answer.status, msgspec.json.decode(answer.body)


def test_most_accessed_keys_returns_the_counts_as_an_action(engine: Engine) -> None:
    enable(engine)
    put(engine, item(pk="a", sk="1"))
    status, document = most_accessed_keys(engine, Count=5)
    assert status == 200
    sums = {"Amount": 1.0, "Excess": 0.0}
    assert document["Accessed"] == {
        "PartitionKeys": [{"Key": texts(pk="a"), **sums}],
        "Keys": [{"Key": texts(pk="a", sk="1"), **sums}],
    }
    assert document["Throttled"] == {"PartitionKeys": [], "Keys": []}


def test_most_accessed_keys_raises_if_keys_are_not_counted(engine: Engine) -> None:
    assert most_accessed_keys(engine) == (
        400,
        {
            "__type": "com.amazon.coral.validate#ValidationException",
            "message": "The keys of table are not counted: enable Contributor Insights with "
            "UpdateContributorInsights first",
        },
    )
    assert most_accessed_keys(engine, IndexName="missing")[1]["__type"].endswith("#ResourceNotFoundException")
    assert most_accessed_keys(engine, Count=0)[0] == 400
