"""`singletable snapshot`: the design of a model as JSON."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.program import refused, singletable

SHOP = "examples/shop/model.py"


def test_the_snapshot_command_prints_the_same_json_every_time(tmp_path: Path) -> None:
    printed = singletable("snapshot", SHOP)
    assert (printed.returncode, printed.stderr) == (0, "")
    assert json.loads(printed.stdout)["entities"]["Order"]["keys"]["gsi1"]["sort"] == [
        {"template": "ORDER#{created_at:seconds}#{id}"}
    ]
    written = tmp_path / "shop.json"
    assert singletable("snapshot", SHOP, "--output", written).stdout == ""
    assert written.read_text(encoding="utf-8") == printed.stdout


def test_the_snapshot_command_prints_a_fingerprint() -> None:
    fingerprint = singletable("snapshot", SHOP, "--fingerprint").stdout.strip()
    assert len(fingerprint) == 32
    assert json.loads(singletable("snapshot", SHOP, "--fingerprint", "--json").stdout) == {
        "table": "Shop",
        "fingerprint": fingerprint,
    }


def test_the_snapshot_command_rejects_several_tables_and_a_file_that_cannot_be_written(tmp_path: Path) -> None:
    model = tmp_path / "two.py"
    model.write_text(
        "from dataclasses import dataclass\nfrom singletable import Table, entity\n"
        "@entity(key=('A#{id}', 'A'))\n@dataclass\nclass A:\n    id: str\n"
        "class One(Table, entities=[A]): ...\nclass Two(Table, entities=[A]): ...\n",
        encoding="utf-8",
    )
    assert f"contains One, Two; select one table with {model}:One" in refused(singletable("snapshot", model))
    assert "cannot write" in refused(singletable("snapshot", f"{model}:One", "--output", model / "a.json"))
