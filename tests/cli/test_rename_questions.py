"""Questions about renamed fields in `diff` and `migrate make`."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from singletable.cli.main import main

MODEL = """
from dataclasses import dataclass
from singletable import Table, entity

@entity(key=("ORDER#{{id}}", "METADATA"){declared})
@dataclass
class Order:
    id: str
    {field}: int
    note: str = ""

class Orders(Table, entities=[Order]): ...
"""

ADVICE = (
    "Order: if the field 'total' was renamed to 'amount', declare @entity(..., renamed_from={\"amount\": \"total\"}); "
    "otherwise the stored values of 'total' are not read."
)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("old.py").write_text(MODEL.format(field="total", declared=""), encoding="utf-8")
    Path("new.py").write_text(MODEL.format(field="amount", declared=""), encoding="utf-8")
    renamed = MODEL.format(field="amount", declared=', renamed_from={"amount": "total"}')
    Path("declared.py").write_text(renamed, encoding="utf-8")
    return tmp_path


def answer(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(sys, "stdin", Terminal(text))


@pytest.mark.usefixtures("models")
def test_diff_asks_whether_a_field_was_renamed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answer(monkeypatch, "y\n")
    assert main(["diff", "old.py", "new.py"]) == 1
    shown = capsys.readouterr()
    assert "Order: was the field 'total' renamed to 'amount'? [y/N]" in shown.err
    assert 'Order: @entity(..., renamed_from={"amount": "total"})' in shown.out
    assert "attribute renamed" in shown.out
    answer(monkeypatch, "n\n")
    assert main(["diff", "old.py", "new.py"]) == 1
    assert "field removed" in capsys.readouterr().out


@pytest.mark.usefixtures("models")
def test_diff_asks_nothing_without_a_terminal_and_about_a_declared_rename(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("y\n"))
    assert main(["diff", "old.py", "new.py"]) == 1
    assert capsys.readouterr().err == ""
    answer(monkeypatch, "y\n")
    assert main(["diff", "old.py", "declared.py"]) == 1
    shown = capsys.readouterr()
    assert (shown.err, "was renamed" in shown.out) == ("", False)
    assert main(["diff", "old.py", "new.py", "--json"]) == 1
    assert capsys.readouterr().err == ""


@pytest.mark.usefixtures("models")
def test_diff_and_make_advise_about_a_possible_rename_without_a_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    advice = """If 'total' was renamed to 'amount', declare renamed_from={"amount": "total"} in @entity"""
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    assert main(["diff", "old.py", "new.py"]) == 1
    assert f"{advice}. Give the field a default" in capsys.readouterr().out
    assert main(["migrate", "make", "old.py"]) == 0
    assert main(["migrate", "make", "new.py"]) == 2
    assert advice in capsys.readouterr().err
    with_default = MODEL.format(field="amount", declared="").replace("amount: int", "amount: int = 0")
    Path("new.py").write_text(with_default, encoding="utf-8")
    assert main(["migrate", "make", "new.py"]) == 0
    assert f"{advice}; otherwise new code does not read the stored values of 'total'." in capsys.readouterr().out


@pytest.mark.usefixtures("models")
def test_rename_questions_are_answered_before_migrate_make_writes_a_migration(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["migrate", "make", "old.py"]) == 0
    answer(monkeypatch, "y\n")
    assert main(["migrate", "make", "new.py"]) == 2
    shown = capsys.readouterr().err
    assert "declare the renamed fields in the model, and run the command again:" in shown
    assert 'Order: @entity(..., renamed_from={"amount": "total"})' in shown
    assert len(list(Path("migrations").glob("*.json"))) == 1
    assert main(["migrate", "make", "declared.py"]) == 0
