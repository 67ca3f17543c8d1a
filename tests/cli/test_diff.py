"""`singletable diff`: the changes between models, snapshots, git revisions and live tables."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from singletable.cli.load_model import load_table
from tests.cli.program import refused, singletable

SHOP = "examples/shop/model.py"
MODEL = """
from dataclasses import dataclass
from singletable import GSI, Table, entity
@entity(key=("ORDER#{id}", "METADATA"), INDEXES, expected_items=1_200_000)
@dataclass
class Order:
    id: str
    customer: str
    status: strFIELDS
class Orders(Table, entities=[Order], indexes=[SETTINGS]): ...
"""
BY_CUSTOMER = 'gsi1=("CUST#{customer}", "{id}")'
BY_STATUS = 'gsi1=("CUST#{customer}#{status}", "{id}")'
NEW_INDEX = 'GSI("gsi1", name="GSI1_2", keys=("GSI1_2PK", "GSI1_2SK"))'


def write(path: Path, indexes: str = BY_CUSTOMER, fields: str = "", settings: str = "") -> Path:
    text = MODEL.replace("INDEXES", indexes).replace("FIELDS", fields).replace("SETTINGS", settings)
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture
def old(tmp_path: Path) -> Path:
    return write(tmp_path / "old.py")


def test_the_diff_command_finds_no_change_between_a_model_and_its_snapshot(tmp_path: Path) -> None:
    snapshot = tmp_path / "shop.json"
    assert singletable("snapshot", SHOP, "--output", snapshot).returncode == 0
    finished = singletable("diff", snapshot, SHOP)
    assert (finished.returncode, finished.stderr) == (0, "")
    assert finished.stdout == f"{snapshot} → {SHOP}: both designs store items in the same way\n"


def test_the_diff_command_prints_changes_remedies_and_cost(old: Path, tmp_path: Path) -> None:
    new = write(tmp_path / "new.py", BY_STATUS, "\n    note: str = ''", NEW_INDEX)
    finished = singletable("diff", old, new, "--rate", "500")
    assert (finished.returncode, finished.stderr) == (1, "")
    assert "index changed  gsi1        GSI1 → GSI1_2" in finished.stdout
    assert '"CUST#{customer}" / "{id}" → "CUST#{customer}#{status}" / "{id}"' in finished.stdout
    assert "1,200,000 items read, 2,400,000 written" in finished.stdout
    assert "3,600,000 WRU" in finished.stdout
    assert "2.0 h at 500 WRU/s" in finished.stdout
    rejected = singletable("diff", old, write(tmp_path / "same_index.py", BY_STATUS))
    assert rejected.returncode == 1
    assert (
        'both have the attributes GSI1PK, GSI1SK. Give the alias a new index: indexes=[GSI("gsi1", name="GSI1_2", '
        'keys=("GSI1_2PK", "GSI1_2SK"))].' in rejected.stdout
    )


def test_the_diff_command_exits_with_0_for_a_change_that_needs_no_migration(old: Path, tmp_path: Path) -> None:
    new = write(tmp_path / "new.py", fields="\n    note: str = ''")
    finished = singletable("diff", old, new, "--json")
    assert finished.returncode == 0
    document = json.loads(finished.stdout)
    assert document["needs_migration"] is False
    assert [each["kind"] for each in document["operations"]] == ["field added"]
    assert document["operations"][0] == {
        "kind": "field added",
        "subject": "Order.note",
        "detail": "str",
        "needs": "instant",
        "items": "stored items are read with the default",
        "remedy": None,
        "phases": [{"phase": "pending", "old_code": "works", "new_code": "works"}],
    }


def test_the_diff_command_reads_a_git_revision(old: Path, tmp_path: Path) -> None:
    def git(*arguments: str) -> None:
        identity = ("-c", "user.name=A", "-c", "user.email=a@x.org")
        subprocess.run(["git", *identity, *arguments], cwd=tmp_path, check=True, capture_output=True)

    (tmp_path / "models").mkdir()
    old.rename(tmp_path / "models" / "orders.py")
    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "orders")
    write(tmp_path / "models" / "orders.py", fields="\n    note: str = ''")
    for place, folder in (("HEAD:models/orders.py", tmp_path), ("HEAD:orders.py:Orders", tmp_path / "models")):
        finished = singletable("diff", place, place.partition(":")[2], "--json", cwd=folder)
        assert finished.returncode == 0, finished.stderr
        assert [each["subject"] for each in json.loads(finished.stdout)["operations"]] == ["Order.note"]
    assert "revision HEAD has no file new.py" in refused(singletable("diff", "HEAD:new.py", old, cwd=tmp_path))
    assert "v9:orders.py: " in refused(singletable("diff", "v9:orders.py", "models/orders.py", cwd=tmp_path))
    assert "not a git revision" in refused(
        singletable("diff", "--", "--output=x:a.py", "models/orders.py", cwd=tmp_path)
    )


def test_the_diff_command_reads_a_live_table(old: Path, tmp_path: Path) -> None:
    url = f"file:{tmp_path / 'orders.db'}"
    load_table(str(old)).open(url, create=True).close()
    assert singletable("diff", url, old).returncode == 0
    indexes = f'{BY_CUSTOMER}, gsi2=("STATUS#{{status}}", "{{id}}")'
    finished = singletable("diff", url, write(tmp_path / "new.py", indexes))
    assert finished.returncode == 1
    assert "index added  GSI2" in finished.stdout
    assert "DescribeTable shows keys, indexes and the TTL, but no entities" in finished.stdout
    assert "there is no table 'Users'" in refused(singletable("diff", url, old, "--table-name", "Users"))
    assert "needs a model or a snapshot on one side" in refused(singletable("diff", url, url))


def test_the_diff_command_rejects_a_snapshot_that_it_cannot_read(old: Path, tmp_path: Path) -> None:
    (tmp_path / "newer.json").write_text('{"format": 99}', encoding="utf-8")
    assert "has the snapshot format 99, but this release reads" in refused(
        singletable("diff", tmp_path / "newer.json", old)
    )
    assert "cannot read" in refused(singletable("diff", tmp_path / "none.json", old))
