"""`singletable export parquet` and its relatives, as a user runs them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from examples.shop.model import Shop
from examples.shop.rows import ROWS
from tests.cli.program import refused, singletable

MODEL = "examples/shop/model.py"


@pytest.fixture
def url(tmp_path: Path) -> str:
    place = f"file:{tmp_path / 'shop.db'}"
    with Shop.open(place, create=True) as shop:
        shop.put_many(ROWS)
    return place


def test_the_items_export_command_shows_what_it_wrote(url: str, tmp_path: Path) -> None:
    finished = singletable("export", "parquet", MODEL, url, tmp_path / "out", "--partition-by", "Order.status")
    assert finished.returncode == 0, finished.stderr
    assert "Order      3      3" in finished.stdout
    assert "Order.total: text, because no digits and decimal places are declared" in finished.stdout
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert manifest["is_complete"]
    assert sorted(each["path"] for each in manifest["files"]["Order"])[0].startswith("Order/by_status=DELIVERED/part-")
    assert "already has a complete export" in refused(singletable("export", "parquet", MODEL, url, tmp_path / "out"))


@pytest.mark.parametrize("target", ["csv", "jsonl", "duckdb"])
def test_every_format_of_the_items_export_has_a_target(url: str, tmp_path: Path, target: str) -> None:
    finished = singletable("export", target, MODEL, url, tmp_path / "out", "--json")
    assert json.loads(finished.stdout)["export_format"] == target, finished.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("file:nowhere.db",), "there is no store at file:nowhere.db"),
        (("{url}", "--rate", "0"), "--rate must be greater than 0"),
        (("{url}", "--segments", "0"), "--segments must be from 1 to 1000"),
        (("{url}", "--partition-by", "Order.colour"), "cannot partition by 'Order.colour'"),
        (("docs",), "must contain one full export of DynamoDB, found none"),
    ],
)
def test_the_items_export_command_rejects_invalid_options(
    words: tuple[str, ...], message: str, url: str, tmp_path: Path
) -> None:
    place, *options = (each.format(url=url) for each in words)
    assert message in refused(singletable("export", "csv", MODEL, place, tmp_path / "out", *options))
