"""A recording of the shop as a boto3 application with four tables: each method once, and random traffic."""

from __future__ import annotations

from pathlib import Path

from examples.shop_tables import tables
from examples.shop_tables.shop_application import ShopApplication
from examples.shop_tables.traffic import SHARES, ShopTraffic
from singletable.catalogue import install
from singletable.engine import Engine
from singletable.engine.boto3_clients import boto3_client, boto3_resource

ROWS = 300


def record_shop(path: Path, steps: int = 300, *, capacity: bool = False) -> None:
    """Record the application. The rows are written before the recording starts."""
    with Engine("memory:") as engine:
        client = boto3_client(engine)
        tables.create_tables(client)
        tables.fill(client, ROWS)
        shop = ShopApplication(client, boto3_resource(engine))
        traffic = ShopTraffic(shop, tables.rows(ROWS))
        with install(path, capacity=capacity):
            for name in tables.TABLES:
                client.describe_table(TableName=name)
            for name in SHARES:
                traffic.call(name)
            for _ in range(steps):
                traffic.step()
