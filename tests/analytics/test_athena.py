"""The table definitions of Athena and Glue have the types of the exported Parquet files."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

import pytest

from examples.shop.model import Shop
from singletable import AnalyticsRefused, Table, entity
from singletable.analytics.athena import athena_ddl, glue_tables
from singletable.analytics.data_export import partitioning


@dataclass
class Part:
    name: str
    sizes: list[int]


@entity(key=("A#{id}", "HEAD"), name="Widget-Type")
@dataclass
class Widget:
    id: str
    day: date
    at: datetime
    ratio: float
    data: bytes
    parts: dict[str, Part]


class Widgets(Table, entities=[Widget]):
    """Widgets with nested fields."""


def test_athena_ddl_has_one_table_per_entity_with_nested_types() -> None:
    text = athena_ddl(Widgets.design, "s3://bucket/out/", {})
    assert "CREATE EXTERNAL TABLE IF NOT EXISTS `widgets`.`widget_type` (" in text
    assert "`parts` map<string,struct<name:string,sizes:array<bigint>>>" in text
    assert "`at` timestamp" in text
    assert "LOCATION 's3://bucket/out/Widget-Type/';" in text


def test_athena_ddl_declares_and_loads_partitions() -> None:
    chosen = {"Order": partitioning("Order.created_at:month", Shop.design)}
    text = athena_ddl(Shop.design, "s3://bucket/shop", chosen, database="sales")
    assert "PARTITIONED BY (`by_month_of_created_at` string)" in text
    assert "MSCK REPAIR TABLE `sales`.`order`;" in text
    (order,) = [each for each in json.loads(glue_tables(Shop.design, "s3://b-1/x", chosen)) if each["Name"] == "order"]
    assert order["PartitionKeys"] == [{"Name": "by_month_of_created_at", "Type": "string"}]
    assert {"Name": "created_at", "Type": "timestamp"} in order["StorageDescriptor"]["Columns"]


@pytest.mark.parametrize("location", ["/tmp", "s3://", "s3://bucket/it's", "http://bucket/x"])
def test_athena_ddl_needs_an_s3_location(location: str) -> None:
    with pytest.raises(AnalyticsRefused, match="is not a location of Athena; write s3://BUCKET/PREFIX"):
        athena_ddl(Shop.design, location, {})


def test_names_that_athena_cannot_distinguish_are_rejected() -> None:
    other: Any = entity(key=("B#{id}", "HEAD"), name="widget_type")(
        dataclass(type("B", (), {"__annotations__": {"id": str}}))
    )
    table: Any = type("Both", (Table,), {}, entities=[Widget, other])
    with pytest.raises(AnalyticsRefused, match="Athena cannot distinguish the names Widget-Type and widget_type"):
        athena_ddl(table.design, "s3://bucket/x", {})
