"""Prices have a date and one document for all regions with the same prices.

The price of a month is a simple product.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from singletable.cost.prices import INFREQUENT_ACCESS, STANDARD, known_regions, prices_of, read_prices
from singletable.errors import ArgumentRefused


def _document(**changed: Any) -> dict[str, Any]:
    amounts = {
        "million_read_units": 1,
        "million_write_units": 5,
        "read_capacity_hour": 0.001,
        "write_capacity_hour": 0.002,
        "storage_gb_month": 2,
    }
    document = {
        "regions": ["mars-1"],
        "dated": "2031-05",
        "currency": "USD",
        "source": "a test",
        "month_hours": 100,
        "gb_bytes": 1000,
        "classes": {STANDARD: amounts, INFREQUENT_ACCESS: amounts},
    }
    return {**document, **changed}


def test_monthly_prices_of_units_capacity_and_storage_are_correct() -> None:
    prices = read_prices(json.dumps(_document()), "mars.json")
    assert prices.month_seconds == 360_000
    assert prices.requests(STANDARD, 10, 2) == pytest.approx(3.6 * 1 + 0.72 * 5)
    assert prices.capacity(STANDARD, 3, 4) == pytest.approx((3 * 0.001 + 4 * 0.002) * 100)
    assert prices.storage(STANDARD, 2500) == pytest.approx(5.0)


def test_the_prices_of_us_east_1_are_those_of_2026() -> None:
    prices = prices_of("us-east-1")
    assert (prices.dated, prices.month_hours, prices.gb_bytes) == ("2026", 730, 2**30)
    million = 1_000_000 / prices.month_seconds
    assert prices.requests(STANDARD, million, 0) == pytest.approx(0.125)
    assert prices.requests(STANDARD, 0, million) == pytest.approx(0.625)
    assert prices.requests(INFREQUENT_ACCESS, million, million) == pytest.approx(1.25 * 0.75)
    assert prices.capacity(STANDARD, 1, 1) == pytest.approx(730 * (0.00013 + 0.00065))
    assert prices.storage(STANDARD, 2**30) == 0.25
    assert prices.storage(INFREQUENT_ACCESS, 2**30) == pytest.approx(0.1)


def test_prices_reject_a_region_without_prices_and_give_a_remedy() -> None:
    assert "us-east-1" in known_regions()
    with pytest.raises(
        ArgumentRefused, match=r"no prices for region 'moon-2'; there are prices for us-east-1\.\n.*--prices FILE"
    ):
        prices_of("moon-2")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "mars.json is not a valid price file: "),
        ("[]", "mars.json is not a valid price file: "),
        ("{}", "mars.json lacks 'classes'"),
        (
            json.dumps(_document(month_hours="long")),
            "mars.json: month_hours must be a number from 1 to 1e+15, got 'long'",
        ),
        (json.dumps(_document(gb_bytes=-1)), "mars.json: gb_bytes must be a number from 1 to 1e+15, got -1"),
        (json.dumps(_document(gb_bytes=0)), "mars.json: gb_bytes must be a number from 1 to 1e+15, got 0"),
        (json.dumps(_document(month_hours=0)), "mars.json: month_hours must be a number from 1 to 1e+15, got 0"),
        (
            json.dumps(_document(month_hours=1e300)),
            "mars.json: month_hours must be a number from 1 to 1e+15, got 1e+300",
        ),
        (
            json.dumps(_document(currency="EUR")),
            "mars.json: currency must be 'USD', got 'EUR'; write the prices in dollars",
        ),
        (json.dumps(_document(regions="mars-1")), "mars.json: regions must be a list such as"),
        (json.dumps(_document(classes={STANDARD: {}})), "mars.json lacks 'million_read_units'"),
        ('{"classes": NaN}', "mars.json is not a valid price file: "),
    ],
)
def test_prices_reject_an_invalid_price_file(text: str, said: str) -> None:
    with pytest.raises(ArgumentRefused) as refused:
        read_prices(text, "mars.json")
    assert str(refused.value).startswith(said)
