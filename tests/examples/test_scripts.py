"""Every script of every example prints the expected output."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from examples import SYSTEMS

ROOT = Path(__file__).parents[2]
SCRIPTS = [
    pytest.param(system, name, id=f"{system}.{name}")
    for system in SYSTEMS
    for kind in ("TOUR", "ASIDE")
    for name in getattr(import_module(f"examples.{system}"), kind, ())
]


@pytest.mark.parametrize(("system", "name"), SCRIPTS)
def test_a_script_prints_the_expected_output(system: str, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    import_module(f"examples.{system}.{name}").SCRIPT.run()
    expected = ROOT / "examples" / system / "expected" / f"{name}.txt"
    assert capsys.readouterr().out == expected.read_text(encoding="utf-8")


def test_a_script_runs_from_a_shell() -> None:
    command = [sys.executable, "-m", "examples.shop.whole_order"]
    printed = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", check=True).stdout
    assert printed == (ROOT / "examples/shop/expected/whole_order.txt").read_text(encoding="utf-8")
