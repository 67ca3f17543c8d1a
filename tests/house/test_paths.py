"""Every file and folder that a text names exists."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.house.language import files_below, prose

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "singletable"
PAGES = [path for path in (*ROOT.glob("*.md"), *files_below(ROOT / "docs")) if path.name != "CHANGELOG.md"]
SOURCES = [path for path in files_below(PACKAGE) if path.suffix == ".py"]
# The first part of a path that names something in this repository.
TOPS = {path.name for path in (*PACKAGE.iterdir(), *ROOT.iterdir()) if path.is_dir()} | {"singletable"}
_PATH = re.compile(r"`((?:[\w.-]+/)+(?:[\w.-]+\.(?:py|c|h|md|toml|yml|txt|json))?)`")


def paths_in(text: str) -> Iterator[str]:
    """Yield the paths in backquotes that start with a folder of this repository; NAME stands for any name."""
    for match in _PATH.finditer(text):
        if match[1].split("/")[0] in TOPS and "NAME" not in match[1]:
            yield match[1]


def exists(path: str, page: Path) -> bool:
    return any((folder / path).exists() for folder in (ROOT, PACKAGE, PACKAGE.parent, page.parent))


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_paths_named_on_a_page_exist(page: Path) -> None:
    assert [path for path in paths_in(page.read_text(encoding="utf-8")) if not exists(path, page)] == []


def test_paths_named_in_the_sources_exist() -> None:
    missing = [
        f"{source.relative_to(ROOT)}:{line}: {path}"
        for source in SOURCES
        for line, text in prose(source)
        for path in paths_in(text)
        if not exists(path, source)
    ]
    assert missing == []


def test_a_path_that_does_not_exist_is_found() -> None:
    (path,) = paths_in("Look at `engine/no_such_file.py`.")
    assert not exists(path, ROOT / "README.md")
