"""`singletable check --fix`: the diff, the written file, and the findings that remain."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.cli.program import ROOT, refused, singletable

BROKEN = ROOT / "tests" / "verify" / "broken"
TWO_FILES = {
    "__init__.py": '"""A package."""\n',
    "entities.py": '''"""Entities of a shop: Ä."""

from dataclasses import dataclass

import singletable as st


@st.entity(key=("ORDER#{id}", "METADATA"), gsi1=("STATUS#{status}", "{id}"))  # by status
@dataclass
class Order:
    id: str
    status: str | None = None
''',
    "model.py": '''"""A shop in two files."""

from singletable import Page, Table, pattern, query

from .entities import Order


class Shop(Table, entities=[Order]):
    @pattern()
    def orders(self, status: str, *, limit: int = 10, cursor: str | None = None) -> Page[Order]:
        """The orders in one status."""
        return query(Order)
''',
}


def copied(name: str, folder: Path) -> Path:
    path = folder / f"{name}.py"
    shutil.copy(BROKEN / path.name, path)
    return path


def test_check_fix_writes_the_file_and_a_second_run_finds_nothing(tmp_path: Path) -> None:
    model = copied("papers_optional_topic", tmp_path)
    model.chmod(0o640)
    before = model.read_text(encoding="utf-8")
    fixed = singletable("check", model.name, "--fix", cwd=tmp_path)
    assert (fixed.returncode, fixed.stderr) == (0, "")
    assert '+@entity(key=("PAPER#{id}", "PAPER#{id}"), gsi2=sparse("TOPIC#{topic}"' in fixed.stdout
    assert "1 fixed, 0 left\n" in fixed.stdout
    assert fixed.stdout.endswith("wrote papers_optional_topic.py\n")
    after = model.read_text(encoding="utf-8")
    assert after == before.replace("gsi2=(", "gsi2=sparse(").replace("query\n", "query, sparse\n", 1)
    assert model.stat().st_mode & 0o777 == 0o640
    assert [path.name for path in tmp_path.iterdir() if path.name != "__pycache__"] == [model.name]
    again = singletable("check", model.name, "--fix", cwd=tmp_path)
    assert (again.returncode, again.stdout) == (0, "0 fixed, 0 left\n")


def test_check_fix_dry_run_prints_the_diff_and_writes_nothing(tmp_path: Path) -> None:
    model = copied("shop_product_by_name", tmp_path)
    before = model.read_bytes()
    shown = singletable("check", model.name, "--fix", "--dry-run", cwd=tmp_path)
    assert shown.returncode == 0
    assert shown.stdout.startswith("--- shop_product_by_name.py\n+++ shop_product_by_name.py\n@@")
    assert shown.stdout.endswith("would write shop_product_by_name.py\n")
    assert model.read_bytes() == before
    assert refused(singletable("check", model.name, "--dry-run", cwd=tmp_path)) == "--dry-run needs --fix\n"


def test_check_fix_lists_findings_without_an_automatic_remedy_and_fails(tmp_path: Path) -> None:
    model = copied("customers_one_key_for_all", tmp_path)
    before = model.read_bytes()
    left = singletable("check", model, "--fix")
    assert left.returncode == 1
    assert left.stdout.splitlines() == [
        "0 fixed, 1 left",
        "left: ST102 Plan: the remedy needs your decision",
        "  Put an identifying field into the key; if there is only one item:",
        "  Set identity=() in @entity of Plan. A second item then overwrites the first.",
    ]
    document = json.loads(singletable("check", model, "--fix", "--json").stdout)
    assert document["left"] == [{"code": "ST102", "subject": "Plan", "reason": "the remedy needs your decision"}]
    assert (document["fixed"], document["files"], document["diff"], document["passes"]) == ([], [], "", False)
    assert model.read_bytes() == before


def test_check_fix_warns_that_stored_items_keep_their_old_keys(tmp_path: Path) -> None:
    model = copied("commerce_unpadded_lines", tmp_path)
    printed = singletable("check", model, "--fix").stdout
    assert "The primary key of an entity changed. Items that are already stored keep their old keys.\n" in printed


def test_check_fix_edits_the_file_of_the_entity_in_its_encoding(tmp_path: Path) -> None:
    package = tmp_path / "shop"
    package.mkdir()
    for name, text in TWO_FILES.items():
        cookie = "# -*- coding: latin-1 -*-\n" if name == "entities.py" else ""
        (package / name).write_bytes((cookie + text).replace("\n", "\r\n").encode("latin-1"))
    before = (package / "model.py").read_bytes()
    fixed = singletable("check", "shop/model.py", "--fix", cwd=tmp_path)
    assert (fixed.returncode, fixed.stderr) == (0, "")
    edited = (package / "entities.py").read_bytes().decode("latin-1")
    assert 'gsi1=sparse("STATUS#{status}", "{id}"))  # by status\r\n' in edited
    assert "import singletable as st\r\nfrom singletable import sparse\r\n" in edited
    assert (package / "model.py").read_bytes() == before
    assert singletable("check", "shop/model.py", cwd=tmp_path).returncode == 0


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        # The edit can be applied, but the edited class does not load: a required field follows an optional one.
        ("    version: str | None = None", "    title: str = ''\n    version: str | None = None", "Required field"),
        ("class Paper(msgspec.Struct):", "class Base(msgspec.Struct):", "has no class Paper"),
    ],
)
def test_check_fix_leaves_a_file_unchanged_when_the_edited_model_does_not_load(
    old: str, new: str, reason: str, tmp_path: Path
) -> None:
    model = copied("papers_optional_in_the_table_key", tmp_path)
    text = model.read_text(encoding="utf-8").replace(old, new)
    text = text.replace('@entity(key=("PAPER#{id}", "VERSION#{version}"))\nclass Base', "class Base")
    text = (
        text.replace(
            "class Papers(",
            'Paper = entity(key=("PAPER#{id}", "VERSION#{version}"))(Base)\nBase.__name__ = "Paper"\n\n\nclass Papers(',
        )
        if "class Base" in text
        else text
    )
    model.write_text(text, encoding="utf-8")
    left = singletable("check", model, "--fix")
    assert left.returncode == 1
    assert "left: ST106 Paper: no automatic remedy: " in left.stdout
    assert reason in left.stdout
    assert model.read_text(encoding="utf-8") == text


TWO_SCANS = '''"""Two reads without a plan."""

from dataclasses import dataclass

from singletable import Page, Table, entity, pattern, query


@entity(key=("DRIVER#{id}", "PROFILE"))
@dataclass
class Driver:
    id: str
    name: str


class Fleet(Table, entities=[Driver]):
    @pattern()
    def drivers(self, *, limit: int = 10, cursor: str | None = None) -> Page[Driver]:
        """Every driver."""
        return query(Driver)

    @pattern()
    def everyone(self, *, limit: int = 10, cursor: str | None = None) -> Page[Driver]:
        """Every driver, for another page."""
        return query(Driver)
'''


def test_check_fix_serves_two_patterns_without_a_plan_one_after_the_other(tmp_path: Path) -> None:
    """The index for the first pattern also gives the second pattern a plan, whose fan-out must then be declared."""
    (tmp_path / "fleet.py").write_text(TWO_SCANS, encoding="utf-8")
    fixed = singletable("check", "fleet.py", "--fix", cwd=tmp_path)
    assert (fixed.returncode, fixed.stderr) == (0, "")
    assert "2 fixed, 1 left\n" in fixed.stdout
    assert "fixed: ST001 drivers" in fixed.stdout
    assert "fixed: ST003 everyone" in fixed.stdout
