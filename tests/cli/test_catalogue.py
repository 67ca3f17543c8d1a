"""`singletable catalogue` lists recorded access patterns, and its worksheet leads to a design with its cost."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from examples.shop_tables.recording import record
from examples.shop_tables.traffic import SHARES
from singletable.cli.main import main
from tests.catalogue.recorded import RecordedClients, recorded
from tests.cli.program import refused, singletable


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("shop") / "catalogue.jsonl"
    record(path)
    return path


def document(*arguments: str | Path, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    assert main([*map(str, arguments), "--json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_the_catalogue_command_lists_patterns_requests_and_findings(shop: Path) -> None:
    said = singletable("catalogue", shop).stdout
    patterns, requests, findings = said.split("\n\n")[:3]
    assert patterns.startswith("15 access patterns in ")
    assert [line.split()[0] for line in patterns.splitlines()[3:]] == list(SHARES)
    assert "Query               shop-orders" in requests
    assert "descending, limit 20" in requests
    assert "SET status = ?" in requests
    assert findings.startswith("3 findings\n  order_summary: N+1 requests")
    assert "Write these patterns as a worksheet with --output FILE.md." in said


def test_the_catalogue_command_json_has_the_percentiles_of_each_request(
    shop: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = document("catalogue", shop, "--calls-per-second", "100", capsys=capsys)
    patterns = {each["name"]: each for each in found["patterns"]}
    assert sum(each["calls_per_second"] for each in found["patterns"]) == pytest.approx(100)
    (query,) = patterns["orders_of_customer"]["requests"]
    assert (query["index"], query["descending"], query["limits"]) == ("by-customer", True, [20])
    assert query["items"]["max"] <= 20
    assert patterns["customers_by_signup"]["requests"][0]["items"]["p50"] >= 30
    assert patterns["customer"]["caller"].endswith("shop_application.py:33 ShopApplication.customer")
    assert [each["kind"] for each in found["findings"]] == ["n+1", "filter", "scan"]


def test_the_worksheet_of_the_catalogue_command_leads_to_a_checked_design_with_cost_and_export(
    shop: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    worksheet, model = tmp_path / "shop.md", tmp_path / "shop.py"
    assert main(["catalogue", str(shop), "--calls-per-second", "100", "--output", str(worksheet)]) == 0
    assert main(["design", str(worksheet), "--output", str(model)]) == 0
    assert main(["check", str(model)]) == 0
    assert main(["export", "cloudformation", str(model)]) == 0
    assert "AWS::DynamoDB::Table" in capsys.readouterr().out
    (table,) = document("cost", model, "--catalogue", shop, capsys=capsys)["tables"]
    compared = {each["name"]: each for each in table["recorded"]["patterns"]}
    assert compared.keys() == SHARES.keys()
    whole = compared["whole_order"]
    assert (whole["together"]["requests"], whole["recorded"]["requests"]) == (1, pytest.approx(2, abs=0.2))
    assert whole["recorded"]["reads"] > 1.5 > whole["together"]["reads"]
    customer = compared["customer"]
    assert (customer["together"]["reads"], customer["recorded"]["reads"]) == (0.5, 0.5)
    assert customer["calls_per_second"] == pytest.approx(20, abs=6)
    assert table["recorded"]["only_recorded"] == table["recorded"]["only_in_model"] == []
    assert table["recorded"]["total"]["requests_apart"] > table["recorded"]["total"]["requests_together"]


def test_cost_with_a_catalogue_names_patterns_of_only_one_side_and_does_not_compare_them(
    shop: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    worksheet, model = tmp_path / "shop.md", tmp_path / "shop.py"
    assert main(["catalogue", str(shop), "--calls-per-second", "100", "--output", str(worksheet)]) == 0
    rows = worksheet.read_text().splitlines()
    kept = [row for row in rows if "order_summary_get" not in row and "| change_price |" not in row]
    worksheet.write_text("\n".join(kept).replace("| product |", "| product_page |"))
    assert main(["design", str(worksheet), "--output", str(model)]) == 0
    capsys.readouterr()
    assert main(["cost", str(model), "--catalogue", str(shop)]) == 0
    said = capsys.readouterr().out
    assert "order_summary: the model has no pattern order_summary_get_products" in said
    assert "because the model has no pattern with this name: product, change_price" in said
    assert "not recorded, and not compared: product_page" in said


def test_cost_with_a_catalogue_compares_functions_with_long_or_reserved_names(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, worksheet, model = tmp_path / "c.jsonl", tmp_path / "shop.md", tmp_path / "shop.py"
    with recorded(path) as clients:
        clients.create_table("orders", "id")
        client = clients.client

        def open() -> None:  # the name of a method of tables
            client.get_item(TableName="orders", Key={"id": {"S": "a"}})

        def read_the_order_that_a_customer_has_placed_before_and_the_one_before_it() -> None:
            for key in "ab":
                client.get_item(TableName="orders", Key={"id": {"S": key}})

        def read_the_order_that_a_customer_has_placed_before_and_the_one_after_it() -> None:
            client.get_item(TableName="orders", Key={"id": {"S": "c"}})

        open()
        read_the_order_that_a_customer_has_placed_before_and_the_one_before_it()
        read_the_order_that_a_customer_has_placed_before_and_the_one_after_it()
    assert main(["catalogue", str(path), "--calls-per-second", "8", "--output", str(worksheet)]) == 0
    assert main(["design", str(worksheet), "--output", str(model)]) == 0
    capsys.readouterr()
    (table,) = document("cost", model, "--catalogue", path, capsys=capsys)["tables"]
    compared = table["recorded"]
    assert [each["calls_per_second"] for each in compared["patterns"]] == [2, 4, 2]
    assert compared["only_recorded"] == compared["only_in_model"] == []


def test_the_catalogue_command_describes_the_tables_at_a_url(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, store = tmp_path / "catalogue.jsonl", tmp_path / "store.db"
    clients = RecordedClients(path, f"file:{store}")
    table = clients.create_table("orders", "id", index=("customer", "placed_at"))
    for number in range(3):
        table.put_item(Item={"id": f"{number}", "customer": "c", "placed_at": f"{number}"})
    with recorded(path, clients):
        table.query(
            IndexName="by-customer",
            KeyConditionExpression="customer = :c",
            ExpressionAttributeValues={":c": "c"},
            ScanIndexForward=False,
        )
    clients.engine.close()
    assert main(["catalogue", str(path)]) == 0
    assert "The indexes of orders are unknown" in capsys.readouterr().out
    found = document("catalogue", path, "--tables", f"file:{store}", capsys=capsys)
    assert found["tables"] == [
        {"name": "orders", "keys": ["id"], "indexes": {"by-customer": ["customer", "placed_at"]}, "items": 3}
    ]


def test_the_catalogue_command_rejects_invalid_input(shop: Path, tmp_path: Path) -> None:
    assert "must end in .md" in refused(singletable("catalogue", shop, "--output", tmp_path / "shop.py"))
    (tmp_path / "old.md").write_text("mine")
    said = refused(singletable("catalogue", shop, "--output", tmp_path / "old.md"))
    assert "already exists; overwrite it with --force" in said
    assert (tmp_path / "old.md").read_text() == "mine"
    assert "cannot read" in refused(singletable("catalogue", tmp_path / "missing.jsonl"))
    assert "is not a catalogue. Record one with" in refused(singletable("catalogue", tmp_path / "old.md"))
    assert "invalid rate 'nan'" in refused(singletable("catalogue", shop, "--calls-per-second", "nan"))
    assert "there is no store at" in refused(singletable("catalogue", shop, "--tables", f"file:{tmp_path}/no.db"))
    model = "examples/shop/model.py"
    assert "cannot read" in refused(singletable("cost", model, "--catalogue", tmp_path / "missing.jsonl"))
