"""Reads with aiodynamo and aiohttp: dicts with Decimal numbers, converted to objects by hand."""

from __future__ import annotations

from decimal import Decimal

from aiodynamo.client import Client
from aiodynamo.credentials import Credentials
from aiodynamo.expressions import HashKey
from aiodynamo.http.aiohttp import AIOHTTP
from aiohttp import ClientSession
from yarl import URL

from bench.client_bench.contenders import Reads
from bench.client_bench.orders import TABLE, Order, order_from_dict, partition_of, sort_of


async def open_async(url: str) -> Reads:
    """Use `Table.get_item` and `Table.query`."""
    session = ClientSession()
    client = Client(AIOHTTP(session), Credentials.auto(), "us-east-1", endpoint=URL(url), numeric_type=Decimal)
    table = client.table(TABLE)

    async def get(customer: str, order: str) -> Order:
        return order_from_dict(await table.get_item({"PK": partition_of(customer), "SK": sort_of(order)}))

    async def query(customer: str) -> list[Order]:
        return [order_from_dict(item) async for item in table.query(HashKey("PK", partition_of(customer)))]

    return Reads(get, query, session.close)
