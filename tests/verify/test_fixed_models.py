"""Fixed models: each is the broken model of the same name after its remedy, and has no finding."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from singletable.cli.load_model import load_tables
from singletable.verify.design_check import check

FIXED = Path(__file__).parent / "fixed"
BROKEN = Path(__file__).parent / "broken"
FILES = sorted(path.stem for path in FIXED.glob("*.py"))


@pytest.fixture(autouse=True)
def _restore_imports(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(sys, "path", [*sys.path])
    before = set(sys.modules)
    for name in FILES:  # the broken model has the same module name
        sys.modules.pop(name, None)
    yield
    for name in set(sys.modules) - before:
        del sys.modules[name]


@pytest.mark.parametrize("file", FILES)
def test_the_design_check_of_a_fixed_model_has_no_findings(file: str) -> None:
    (table,) = load_tables(str(FIXED / f"{file}.py"))
    report = check(table.design)
    assert "\n".join(str(finding) for finding in report.findings) == ""
    assert report.passes


def test_every_fixed_model_has_a_broken_model_of_the_same_name() -> None:
    assert FILES
    assert [name for name in FILES if not (BROKEN / f"{name}.py").exists()] == []
