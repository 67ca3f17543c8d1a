"""Write a document as GitHub Markdown, and replace a marked section of an existing Markdown file."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
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
    PlainText,
    Section,
    Strong,
    TableBlock,
    Words,
)
from singletable.document.svg import clean
from singletable.errors import ExportRefused

_HEADINGS_MAX = 6
_SIGNS = {"good": "✓ ", "warning": "⚠ ", "bad": "✗ ", "plain": ""}
# These characters are always escaped. An underscore is special only at the start or end of a word.
_SPECIAL = re.compile(r"[\\`*\[\]|~$]|(?<![^\W_])_|_(?![^\W_])")
_ANGLES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
_AT_START = re.compile(r"^(\d{1,9}[.)]|[#+=-])")
_UNSAFE_IN_CODE = re.compile(r"[`|\\]")

PictureFile = Callable[[Picture], str]
"""A function that returns the path of a picture, relative to the document."""


def to_markdown(document: Section, *, level: int = 1, picture_file: PictureFile | None = None) -> str:
    """Return the document with its title at this heading level. Without `picture_file`, pictures become text."""
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
            case TableBlock():
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


def _table(table: TableBlock) -> str:
    lines = [table.headers, ["---"] * len(table.headers), *([_line(cell) for cell in row] for row in table.rows)]
    lines[0] = [text_of(header) for header in table.headers]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _line(words: Words) -> str:
    return "".join(_inline(part) for part in words)


def _inline(part: Inline) -> str:
    match part:
        case PlainText(text):
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
    """Escape a text for Markdown and HTML, on one line."""
    on_one_line = clean(" ".join(text.splitlines()))
    escaped = _SPECIAL.sub(lambda match: "\\" + match.group(), on_one_line)
    return "".join(_ANGLES.get(each, each) for each in escaped)


def code_of(text: str) -> str:
    """Return a text as inline code. A text with special characters becomes an HTML code element."""
    on_one_line = clean(" ".join(text.splitlines()))
    if not on_one_line.strip():
        return ""
    if not _UNSAFE_IN_CODE.search(on_one_line):
        return f"`{on_one_line}`"
    plain = "".join(each if each.isalnum() or each in " .,:;=" else f"&#{ord(each)};" for each in on_one_line)
    return f"<code>{plain}</code>"


def _at_start(line: str) -> str:
    """Escape the start of a line that would begin a list or a heading."""
    return _AT_START.sub(lambda match: f"{match.group()[:-1]}\\{match.group()[-1]}", line.lstrip())


def _fenced(text: str, language: str) -> str:
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    lines = "\n".join(clean(line) for line in text.split("\n"))
    return f"{fence}{language}\n{lines}\n{fence}"


END = "<!-- singletable:end -->"
_START = re.compile(r"^<!-- singletable:start (?P<model>.+?) -->[ \t]*$")
_END = re.compile(r"^<!-- singletable:end -->[ \t]*$")
_FENCE = re.compile(r"^ {0,3}(?P<fence>`{3,}|~{3,})(?P<rest>.*)$")


def start_of(model: str) -> str:
    """Return the comment that starts the section of a model."""
    return f"<!-- singletable:start {model} -->"


@dataclass(frozen=True)
class _Line:
    text: str
    ending: str


def put_between_markers(file: str, text: str, model: str, name: str) -> str:
    """Return the text of the file with the section of the model replaced, in the line endings of the file.

    `name` is the file name in error messages. Markers inside a fenced code block are ignored.
    """
    lines = [_marker_line(each) for each in re.findall(r"[^\n]*\n|[^\n]+$", file)]
    first, last = _find(lines, model, name)
    ending = lines[first].ending or "\n"
    inside = "".join(f"{line}{ending}" for line in text.strip("\n").split("\n"))
    before = "".join(line.text + line.ending for line in lines[: first + 1])
    after = "".join(line.text + line.ending for line in lines[last:])
    return f"{before}{ending}{inside}{ending}{after}"


def _marker_line(text: str) -> _Line:
    bare = text.removesuffix("\n").removesuffix("\r") if text.endswith("\n") else text
    return _Line(bare, text[len(bare) :])


def _find(lines: list[_Line], model: str, name: str) -> tuple[int, int]:
    """Return the line numbers of the start and end markers of a model."""
    markers = _markers(lines)
    starts = [number for number, named in markers if named == model]
    if not starts:
        others = [named for _, named in markers if named is not None]
        known = f" It has sections for {', '.join(others)}." if others else ""
        raise ExportRefused(
            f"{name} has no section for {model}.{known}\n  Add these two lines at the place of the section:\n  "
            f"{start_of(model)}\n  {END}"
        )
    if len(starts) > 1:
        where = " and ".join(str(number + 1) for number in starts)
        raise ExportRefused(f"{name} has more than one section for {model}, at lines {where}; remove all except one")
    end = next((each for each in markers if each[0] > starts[0]), None)
    if end is None or end[1] is not None:
        raise ExportRefused(f"{name}:{starts[0] + 1}: the section has no end marker; add the line {END} below it")
    return starts[0], end[0]


def _markers(lines: list[_Line]) -> list[tuple[int, str | None]]:
    """Return the markers as line number and model. The model is None for an end marker."""
    found: list[tuple[int, str | None]] = []
    fence = ""
    for number, line in enumerate(lines):
        opened = _FENCE.match(line.text)
        if fence:
            if opened and opened["fence"].startswith(fence) and not opened["rest"].strip():
                fence = ""
        elif opened and not (opened["fence"][0] == "`" and "`" in opened["rest"]):
            fence = opened["fence"]
        elif start := _START.match(line.text):
            found.append((number, start["model"]))
        elif _END.match(line.text):
            found.append((number, None))
    return found
