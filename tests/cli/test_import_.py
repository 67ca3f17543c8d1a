"""`singletable import`: a live table and models of others become files that `check` reads; nothing is written over."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from examples.shop.model import Shop
from examples.shop.rows import ROWS
from tests.cli.program import refused, singletable

PUBLISHED = Path(__file__).parents[1] / "drafts" / "published"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("live") / "shop.db"
    with Shop.open(f"file:{path}", create=True) as shop:
        for row in ROWS:
            shop.put(row)
    return f"file:{path}"


def live(store: str, *more: str | Path) -> subprocess.CompletedProcess[str]:
    return singletable("import", "live", store, "--table", "Shop", *more)


def test_a_live_table_becomes_a_file_that_check_passes(store: str, tmp_path: Path) -> None:
    file = tmp_path / "shop_model.py"
    done = live(store, "--output", file)
    assert done.returncode == 0, done.stderr
    assert f"read {len(ROWS)} items, all of the table, in 6 requests for 2 read units" in done.stdout
    checked = singletable("check", file)
    assert checked.returncode == 0, checked.stdout
    assert "9 of 9 patterns served as declared" in checked.stdout


def test_the_model_goes_to_standard_output_and_what_is_said_does_not(store: str) -> None:
    done = live(store)
    assert done.returncode == 0
    compile(done.stdout, "shop.py", "exec")
    assert "read units" in done.stderr


def test_a_sample_is_no_more_than_was_asked_for(store: str, tmp_path: Path) -> None:
    done = live(store, "--sample", "3", "--json", "--output", tmp_path / "m.py")
    document = json.loads(done.stdout)
    assert document["items"] == 3
    assert document["is_whole"] is False
    assert document["read_units"] > 0


def test_a_file_is_not_written_over_unless_forced(store: str, tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("mine", encoding="utf-8")
    assert "is there already" in refused(live(store, "--output", file))
    assert file.read_text(encoding="utf-8") == "mine"
    assert live(store, "--output", file, "--force").returncode == 0
    assert "class Shop" in file.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("memory:", "memory: is empty"),
        ("file:/there/is/nothing/here.db", "no store has that path"),
        ("nowhere", "names no DynamoDB"),
        ("http://127.0.0.1:1", "127.0.0.1:1"),
    ],
)
def test_a_place_without_a_table_is_refused(url: str, said: str) -> None:
    assert said in refused(singletable("import", "live", url, "--table", "T"))


def test_another_table_is_refused_with_those_that_are_there(store: str) -> None:
    assert "there is no table 'Nope'; there are Shop" in refused(
        singletable("import", "live", store, "--table", "Nope")
    )


@pytest.mark.parametrize("count", ["0", "-1", "many"])
def test_a_sample_of_nothing_is_refused(store: str, count: str) -> None:
    assert "no number of items" in refused(live(store, "--sample", count))


def test_a_published_model_is_imported(tmp_path: Path) -> None:
    file = tmp_path / "cart.py"
    done = singletable("import", "nosql-workbench", PUBLISHED / "CartModel.json", "--output", file, "--json")
    assert json.loads(done.stdout)["tables"][0]["entities"] == ["CartTable"]
    assert singletable("check", file).returncode == 0


def test_a_file_that_is_no_model_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "no.json"
    file.write_text("{}", encoding="utf-8")
    assert "no.json: the document is no model" in refused(singletable("import", "nosql-workbench", file))
    assert "cannot be read" in refused(singletable("import", "nosql-workbench", tmp_path / "missing.json"))
