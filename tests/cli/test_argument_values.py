from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import pytest

from singletable import entity
from singletable.cli.argument_values import parse


@dataclass
class Place:
    city: str
    inner: Place | None = None


@entity(key=("SHOP#{id}",))
@dataclass
class Shop:
    id: str
    price: Decimal = Decimal(0)
    place: Place | None = None
    days: set[str] = field(default_factory=set)
    prices: dict[str, Decimal] = field(default_factory=dict)
    places: list[Place] = field(default_factory=list)
    extra: Any = None


def test_a_json_argument_of_an_entity_keeps_every_digit_and_builds_nested_classes_and_sets() -> None:
    found = parse(
        Shop,
        """{"id": "s", "price": 12345678901234567890.123456789012345678, "place": {"city": "Graz", "inner": null},
        "days": ["mon", "tue", "mon"], "prices": {"a": 0.1}, "places": [{"city": "Linz"}], "extra": {"b": [1, "c"]}}""",
    )
    assert found == Shop(
        "s", Decimal("12345678901234567890.123456789012345678"), Place("Graz"), {"mon", "tue"}, {"a": Decimal("0.1")},
        [Place("Linz")], {"b": [1, "c"]},
    )  # fmt: skip


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"id": "s", "price": "much"}', "price: write a number"),
        ('{"id": "s", "place": {"town": "Graz"}}', "place: unknown field town; the fields are city, inner"),
        ('{"id": "s", "prices": {"a": "b"}}', "prices: write a number"),
    ],
)
def test_an_error_in_a_json_argument_names_the_field(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse(Shop, text)
