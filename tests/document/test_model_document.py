"""The design document has every section, is built from the design alone, and is deterministic."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from singletable import GSI, KEYS_ONLY, Page, Table, collection, count, entity, get, pattern, put, query
from singletable.cli.load_model import load_tables
from singletable.cost.prices import prices_of
from singletable.document.blocks import Block, Code, Fold, Link, Paragraph, PlainText, Section, pictures_in
from singletable.document.blocks import TableBlock as Grid
from singletable.document.markdown import to_markdown
from singletable.document.model_document import Subject, model_document
from singletable.model.design import Design

ROOT = Path(__file__).resolve().parents[2]
MODELS = sorted((ROOT / "examples").glob("*/model.py"))
PRICES = prices_of("us-east-1")


@entity(key=("SHELF#{id}", "SHELF"))
@dataclass
class Shelf:
    """Where books stand."""

    id: str


@entity(
    key=("SHELF#{shelf_id}", "BOOK#{title}"),
    gsi1=("TITLE#{title}", "{shelf_id}"),
    identity=["shelf_id", "title"],
    expected_per_partition={"key": 40, "gsi1": 2},
    expected_bytes=400,
)
@dataclass
class Book:
    shelf_id: str
    title: str
    pages: int


@entity(key=("TITLES", "{title}"), identity=["title"], expected_per_partition=100)
@dataclass
class Title:
    title: str


@dataclass
class FullShelf:
    shelf: Shelf
    books: list[Book]


class Library(
    Table,
    entities=[Shelf, Book, Title],
    indexes=[GSI("gsi1", projection=KEYS_ONLY)],
    accept={"ST109": "a library is never | crowded"},
):
    """Books | and <b>shelves</b>."""

    @pattern(rate=5)
    def shelf(self, id: str) -> Shelf | None:
        """One shelf."""
        return get(Shelf)

    @pattern(rate=2)
    def full_shelf(self, shelf_id: str) -> FullShelf | None:
        """Return a shelf with its books."""
        return collection(FullShelf)

    @pattern()
    def long_books(self, pages: int) -> Page[Book]:
        """Return books with at least this number of pages."""
        return query(Book)

    @pattern(frequency="very high")
    def books_by_title(self) -> Page[Title]:
        """All titles."""
        return query(Title)

    @pattern(rate=1)
    def add(self, book: Book) -> Book:
        """Put a book on its shelf."""
        return put(Book)


def document(design: Design = Library.design) -> Section:
    return model_document([Subject(design, "Books | and <b>shelves</b>.")], PRICES)


def named(title: str, under: Section) -> Section:
    return next(section for section in under.sections if title in section.title)


def every(blocks: tuple[Block, ...]) -> Iterator[Block]:
    for block in blocks:
        yield block
        if isinstance(block, Fold):
            yield from every(block.blocks)


def grids(section: Section) -> list[Grid]:
    return [block for block in every(section.blocks) if isinstance(block, Grid)]


def said(section: Section) -> str:
    return to_markdown(section)


def test_the_model_document_has_every_section() -> None:
    titles = [section.title for section in document().sections]
    parts = ["Worksheet", "Entities", "Keys", "Key choice", "Item collections", "Access patterns", "Findings", "Cost"]
    assert titles == parts


def test_pattern_sections_have_a_worksheet_with_a_linked_row_for_every_pattern() -> None:
    asked, answered = grids(named("Worksheet", document()))
    assert len(asked.rows) == len(answered.rows) == len(Library.design.patterns)
    assert [cell for row in asked.rows for cell in row[1] if isinstance(cell, Link)] == [
        Link(each.name, f"library.{each.name}") for each in Library.design.patterns
    ]


def test_the_model_document_has_a_key_table_with_every_template() -> None:
    keys = grids(named("Keys", document()))[0]
    assert keys.headers == ("entity", "PK", "SK", "GSI1PK", "GSI1SK")
    assert keys.rows[1] == tuple(
        (Code(text),) for text in ("Book", "SHELF#{shelf_id}", "BOOK#{title}", "TITLE#{title}", "{shelf_id}")
    )
    assert keys.rows[0][3] == ()


def test_the_model_document_shows_only_written_docstrings_of_entities() -> None:
    (grid,) = grids(named("Entities", document()))
    assert [row[1] for row in grid.rows] == [(PlainText("Where books stand."),), (), ()]


@entity(key=("TEAM#{id}", "TEAM"))
@dataclass
class Team:
    id: str
    jobs: int = 0
    open_jobs: int = 0


@entity(
    key=("TEAM#{team}", "JOB#{id}"),
    counted=[
        count(Team, by={"id": "team"}, field="jobs"),
        count(Team, by={"id": "team"}, field="open_jobs", where=lambda j: (j.state == "OPEN") & (j.hours > 3)),
    ],
)
@dataclass
class Job:
    team: str
    id: str
    state: str = "OPEN"
    hours: int = 0


class Teams(Table, entities=[Team, Job]):
    """Teams that count their jobs."""


def test_the_model_document_shows_the_counters_that_count_an_entity() -> None:
    written = said(named("Entities", document(Teams.design)))
    assert "counted in Team.jobs; counted in Team.open_jobs if state = 'OPEN' AND hours &gt; 3" in written


def test_the_model_document_draws_the_table_and_every_index() -> None:
    drawn = [picture.name for picture in pictures_in(named("Item collections", document()))]
    assert drawn == ["library-table", "library-gsi1"]


def test_the_model_document_draws_a_keys_only_index_without_other_attributes() -> None:
    table, index = pictures_in(named("Item collections", document()))
    assert ">pages<" in table.svg
    assert ">pages<" not in index.svg


def test_a_pattern_section_has_call_request_and_picture() -> None:
    section = named("Return a shelf with its books", named("Access patterns", document()))
    assert isinstance(section.blocks[0], Paragraph)
    text = said(section)
    assert '`full_shelf(shelf_id="s1")` ✓ one request' in text
    assert '":v0": { "S": "SHELF#s1" }' in text
    assert "the range contains only Shelf, Book" in text
    (picture,) = pictures_in(section)
    assert picture.svg.count('class="bracket"') == 1
    assert "SHELF#s2" not in picture.svg


def test_pattern_sections_give_reason_and_remedy_for_an_unsupported_pattern() -> None:
    text = said(named("Return books with at least this number of pages", named("Access patterns", document())))
    assert "✗ not supported" in text
    assert "gsi" in text
    assert "The request" not in text


def test_pattern_sections_show_the_request_of_a_write_and_no_picture() -> None:
    section = named("Put a book on its shelf", named("Access patterns", document()))
    assert list(pictures_in(section)) == []
    assert '"title": { "S": "On Looms" }' in said(section)


def test_the_model_document_gives_a_remedy_for_open_findings_and_a_reason_for_accepted_ones() -> None:
    still, accepted = grids(named("Findings", document()))
    assert still.headers == ("finding", "problem", "remedy")
    assert still.rows[0][0][0] == Code("ST001")
    assert accepted.headers == ("finding", "problem", "reason")
    assert [(row[0][0], row[2]) for row in accepted.rows] == [
        (Code("ST109"), (PlainText("a library is never | crowded"),))
    ]


def test_the_cost_section_of_a_document_shows_monthly_costs_and_marks_estimates() -> None:
    calls, month, *_ = grids(named("Cost", document()))
    assert calls.headers[-1] == "per month"
    assert month.headers == ("collection size", "reads", "writes", "storage", "on demand", "provisioned")
    by_name = {row[0][0].text: row for row in calls.rows}
    assert by_name["shelf"][3][0].text.startswith("≈"), "nobody said how large a shelf is"
    assert not by_name["add"][3][0].text.startswith("≈"), "a book has its size"


def test_the_model_document_starts_with_escaped_docstrings() -> None:
    text = to_markdown(document())
    assert "Books \\| and &lt;b&gt;shelves&lt;/b&gt;." in text
    assert text.index("Books \\|") < text.index("Worksheet")


def test_the_model_document_has_a_section_for_each_of_several_tables() -> None:
    both = model_document([Subject(Library.design), Subject(Library.design)], PRICES, "About both.")
    assert both.title == "Library and Library"
    assert both.blocks[0] == Paragraph((PlainText("About both."),))
    assert len(both.sections) == 2


@pytest.mark.parametrize("model", MODELS, ids=lambda path: path.parent.name)
def test_the_model_document_of_every_example_draws_every_read_and_shows_every_request(model: Path) -> None:
    for table in load_tables(str(model)):
        written = model_document([Subject(table.design)], PRICES)
        patterns = named("Access patterns", written).sections
        for declared, section in zip(table.design.patterns, patterns, strict=True):
            assert any(isinstance(block, Fold) and "request" in block.summary for block in section.blocks), declared
            assert declared.is_write or list(pictures_in(section)), declared


def test_the_model_document_is_deterministic() -> None:
    assert document() == document()
