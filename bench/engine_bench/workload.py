"""What every server is asked: one table, its items, and the requests of each row with what their answers must be."""

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
# All servers answer the whole partition in one page: it stays below 1 MB however a server counts (moto stops at 10^6).
PAGE_ITEM_BYTES = 980

Item = dict[str, Any]
Kind = Literal["single", "query", "batch", "transaction"]


@dataclass(frozen=True)
class Exchange:
    """A request, whether an answer to it is right, and for a write the read that must show what it wrote."""

    action: str
    body: bytes
    is_right: Callable[[Any], bool]
    shown_by: Exchange | None = None

    @property
    def target(self) -> str:
        """The action as the header `X-Amz-Target` names it."""
        return f"DynamoDB_20120810.{self.action}"

    @property
    def payload(self) -> bytes:
        """The whole HTTP request, the same for every server; none of them is asked to verify the signature."""
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
    """A row of the table: its name, what kind of targets it has, and its requests in random order.

    A request that writes takes its keys from the class of its place modulo CLIENTS_MAX, so that no two clients ever
    write one item, which a server may refuse as a conflict.
    """

    name: str
    kind: Kind
    exchanges: tuple[Exchange, ...]


def exchange(action: str, request: Item, is_right: Callable[[Any], bool], shown_by: Exchange | None = None) -> Exchange:
    """A request to the table."""
    return Exchange(action, json.dumps(request, separators=(",", ":")).encode(), is_right, shown_by)


def item(partition: str, sort: str, size: int, chance: random.Random) -> Item:
    """An order of about this many bytes, as DynamoDB counts them: attributes of several types, filled up by text."""
    return {
        "pk": {"S": partition},
        "sk": {"S": sort},
        "customer": {"S": f"customer#{chance.randrange(10**6):06}"},
        "status": {"S": chance.choice(("PENDING", "SHIPPED", "REFUSED"))},
        "created_at": {"S": f"2026-{chance.randrange(1, 13):02}-{chance.randrange(1, 29):02}T14:00:00Z"},
        "total_cents": {"N": str(chance.randrange(100_000, 1_000_000))},
        "version": {"N": str(chance.randrange(1, 100))},
        "paid": {"BOOL": chance.random() < 0.5},
        "tags": {"L": [{"S": f"tag{chance.randrange(100):02}"}, {"S": f"tag{chance.randrange(100):02}"}]},
        "address": {"M": {"city": {"S": "Wellington"}, "number": {"N": str(chance.randrange(1, 500))}}},
        "note": {"S": chance.randbytes(size // 2).hex()[: max(0, size - 157 - len(partition) - len(sort))]},
    }


def key_of(whole: Item) -> Item:
    """The primary key of an item."""
    return {"pk": whole["pk"], "sk": whole["sk"]}


def create_table() -> Exchange:
    """The request that makes the table."""
    request = {
        "TableName": TABLE,
        "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [{"AttributeName": name, "AttributeType": "S"} for name in ("pk", "sk")],
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
    }
    return exchange("CreateTable", request, lambda answer: answer["TableDescription"]["TableName"] == TABLE)


def describe_table() -> Exchange:
    """The request whose answer is right once the table can be used."""
    return exchange("DescribeTable", {"TableName": TABLE}, lambda answer: answer["Table"]["TableStatus"] == "ACTIVE")


def put_all(items: list[Item]) -> Exchange:
    """One BatchWriteItem that puts all of these, read back by its first."""
    puts = [{"PutRequest": {"Item": each}} for each in items]
    return exchange(
        "BatchWriteItem", {"RequestItems": {TABLE: puts}}, lambda answer: not answer["UnprocessedItems"], get(items[0])
    )


def get(whole: Item) -> Exchange:
    """A GetItem that must answer with exactly this item."""
    request = {"TableName": TABLE, "Key": key_of(whole), "ConsistentRead": True}
    return exchange("GetItem", request, lambda answer: answer["Item"] == whole)


def put(whole: Item) -> Exchange:
    """A PutItem, read back."""
    return exchange("PutItem", {"TableName": TABLE, "Item": whole}, lambda answer: "Item" not in answer, get(whole))


def query(items: list[Item], *, limit: int | None) -> Exchange:
    """A Query of a partition: all of it in order, or its newest ones."""
    expected = items if limit is None else items[: -limit - 1 : -1]
    request: Item = {
        "TableName": TABLE,
        "KeyConditionExpression": "pk = :partition",
        "ExpressionAttributeValues": {":partition": items[0]["pk"]},
    }
    if limit is not None:
        request |= {"Limit": limit, "ScanIndexForward": False}
    return exchange("Query", request, lambda answer: answer["Items"] == expected)


class Workload:
    """The items that are loaded before anything is measured, and the rows; the same for every server and every run."""

    def __init__(self) -> None:
        chance = random.Random(20260410)  # noqa: S311 - chosen so that every run asks the same
        self._chance = chance
        self.read = [item(f"order#{number:06}", "0", ITEM_BYTES, chance) for number in range(READ_ITEMS)]
        self.written = [item(f"write#{number:06}", "0", ITEM_BYTES, chance) for number in range(WRITTEN_ITEMS)]
        self.lists = [
            [item(f"list#{number:04}", f"{place:04}", LISTED_ITEM_BYTES, chance) for place in range(LIST_ITEMS)]
            for number in range(LISTS)
        ]
        self.pages = [
            [item(f"page#{number:04}", f"{place:06}", PAGE_ITEM_BYTES, chance) for place in range(PAGE_ITEMS)]
            for number in range(PAGES)
        ]
        self.rows = (
            Row("GetItem", "single", self._shuffled([get(each) for each in self.read])),
            Row("PutItem 1 KB", "single", tuple(put(self._rewritten(place)) for place in range(4_000))),
            Row("UpdateItem", "single", tuple(self._update(place) for place in range(4_000))),
            Row("Query 20 items", "query", self._shuffled([query(each, limit=LISTED) for each in self.lists])),
            Row("Query 1 MB page", "query", self._shuffled([query(each, limit=None) for each in self.pages * 4])),
            Row("BatchWriteItem 25", "batch", tuple(self._batch(place) for place in range(160))),
            Row("TransactWriteItems 4", "transaction", tuple(self._transaction(place) for place in range(800))),
        )

    def items(self) -> list[Item]:
        """All items that are loaded."""
        partitions = [self.read, self.written, *self.lists, *self.pages]
        return [each for partition in partitions for each in partition]

    def load(self) -> Iterator[Exchange]:
        """The requests that fill the table."""
        items = self.items()
        for start in range(0, len(items), 25):
            yield put_all(items[start : start + 25])

    def _shuffled(self, exchanges: list[Exchange]) -> tuple[Exchange, ...]:
        self._chance.shuffle(exchanges)
        return tuple(exchanges)

    def _places(self, place: int, count: int) -> list[int]:
        """Distinct items to write, all of the class of this place."""
        return self._chance.sample(range(place % CLIENTS_MAX, WRITTEN_ITEMS, CLIENTS_MAX), count)

    def _rewritten(self, place: int) -> Item:
        [number] = self._places(place, 1)
        return item(f"write#{number:06}", "0", ITEM_BYTES, self._chance)

    def _update(self, place: int) -> Exchange:
        [number] = self._places(place, 1)
        status = f"STATUS {place:05}"
        key = {"TableName": TABLE, "Key": key_of(self.written[number])}
        shown_by = exchange("GetItem", key, lambda answer: answer["Item"]["status"] == {"S": status})
        return exchange("UpdateItem", key | changes_of(status), lambda answer: "Attributes" not in answer, shown_by)

    def _batch(self, place: int) -> Exchange:
        numbers = self._places(place, 25)
        return put_all([item(f"write#{number:06}", "0", ITEM_BYTES, self._chance) for number in numbers])

    def _transaction(self, place: int) -> Exchange:
        """Two puts, an update and a condition on a fourth item."""
        first, second, updated, looked_at = self._places(place, 4)
        items = [item(f"write#{number:06}", "0", ITEM_BYTES, self._chance) for number in (first, second)]
        update = {"TableName": TABLE, "Key": key_of(self.written[updated]), **changes_of(f"STATUS {place:05}")}
        condition = {"ConditionExpression": "attribute_exists(pk)"}
        check = {"TableName": TABLE, "Key": key_of(self.written[looked_at]), **condition}
        actions = [
            *({"Put": {"TableName": TABLE, "Item": each}} for each in items),
            {"Update": update},
            {"ConditionCheck": check},
        ]
        request = {"TransactItems": actions}
        return exchange("TransactWriteItems", request, lambda answer: isinstance(answer, dict), get(items[1]))


def changes_of(status: str) -> Item:
    """The update of the rows that update: one attribute set, one number counted up."""
    return {
        "UpdateExpression": "SET #status = :status ADD version :one",
        "ExpressionAttributeNames": {"#status": "status"},
        "ExpressionAttributeValues": {":status": {"S": status}, ":one": {"N": "1"}},
    }
