"""Markdown: what a renderer shows is what the tree says, whatever its words are made of."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from singletable.document.blocks import (
    Badge,
    Block,
    Bullets,
    Code,
    Fold,
    Inline,
    Link,
    Listing,
    Paragraph,
    Picture,
    Section,
    Strong,
    Text,
    table,
    words,
)
from singletable.document.html import to_html
from singletable.document.markdown import to_markdown

RENDERER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
NASTY = "`a` | <script>alert(1)</script> *b* _c_ [d](e) ![f](g) & &amp; \\ ~~h~~ $i$ <!-- singletable:end --> # j"

plain = st.text(st.characters(min_codepoint=32, exclude_categories=["Cs", "Cc", "Zl", "Zp", "Zs"]) | st.just(" "))


class Seen(HTMLParser):
    """The text that a browser shows, and the elements it makes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.text = ""
        self.elements: list[str] = []
        self._hidden = 0
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.elements.append(tag)
        self._hidden += tag in {"style", "nav", "title"}

    def handle_endtag(self, tag: str) -> None:
        self._hidden -= tag in {"style", "nav", "title"}

    def handle_data(self, data: str) -> None:
        self.text += "" if self._hidden else data


def shown(*blocks: Block, title: str = "T") -> Seen:
    return Seen(RENDERER.render(to_markdown(Section(title, "t", blocks))))


def squeezed(text: str) -> str:
    return " ".join(text.split())


@given(plain)
@example(NASTY)
@example("1. one")
@example("- one")
@example("=====")
@example("# one")
@example("__0__")
@example("    four spaces")
@example("`` ` ``")
@example("a\\")
def test_a_paragraph_shows_its_words_and_nothing_else(text: str) -> None:
    seen = shown(Paragraph(words(text)))
    assert squeezed(seen.text) == squeezed(f"T {text}")
    assert set(seen.elements) <= {"a", "h1", "p"}


@given(plain)
@example(NASTY)
@example("|")
@example("a\\|b")
@example("`")
def test_a_cell_shows_its_words_as_text_and_as_code(text: str) -> None:
    seen = shown(table(("one", "two", "three"), [(text, Code(text), words(Strong("s"), Link(text, "x")))]))
    assert squeezed(seen.text) == squeezed(f"T one two three {text} {text} s{text.strip()}") or not text.strip()
    assert seen.elements.count("td") == 3
    assert "script" not in seen.elements


@given(st.text(st.sampled_from("`~ab\n")))
def test_a_listing_is_shown_as_it_stands(text: str) -> None:
    seen = shown(Listing(text, "json"))
    assert seen.text.strip("\n").removeprefix("T").strip("\n") == text.strip("\n")


@pytest.mark.parametrize("inline", [Text, Strong, Code, lambda text: Badge(text, "good"), lambda text: Link(text, "x")])
def test_no_inline_part_lets_markup_through(inline: type[Text]) -> None:
    part: Inline = inline(NASTY)
    for seen in (shown(Bullets((words(part),))), Seen(to_html(Section("T", "t", (Bullets((words(part),)),))))):
        assert squeezed(NASTY) in squeezed(seen.text)
        assert not {"script", "img", "s", "em", "b"} & set(seen.elements)


def test_a_title_and_a_summary_let_no_markup_through() -> None:
    seen = shown(Fold(NASTY, ()), title=NASTY)
    assert squeezed(seen.text) == squeezed(f"{NASTY} {NASTY}")
    assert not {"script", "em", "code"} & set(seen.elements)


def test_sections_are_headings_that_can_be_linked_to() -> None:
    text = to_markdown(Section("A", "a", (), (Section("B", "a.b"),)), level=2)
    assert text == '## <a id="a"></a>A\n\n### <a id="a.b"></a>B\n'


def test_a_picture_is_a_linked_file_or_text() -> None:
    picture = Picture("orders", "Orders of a [day]", "<svg/>", "PK a\n  b")
    document = Section("T", "t", (picture,))
    assert "```text\nPK a\n  b\n```" in to_markdown(document)
    linked = to_markdown(document, picture_file=lambda each: f"my pictures/{each.name}.svg")
    assert "![Orders of a \\[day\\]](my%20pictures/orders.svg)" in linked


def test_columns_that_are_empty_in_every_row_are_left_out() -> None:
    text = to_markdown(Section("T", "t", (table(("a", "b", "c"), [("1", "", ""), ("2", "", "3")], "b", "c"),)))
    assert re.findall(r"^\|.*$", text, re.MULTILINE) == ["| a | c |", "| --- | --- |", "| 1 |  |", "| 2 | 3 |"]
