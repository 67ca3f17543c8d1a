"""A new index projects only the attributes that its reads need, and the report has the price of other projections."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from singletable import GSI, Page, Table, entity, field, get, include, pattern, put, query, update
from singletable.conformance.witness import witness
from singletable.cost.prices import prices_of
from singletable.design.design_report import DesignReport, design_report
from singletable.design.designed_table import design_table
from singletable.design.model_workload import DesignOptions
from singletable.model.design import Design
from singletable.model.table_schema import KEYS_ONLY
from singletable.verify.design_check import check
from tests.cli.program import singletable


@entity(expected_items=100_000, expected_bytes=4_000)
@dataclass
class Article:
    id: str
    author: str
    title: str
    text: str
    published_at: datetime
    views: int


@dataclass
class ArticleTitle:
    id: str
    title: str
    published_at: datetime


@dataclass
class ArticleId:
    id: str


class News(Table, entities=[Article]):
    @pattern(rate=10)
    def article(self, id: str) -> Article | None:
        return get(Article)

    @pattern(rate=10)
    def of_author(self, author: str, *, limit: int = 20, cursor: str | None = None) -> Page[ArticleTitle]:
        return query(Article, view=ArticleTitle, newest_first=True)

    @pattern(rate=5)
    def publish(self, article: Article) -> Article:
        return put(Article)

    @pattern(rate=50)
    def count_view(self, id: str) -> Article:
        return update(Article, field(Article, lambda article: article.views).add(1))


def report_of(design: Design) -> DesignReport:
    options = DesignOptions()
    return design_report(design_table(design, options), options, prices_of("us-east-1"))


def test_an_index_projection_contains_only_the_attributes_that_the_views_of_its_reads_need() -> None:
    report = report_of(News.design)
    assert report.table.projections == {"gsi1": include("title")}
    assert [str(each) for each in report.projections] == [
        "gsi1: INCLUDE title, because of_author needs no other attribute. With all attributes: $384.34 more a month"
    ]
    assert check(report.table.after).passes
    found = witness(report.table.after)
    assert found.passes
    assert found.calls["of_author"]


def test_an_index_projection_contains_the_attribute_of_a_filter() -> None:
    class Filtered(Table, entities=[Article]):
        @pattern()
        def unread(self, author: str, *, limit: int = 20, cursor: str | None = None) -> Page[ArticleId]:
            return query(Article, view=ArticleId, newest_first=True, filter=lambda article: article.views == 0)

        @pattern()
        def article(self, id: str) -> Article | None:
            return get(Article)

    table = design_table(Filtered.design)
    assert table.projections == {"gsi1": include("views")}
    assert not table.not_served


def test_an_index_whose_reads_need_only_its_keys_is_keys_only() -> None:
    class Ids(Table, entities=[Article]):
        @pattern()
        def ids(self, author: str, *, limit: int = 20, cursor: str | None = None) -> Page[ArticleId]:
            return query(Article, view=ArticleId)

        @pattern()
        def article(self, id: str) -> Article | None:
            return get(Article)

    assert design_table(Ids.design).projections == {"gsi1": KEYS_ONLY}


def test_index_projections_for_whole_items_show_the_price_of_only_the_keys() -> None:
    class Whole(Table, entities=[Article]):
        @pattern(rate=1)
        def of_author(self, author: str, *, limit: int = 20, cursor: str | None = None) -> Page[Article]:
            return query(Article, newest_first=True)

        @pattern(rate=1)
        def article(self, id: str) -> Article | None:
            return get(Article)

        @pattern(rate=50)
        def count_view(self, id: str) -> Article:
            return update(Article, field(Article, lambda article: article.views).add(1))

    report = report_of(Whole.design)
    assert not report.table.projections
    (only,) = report.projections
    assert (only.projection, only.reason) == ("all attributes", "of_author needs whole items")
    assert only.other.startswith("With only the keys and hydrate=True")
    assert only.other.endswith("less a month")


@entity(key=("AUTHOR#{id}", "AUTHOR"), gsi1=("CITY#{city}", "AUTHOR#{id}"))
@dataclass
class Author:
    id: str
    city: str


class Authors(Table, entities=[Author, Article], indexes=[GSI("gsi1", projection=KEYS_ONLY)]):
    @pattern()
    def article(self, id: str) -> Article | None:
        return get(Article)

    @pattern()
    def of_author(self, author: str, *, limit: int = 20, cursor: str | None = None) -> Page[Article]:
        return query(Article, newest_first=True)


def test_an_existing_index_projection_with_fewer_attributes_takes_no_other_entity() -> None:
    table = design_table(Authors.design)
    assert set(table.keys["Article"]) == {"key", "gsi2"}
    assert not table.not_served


MODEL = """\
from dataclasses import dataclass

from singletable import Page, Table, entity, get, pattern, query


@entity()
@dataclass
class Book:
    id: str
    author: str
    text: str


@dataclass
class BookId:
    id: str


class Library(Table, entities=[Book]):  # all books
    @pattern()
    def book(self, id: str) -> Book | None:
        return get(Book)

    @pattern()
    def ids(self, author: str, *, limit: int = 20, cursor: str | None = None) -> Page[BookId]:
        return query(Book, view=BookId)
"""


def test_write_declares_the_projection_in_the_class_of_the_table(tmp_path: Path) -> None:
    model = tmp_path / "library.py"
    model.write_text(MODEL, encoding="utf-8")
    finished = singletable("design", model, "--write")
    assert finished.returncode == 0, finished.stdout
    lines = model.read_text(encoding="utf-8").splitlines()
    changed = [line for line in lines if line not in MODEL.splitlines()]
    assert changed == [
        "from singletable import GSI, KEYS_ONLY, Page, Table, entity, get, pattern, query",
        '@entity(key=("BOOK#{id}", "BOOK"), gsi1=("AUTHOR#{author}", "BOOK#{id}"))',
        'class Library(Table, entities=[Book], indexes=[GSI("gsi1", projection=KEYS_ONLY)]):  # all books',
    ]
    assert singletable("check", model).returncode == 0
