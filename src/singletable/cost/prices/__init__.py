"""Prices by region, each file dated: a JSON document for every set of regions that cost the same."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from importlib import resources
from typing import Any

from singletable.errors import ArgumentRefused

STANDARD, INFREQUENT_ACCESS = "standard", "infrequent-access"
TABLE_CLASSES = (STANDARD, INFREQUENT_ACCESS)
SECONDS_PER_HOUR = 3600
_AMOUNT_MAX = 1e15
"""No price of a unit, and no month or gigabyte, is more."""
_MILLION = 1_000_000


@dataclass(frozen=True)
class ClassPrices:
    """What a table of one class costs."""

    million_read_units: float
    million_write_units: float
    read_capacity_hour: float
    write_capacity_hour: float
    storage_gb_month: float


@dataclass(frozen=True)
class Prices:
    """The prices of some regions, with the month and the gigabyte that they are meant for."""

    regions: tuple[str, ...]
    dated: str
    currency: str
    source: str
    month_hours: float
    gb_bytes: int
    classes: Mapping[str, ClassPrices]

    @property
    def month_seconds(self) -> float:
        """The seconds of a month."""
        return self.month_hours * SECONDS_PER_HOUR

    def requests(self, table_class: str, reads_per_second: float, writes_per_second: float) -> float:
        """What so many units a second cost in a month, paid by request."""
        prices = self.classes[table_class]
        reads = reads_per_second * self.month_seconds / _MILLION * prices.million_read_units
        return reads + writes_per_second * self.month_seconds / _MILLION * prices.million_write_units

    def capacity(self, table_class: str, read_units: int, write_units: int) -> float:
        """What so many provisioned units cost in a month."""
        prices = self.classes[table_class]
        hour = read_units * prices.read_capacity_hour + write_units * prices.write_capacity_hour
        return hour * self.month_hours

    def storage(self, table_class: str, stored_bytes: float) -> float:
        """What so many bytes cost in a month."""
        return stored_bytes / self.gb_bytes * self.classes[table_class].storage_gb_month


def known_regions() -> tuple[str, ...]:
    """The regions whose prices come with the program."""
    return tuple(sorted(region for prices in _all() for region in prices.regions))


def prices_of(region: str) -> Prices:
    """The prices of a region; raises ArgumentRefused where none are known."""
    for prices in _all():
        if region in prices.regions:
            return prices
    raise ArgumentRefused(
        f"the prices of {region!r} are not known; they are of {', '.join(known_regions())}.\n"
        "  Write them into a file of the same form, and give it with --prices FILE."
    )


def _all() -> list[Prices]:
    files = (each for each in resources.files(__name__).iterdir() if each.name.endswith(".json"))
    return [read_prices(each.read_text(encoding="utf-8"), each.name) for each in files]


def read_prices(text: str, name: str) -> Prices:
    """The prices that a document holds; raises ArgumentRefused with what is wrong with it."""
    try:
        given: Any = json.loads(text)
        classes = {known: _class_prices(given["classes"][known], f"{name}: {known}") for known in TABLE_CLASSES}
        return Prices(
            _regions(given["regions"], f"{name}: regions"),
            str(given["dated"]),
            _dollars(given["currency"], f"{name}: currency"),
            str(given["source"]),
            _amount(given["month_hours"], f"{name}: month_hours", least=1),
            int(_amount(given["gb_bytes"], f"{name}: gb_bytes", least=1)),
            classes,
        )
    except KeyError as missing:
        raise ArgumentRefused(f"{name} says nothing of {missing}; its form is that of docs/cost.md") from None
    except (ValueError, TypeError, RecursionError) as problem:
        if isinstance(problem, ArgumentRefused):
            raise
        raise ArgumentRefused(f"{name} is no document of prices: {problem}") from None


def _class_prices(given: Any, name: str) -> ClassPrices:
    return ClassPrices(**{each.name: _amount(given[each.name], f"{name}: {each.name}") for each in fields(ClassPrices)})


def _amount(value: Any, name: str, least: int = 0) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= _AMOUNT_MAX:
        raise ArgumentRefused(f"{name} is {value!r}, which is no amount from {least or 'zero'} up")
    return value


def _regions(value: Any, name: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not value:
        raise ArgumentRefused(f'{name} is {value!r}, which is no list such as ["eu-central-1"]')
    return tuple(str(region) for region in value)


def _dollars(value: Any, name: str) -> str:
    """The currency; amounts are shown in dollars, so that those of another one would be taken for them."""
    if value != "USD":
        raise ArgumentRefused(f"{name} is {value!r}, and money is shown in USD; write the prices in dollars")
    return str(value)
