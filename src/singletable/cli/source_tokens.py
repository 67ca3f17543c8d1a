"""Python source with its syntax tree: positions of nodes, tokens between them, and replacements of text."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

_LAYOUT = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)


LINE_CHARACTERS_MAX = 120
"""An element that would make a line longer than this is inserted on its own line."""


@dataclass(frozen=True)
class Replacement:
    """New text for a range of characters. An empty range inserts the text."""

    start: int
    end: int
    text: str


@dataclass(frozen=True)
class SourceToken:
    """A token that is neither a comment nor layout."""

    text: str
    start: int
    end: int


class PythonSource:
    """The text of a Python file and its syntax tree. All positions are offsets of characters in `text`."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tree = ast.parse(text)
        # Python's tokenizer also ends a line at a carriage return.
        self._starts = [0, *(found.end() for found in re.finditer(r"\r\n|\r|\n", text))]

    @cached_property
    def tokens(self) -> tuple[SourceToken, ...]:
        """All tokens except comments and layout."""
        lines = io.StringIO(self.text, newline="").readline
        return tuple(
            SourceToken(
                each.string,
                self._starts[each.start[0] - 1] + each.start[1],
                self._starts[each.end[0] - 1] + each.end[1],
            )
            for each in tokenize.generate_tokens(lines)
            if each.type not in _LAYOUT
        )

    def start(self, node: ast.expr | ast.stmt | ast.keyword | ast.arg | ast.alias) -> int:
        """Return the offset of the first character of a node."""
        return self._offset(node.lineno, node.col_offset)

    def end(self, node: ast.expr | ast.stmt | ast.keyword | ast.arg | ast.alias) -> int:
        """Return the offset after the last character of a node."""
        assert node.end_lineno is not None, "parsed nodes have an end"
        assert node.end_col_offset is not None, "parsed nodes have an end"
        return self._offset(node.end_lineno, node.end_col_offset)

    def _offset(self, line: int, column: int) -> int:
        start = self._starts[line - 1]
        stop = self._starts[line] if line < len(self._starts) else len(self.text)
        # The parser counts bytes of UTF-8, not characters.
        return start + len(self.text[start:stop].encode()[:column].decode())

    def before(self, offset: int) -> SourceToken:
        """Return the last token that ends at or before an offset."""
        return self.tokens[bisect_right([token.end for token in self.tokens], offset) - 1]

    def after(self, offset: int) -> SourceToken:
        """Return the first token that starts at or after an offset."""
        return self.tokens[bisect_left([token.start for token in self.tokens], offset)]

    def line_start(self, offset: int) -> int:
        """Return the offset of the first character of a line."""
        return self._starts[bisect_right(self._starts, offset) - 1]

    def indentation(self, offset: int) -> str:
        """Return the white space at the start of a line."""
        found = re.match(r"[ \t]*", self.text[self.line_start(offset) :])
        return found[0] if found else ""

    @property
    def newline(self) -> str:
        """The line ending of the file."""
        found = re.search(r"\r\n|\r|\n", self.text)
        return found[0] if found else "\n"

    def _line_length(self, offset: int) -> int:
        return len(self.text[self.line_start(offset) :].splitlines()[0])

    def insert_last(self, opening: int, closing: int, source: str) -> Replacement:
        """Insert an element as the last element between two brackets, in the layout of the elements before it."""
        last = self.before(closing)
        if last.start <= opening:
            return Replacement(opening + 1, opening + 1, source)
        comma = last.text == ","
        on_one_line = self.line_start(last.start) == self.line_start(opening)
        if on_one_line and self._line_length(opening) + len(source) + 2 > LINE_CHARACTERS_MAX:
            indentation = f"{self.indentation(opening)}    "
            return Replacement(last.end, last.end, f"{'' if comma else ','}{self.newline}{indentation}{source}")
        if on_one_line:
            return Replacement(last.end, last.end, f" {source}," if comma else f", {source}")
        line = f"{self.newline}{self.indentation(last.start)}{source}"
        if not comma:
            return Replacement(last.end, last.end, f",{line}")
        # A comment after the comma belongs to the element before it.
        rest = re.match(r"[ \t]*#[^\r\n]*", self.text[last.end :])
        at = last.end + (rest.end() if rest else 0)
        return Replacement(at, at, f"{line},")

    def remove(self, start: int, end: int) -> Replacement:
        """Remove an element of a list in brackets with its comma.

        If nothing else is on its line, remove the line too.
        """
        following, leading = self.after(end), self.before(start)
        if following.text == ",":
            end = following.end
            end += len(self.text[end:]) - len(self.text[end:].lstrip(" \t"))
        elif leading.text == ",":
            return Replacement(leading.start, end, "")
        line = self.line_start(start)
        rest = re.match(r"[ \t]*(\r\n|\r|\n)", self.text[end:])
        if not self.text[line:start].strip() and rest:
            return Replacement(line, end + rest.end(), "")
        return Replacement(start, end, "")


def replace_text(text: str, replacements: Sequence[Replacement]) -> str:
    """Return the text after replacements that do not overlap."""
    for each in sorted(replacements, key=lambda replacement: -replacement.start):
        text = text[: each.start] + each.text + text[each.end :]
    return text
