"""Every table of the examples, filled on an engine of its own and read as a stranger would read it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from examples.commerce import rows as commerce
from examples.commerce.model import Commerce
from examples.customers import rows as customers
from examples.customers.model import Customers, Orders, Teams
from examples.guide import account_rows, accounts, series_rows
from examples.guide import rows as guide
from examples.guide.model import Guide, Telemetry
from examples.guide.series import DailyTelemetry
from examples.papers import rows as papers
from examples.papers.model import Papers
from examples.shop import rows as shop
from examples.shop import sharded, sharded_rows
from examples.shop.model import Shop
from singletable import Table
from singletable.drafts.described_table import seen_table
from singletable.drafts.seen_items import SeenTable
from singletable.engine.engine import Engine

_SHARDED = [
    (table, sharded_rows.customers(entity))
    for table, entity in (
        (sharded.ShopByHash, sharded.CustomerByHash),
        (sharded.ShopByLetter, sharded.CustomerByLetter),
        (sharded.ShopByMonth, sharded.CustomerByMonth),
        (sharded.ShopByRegion, sharded.CustomerByRegion),
        (sharded.ShopByFunction, sharded.CustomerByFunction),
    )
]


@dataclass(frozen=True)
class Example:
    """A table of the examples with its rows."""

    table: type[Table]
    rows: Iterable[Any]

    def __str__(self) -> str:
        return self.table.__name__

    def seen(self) -> SeenTable:
        """What DescribeTable and a Scan say of it."""
        with Engine("memory:") as engine:
            table = self.table.open(engine, create=True)
            for row in self.rows:
                table.put(row)
            name = self.table.design.name
            description: Mapping[str, Any] = engine.call("DescribeTable", {"TableName": name})["Table"]
            items = engine.call("Scan", {"TableName": name})["Items"]
        return seen_table(description, items, self.table.design.ttl_attribute)


EXAMPLES = [
    Example(Customers, customers.CUSTOMERS),
    Example(Orders, customers.ORDERS),
    Example(Teams, customers.TEAMS),
    Example(Commerce, commerce.ROWS),
    Example(Papers, papers.ROWS),
    Example(Shop, shop.ROWS),
    Example(Guide, guide.ROWS),
    Example(Telemetry, series_rows.SHARDED),
    Example(DailyTelemetry, series_rows.DAILY),
    Example(accounts.Accounts, account_rows.ROWS),
    *(Example(table, rows) for table, rows in _SHARDED),
]
