"""The HTML document is self-contained, and all user text is escaped."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.cli.load_model import load_tables
from singletable.cost.prices import prices_of
from singletable.document.blocks import Bullets, Code, Listing, Paragraph, PlainText, Section, table, words
from singletable.document.html import to_html
from singletable.document.model_document import Subject, model_document
from tests.document.test_markdown import Seen

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def shop() -> str:
    (shop,) = load_tables(str(ROOT / "examples/shop/model.py"))
    return to_html(model_document([Subject(shop.design)], prices_of("us-east-1")))


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"])))
def test_an_html_document_shows_and_escapes_text(text: str) -> None:
    blocks = (Paragraph(words(text)), Bullets((words(Code(text)),)), table(("a",), [(PlainText(text),)]))
    seen = Seen(to_html(Section("T", "t", (*blocks, Listing(text, "json")))))
    assert "".join(seen.text.split()) == "".join(f"T{text}{text}a{text}{text}".split())


def test_an_html_document_has_no_external_resources_and_no_scripts(shop: str) -> None:
    assert not re.search(r"<script|<link|<img|@import|url\(|\bon\w+=", shop)
    elsewhere = {address for address in re.findall(r'(?:href|src)="([^"]+)"', shop) if not address.startswith("#")}
    assert elsewhere == set()


def test_an_html_document_has_exactly_one_target_for_every_link(shop: str) -> None:
    anchors = re.findall(r'<section id="([^"]+)"', shop)
    assert len(anchors) == len(set(anchors))
    assert set(re.findall(r'href="#([^"]+)"', shop)) <= set(anchors)


def test_an_html_document_closes_every_element(shop: str) -> None:
    for element in ("section", "table", "details", "figure", "svg", "ul", "pre"):
        assert len(re.findall(f"<{element}[ >]", shop)) == shop.count(f"</{element}>") > 0


def test_an_html_document_aligns_only_figures_to_the_right() -> None:
    page = to_html(Section("T", "t", (table(("cost", "what"), [("≈1,005.5 RRU", "one"), ("", "2 or 3")]),)))
    assert '<td class="figure">≈1,005.5 RRU</td><td>one</td>' in page


def test_an_html_document_wraps_code_so_that_no_column_is_hidden() -> None:
    condition = 'GSI1PK = "USER#{user_id}#{status}" AND begins_with(GSI1SK, "ORDER#")'
    page = to_html(Section("T", "t", (table(("key condition",), [(Code(condition),)]),)))
    assert "USER#<wbr>{user_<wbr>id}#<wbr>{status}" in page
    assert Seen(page).text.count(condition) == 1
    assert not re.search(r"td code[^}]*nowrap|th [^}]*nowrap", page)
