"""The document tree: sections contain blocks, blocks contain inline text. It is independent of the output format.

No text in the tree is escaped. The Markdown and HTML writers escape it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

Tone = Literal["good", "warning", "bad", "plain"]


@dataclass(frozen=True)
class PlainText:
    """Plain text."""

    text: str


@dataclass(frozen=True)
class Strong:
    """Emphasised text."""

    text: str


@dataclass(frozen=True)
class Code:
    """Code: a key, a name, a call."""

    text: str


@dataclass(frozen=True)
class Link:
    """A link to the section with this anchor. Its text is formatted as code."""

    text: str
    anchor: str


@dataclass(frozen=True)
class Badge:
    """A short coloured label, such as a verdict."""

    text: str
    tone: Tone


Inline = PlainText | Strong | Code | Link | Badge
Words = tuple[Inline, ...]
"""The content of a line or a table cell."""


@dataclass(frozen=True)
class Paragraph:
    """A paragraph."""

    words: Words


@dataclass(frozen=True)
class Bullets:
    """A bulleted list."""

    items: tuple[Words, ...]


@dataclass(frozen=True)
class TableBlock:
    """A table; every row has one cell per header."""

    headers: tuple[str, ...]
    rows: tuple[tuple[Words, ...], ...]


@dataclass(frozen=True)
class Listing:
    """Preformatted text."""

    text: str
    language: str = ""


@dataclass(frozen=True)
class Picture:
    """An SVG picture with its file name, and a text version for output without pictures."""

    name: str
    title: str
    svg: str
    text: str


@dataclass(frozen=True)
class Fold:
    """Collapsed blocks with a summary line."""

    summary: str
    blocks: tuple[Block, ...]


Block = Paragraph | Bullets | TableBlock | Listing | Picture | Fold


@dataclass(frozen=True)
class Section:
    """A heading with its blocks and subsections."""

    title: str
    anchor: str
    blocks: tuple[Block, ...] = ()
    sections: tuple[Section, ...] = ()


def words(*parts: str | Inline) -> Words:
    """Return inline text from these parts. Strings become plain text."""
    return tuple(PlainText(part) if isinstance(part, str) else part for part in parts)


def paragraphs(text: str) -> tuple[Paragraph, ...]:
    """Return the paragraphs of a docstring."""
    pieces = ("\n".join(lines) for lines in _between_blank_lines(text.strip().splitlines()))
    return tuple(Paragraph(words(" ".join(piece.split()))) for piece in pieces)


def table(headers: Sequence[str], rows: Iterable[Sequence[str | Inline | Words]], *optional: str) -> TableBlock:
    """Return a table of these cells, without the optional columns that are empty in every row."""
    cells = [tuple(_cell(cell) for cell in row) for row in rows]
    shown = [n for n, header in enumerate(headers) if header not in optional or any(row[n] for row in cells)]
    return TableBlock(
        tuple(headers[number] for number in shown),
        tuple(tuple(row[number] for number in shown) for row in cells),
    )


def pictures_in(section: Section) -> Iterator[Picture]:
    """Yield every picture, in the order of the document."""
    yield from _pictures(section.blocks)
    for each in section.sections:
        yield from pictures_in(each)


def _pictures(blocks: Iterable[Block]) -> Iterator[Picture]:
    for block in blocks:
        if isinstance(block, Picture):
            yield block
        elif isinstance(block, Fold):
            yield from _pictures(block.blocks)


def _cell(cell: str | Inline | Words) -> Words:
    if isinstance(cell, str):
        return words(cell) if cell else ()
    return cell if isinstance(cell, tuple) else (cell,)


def _between_blank_lines(lines: Iterable[str]) -> Iterator[list[str]]:
    piece: list[str] = []
    for line in (*lines, ""):
        if line.strip():
            piece.append(line)
        elif piece:
            yield piece
            piece = []
