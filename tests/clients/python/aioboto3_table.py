"""aioboto3 as the transport of a table: every awaited call is sent by the client."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

import aioboto3

from singletable import AlreadyExists, ArgumentRefused, Page, Table, entity, field, key, pattern, query
from tests.clients.python.steps import raises, run


@entity(key=("CUST#{customer}", "ORDER#{number:03d}"))
@dataclass
class Order:
    customer: str
    number: int
    picture: bytes = b""


class Orders(Table, entities=[Order], name="aioboto3-orders"):
    @pattern()
    def of_customer(self, customer: str, *, limit: int = 10, cursor: str | None = None) -> Page[Order]:
        """Return the orders of a customer."""
        return query(Order)


async def a_table_is_read_and_written_through_the_client() -> None:
    sent: list[str] = []

    def record(model: Any, **_: Any) -> None:
        sent.append(model.name)

    async with aioboto3.Session().client("dynamodb") as client:
        client.meta.events.register("provide-client-params.dynamodb.*", record)
        async with await Orders.open_async(client, create=True) as orders:
            sent.clear()
            await orders.aio.put_many(Order("c1", number, b"\xff") for number in range(60))
            page = await orders.of_customer.aio("c1", limit=2)
            assert page.items == [Order("c1", 0, b"\xff"), Order("c1", 1, b"\xff")]
            found = await asyncio.gather(*(orders.aio.get(key(Order, customer="c1", number=n)) for n in range(20)))
            assert [each.number for each in found if each] == list(range(20))
            await orders.aio.update(key(Order, customer="c1", number=1), field(Order, lambda o: o.picture).set(b""))
            assert sorted(set(sent)) == ["BatchWriteItem", "GetItem", "Query", "UpdateItem"]
            assert len(sent) == 3 + 1 + 20 + 1
            with raises(AlreadyExists):
                await orders.aio.create(Order("c1", 1))
            with raises(ArgumentRefused):
                orders.of_customer("c1")
        await client.delete_table(TableName="aioboto3-orders")


if __name__ == "__main__":
    run(a_table_is_read_and_written_through_the_client)
