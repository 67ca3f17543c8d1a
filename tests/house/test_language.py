"""No text of the project uses a banned phrase."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.house.language import files_below, occurrences

ROOT = Path(__file__).resolve().parents[2]
CHECKED: tuple[str, ...] = (
    *("src/singletable", "docs", "examples", "bench", "tools", "tests"),
    *("README.md", "ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "RELEASING.md", "SECURITY.md"),
)
# These files contain the phrases on purpose.
SELF = {"tests/house/language.py", "tests/house/test_language.py"}


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("name", CHECKED)
def test_texts_use_no_banned_phrase(name: str) -> None:
    found = [
        f"{relative(path)}:{line}: {phrase}"
        for path in files_below(ROOT / name)
        if relative(path) not in SELF
        for line, phrase in occurrences(path)
    ]
    assert not found, "\n  ".join(["Rewrite these in plain English, as CONTRIBUTING.md explains:", *found])


@pytest.mark.parametrize("text", ["# it is told anew", '"""The cursor is no cursor."""', 'x = "refuses in vain"'])
def test_a_banned_phrase_in_python_is_found(text: str, tmp_path: Path) -> None:
    path = tmp_path / "module.py"
    path.write_text(text + "\n", encoding="utf-8")
    assert list(occurrences(path))


def test_the_language_check_ignores_names_in_code(tmp_path: Path) -> None:
    path = tmp_path / "module.py"
    path.write_text("told = alike(beside)\n", encoding="utf-8")
    assert not list(occurrences(path))
