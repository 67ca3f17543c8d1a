"""Record the requests of the application: `python -m examples.shop_tables.recording FILE`."""

from __future__ import annotations

import sys
from pathlib import Path

from singletable.catalogue import install
from singletable.engine import Engine
from singletable.engine.boto3_clients import boto3_client, boto3_resource

from . import tables
from .shop_application import ShopApplication
from .traffic import SHARES, ShopTraffic

ROWS = 300
CALLS = 300


def record(file: Path, calls: int = CALLS) -> None:
    """Fill the tables, and then record each method once and random traffic."""
    with Engine("memory:") as engine:
        client = boto3_client(engine)
        tables.create_tables(client)
        tables.fill(client, ROWS)
        shop = ShopApplication(client, boto3_resource(engine))
        traffic = ShopTraffic(shop, tables.rows(ROWS))
        with install(file, capacity=True):
            for name in tables.TABLES:
                client.describe_table(TableName=name)
            for name in SHARES:
                traffic.call(name)
            for _ in range(calls):
                traffic.step()


if __name__ == "__main__":
    record(Path(sys.argv[1]))
