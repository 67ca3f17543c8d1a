"""A document as a tree of plain values: sections of blocks, blocks of words; what it looks like is said elsewhere.

Everything in it is plain text. Whoever writes it down as Markdown or HTML escapes it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

Tone = Literal["good", "warning", "bad", "plain"]


@dataclass(frozen=True)
class Text:
    """Words."""

    text: str


@dataclass(frozen=True)
class Strong:
    """Words that stand out."""

    text: str


@dataclass(frozen=True)
class Code:
    """Words of a program: a key, a name, a call."""

    text: str


@dataclass(frozen=True)
class Link:
    """Words that lead to a section, by its anchor; set as code, for they are the name of something."""

    text: str
    anchor: str


@dataclass(frozen=True)
class Badge:
    """A verdict in a word or two."""

    text: str
    tone: Tone


Inline = Text | Strong | Code | Link | Badge
Words = tuple[Inline, ...]
"""What stands in a line, or in a cell of a table."""


@dataclass(frozen=True)
class Paragraph:
    """A paragraph."""

    words: Words


@dataclass(frozen=True)
class Bullets:
    """A list without numbers."""

    items: tuple[Words, ...]


@dataclass(frozen=True)
class Table:
    """A table; every row has as many cells as there are headers."""

    headers: tuple[str, ...]
    rows: tuple[tuple[Words, ...], ...]


@dataclass(frozen=True)
class Listing:
    """Text as it stands, in a fixed pitch."""

    text: str
    language: str = ""


@dataclass(frozen=True)
class Picture:
    """A drawing with its name, and the same as text where no drawing can be shown."""

    name: str
    title: str
    svg: str
    text: str


@dataclass(frozen=True)
class Fold:
    """Blocks that are shown when somebody asks for them."""

    summary: str
    blocks: tuple[Block, ...]


Block = Paragraph | Bullets | Table | Listing | Picture | Fold


@dataclass(frozen=True)
class Section:
    """A heading, what stands below it, and its own sections."""

    title: str
    anchor: str
    blocks: tuple[Block, ...] = ()
    sections: tuple[Section, ...] = ()


def words(*parts: str | Inline) -> Words:
    """Parts side by side; strings are plain text."""
    return tuple(Text(part) if isinstance(part, str) else part for part in parts)


def paragraphs(text: str) -> tuple[Paragraph, ...]:
    """The paragraphs of a docstring."""
    pieces = ("\n".join(lines) for lines in _between_blank_lines(text.strip().splitlines()))
    return tuple(Paragraph(words(" ".join(piece.split()))) for piece in pieces)


def table(headers: Sequence[str], rows: Iterable[Sequence[str | Inline | Words]], *optional: str) -> Table:
    """A table out of what its cells say; optional columns are left out when they are empty in every row."""
    cells = [tuple(_cell(cell) for cell in row) for row in rows]
    kept = [n for n, header in enumerate(headers) if header not in optional or any(row[n] for row in cells)]
    return Table(
        tuple(headers[number] for number in kept),
        tuple(tuple(row[number] for number in kept) for row in cells),
    )


def pictures_in(section: Section) -> Iterator[Picture]:
    """Every picture, in the order in which a reader meets them."""
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
