"""Tables on the server: one with the orders that contenders read, and one that they write."""

from __future__ import annotations

from collections.abc import Mapping
from time import perf_counter, sleep
from typing import Any

from bench.client_bench.orders import SIZES, TABLE, orders, stored_item
from bench.client_bench.write_items import INDEXES, WRITE_TABLE
from bench.engine_bench.load_generator import UnexpectedResponse, send_and_check
from bench.engine_bench.workload import Exchange, exchange

BATCH = 25
CREATE_SECONDS_MAX = 10
TABLE_KEYS = ("PK", "SK")


def fill(port: int) -> None:
    """Create the table to read on the server at a port, and put every order."""
    create(port, TABLE)
    items = [stored_item(each) for size in SIZES for each in orders(size)]
    send_and_check(port, [put_all(items[start : start + BATCH]) for start in range(0, len(items), BATCH)])


def create_write_table(port: int) -> None:
    """Create the table to write on the server at a port."""
    create(port, WRITE_TABLE, INDEXES)


def create(port: int, name: str, indexes: Mapping[str, tuple[str, str]] | None = None) -> None:
    """Create a table and wait until it is active."""
    send_and_check(port, [create_table(name, indexes or {})])
    deadline = perf_counter() + CREATE_SECONDS_MAX
    while True:
        try:
            return send_and_check(port, [is_active(name)])
        except UnexpectedResponse:
            if perf_counter() > deadline:
                raise
            sleep(0.05)


def create_table(name: str, indexes: Mapping[str, tuple[str, str]]) -> Exchange:
    """Return the request that creates a table with these global secondary indexes."""
    attributes = [*TABLE_KEYS, *(attribute for keys in indexes.values() for attribute in keys)]
    request: dict[str, Any] = {
        "TableName": name,
        "AttributeDefinitions": [{"AttributeName": attribute, "AttributeType": "S"} for attribute in attributes],
        "KeySchema": key_schema(TABLE_KEYS),
        "BillingMode": "PAY_PER_REQUEST",
    }
    if indexes:
        request["GlobalSecondaryIndexes"] = [
            {"IndexName": index, "KeySchema": key_schema(keys), "Projection": {"ProjectionType": "ALL"}}
            for index, keys in indexes.items()
        ]
    return exchange("CreateTable", request, lambda answer: answer["TableDescription"]["TableName"] == name)


def key_schema(names: tuple[str, str]) -> list[dict[str, str]]:
    """Return the key schema of a table or an index."""
    return [{"AttributeName": name, "KeyType": kind} for name, kind in zip(names, ("HASH", "RANGE"), strict=True)]


def is_active(name: str) -> Exchange:
    """Return the request that succeeds once a table is active."""
    return exchange("DescribeTable", {"TableName": name}, lambda answer: answer["Table"]["TableStatus"] == "ACTIVE")


def put_all(items: list[dict[str, Any]]) -> Exchange:
    """Return the request that puts some orders."""
    requests = {TABLE: [{"PutRequest": {"Item": item}} for item in items]}
    return exchange("BatchWriteItem", {"RequestItems": requests}, lambda answer: not answer.get("UnprocessedItems"))
