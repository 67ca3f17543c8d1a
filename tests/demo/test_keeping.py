"""The tables of a tour are kept in one new file, each under a name of its own."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from examples.shop.model import Shop
from singletable.demo.keeping import free_name, keep
from singletable.demo.systems import systems_named
from singletable.demo.tour import Tour, take
from singletable.engine.engine import Engine
from singletable.errors import StoreRefused


@pytest.fixture(scope="module")
def shop() -> Tour:
    return take(*systems_named(["shop.whole_order"]))


def test_a_kept_table_is_opened_by_its_model(shop: Tour, tmp_path: Path) -> None:
    path = tmp_path / "shop.db"
    (kept,) = keep(path, [shop])
    assert (kept.name, kept.items, kept.is_renamed) == ("Shop", 13, False)
    with Shop.open(f"file:{path}") as table:
        whole = table.whole_order("o101")
    assert whole is not None
    assert len(whole.items) == 2


def test_two_tables_of_one_name_both_have_a_place(shop: Tour, tmp_path: Path) -> None:
    path = tmp_path / "shops.db"
    other = replace(shop, system=replace(shop.system, name="other"))
    assert [each.name for each in keep(path, [shop, other])] == ["Shop", "other.Shop"]
    with Engine(f"file:{path}") as engine:
        assert engine.call("ListTables", {})["TableNames"] == ["Shop", "other.Shop"]


def test_a_third_name_is_found_where_two_are_taken(shop: Tour) -> None:
    (filled,) = shop.tables
    assert free_name(filled.model, "shop", {"Shop", "shop.Shop"}) == "shop.Shop.Shop"


def test_a_file_that_is_there_is_left_alone(shop: Tour, tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("mine")
    with pytest.raises(StoreRefused, match=r"notes\.txt is there already"):
        keep(path, [shop])
    assert path.read_text() == "mine"


def test_a_folder_that_is_not_there_is_named(shop: Tour, tmp_path: Path) -> None:
    with pytest.raises(StoreRefused, match="there is no folder"):
        keep(tmp_path / "nowhere" / "shop.db", [shop])
