"""A document as one HTML file that needs nothing else: its style, its pictures and its contents are inside."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from html import escape

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
from singletable.document.html_style import STYLE
from singletable.document.svg import clean

_HEADINGS_MAX = 6
_CONTENTS_DEPTH = 2
_SHORT = 16  # characters of a badge that stays on one line
_LONG = 40  # characters of code; more of them may be broken into lines
_FIGURE = re.compile(r"≈?<?\$?[\d,]+(\.\d+)?( (RRU|WRU|B|KB|MB|GB))?|")
_JSON = re.compile(
    r'(?P<name>"(?:[^"\\]|\\.)*")(?=:)|(?P<text>"(?:[^"\\]|\\.)*")|(?P<word>-?\b\d[\d.eE+-]*|\b(?:true|false|null)\b)'
)


def to_html(document: Section) -> str:
    """The whole page."""
    title = _text(document.title)
    lines = [
        "<!doctype html>",
        '<html lang="en">',
        "<head>",
        '<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="color-scheme" content="light dark">',
        f"<title>{title}</title>",
        f"<style>\n{STYLE}</style>",
        "</head>",
        "<body>",
        '<nav aria-label="Contents">',
        f'<a class="top" href="#{_anchor(document)}">{title}</a>',
        *_contents(document.sections, 1),
        "</nav>",
        "<main>",
        *_section(document, 1),
        "</main>",
        "</body>",
        "</html>",
    ]
    return "\n".join(lines) + "\n"


def _contents(sections: Iterable[Section], depth: int) -> Iterator[str]:
    if depth > _CONTENTS_DEPTH or not sections:
        return
    yield "<ul>"
    for section in sections:
        yield f'<li><a href="#{_anchor(section)}">{_text(section.title)}</a>'
        yield from _contents(section.sections, depth + 1)
        yield "</li>"
    yield "</ul>"


def _section(section: Section, level: int) -> Iterator[str]:
    heading = f"h{min(level, _HEADINGS_MAX)}"
    yield f'<section id="{_anchor(section)}">'
    yield f"<{heading}>{_text(section.title)}</{heading}>"
    yield from _blocks(section.blocks)
    for each in section.sections:
        yield from _section(each, level + 1)
    yield "</section>"


def _blocks(blocks: Iterable[Block]) -> Iterator[str]:
    for block in blocks:
        yield from _block(block)


def _block(block: Block) -> Iterator[str]:
    match block:
        case Paragraph(words):
            yield f"<p>{_line(words)}</p>"
        case Bullets(items):
            yield "<ul>"
            yield from (f"<li>{_line(item)}</li>" for item in items)
            yield "</ul>"
        case Table():
            yield from _table(block)
        case Listing(text, language):
            yield f"<pre><code>{_coloured(text) if language == 'json' else _text_block(text)}</code></pre>"
        case Picture(_, title, svg, _):
            yield f'<figure aria-label="{_text(title)}">\n{svg.strip()}\n</figure>'
        case Fold(summary, blocks):
            yield f"<details><summary>{_text(summary)}</summary>"
            yield from _blocks(blocks)
            yield "</details>"


def _table(table: Table) -> Iterator[str]:
    columns = range(len(table.headers))
    kinds = [_kind_of([row[number] for row in table.rows]) for number in columns]
    yield '<div class="table"><table>'
    headers = (f"<th{kind}>{_text(header)}</th>" for kind, header in zip(kinds, table.headers, strict=True))
    yield f"<thead><tr>{''.join(headers)}</tr></thead>"
    yield "<tbody>"
    for row in table.rows:
        cells = (f"<td{kind}>{_line(cell)}</td>" for kind, cell in zip(kinds, row, strict=True))
        yield f"<tr>{''.join(cells)}</tr>"
    yield "</tbody></table></div>"


def _kind_of(column: Sequence[Words]) -> str:
    """How a column is set: figures to the right, long text not too narrow."""
    if all(_is_figure(cell) for cell in column):
        return ' class="figure"'
    longest = max((sum(len(part.text) for part in cell) for cell in column), default=0)
    return ' class="wide"' if longest > _LONG else ""


def _is_figure(cell: Words) -> bool:
    """Whether a cell holds a number or nothing, so that its column stands to the right."""
    return all(isinstance(part, Text) for part in cell) and bool(
        _FIGURE.fullmatch("".join(part.text for part in cell if isinstance(part, Text)))
    )


def _line(words: Words) -> str:
    return "".join(_inline(part) for part in words)


def _inline(part: Inline) -> str:
    match part:
        case Text(text):
            return _text(text)
        case Strong(text):
            return f"<strong>{_text(text)}</strong>"
        case Code(text):
            return f"<code{' class=long' * (len(text) > _LONG)}>{_text(text)}</code>"
        case Link(text, anchor):
            return f'<a href="#{escape(anchor)}"><code>{_text(text)}</code></a>'
        case Badge(text, tone):
            said = _text(text) if len(text) > _SHORT else _text(text).replace(" ", "&nbsp;")
            return f'<span class="badge {tone}">{said}</span>'


def _coloured(json: str) -> str:
    """JSON with names, texts and numbers told apart."""
    parts, end = [], 0
    for match in _JSON.finditer(json):
        parts += [_text_block(json[end : match.start()])]
        parts += [f'<span class="{match.lastgroup}">{_text_block(match.group())}</span>']
        end = match.end()
    return "".join([*parts, _text_block(json[end:])])


def _text_block(text: str) -> str:
    return "\n".join(_text(line) for line in text.split("\n"))


def _text(text: str) -> str:
    return escape(clean(text))


def _anchor(section: Section) -> str:
    return escape(section.anchor)
