"""`singletable check MODEL --items`: files, Workbench models, stores and live tables as text and as JSON."""

from __future__ import annotations

import gzip
import json
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from examples.shop.model import Customer, Product, Shop
from singletable.client.request_steps import Call
from tests.cli.program import ROOT, refused, singletable
from tests.client.places import OURS, server

MODEL = ROOT / "examples" / "shop" / "model.py"
ROWS = ROOT / "examples" / "shop" / "old_items.jsonl"
CODES = ["ST201", "ST202", "ST204", "ST205"]


def checked(*arguments: str | Path, status: int = 0) -> dict[str, Any]:
    finished = singletable("check", MODEL, "--json", "--items", *arguments)
    assert finished.returncode == status, finished.stderr + finished.stdout
    (table,) = json.loads(finished.stdout)["tables"]
    found: dict[str, Any] = table
    return found


def codes(table: dict[str, Any]) -> list[str]:
    return [finding["code"] for finding in table["findings"]]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a store with twenty products, and one product that another program has written."""
    path = tmp_path_factory.mktemp("stores") / "shop.db"
    with Shop.open(f"file:{path}", create=True) as shop:
        shop.put_many(Product(sku=f"p{number}", name="Pen", price=Decimal(1)) for number in range(20))
        item = {"PK": {"S": "PRODUCT#x"}, "SK": {"S": "METADATA"}, "entity_type": {"S": "Product"}, "sku": {"S": "x"}}
        shop._opened().session.send(Call("PutItem", {"TableName": "Shop", "Item": item}))
    return path


def test_check_items_reads_a_file_with_one_item_per_line() -> None:
    table = checked(ROWS, status=1)
    assert codes(table) == CODES
    assert (table["items"], table["is_whole"], table["passes"], table["requests"]) == (6, True, False, 0)
    missing = table["findings"][3]
    assert missing["items"] == 1
    assert missing["subject"] == "Order"
    assert missing["examples"][0]["key"] == "PK=ORDER#o2, SK=METADATA"
    assert missing["file"].endswith("model.py")


@pytest.mark.parametrize("wrapped", [False, True], ids=["list", "Items"])
def test_check_items_reads_a_file_with_one_json_document(tmp_path: Path, wrapped: bool) -> None:
    rows = [json.loads(line) for line in ROWS.read_text().splitlines()]
    place = tmp_path / "rows.json"
    place.write_text(json.dumps({"Items": rows} if wrapped else rows, indent=2))
    assert codes(checked(place, status=1)) == CODES


def test_check_items_merges_the_rows_of_workbench_tables_and_facets(tmp_path: Path) -> None:
    row = {name: {"S": str(value)} for name, value in json.loads(ROWS.read_text().splitlines()[0]).items()}
    keys = {"PK": row["PK"], "SK": row["SK"]}
    table = {
        "TableName": "AnotherName",
        "KeyAttributes": {
            "PartitionKey": {"AttributeName": "PK", "AttributeType": "S"},
            "SortKey": {"AttributeName": "SK", "AttributeType": "S"},
        },
        "TableData": [{**keys, "name": row["name"]}],
        "TableFacets": [{"FacetName": "Customer", "TableData": [{k: v for k, v in row.items() if k != "name"}]}],
    }
    place = tmp_path / "model.json"
    place.write_text(json.dumps({"ModelName": "Shop", "DataModel": [table]}))
    found = checked(place)
    assert (found["items"], codes(found)) == (1, [])
    assert "its tables are AnotherName" in refused(
        singletable("check", MODEL, "--items", place, "--table-name", "Nowhere")
    )


def test_check_items_reads_a_whole_store(store: Path) -> None:
    table = checked(f"file:{store}", status=1)
    assert codes(table) == ["ST202"]
    assert (table["items"], table["is_whole"], table["requests"]) == (21, True, 1)
    assert table["entities"] == [{"entity": "Product", "items": 21, "mean_bytes": 60, "largest_bytes": 61}]
    assert codes(checked(store, status=1)) == ["ST202"]


def test_check_items_can_read_a_sample_of_a_store(store: Path) -> None:
    finished = singletable("check", MODEL, "--json", "--items", store, "--sample", "5")
    (table,) = json.loads(finished.stdout)["tables"]
    assert (table["items"], table["is_whole"]) == (5, False)


def test_check_items_can_read_a_sample_of_a_file() -> None:
    table = checked(ROWS, "--sample", "2")
    assert (table["items"], table["is_whole"], codes(table)) == (2, False, [])


def test_check_items_reads_a_live_table_with_another_name(tmp_path: Path) -> None:
    with server(OURS, tmp_path) as url:
        with Shop.open(url, create=True, name="shop-live") as shop:
            shop.put(Customer(id="c1", name="Ada", email="a@b.c", created_at=datetime(2026, 1, 1, tzinfo=UTC)))
        table = checked(url, "--table-name", "shop-live")
        assert (table["items"], table["is_whole"], codes(table)) == (1, True, [])
        assert "there is no table 'Shop'; the tables are shop-live" in refused(
            singletable("check", MODEL, "--items", url)
        )


def test_the_output_of_check_items_shows_counts_examples_and_remedies() -> None:
    finished = singletable("check", MODEL, "--items", ROWS)
    assert finished.returncode == 1
    assert "6 items of" in finished.stdout
    assert "ST205  error     1" in finished.stdout
    assert "ST205 item missing from an index: Read and put each item" in finished.stdout
    assert "\x1b" not in finished.stdout


def test_errors_of_check_items_say_what_to_do(tmp_path: Path) -> None:
    empty = tmp_path / "empty.json"
    empty.write_text("[]")
    assert "contains no items, so nothing was checked" in refused(singletable("check", MODEL, "--items", empty))
    assert "cannot read nowhere.json" in refused(singletable("check", MODEL, "--items", "nowhere.json"))
    assert "write 1 or more, or all" in refused(singletable("check", MODEL, "--items", ROWS, "--sample", "0"))
    assert "there is no store" in refused(singletable("check", MODEL, "--items", "file:nowhere.db"))
    packed = tmp_path / "rows.json.gz"
    packed.write_bytes(gzip.compress(b"{}"))
    assert "cannot read" in refused(singletable("check", MODEL, "--items", packed))
    several = ROOT / "examples" / "customers" / "model.py"
    assert "select one with MODEL:Table" in refused(singletable("check", several, "--items", ROWS))
