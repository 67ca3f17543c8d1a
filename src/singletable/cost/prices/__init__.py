"""Dated price lists: one JSON file for each group of regions with the same prices."""

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
"""An upper bound for every number in a price list."""
_MILLION = 1_000_000


@dataclass(frozen=True)
class ClassPrices:
    """The prices of one table class."""

    million_read_units: float
    million_write_units: float
    read_capacity_hour: float
    write_capacity_hour: float
    storage_gb_month: float


@dataclass(frozen=True)
class Prices:
    """The prices of a group of regions, with the length of a month and the size of a gigabyte."""

    regions: tuple[str, ...]
    dated: str
    currency: str
    source: str
    month_hours: float
    gb_bytes: int
    classes: Mapping[str, ClassPrices]

    @property
    def month_seconds(self) -> float:
        """The length of a month in seconds."""
        return self.month_hours * SECONDS_PER_HOUR

    def requests(self, table_class: str, reads_per_second: float, writes_per_second: float) -> float:
        """Return the monthly price of on-demand units per second."""
        prices = self.classes[table_class]
        reads = reads_per_second * self.month_seconds / _MILLION * prices.million_read_units
        return reads + writes_per_second * self.month_seconds / _MILLION * prices.million_write_units

    def capacity(self, table_class: str, read_units: int, write_units: int) -> float:
        """Return the monthly price of provisioned units."""
        prices = self.classes[table_class]
        hour = read_units * prices.read_capacity_hour + write_units * prices.write_capacity_hour
        return hour * self.month_hours

    def storage(self, table_class: str, stored_bytes: float) -> float:
        """Return the monthly price of stored bytes."""
        return stored_bytes / self.gb_bytes * self.classes[table_class].storage_gb_month


def known_regions() -> tuple[str, ...]:
    """Return the regions with bundled prices."""
    return tuple(sorted(region for prices in _all() for region in prices.regions))


def prices_of(region: str) -> Prices:
    """Return the prices of a region. Raise ArgumentRefused if there are none."""
    for prices in _all():
        if region in prices.regions:
            return prices
    raise ArgumentRefused(
        f"no prices for region {region!r}; there are prices for {', '.join(known_regions())}.\n  Write the prices into "
        "a file of the same format, and pass the file with --prices FILE."
    )


def _all() -> list[Prices]:
    files = (each for each in resources.files(__name__).iterdir() if each.name.endswith(".json"))
    return [read_prices(each.read_text(encoding="utf-8"), each.name) for each in files]


def read_prices(text: str, name: str) -> Prices:
    """Parse a price file. Raise ArgumentRefused if it is invalid."""
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
        raise ArgumentRefused(f"{name} lacks {missing}; docs/guides/cost.md describes the format") from None
    except (ValueError, TypeError, RecursionError) as problem:
        if isinstance(problem, ArgumentRefused):
            raise
        raise ArgumentRefused(f"{name} is not a valid price file: {problem}") from None


def _class_prices(given: Any, name: str) -> ClassPrices:
    return ClassPrices(**{each.name: _amount(given[each.name], f"{name}: {each.name}") for each in fields(ClassPrices)})


def _amount(value: Any, name: str, least: int = 0) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= _AMOUNT_MAX:
        raise ArgumentRefused(f"{name} must be a number from {least} to {_AMOUNT_MAX:g}, got {value!r}")
    return value


def _regions(value: Any, name: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not value:
        raise ArgumentRefused(f'{name} must be a list such as ["eu-central-1"], got {value!r}')
    return tuple(str(region) for region in value)


def _dollars(value: Any, name: str) -> str:
    """Return the currency. It must be USD, because all amounts are shown in dollars."""
    if value != "USD":
        raise ArgumentRefused(f"{name} must be 'USD', got {value!r}; write the prices in dollars")
    return str(value)
