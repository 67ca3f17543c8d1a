"""The table that all contenders read, made and filled over HTTP before anything is measured."""

from __future__ import annotations

from time import perf_counter, sleep
from typing import Any

from bench.client_bench.orders import SIZES, TABLE, orders, stored
from bench.engine_bench.load import WrongAnswer, ask
from bench.engine_bench.workload import Exchange, exchange

BATCH = 25
CREATE_SECONDS_MAX = 10


def fill(port: int) -> None:
    """Makes the table on the server at a port, waits until it can be used, and puts every order."""
    ask(port, [create_table()])
    deadline = perf_counter() + CREATE_SECONDS_MAX
    while True:
        try:
            ask(port, [is_active()])
            break
        except WrongAnswer:
            if perf_counter() > deadline:
                raise
            sleep(0.05)
    items = [stored(each) for size in SIZES for each in orders(size)]
    ask(port, [put_all(items[start : start + BATCH]) for start in range(0, len(items), BATCH)])


def create_table() -> Exchange:
    """The request that makes the table."""
    names = ("PK", "SK")
    request = {
        "TableName": TABLE,
        "AttributeDefinitions": [{"AttributeName": name, "AttributeType": "S"} for name in names],
        "KeySchema": [
            {"AttributeName": name, "KeyType": kind} for name, kind in zip(names, ("HASH", "RANGE"), strict=True)
        ],
        "BillingMode": "PAY_PER_REQUEST",
    }
    return exchange("CreateTable", request, lambda answer: answer["TableDescription"]["TableName"] == TABLE)


def is_active() -> Exchange:
    """The request that says whether it can be used."""
    return exchange("DescribeTable", {"TableName": TABLE}, lambda answer: answer["Table"]["TableStatus"] == "ACTIVE")


def put_all(items: list[dict[str, Any]]) -> Exchange:
    """The request that puts some orders."""
    requests = {TABLE: [{"PutRequest": {"Item": item}} for item in items]}
    return exchange("BatchWriteItem", {"RequestItems": requests}, lambda answer: not answer.get("UnprocessedItems"))
