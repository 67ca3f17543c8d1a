"""The application as a process of its own: random traffic on a store, and a journal of the calls that have returned.

Several processes share one store. Each one runs until it is killed.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from random import Random

from singletable.consolidation import install
from singletable.consolidation.dual_table import DualTable
from singletable.engine import Engine
from singletable.errors import TableDiffers

from ..shop.model import Product
from .consolidation import CONSOLIDATION
from .shop_application import ShopApplication
from .tables import rows
from .traffic import ShopTraffic

PAUSE_SECONDS = 0.01
KNOWN_ROWS = 200


class RunningShop:
    """Calls the application on the old tables, and writes products with the new table once that is possible."""

    def __init__(self, store: str, journal: Path, name: str, speed: float) -> None:
        self._engine = Engine(store)
        self._shop = CONSOLIDATION.open(self._engine)
        opened = self._shop._opened()
        assert isinstance(opened, DualTable), "a consolidation opens a dual table"
        opened.writer_of_both.lease.clock = lambda: time.monotonic() * speed
        client, resource = self._engine.boto3_client(), self._engine.boto3_resource()
        for each in (client, resource):
            install(self._shop, each)
        self._journal, self._name = journal, name
        self._old = ShopApplication(client, resource)
        self._traffic = ShopTraffic(self._old, rows(KNOWN_ROWS), seed=len(name), name=name)
        self._random = Random(name)  # noqa: S311  # example data is not secret
        self._written = 0

    def run(self, new_share: float) -> None:
        """Make calls forever. `new_share` is the share of writes that use the new table: with 1, all of them do."""
        while True:
            if new_share < 1:
                self._traffic.step()
            if self._random.random() < new_share:
                self._write_new()
            else:
                self._write_old()
            time.sleep(PAUSE_SECONDS)

    def _write_old(self) -> None:
        sku, price = self._next()
        self._old.add_products([{"sku": sku, "name": "Old", "price": price, "description": "A frame."}])
        self._note(sku, price)

    def _write_new(self) -> None:
        sku, price = self._next()
        try:
            self._shop.put(Product(sku=sku, name="New", price=price))
        except TableDiffers:  # not every row is copied yet
            return
        self._note(sku, price)

    def _next(self) -> tuple[str, Decimal]:
        self._written += 1
        return f"{self._name}-{self._written}", Decimal(self._random.randint(1, 500))

    def _note(self, sku: str, price: Decimal) -> None:
        """Append a product whose write has returned."""
        with self._journal.open("a", encoding="utf-8") as file:
            file.write(f"{sku} {price}\n")


def journal_of(path: Path) -> Iterator[tuple[str, Decimal]]:
    """Yield the products of a journal with their prices. A process may have been killed inside its last line."""
    for line in path.read_text(encoding="utf-8").splitlines(keepends=True) if path.exists() else ():
        sku, _, price = line.partition(" ")
        if line.endswith("\n"):
            yield sku, Decimal(price)


def main() -> None:
    """Run the application: the arguments are the store, the journal, a name, the speed of clocks, and the share."""
    store, journal, name, speed, share = sys.argv[1:]
    RunningShop(store, Path(journal), name, float(speed)).run(float(share))
