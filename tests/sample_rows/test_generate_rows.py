"""Sample rows: every entity has some, they belong together, and they are always the same."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Literal
from uuid import UUID

import pytest

from singletable import Table, copy, count, derive, entity, exists, sparse
from singletable.cli.load_model import load_tables
from singletable.sample_rows.generate_rows import SampleRows, sample_rows

ROOT = Path(__file__).resolve().parents[2]
MODELS = sorted((ROOT / "examples").glob("*/model.py"))


@entity(key=("CUST#{id}", "METADATA"), unique=["email"])
@dataclass
class Customer:
    id: str
    name: str
    email: str
    orders: int = 0
    open_orders: int = 0


@entity(
    key=("ORDER#{id}", "METADATA"),
    gsi1=("CUST#{customer_id}", "ORDER#{placed_at:seconds}#{id}"),
    gsi2=sparse("OPEN", "{open_since}"),
    copies=[copy(Customer, by={"id": "customer_id"}, fields={"name": "customer_name"})],
    counted=[
        count(Customer, by={"id": "customer_id"}, field="orders"),
        count(Customer, by={"id": "customer_id"}, field="open_orders", where=lambda o: exists(o.open_since)),
    ],
)
@dataclass
class Order:
    id: str
    customer_id: str
    customer_name: str
    placed_at: datetime
    total: Decimal
    open_since: date | None = None


class Shop(Table, entities=[Customer, Order]):
    pass


@pytest.fixture(scope="module")
def shop() -> SampleRows:
    return sample_rows(Shop.design)


@pytest.mark.parametrize("model", MODELS, ids=lambda path: path.parent.name)
def test_generated_rows_exist_for_every_entity_of_every_example(model: Path) -> None:
    bare = [
        f"{table.__name__}.{name}"
        for table in load_tables(str(model))
        for name, items in sample_rows(table.design).items.items()
        if len(items) < 2
    ]
    assert bare == []


@pytest.mark.parametrize("model", MODELS, ids=lambda path: path.parent.name)
def test_generated_rows_have_different_keys(model: Path) -> None:
    for table in load_tables(str(model)):
        keys = table.design.table.key_attributes
        found = [repr([item[name] for name in keys]) for item in sample_rows(table.design).stored]
        assert len(set(found)) == len(found)


def test_generated_rows_are_the_same_each_time(shop: SampleRows) -> None:
    assert sample_rows(Shop.design) == shop


def test_generated_rows_of_a_child_reference_an_existing_parent(shop: SampleRows) -> None:
    customers = [row["id"] for row in shop.values["Customer"]]
    owners = [row["customer_id"] for row in shop.values["Order"]]
    assert set(owners) == set(customers), "every customer has an order, and no order is without its customer"
    assert owners.count(customers[0]) > 1, "one collection has several rows"


def test_sample_values_of_ids_and_names_are_short_and_readable(shop: SampleRows) -> None:
    first = shop.values["Customer"][0]
    assert (first["id"], first["name"], first["email"]) == ("c1", "Ada", "ada@example.com")


def test_generated_rows_have_consistent_copies_and_counters(shop: SampleRows) -> None:
    names = {row["id"]: row["name"] for row in shop.values["Customer"]}
    assert all(row["customer_name"] == names[row["customer_id"]] for row in shop.values["Order"])
    owners = [row["customer_id"] for row in shop.values["Order"]]
    assert all(row["orders"] == owners.count(row["id"]) for row in shop.values["Customer"])
    owners = [row["customer_id"] for row in shop.values["Order"] if row["open_since"] is not None]
    assert all(row["open_orders"] == owners.count(row["id"]) for row in shop.values["Customer"])
    assert any(row["open_orders"] < row["orders"] for row in shop.values["Customer"])


def test_generated_rows_include_one_without_optional_values(shop: SampleRows) -> None:
    lacking = [item for item in shop.items["Order"] if "GSI2PK" not in item]
    assert len(lacking) == 1


def test_generated_rows_of_unique_fields_have_markers(shop: SampleRows) -> None:
    assert len(shop.markers) == len(shop.values["Customer"])
    assert all(marker["PK"]["S"].startswith("UNIQUE#") for marker in shop.markers)


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


@dataclass
class Part:
    label: str
    weight: float


@entity(key=("THING#{id}", "V#{size}"))
@dataclass
class Thing:
    id: UUID
    size: Literal["small", "large"]
    colour: Colour
    tags: set[str]
    parts: list[Part]
    extra: dict[str, int]
    raw: bytes
    path: tuple[str, ...]
    is_new: bool


class Things(Table, entities=[Thing]):
    pass


def test_sample_values_of_every_kind_can_be_stored() -> None:
    (item, *_) = sample_rows(Things.design).items["Thing"]
    kinds = {name: next(iter(value)) for name, value in item.items()}
    assert kinds["tags"] == "SS"
    assert kinds["parts"] == "L"
    assert kinds["extra"] == "M"
    assert kinds["raw"] == "B"
    assert item["parts"]["L"][0]["M"]["weight"] == {"N": "1"}
    assert item["colour"] == {"S": "red"}


def fussy(name: str) -> str:
    raise RuntimeError(f"{name} is not what I wanted")


@entity(key=("X#{shard}", "{name}"), derived={"shard": derive(fussy, "name")}, identity=["name"])
@dataclass
class Fussy:
    name: str


class FussyTable(Table, entities=[Fussy]):
    pass


def test_generated_rows_are_empty_for_an_entity_that_rejects_every_value() -> None:
    assert sample_rows(FussyTable.design).items == {"Fussy": ()}


def test_sample_values_of_times_start_in_2026_and_have_a_time_zone(shop: SampleRows) -> None:
    moments = [row["placed_at"] for row in shop.values["Order"]]
    assert moments == sorted(moments)
    assert all(moment.year == 2026 and moment.tzinfo is UTC for moment in moments)
