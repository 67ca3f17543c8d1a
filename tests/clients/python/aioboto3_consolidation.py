"""aioboto3 in an application that moves to one table: its requests are recorded, and its reads are compared."""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aioboto3

from singletable import ArgumentRefused, Table, entity, get, pattern
from singletable.catalogue import install as record
from singletable.catalogue.recorded_catalogue import read_catalogue
from singletable.consolidation import (
    Consolidation,
    DynamoDBSource,
    ShadowReads,
    ShadowSettings,
    install,
    old_read,
    read_pattern_states,
    switch_mode,
)
from tests.clients.python.steps import raises, run

ROWS = "aioboto3-customers"


@entity(key=("CUST#{id}", "PROFILE"))
@dataclass
class Customer:
    id: str
    name: str


class Shop(Table, entities=[Customer], name="aioboto3-shop"):
    @pattern
    def customer(self, id: str) -> Customer | None:
        return get(Customer)


def customer_of(row: Any) -> Customer:
    return Customer(row["id"], row["name"])


class Application:
    """The reads and writes of the application, with a client and a resource."""

    def __init__(self, client: Any, table: Any) -> None:
        self._client, self._table = client, table

    async def register(self, id: str) -> None:
        await self._table.put_item(Item={"id": id, "name": f"name of {id}"})

    async def customer(self, id: str) -> Any:
        return (await self._table.get_item(Key={"id": id})).get("Item")

    async def customers(self) -> list[Any]:
        pages = self._client.get_paginator("scan").paginate(TableName=ROWS)
        return [item async for page in pages for item in page["Items"]]


async def _create(client: Any) -> None:
    await client.create_table(
        TableName=ROWS,
        KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
        BillingMode="PAY_PER_REQUEST",
    )


async def requests_are_recorded_and_reads_are_compared() -> None:
    file = Path("catalogue.jsonl")
    recording = record(file)  # before the client is created
    session = aioboto3.Session()
    async with session.client("dynamodb") as client, session.resource("dynamodb") as resource:
        await _create(client)
        application = Application(client, await resource.Table(ROWS))
        for number in range(5):
            await application.register(f"c{number}")
        await asyncio.gather(*(application.customer(f"c{number}") for number in range(5)))
        assert len(await application.customers()) == 5
        recording.uninstall()
        found = {each.name: each.calls for each in read_catalogue([file]).patterns}
        assert found == {"register": 5, "customer": 5, "customers": 1}, found
        with Shop.open(os.environ["AWS_ENDPOINT_URL_DYNAMODB"], create=True) as shop:
            shop.put_many(Customer(f"c{number}", f"name of c{number}") for number in range(1, 5))
            shop.put(Customer("c0", "another name"))
            await _compare(shop, application)
            _writes_are_rejected(client)
        for name in (ROWS, "aioboto3-shop"):
            await client.delete_table(TableName=name)


async def _compare(shop: Shop, application: Application) -> None:
    class Reads(ShadowReads):
        @old_read(Shop.customer)
        async def customer(self, id: str) -> Customer | None:
            row = await application.customer(id)
            return None if row is None else customer_of(row)

    reads = Reads(shop, ShadowSettings(sample=1.0, recheck_seconds=(0.01,)))
    await reads.customer("c0")
    assert await reads.drain_async()
    switch_mode(shop, "customer", "shadow")
    assert await reads.refresh_async()
    for number in range(5):
        assert await reads.customer(f"c{number}") == Customer(f"c{number}", f"name of c{number}")
    assert await reads.drain_async()
    state = read_pattern_states(shop)["customer"]
    assert (state.calls, state.compared, state.mismatches) == (5, 5, 1)
    assert state.differences[0].new == "'another name'"
    await reads.close_async()


def _writes_are_rejected(client: Any) -> None:
    with (
        Consolidation(Shop, DynamoDBSource(ROWS, customer_of)).open(os.environ["AWS_ENDPOINT_URL_DYNAMODB"]) as both,
        raises(ArgumentRefused),
    ):
        install(both, client)


if __name__ == "__main__":
    run(requests_are_recorded_and_reads_are_compared)
