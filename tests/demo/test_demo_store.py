"""The tables of a tour are saved to one new file under distinct names."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from examples.shop.model import Shop
from singletable.demo.demo_store import free_name, save_tables
from singletable.demo.systems import systems_named
from singletable.demo.tour import Tour, run_tour
from singletable.engine.engine import Engine
from singletable.errors import StoreRefused


@pytest.fixture(scope="module")
def shop() -> Tour:
    return run_tour(*systems_named(["shop.whole_order"]))


def test_a_demo_store_table_is_opened_by_its_model(shop: Tour, tmp_path: Path) -> None:
    path = tmp_path / "shop.db"
    (kept,) = save_tables(path, [shop])
    assert (kept.name, kept.items, kept.is_renamed) == ("Shop", 13, False)
    with Shop.open(f"file:{path}") as table:
        whole = table.whole_order("o101")
    assert whole is not None
    assert len(whole.items) == 2


def test_a_demo_store_saves_two_tables_of_one_name(shop: Tour, tmp_path: Path) -> None:
    path = tmp_path / "shops.db"
    other = replace(shop, system=replace(shop.system, name="other"))
    assert [each.name for each in save_tables(path, [shop, other])] == ["Shop", "other.Shop"]
    with Engine(f"file:{path}") as engine:
        assert engine.call("ListTables", {})["TableNames"] == ["Shop", "other.Shop"]


def test_a_demo_store_finds_a_third_table_name_where_two_are_taken(shop: Tour) -> None:
    (filled,) = shop.tables
    assert free_name(filled.model, "shop", {"Shop", "shop.Shop"}) == "shop.Shop.Shop"


def test_a_demo_store_does_not_change_an_existing_file(shop: Tour, tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("mine")
    with pytest.raises(StoreRefused, match=r"notes\.txt already exists"):
        save_tables(path, [shop])
    assert path.read_text() == "mine"


def test_a_demo_store_in_a_missing_folder_is_an_error(shop: Tour, tmp_path: Path) -> None:
    with pytest.raises(StoreRefused, match="does not exist"):
        save_tables(tmp_path / "nowhere" / "shop.db", [shop])
