"""Rendered Markdown shows the text of the document tree, for any characters in it."""

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
    PlainText,
    Section,
    Strong,
    table,
    words,
)
from singletable.document.html import to_html
from singletable.document.markdown import END, put_between_markers, start_of, to_markdown
from singletable.errors import ExportRefused

RENDERER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
NASTY = "`a` | <script>alert(1)</script> *b* _c_ [d](e) ![f](g) & &amp; \\ ~~h~~ $i$ <!-- singletable:end --> # j"

# Noncharacters (in category Cn) are excluded, because documents and Markdown renderers replace them.
_SHOWN = st.characters(min_codepoint=32, exclude_categories=["Cs", "Cc", "Cn", "Zl", "Zp", "Zs"])
plain = st.text(_SHOWN | st.just(" "))


class Seen(HTMLParser):
    """The text that a browser shows, and the elements that it creates."""

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


def without_spaces(text: str) -> str:
    """Return the text without spaces, because Markdown may remove them at the ends of a cell, a code or a link."""
    return "".join(text.split())


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
def test_a_markdown_paragraph_renders_as_its_text(text: str) -> None:
    seen = shown(Paragraph(words(text)))
    assert squeezed(seen.text) == squeezed(f"T {text}")
    assert set(seen.elements) <= {"a", "h1", "p"}


@given(plain)
@example(NASTY)
@example("|")
@example("a\\|b")
@example("`")
@example(" 0")
@example("0 ")
def test_a_markdown_table_cell_renders_text_and_code(text: str) -> None:
    seen = shown(table(("one", "two", "three"), [(text, Code(text), words(Strong("s"), Link(text, "x")))]))
    assert without_spaces(seen.text) == without_spaces(f"T one two three {text} {text} s{text}")
    assert seen.elements.count("td") == 3
    assert "script" not in seen.elements


@given(st.text(st.sampled_from("`~ab\n")))
def test_a_markdown_listing_is_rendered_verbatim(text: str) -> None:
    seen = shown(Listing(text, "json"))
    assert seen.text.strip("\n").removeprefix("T").strip("\n") == text.strip("\n")


@pytest.mark.parametrize(
    "inline", [PlainText, Strong, Code, lambda text: Badge(text, "good"), lambda text: Link(text, "x")]
)
def test_markdown_escapes_markup_in_inline_parts(inline: type[PlainText]) -> None:
    part: Inline = inline(NASTY)
    for seen in (shown(Bullets((words(part),))), Seen(to_html(Section("T", "t", (Bullets((words(part),)),))))):
        assert squeezed(NASTY) in squeezed(seen.text)
        assert not {"script", "img", "s", "em", "b"} & set(seen.elements)


def test_markdown_escapes_markup_in_titles_and_summaries() -> None:
    seen = shown(Fold(NASTY, ()), title=NASTY)
    assert squeezed(seen.text) == squeezed(f"{NASTY} {NASTY}")
    assert not {"script", "em", "code"} & set(seen.elements)


def test_markdown_sections_are_headings_that_can_be_linked_to() -> None:
    text = to_markdown(Section("A", "a", (), (Section("B", "a.b"),)), level=2)
    assert text == '## <a id="a"></a>A\n\n### <a id="a.b"></a>B\n'


def test_a_markdown_picture_is_a_linked_file_or_text() -> None:
    picture = Picture("orders", "Orders of a [day]", "<svg/>", "PK a\n  b")
    document = Section("T", "t", (picture,))
    assert "```text\nPK a\n  b\n```" in to_markdown(document)
    linked = to_markdown(document, picture_file=lambda each: f"my pictures/{each.name}.svg")
    assert "![Orders of a \\[day\\]](my%20pictures/orders.svg)" in linked


def test_document_blocks_omit_table_columns_that_are_empty_in_every_row() -> None:
    text = to_markdown(Section("T", "t", (table(("a", "b", "c"), [("1", "", ""), ("2", "", "3")], "b", "c"),)))
    assert re.findall(r"^\|.*$", text, re.MULTILINE) == ["| a | c |", "| --- | --- |", "| 1 |  |", "| 2 | 3 |"]


START = start_of("model.py")


def put(file: str, text: str = "new\n") -> str:
    return put_between_markers(file, text, "model.py", "README.md")


def test_markdown_replaces_the_marked_section_of_a_file() -> None:
    assert put(f"# Title\n\n{START}\nold\nolder\n{END}\nbelow\n") == f"# Title\n\n{START}\n\nnew\n\n{END}\nbelow\n"


@given(
    before=st.text(st.characters(exclude_characters="`~", exclude_categories=["Cs"])),
    after=st.text(st.characters(exclude_categories=["Cs"])),
    ending=st.sampled_from(["\n", "\r\n"]),
)
def test_markdown_does_not_change_text_outside_the_marked_section(before: str, after: str, ending: str) -> None:
    file = f"{before}\n{START}{ending}old{ending}{END}{ending}{after}"
    assert put(file) == f"{before}\n{START}{ending}{ending}new{ending}{ending}{END}{ending}{after}"


def test_markdown_changes_nothing_when_a_marked_section_is_replaced_twice() -> None:
    once = put(f"{START}\n{END}")
    assert put(once) == once


def test_markdown_has_a_marked_section_for_each_model() -> None:
    other = start_of("other.py")
    file = f"{other}\nkept\n{END}\n{START}\n{END}\n"
    assert put(file) == f"{other}\nkept\n{END}\n{START}\n\nnew\n\n{END}\n"


def test_markdown_ignores_section_markers_in_a_fenced_block() -> None:
    example = f"````\n```\n{START}\n{END}\n````\n"
    assert put(f"{example}{START}\n{END}\n") == f"{example}{START}\n\nnew\n\n{END}\n"


def test_a_markdown_file_without_markers_is_an_error_with_the_lines_to_add() -> None:
    with pytest.raises(ExportRefused) as refused:
        put("# Title\n")
    assert f"  {START}\n  {END}" in str(refused.value)


def test_a_markdown_error_names_the_marked_section_of_another_model() -> None:
    with pytest.raises(ExportRefused, match=r"It has sections for other\.py"):
        put(f"{start_of('other.py')}\n{END}\n")


@pytest.mark.parametrize("file", [f"{START}\nold\n", f"{START}\n{start_of('other.py')}\n{END}\n"])
def test_a_marked_markdown_section_without_an_end_is_an_error(file: str) -> None:
    with pytest.raises(ExportRefused, match=r"README\.md:1: the section has no end"):
        put(file)


def test_two_marked_markdown_sections_of_one_model_are_an_error() -> None:
    with pytest.raises(ExportRefused, match=r"more than one section for model\.py, at lines 1 and 3"):
        put(f"{START}\n{END}\n{START}\n{END}\n")
