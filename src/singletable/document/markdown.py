"""A document as Markdown that GitHub shows well: pictures as linked files, or as text where there are none."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from html import escape
from urllib.parse import quote

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
    Table,
    Text,
    Words,
)
from singletable.document.svg import clean

_HEADINGS_MAX = 6
_SIGNS = {"good": "✓ ", "warning": "⚠ ", "bad": "✗ ", "plain": ""}
# A backslash takes these their meaning anywhere; an underscore has one only at the edge of a word.
_SPECIAL = re.compile(r"[\\`*\[\]|~$]|(?<![^\W_])_|_(?![^\W_])")
_ANGLES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
_AT_START = re.compile(r"^(\d{1,9}[.)]|[#+=-])")
_UNSAFE_IN_CODE = re.compile(r"[`|\\]")

PictureFile = Callable[[Picture], str]
"""Where the file of a picture is, as seen from the document."""


def to_markdown(document: Section, *, level: int = 1, picture_file: PictureFile | None = None) -> str:
    """The document, its title as a heading of this level; pictures are text where they have no files."""
    writer = _Writer(picture_file)
    return "\n\n".join(writer.section(document, level)) + "\n"


class _Writer:
    def __init__(self, picture_file: PictureFile | None) -> None:
        self._picture_file = picture_file

    def section(self, section: Section, level: int) -> Iterator[str]:
        heading = "#" * min(level, _HEADINGS_MAX)
        yield f'{heading} <a id="{escape(section.anchor)}"></a>{text_of(section.title)}'
        yield from self._blocks(section.blocks)
        for each in section.sections:
            yield from self.section(each, level + 1)

    def _blocks(self, blocks: Iterable[Block]) -> Iterator[str]:
        for block in blocks:
            yield from self._block(block)

    def _block(self, block: Block) -> Iterator[str]:
        match block:
            case Paragraph(words):
                yield _at_start(_line(words))
            case Bullets(items):
                yield "\n".join(f"- {_at_start(_line(item))}" for item in items)
            case Table():
                yield _table(block)
            case Listing(text, language):
                yield _fenced(text, language)
            case Picture():
                yield self._picture(block)
            case Fold(summary, blocks):
                yield f"<details>\n<summary>{escape(clean(summary))}</summary>"
                yield from self._blocks(blocks)
                yield "</details>"

    def _picture(self, picture: Picture) -> str:
        if self._picture_file is None:
            return _fenced(picture.text, "text")
        return f"![{text_of(picture.title)}]({quote(self._picture_file(picture))})"


def _table(table: Table) -> str:
    lines = [table.headers, ["---"] * len(table.headers), *([_line(cell) for cell in row] for row in table.rows)]
    lines[0] = [text_of(header) for header in table.headers]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _line(words: Words) -> str:
    return "".join(_inline(part) for part in words)


def _inline(part: Inline) -> str:
    match part:
        case Text(text):
            return text_of(text)
        case Strong(text):
            return f"**{text_of(text)}**"
        case Code(text):
            return code_of(text)
        case Link(text, anchor):
            return f"[{code_of(text)}](#{quote(anchor)})"
        case Badge(text, tone):
            return f"{_SIGNS[tone]}{text_of(text)}"


def text_of(text: str) -> str:
    """Text in which nothing means anything to Markdown or HTML, on one line."""
    on_one_line = clean(" ".join(text.splitlines()))
    escaped = _SPECIAL.sub(lambda match: "\\" + match.group(), on_one_line)
    return "".join(_ANGLES.get(each, each) for each in escaped)


def code_of(text: str) -> str:
    """Text as code, in a line or in a cell; what would end it is written as HTML."""
    on_one_line = clean(" ".join(text.splitlines()))
    if not on_one_line.strip():
        return ""
    if not _UNSAFE_IN_CODE.search(on_one_line):
        return f"`{on_one_line}`"
    plain = "".join(each if each.isalnum() or each in " .,:;=" else f"&#{ord(each)};" for each in on_one_line)
    return f"<code>{plain}</code>"


def _at_start(line: str) -> str:
    """A line that begins no list and no heading."""
    return _AT_START.sub(lambda match: f"{match.group()[:-1]}\\{match.group()[-1]}", line.lstrip())


def _fenced(text: str, language: str) -> str:
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    lines = "\n".join(clean(line) for line in text.split("\n"))
    return f"{fence}{language}\n{lines}\n{fence}"
