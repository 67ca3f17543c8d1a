"""Write a document as one self-contained HTML file, with inline styles and pictures."""

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
    PlainText,
    Section,
    Strong,
    TableBlock,
    Words,
)
from singletable.document.svg import clean

STYLE = """\
:root {
  --paper: #ffffff; --ink: #1b2230; --muted: #5d6879; --rule: #e3e6ec; --panel: #f7f8fa; --accent: #2457c5;
  --good: #1a6639; --good-tint: #dff4e7; --warning: #8f4a05; --warning-tint: #fdecd9;
  --bad: #a11d2e; --bad-tint: #fde4e6; --plain: #3d4a5d; --plain-tint: #e8ebf0;
  --name: #2457c5; --text: #1a6639; --word: #8f4a05;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #0f1318; --ink: #e7ebf3; --muted: #9fa9ba; --rule: #2a313c; --panel: #171c23; --accent: #8db8ff;
    --good: #b2efcb; --good-tint: #173d29; --warning: #ffd5ad; --warning-tint: #4a2f14;
    --bad: #ffc2c8; --bad-tint: #521a22; --plain: #d3dce9; --plain-tint: #2c3441;
    --name: #8db8ff; --text: #8fdcb0; --word: #f2b37c;
  }
}
* { box-sizing: border-box; }
html { scroll-behavior: smooth; scroll-padding-top: 1rem; }
body {
  margin: 0; background: var(--paper); color: var(--ink); display: grid; grid-template-columns: 17rem minmax(0, 1fr);
  font: 16px/1.6 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif;
}
nav {
  position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 2rem 1.25rem; font-size: .875rem;
  border-right: 1px solid var(--rule); background: var(--panel);
}
nav ul { list-style: none; margin: .25rem 0 0; padding: 0; }
nav ul ul { padding-left: .85rem; margin: 0 0 .4rem; }
nav a { display: block; padding: .2rem 0; color: var(--muted); text-decoration: none; line-height: 1.35; }
nav > ul > li > a { color: var(--ink); }
nav a.top { font-weight: 650; font-size: 1.05rem; color: var(--ink); margin-bottom: .5rem; }
nav a:hover, nav a:focus-visible { color: var(--accent); }
main { padding: 2.5rem clamp(1rem, 3vw, 4rem) 6rem; max-width: 84rem; }
h1, h2, h3, h4 { line-height: 1.25; margin: 0; letter-spacing: -.01em; }
h1 { font-size: 2.25rem; margin-bottom: .75rem; }
h2 { font-size: 1.5rem; margin: 3.25rem 0 1rem; padding-top: 1.25rem; border-top: 1px solid var(--rule); }
h3 { font-size: 1.15rem; margin: 2.5rem 0 .5rem; }
h4 { font-size: 1rem; margin: 2rem 0 .5rem; }
p { margin: .6rem 0; max-width: 48rem; }
main ul { margin: .6rem 0; padding-left: 1.25rem; max-width: 60rem; }
li { margin: .15rem 0; }
a { color: var(--accent); }
a code { color: inherit; }
code { font: .875em/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
:not(pre) > code { background: var(--panel); border: 1px solid var(--rule); border-radius: 4px; padding: .05em .35em; }
pre {
  background: var(--panel); border: 1px solid var(--rule); border-radius: 8px; padding: .9rem 1.1rem; overflow-x: auto;
  margin: .6rem 0;
}
.name { color: var(--name); } .text { color: var(--text); } .word { color: var(--word); }
.table { overflow-x: auto; margin: 1rem 0; border: 1px solid var(--rule); border-radius: 8px; max-width: max-content; }
table { border-collapse: collapse; font-size: .875rem; }
th, td { text-align: left; vertical-align: top; padding: .45rem .6rem; border-bottom: 1px solid var(--rule); }
th { background: var(--panel); color: var(--muted); font-weight: 600; }
tr:last-child td { border-bottom: 0; }
td { min-width: 2rem; }
td.wide { min-width: 12rem; }
td .badge { white-space: normal; border-radius: .8em; }
td code { -webkit-box-decoration-break: clone; box-decoration-break: clone; }
.figure { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.badge {
  display: inline-block; border-radius: 99px; padding: 0 .6em; font-size: .8125rem; font-weight: 600; line-height: 1.6;
  white-space: nowrap;
}
.good { color: var(--good); background: var(--good-tint); }
.warning { color: var(--warning); background: var(--warning-tint); }
.bad { color: var(--bad); background: var(--bad-tint); }
.plain { color: var(--plain); background: var(--plain-tint); }
figure { margin: 1rem 0; overflow-x: auto; }
figure svg { display: block; max-width: 100%; height: auto; }
details { margin: .5rem 0; }
summary { cursor: pointer; color: var(--muted); font-size: .9rem; width: max-content; max-width: 100%; }
summary:hover { color: var(--accent); }
@media (max-width: 60rem) {
  body { display: block; }
  nav { position: static; height: auto; border-right: 0; border-bottom: 1px solid var(--rule); padding: 1rem; }
  nav ul ul { display: none; }
  figure svg { max-width: none; }
}
@media print {
  body { display: block; }
  nav { display: none; }
  main { padding: 0; max-width: none; }
  figure, tr { break-inside: avoid; }
}
"""


_HEADINGS_MAX = 6
_CONTENTS_DEPTH = 2
_SHORT = 16  # a badge with at most this many characters is not wrapped
_LONG = 40  # a column with longer cells has a minimum width
_FIGURE = re.compile(r"≈?<?\$?[\d,]+(\.\d+)?( (RRU|WRU|B|KB|MB|GB))?|")
_JSON = re.compile(
    r'(?P<name>"(?:[^"\\]|\\.)*")(?=:)|(?P<text>"(?:[^"\\]|\\.)*")|(?P<word>-?\b\d[\d.eE+-]*|\b(?:true|false|null)\b)'
)


def to_html(document: Section) -> str:
    """Return the HTML page."""
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
        case TableBlock():
            yield from _table(block)
        case Listing(text, language):
            yield f"<pre><code>{_highlighted(text) if language == 'json' else _text_block(text)}</code></pre>"
        case Picture(_, title, svg, _):
            yield f'<figure aria-label="{_text(title)}">\n{svg.strip()}\n</figure>'
        case Fold(summary, blocks):
            yield f"<details><summary>{_text(summary)}</summary>"
            yield from _blocks(blocks)
            yield "</details>"


def _table(table: TableBlock) -> Iterator[str]:
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
    """Return the CSS class of a column: right-aligned figures, or wide text."""
    if all(_is_figure(cell) for cell in column):
        return ' class="figure"'
    longest = max((sum(len(part.text) for part in cell) for cell in column), default=0)
    return ' class="wide"' if longest > _LONG else ""


def _is_figure(cell: Words) -> bool:
    """Return whether a cell is a number or empty."""
    return all(isinstance(part, PlainText) for part in cell) and bool(
        _FIGURE.fullmatch("".join(part.text for part in cell if isinstance(part, PlainText)))
    )


def _line(words: Words) -> str:
    return "".join(_inline(part) for part in words)


def _inline(part: Inline) -> str:
    match part:
        case PlainText(text):
            return _text(text)
        case Strong(text):
            return f"<strong>{_text(text)}</strong>"
        case Code(text):
            return f"<code>{_breakable(text)}</code>"
        case Link(text, anchor):
            return f'<a href="#{escape(anchor)}"><code>{_breakable(text)}</code></a>'
        case Badge(text, tone):
            label = _text(text) if len(text) > _SHORT else _text(text).replace(" ", "&nbsp;")
            return f'<span class="badge {tone}">{label}</span>'


def _breakable(code: str) -> str:
    """Return code that a browser may wrap after `#`, `_` and `:`, so that a table fits the page."""
    return "<wbr>".join(_text(part) for part in re.split(r"(?<=[#_:])(?=[\w{])", code))


def _highlighted(json: str) -> str:
    """Return JSON with syntax highlighting."""
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
