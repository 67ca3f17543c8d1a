"""The workload of every server: one table, its items, and the requests of each row with their expected responses."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

TABLE = "bench"
CLIENTS_MAX = 8

READ_ITEMS = 2_000
WRITTEN_ITEMS = 2_000
LISTS, LIST_ITEMS, LISTED = 100, 40, 20
PAGES, PAGE_ITEMS = 4, 1_000

ITEM_BYTES = 1_024
LISTED_ITEM_BYTES = 400
# Every server returns the whole partition in one page. The partition is below 1 MB even for moto, which ends pages at
# 10^6 bytes.
PAGE_ITEM_BYTES = 980

Item = dict[str, Any]
Kind = Literal["single", "query", "batch", "transaction"]


@dataclass(frozen=True)
class Exchange:
    """A request, and a check of its response. A write also has the read that must return the written item."""

    action: str
    body: bytes
    is_expected: Callable[[Any], bool]
    read_back: Exchange | None = None

    @property
    def target(self) -> str:
        """The value of the header `X-Amz-Target`."""
        return f"DynamoDB_20120810.{self.action}"

    @property
    def payload(self) -> bytes:
        """The complete HTTP request. It is the same for every server, because no server verifies its signature."""
        head = (
            "POST / HTTP/1.1\r\n"
            "Host: localhost\r\n"
            "Accept-Encoding: identity\r\n"
            "Content-Type: application/x-amz-json-1.0\r\n"
            f"X-Amz-Target: {self.target}\r\n"
            "X-Amz-Date: 20260101T000000Z\r\n"
            "Authorization: AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20260101/us-east-1/dynamodb/aws4_request, "
            f"SignedHeaders=host;x-amz-date;x-amz-target, Signature={'0' * 64}\r\n"
            f"Content-Length: {len(self.body)}\r\n\r\n"
        )
        return head.encode() + self.body


@dataclass(frozen=True)
class Row:
    """A row of the table: its name, the kind that selects its targets, and its requests in random order.

    The keys of a write have the same remainder modulo CLIENTS_MAX as its position, so two clients never write the same
    item. A server could reject such writes as a conflict.
    """

    name: str
    kind: Kind
    exchanges: tuple[Exchange, ...]


def exchange(
    action: str, request: Item, is_expected: Callable[[Any], bool], read_back: Exchange | None = None
) -> Exchange:
    """Return an exchange with its request as JSON."""
    return Exchange(action, json.dumps(request, separators=(",", ":")).encode(), is_expected, read_back)


def item(partition: str, sort: str, size: int, rng: random.Random) -> Item:
    """Return an order of about this many bytes, as DynamoDB counts them: several types, padded with text."""
    return {
        "pk": {"S": partition},
        "sk": {"S": sort},
        "customer": {"S": f"customer#{rng.randrange(10**6):06}"},
        "status": {"S": rng.choice(("PENDING", "SHIPPED", "REFUSED"))},
        "created_at": {"S": f"2026-{rng.randrange(1, 13):02}-{rng.randrange(1, 29):02}T14:00:00Z"},
        "total_cents": {"N": str(rng.randrange(100_000, 1_000_000))},
        "version": {"N": str(rng.randrange(1, 100))},
        "paid": {"BOOL": rng.random() < 0.5},
        "tags": {"L": [{"S": f"tag{rng.randrange(100):02}"}, {"S": f"tag{rng.randrange(100):02}"}]},
        "address": {"M": {"city": {"S": "Wellington"}, "number": {"N": str(rng.randrange(1, 500))}}},
        "note": {"S": rng.randbytes(size // 2).hex()[: max(0, size - 157 - len(partition) - len(sort))]},
    }


def key_of(order: Item) -> Item:
    """Return the primary key of an item."""
    return {"pk": order["pk"], "sk": order["sk"]}


def create_table() -> Exchange:
    """Return the request that creates the table."""
    request = {
        "TableName": TABLE,
        "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [{"AttributeName": name, "AttributeType": "S"} for name in ("pk", "sk")],
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
    }
    return exchange("CreateTable", request, lambda response: response["TableDescription"]["TableName"] == TABLE)


def describe_table() -> Exchange:
    """Return the request that succeeds once the table is active."""
    return exchange(
        "DescribeTable", {"TableName": TABLE}, lambda response: response["Table"]["TableStatus"] == "ACTIVE"
    )


def batch_put(items: list[Item]) -> Exchange:
    """Return a BatchWriteItem of some items. The first item is read back."""
    puts = [{"PutRequest": {"Item": each}} for each in items]
    return exchange(
        "BatchWriteItem",
        {"RequestItems": {TABLE: puts}},
        lambda response: not response["UnprocessedItems"],
        get(items[0]),
    )


def get(order: Item) -> Exchange:
    """Return a GetItem that must return exactly this item."""
    request = {"TableName": TABLE, "Key": key_of(order), "ConsistentRead": True}
    return exchange("GetItem", request, lambda response: response["Item"] == order)


def put(order: Item) -> Exchange:
    """Return a PutItem whose item is read back."""
    return exchange(
        "PutItem",
        {"TableName": TABLE, "Item": order},
        lambda response: "Item" not in response,
        get(order),
    )


def query(items: list[Item], *, limit: int | None) -> Exchange:
    """Return a Query of a partition: all items in order, or the newest ones."""
    expected = items if limit is None else items[: -limit - 1 : -1]
    request: Item = {
        "TableName": TABLE,
        "KeyConditionExpression": "pk = :partition",
        "ExpressionAttributeValues": {":partition": items[0]["pk"]},
    }
    if limit is not None:
        request |= {"Limit": limit, "ScanIndexForward": False}
    return exchange("Query", request, lambda response: response["Items"] == expected)


class Workload:
    """The loaded items and the rows. They are the same for every server and every run."""

    def __init__(self) -> None:
        rng = random.Random(20260410)  # noqa: S311 - a fixed seed, for the same requests in every run
        self._rng = rng
        self.read = [item(f"order#{number:06}", "0", ITEM_BYTES, rng) for number in range(READ_ITEMS)]
        self.written = [item(f"write#{number:06}", "0", ITEM_BYTES, rng) for number in range(WRITTEN_ITEMS)]
        self.lists = [
            [item(f"list#{number:04}", f"{position:04}", LISTED_ITEM_BYTES, rng) for position in range(LIST_ITEMS)]
            for number in range(LISTS)
        ]
        self.pages = [
            [item(f"page#{number:04}", f"{position:06}", PAGE_ITEM_BYTES, rng) for position in range(PAGE_ITEMS)]
            for number in range(PAGES)
        ]
        self.rows = (
            Row("GetItem", "single", self._shuffled([get(each) for each in self.read])),
            Row("PutItem 1 KB", "single", tuple(put(self._new_item(position)) for position in range(4_000))),
            Row("UpdateItem", "single", tuple(self._update(position) for position in range(4_000))),
            Row("Query 20 items", "query", self._shuffled([query(each, limit=LISTED) for each in self.lists])),
            Row("Query 1 MB page", "query", self._shuffled([query(each, limit=None) for each in self.pages * 4])),
            Row("BatchWriteItem 25", "batch", tuple(self._batch(position) for position in range(160))),
            Row("TransactWriteItems 4", "transaction", tuple(self._transaction(position) for position in range(800))),
        )

    def items(self) -> list[Item]:
        """Return all items to load."""
        partitions = [self.read, self.written, *self.lists, *self.pages]
        return [each for partition in partitions for each in partition]

    def load(self) -> Iterator[Exchange]:
        """Yield the requests that fill the table."""
        items = self.items()
        for start in range(0, len(items), 25):
            yield batch_put(items[start : start + 25])

    def _shuffled(self, exchanges: list[Exchange]) -> tuple[Exchange, ...]:
        self._rng.shuffle(exchanges)
        return tuple(exchanges)

    def _numbers(self, position: int, count: int) -> list[int]:
        """Return the numbers of distinct items to write, all with the remainder of this position."""
        return self._rng.sample(range(position % CLIENTS_MAX, WRITTEN_ITEMS, CLIENTS_MAX), count)

    def _new_item(self, position: int) -> Item:
        [number] = self._numbers(position, 1)
        return item(f"write#{number:06}", "0", ITEM_BYTES, self._rng)

    def _update(self, position: int) -> Exchange:
        [number] = self._numbers(position, 1)
        status = f"STATUS {position:05}"
        key = {"TableName": TABLE, "Key": key_of(self.written[number])}
        read_back = exchange("GetItem", key, lambda response: response["Item"]["status"] == {"S": status})
        return exchange(
            "UpdateItem", key | update_parameters(status), lambda response: "Attributes" not in response, read_back
        )

    def _batch(self, position: int) -> Exchange:
        numbers = self._numbers(position, 25)
        return batch_put([item(f"write#{number:06}", "0", ITEM_BYTES, self._rng) for number in numbers])

    def _transaction(self, position: int) -> Exchange:
        """Return a transaction of two puts, an update, and a condition on a fourth item."""
        first, second, updated, checked = self._numbers(position, 4)
        items = [item(f"write#{number:06}", "0", ITEM_BYTES, self._rng) for number in (first, second)]
        update = {
            "TableName": TABLE,
            "Key": key_of(self.written[updated]),
            **update_parameters(f"STATUS {position:05}"),
        }
        condition = {"ConditionExpression": "attribute_exists(pk)"}
        check = {"TableName": TABLE, "Key": key_of(self.written[checked]), **condition}
        actions = [
            *({"Put": {"TableName": TABLE, "Item": each}} for each in items),
            {"Update": update},
            {"ConditionCheck": check},
        ]
        request = {"TransactItems": actions}
        return exchange("TransactWriteItems", request, lambda response: isinstance(response, dict), get(items[1]))


def update_parameters(status: str) -> Item:
    """Return the parameters of an update that sets one attribute and increments another."""
    return {
        "UpdateExpression": "SET #status = :status ADD version :one",
        "ExpressionAttributeNames": {"#status": "status"},
        "ExpressionAttributeValues": {":status": {"S": status}, ":one": {"N": "1"}},
    }
