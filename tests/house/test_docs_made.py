"""Generated documentation is up to date: pictures from the models on the pages, the reference from the code."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

import singletable
import singletable.testing
from singletable.cli.main import COMMANDS
from tools import pictures, reference
from tools.pages import PAGES


def test_pictures_of_the_docs_are_up_to_date() -> None:
    assert pictures.main(["--check"]) == 0, "run `make pictures`"


@pytest.fixture
def page(tmp_path: Path) -> Path:
    """A page with a table and a picture of it."""
    written = tmp_path / "page.md"
    written.write_text(
        dedent("""\
        ```python
        from dataclasses import dataclass
        from singletable import Page, Table, entity, pattern, query

        @entity(key=("SHELF#{shelf}", "{title}"), identity=("shelf", "title"))
        @dataclass
        class Book:
            shelf: str
            title: str
            pages: int = 0

        class Library(Table, entities=[Book]):
            @pattern()
            def books_on(self, shelf: str) -> Page[Book]:
                return query(Book)

        library = Library.open("memory:")
        library.put(Book("m7", "Looms", 40))
        library.put(Book("m8", "Engines", 60))
        ```

        <!-- picture(library, read='library.books_on("m7")') -->
        ![Books by shelf](page.svg)

        ```python
        library.put(Book("m9", "Cards"))
        ```
        """)
    )
    return written


def test_a_picture_of_the_docs_shows_the_table_at_its_position_on_the_page(page: Path) -> None:
    ((file, drawn),) = pictures.pictures_of(page)
    assert file == page.parent / "page.svg"
    assert "SHELF#m7" in drawn
    assert "SHELF#m9" not in drawn
    assert drawn.count('class="bracket"') == 1
    assert '>library.books_on("m7")<' in drawn


def test_a_picture_comment_in_the_docs_without_an_image_is_an_error(page: Path) -> None:
    page.write_text(page.read_text().replace("![Books by shelf]", "[Books by shelf]"))
    with pytest.raises(SystemExit, match="with its image on the line below"):
        list(pictures.pictures_of(page))


def test_docs_of_modelling_patterns_have_pictures() -> None:
    patterns = [page for page in PAGES if page.parent.name == "patterns"]
    bare = [page.name for page in patterns if not pictures.pictures_on(page)]
    assert patterns
    assert not bare


def test_the_reference_docs_are_up_to_date() -> None:
    stale = [path.name for path, _ in reference.stale_pages()]
    assert not stale, "run `make reference`"


def test_the_reference_docs_list_every_public_name_once() -> None:
    page = reference.api_page().splitlines()
    names = [*singletable.__all__, *singletable.testing.__all__]
    wrong = [name for name in names if page.count(f"### {name}") != 1]
    assert not wrong


def test_the_reference_docs_list_every_command() -> None:
    page = reference.cli_page().splitlines()
    assert [command for command in COMMANDS if f"## singletable {command}" not in page] == []


def test_every_public_name_has_a_docstring() -> None:
    entries = reference.api_page().split("\n### ")[1:]
    silent = [entry.split("\n", 1)[0] for entry in entries if not entry.partition("\n```\n")[2].strip()]
    assert not silent, "give them docstrings"
