"""`singletable import`: live tables and other models become files that `check` can read.

Existing files are not overwritten.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from examples.shop.model import Shop
from examples.shop.rows import ROWS
from tests.cli.program import refused, singletable

PUBLISHED = Path(__file__).parents[1] / "importers" / "published"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("live") / "shop.db"
    with Shop.open(f"file:{path}", create=True) as shop:
        for row in ROWS:
            shop.put(row)
    return f"file:{path}"


def live(store: str, *more: str | Path) -> subprocess.CompletedProcess[str]:
    return singletable("import", "live", store, "--table", "Shop", *more)


def test_the_import_live_command_writes_a_file_that_the_check_command_passes(store: str, tmp_path: Path) -> None:
    file = tmp_path / "shop_model.py"
    done = live(store, "--output", file)
    assert done.returncode == 0, done.stderr
    assert f"read {len(ROWS)} items, the whole table, in 6 requests for 2 read units" in done.stdout
    checked = singletable("check", file)
    assert checked.returncode == 0, checked.stdout
    assert "8 of 9 patterns served as declared; 1 unbounded" in checked.stdout


def test_the_import_output_has_only_the_model_on_standard_output(store: str) -> None:
    done = live(store)
    assert done.returncode == 0
    compile(done.stdout, "shop.py", "exec")
    assert "read units" in done.stderr


def test_the_import_live_command_respects_the_limit_of_its_sample(store: str, tmp_path: Path) -> None:
    done = live(store, "--sample", "3", "--json", "--output", tmp_path / "m.py")
    document = json.loads(done.stdout)
    assert document["items"] == 3
    assert document["is_whole"] is False
    assert document["read_units"] > 0


def test_the_import_output_overwrites_a_file_only_with_force(store: str, tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("mine", encoding="utf-8")
    assert "already exists" in refused(live(store, "--output", file))
    assert file.read_text(encoding="utf-8") == "mine"
    assert live(store, "--output", file, "--force").returncode == 0
    assert "class Shop" in file.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("memory:", "memory: is always empty"),
        ("file:/there/is/nothing/here.db", "there is no store at"),
        ("nowhere", "is not a valid URL for a table"),
        ("http://127.0.0.1:1", "127.0.0.1:1"),
    ],
)
def test_a_live_table_at_a_url_without_tables_cannot_be_imported(url: str, said: str) -> None:
    assert said in refused(singletable("import", "live", url, "--table", "T"))


def test_an_unknown_live_table_is_an_import_error_that_lists_the_tables(store: str) -> None:
    assert "there is no table 'Nope'; the tables are Shop" in refused(
        singletable("import", "live", store, "--table", "Nope")
    )


@pytest.mark.parametrize("count", ["0", "-1", "many"])
def test_the_import_live_command_rejects_an_empty_sample(store: str, count: str) -> None:
    assert "invalid number of items" in refused(live(store, "--sample", count))


def test_the_import_nosql_workbench_command_imports_a_published_model(tmp_path: Path) -> None:
    file = tmp_path / "cart.py"
    done = singletable("import", "nosql-workbench", PUBLISHED / "CartModel.json", "--output", file, "--json")
    assert json.loads(done.stdout)["tables"][0]["entities"] == ["Cart"]
    assert singletable("check", file).returncode == 0


def test_the_import_nosql_workbench_command_rejects_a_file_that_is_not_a_model(tmp_path: Path) -> None:
    file = tmp_path / "no.json"
    file.write_text("{}", encoding="utf-8")
    assert "no.json: the document is not a NoSQL Workbench model" in refused(
        singletable("import", "nosql-workbench", file)
    )
    assert "cannot read" in refused(singletable("import", "nosql-workbench", tmp_path / "missing.json"))
