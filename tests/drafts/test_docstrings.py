"""A docstring in a file says the text that it is given, and ends where the text does."""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.drafts.docstrings import docstring, said_of

TEXTS = st.text(
    st.one_of(st.sampled_from(["\\", '"', "\n", " ", "a", "\t", "\r", "\x00", "\u2028"]), st.characters()), max_size=30
)


def test_nothing_is_said_where_there_is_nothing_and_the_name_where_nothing_is_known() -> None:
    assert said_of("", "Order") == ""
    assert said_of(None, "Order") == "Order."
    assert said_of("As it is", "Order") == "As it is"
    assert docstring("", "    ") == []


@given(text=TEXTS)
def test_a_docstring_is_read_as_the_text_but_for_spaces_at_the_end_of_lines(text: str) -> None:
    said = said_of(text, "")
    source = "\n".join(["class A:", *docstring(said, "    "), "    pass"])
    (made,) = ast.parse(source).body
    assert isinstance(made, ast.ClassDef)
    assert len(made.body) == (2 if said else 1)
    found = said_of(ast.get_docstring(made, clean=False) or "", "")
    assert _lines(found) == _lines(said)


def _lines(text: str) -> list[str]:
    return inspect.cleandoc("\n".join(line.rstrip() for line in text.split("\n"))).split("\n")


@pytest.mark.parametrize(
    "text", ['"a"', "a\\", 'a """b""" c', '""', "a\n\n    b\nc", "a\xa0b\x07", "a\nb\\", 'a\n"b"', "x" * 130]
)
def test_a_formatter_leaves_it_as_it_is(text: str, tmp_path: Path) -> None:
    file = tmp_path / "said.py"
    file.write_text(
        "\n".join([*docstring(text, ""), "", "", "class A:", *docstring(text, "    "), ""]), encoding="utf-8"
    )
    config = str(Path(__file__).parents[2] / "pyproject.toml")
    command = [sys.executable, "-m", "ruff", "format", "--diff", "--config", config, str(file)]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stdout
