"""The engine and the oracle agree on items near 400 KB and pages near 1 MB."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.engine.oracle import generated_requests as requests
from tests.engine.oracle.engine_and_oracle import EngineAndOracle
from tests.engine.oracle.generated_values import Given, table
from tests.engine.oracle.oracle_conditions import KeyCondition
from tests.engine.oracle.oracle_dynamodb import PAGE_BYTES_MAX
from tests.engine.oracle.oracle_table import ITEM_BYTES_MAX, OracleIndex, OracleTable
from tests.engine.oracle.oracle_values import Item, item_size
from tests.engine.oracle.seeded_choices import SeededChoices
from tests.engine.soak import longer

FILLER = "filler"


@pytest.fixture
def pair() -> Iterator[EngineAndOracle]:
    opened = EngineAndOracle()
    yield opened
    opened.close()


def filled(item: Item, size: int) -> Item:
    """Return the item with an additional attribute that brings it to this size."""
    return {**item, FILLER: {"S": "x" * (size - item_size(item) - len(FILLER))}}


@pytest.mark.parametrize("seed", range(longer(6)))
def test_item_writes_accept_at_most_400_kb_for_an_item_with_its_local_index_entries(
    pair: EngineAndOracle, seed: int
) -> None:
    chance = SeededChoices(seed)
    given = table(chance, "large")
    pair.create(given.table)
    item = given.item(chance)
    for distance in (-1, 0, 1):
        # The additional attribute counts once, and again in every local index that projects it.
        copies = given.table.counted_size({**item, FILLER: {"S": "x"}}) - given.table.counted_size(item)
        copies //= len(FILLER) + 1
        room = ITEM_BYTES_MAX - given.table.counted_size({**item, FILLER: {"S": ""}})
        large = {**item, FILLER: {"S": "x" * (room // copies + distance)}}
        request = {"TableName": "large", "ReturnConsumedCapacity": "INDEXES"}
        pair.run("PutItem", {**request, "Item": large, "ReturnValues": "ALL_OLD"})
        pair.run("BatchWriteItem", {"RequestItems": {"large": [{"PutRequest": {"Item": large}}]}})
        key = {name: item[name] for name in given.table.key_names}
        pair.run("GetItem", {**request, "Key": key})
        pair.run("DeleteItem", {**request, "Key": key, "ReturnValues": "ALL_OLD"})


@pytest.mark.parametrize("seed", range(longer(4)))
def test_the_page_reader_ends_pages_after_a_megabyte(pair: EngineAndOracle, seed: int) -> None:
    chance = SeededChoices(seed)
    given = table(chance, "large")
    pair.create(given.table)
    for _ in range(14):
        _put_large(pair, chance, given)
    for _ in range(6):
        pair.read_pages("Query", requests.page(chance, given, is_query=True))
        pair.read_pages("Scan", requests.page(chance, given, is_query=False))
    pair.scan_segments({"TableName": "large"}, 3)


def _put_large(pair: EngineAndOracle, chance: SeededChoices, given: Given) -> None:
    copies = 1 + sum(index.is_local and index.projection == "ALL" for index in given.table.indexes.values())
    item = given.item(chance)
    most = ITEM_BYTES_MAX // copies - 4000
    size = item_size(item) + 100 + chance.below(most - item_size(item) - 100)
    pair.run("PutItem", {"TableName": "large", "Item": filled(item, size), "ReturnConsumedCapacity": "INDEXES"})


@pytest.mark.parametrize("distance", [-1, 0, 1])
def test_the_page_reader_treats_a_page_of_exactly_a_megabyte_as_full(pair: EngineAndOracle, distance: int) -> None:
    plain = OracleTable("large", "pk", "sk", {"pk": "S", "sk": "N"})
    plain.indexes["same"] = OracleIndex("same", ("pk",), (), "ALL")
    pair.create(plain)
    for number in range(6):
        item = {"pk": {"S": "a"}, "sk": {"N": str(number)}}
        size = PAGE_BYTES_MAX // 4 + (distance if number == 3 else 0)
        pair.run("PutItem", {"TableName": "large", "Item": filled(item, size)})
    condition = KeyCondition((("pk", {"S": "a"}),))
    for index in (None, "same"):
        request = {"TableName": "large", "IndexName": index, "ReturnConsumedCapacity": "INDEXES"}
        pair.read_pages("Scan", request)
        for limit in (None, 3, 4, 5):
            pair.read_pages("Query", {**request, "KeyConditionExpression": condition, "Limit": limit})


def test_the_engine_agrees_with_the_oracle_on_batches_and_transactions_of_large_items(pair: EngineAndOracle) -> None:
    plain = OracleTable("large", "pk", None, {"pk": "N"})
    pair.create(plain)
    items = [filled({"pk": {"N": str(number)}}, 100_000 + number) for number in range(25)]
    request = {"ReturnConsumedCapacity": "TOTAL"}
    pair.run(
        "BatchWriteItem", {"RequestItems": {"large": [{"PutRequest": {"Item": item}} for item in items]}, **request}
    )
    keys = [{"pk": item["pk"]} for item in items]
    pair.run("BatchGetItem", {"RequestItems": {"large": {"Keys": keys}}, **request})
    gets = [{"Get": {"TableName": "large", "Key": key}} for key in keys]
    pair.run("TransactGetItems", {"TransactItems": gets, **request})
    puts = [{"Put": {"TableName": "large", "Item": filled(key, 50_000)}} for key in keys]
    pair.run("TransactWriteItems", {"TransactItems": puts, **request})
