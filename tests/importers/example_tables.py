"""Every table of the examples, filled on an engine of its own and read as a stranger would read it."""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass
from functools import cache
from typing import Any

import pytest

from examples import SYSTEMS
from examples.commerce import rows as commerce
from examples.commerce.model import Commerce
from examples.commerce.releases import FirstRelease, SecondRelease, SecondUser
from examples.commerce.status_in_key import CommerceByStatus
from examples.customers import rows as customers
from examples.customers.model import Customers, Orders, Teams
from examples.guide import account_rows, accounts, project_rows, projects, series_rows
from examples.guide import rows as guide
from examples.guide.groups import Groups
from examples.guide.model import Guide, Telemetry
from examples.guide.rows import moment
from examples.guide.series import DailyTelemetry
from examples.papers import rows as papers
from examples.papers.model import Papers
from examples.papers.topics_on_paper import PapersWithTopics
from examples.script import Script, fill
from examples.shop import rows as shop
from examples.shop import sharded, sharded_rows
from examples.shop.model import Shop
from examples.shop.seventh import ShopByStatus
from singletable import Table
from singletable.client.pattern import BoundPattern
from singletable.engine.engine import Engine
from singletable.importers.live.sampled_table import SampledTable, described_table
from tests.examples.scripts import clock_of, script, tour

_MIGRATED = [
    SecondUser(
        id=id, first_name=name, last_name="Doe", email=f"{id}@example.com", joined_at=moment("2026-04-26T09:00:00")
    )
    for id, name in (("42", "Ada"), ("7", "Bob"))
]
FAR = 4_102_444_800
"""The year 2100: nothing expires while it is looked at."""
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
class Call:
    """A call that a script made: the pattern's name, and what it was given."""

    pattern: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class Example:
    """A table of the examples with its rows, and what is done to it that no script of the example does."""

    table: type[Table]
    rows: Iterable[Any] = ()
    more: Callable[[Any], object] = lambda _: None

    def __str__(self) -> str:
        return self.table.__name__

    def use(self, engine: Engine) -> list[Call]:
        """Makes the table as it is in use: its rows, and what the example's scripts and write patterns leave there."""
        calls: list[Call] = []
        plain = BoundPattern._arguments

        def noted(pattern: BoundPattern[Any, Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
            arguments = plain(pattern, args, kwargs)
            if pattern._table is self.table:
                calls.append(Call(pattern.declaration.name, dict(arguments)))
            return arguments

        with pytest.MonkeyPatch.context() as patch, redirect_stdout(io.StringIO()):
            patch.setattr(BoundPattern, "_arguments", noted)
            for each in (None, *self.scripts()):
                clock = clock_of(each) if each is not None else time.time
                table = self.table.open(engine, create=True, now=clock)
                fill(table, self.rows if each is None else each.rows)
                if each is not None:
                    each.show(each.execute(table))
            self.more(self.table.open(engine))
        return calls

    def scripts(self) -> Iterator[Script[Any, Any]]:
        """The scripts of all systems that ask this table."""
        asked = (script(system, name) for system in SYSTEMS for name in tour(system))
        return (each for each in asked if each.model is self.table)

    def seen_in(self, engine: Engine) -> SampledTable:
        """What DescribeTable and a Scan say of it."""
        name = self.table.design.name
        description: Mapping[str, Any] = engine.call("DescribeTable", {"TableName": name})["Table"]
        return described_table(description, stored_items(engine, name), self.table.design.ttl_attribute)

    def seen(self) -> SampledTable:
        """The same of an engine of its own."""
        return _seen(self)


@cache
def _seen(example: Example) -> SampledTable:
    with Engine("memory:") as engine:
        example.use(engine)
        return example.seen_in(engine)


def stored_items(engine: Engine, name: str) -> list[dict[str, Any]]:
    """Every item as it is stored."""
    items: list[dict[str, Any]] = []
    request: dict[str, Any] = {"TableName": name}
    while True:
        page = engine.call("Scan", request)
        items += page["Items"]
        if "LastEvaluatedKey" not in page:
            return items
        request["ExclusiveStartKey"] = page["LastEvaluatedKey"]


EXAMPLES = [
    Example(Customers, customers.CUSTOMERS),
    Example(Orders, customers.ORDERS),
    Example(Teams, customers.TEAMS),
    Example(Commerce, commerce.ROWS),
    Example(Papers, papers.ROWS, lambda table: table.supersede(papers.MODEL.id, FAR)),
    Example(Shop, shop.ROWS),
    Example(Guide, guide.ROWS),
    Example(Telemetry, series_rows.SHARDED),
    Example(DailyTelemetry, series_rows.DAILY),
    Example(projects.Projects, project_rows.ROWS, lambda table: table.tasks_in_status("acme", "OPEN")),
    Example(accounts.Accounts, account_rows.ROWS),
    *(Example(table, rows) for table, rows in _SHARDED),
    # Variants that a script fills.
    Example(ShopByStatus),
    Example(CommerceByStatus),
    Example(PapersWithTopics),
    Example(Groups),
    Example(FirstRelease),
    Example(SecondRelease, _MIGRATED, lambda table: table.profile("42")),
]
