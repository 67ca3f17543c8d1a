"""Items near 400 KB and pages of more than 1 MB: the engine and the plain DynamoDB agree on where both end."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.engine import generated_requests as requests
from tests.engine.chance import Chance
from tests.engine.generated_values import Given, table
from tests.engine.how_long import longer
from tests.engine.pair import Pair
from tests.engine.plain_conditions import KeyCondition
from tests.engine.plain_dynamodb import PAGE_BYTES_MAX
from tests.engine.plain_table import ITEM_BYTES_MAX, PlainIndex, PlainTable
from tests.engine.plain_values import Item, item_size

FILLER = "filler"


@pytest.fixture
def pair() -> Iterator[Pair]:
    opened = Pair()
    yield opened
    opened.close()


def filled(item: Item, size: int) -> Item:
    """The item, made so large with an attribute that means nothing."""
    return {**item, FILLER: {"S": "x" * (size - item_size(item) - len(FILLER))}}


@pytest.mark.parametrize("seed", range(longer(6)))
def test_an_item_ends_at_400_kb_with_its_local_entries(pair: Pair, seed: int) -> None:
    chance = Chance(seed)
    given = table(chance, "large")
    pair.create(given.table)
    item = given.item(chance)
    for distance in (-1, 0, 1):
        # The filler counts once, and again in every local index that holds it.
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
def test_pages_end_where_a_megabyte_was_read(pair: Pair, seed: int) -> None:
    chance = Chance(seed)
    given = table(chance, "large")
    pair.create(given.table)
    for _ in range(14):
        _put_large(pair, chance, given)
    for _ in range(6):
        pair.read_pages("Query", requests.page(chance, given, is_query=True))
        pair.read_pages("Scan", requests.page(chance, given, is_query=False))
    pair.scan_segments({"TableName": "large"}, 3)


def _put_large(pair: Pair, chance: Chance, given: Given) -> None:
    copies = 1 + sum(index.is_local and index.projection == "ALL" for index in given.table.indexes.values())
    item = given.item(chance)
    most = ITEM_BYTES_MAX // copies - 4000
    size = item_size(item) + 100 + chance.below(most - item_size(item) - 100)
    pair.run("PutItem", {"TableName": "large", "Item": filled(item, size), "ReturnConsumedCapacity": "INDEXES"})


@pytest.mark.parametrize("distance", [-1, 0, 1])
def test_a_page_of_exactly_a_megabyte_is_full(pair: Pair, distance: int) -> None:
    plain = PlainTable("large", "pk", "sk", {"pk": "S", "sk": "N"})
    plain.indexes["same"] = PlainIndex("same", ("pk",), (), "ALL")
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


def test_batches_and_transactions_of_large_items(pair: Pair) -> None:
    plain = PlainTable("large", "pk", None, {"pk": "N"})
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
