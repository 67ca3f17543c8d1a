"""A section of somebody's Markdown file, between two comments; everything outside of them is left as it is."""

from __future__ import annotations

import re
from dataclasses import dataclass

from singletable.errors import ExportRefused

END = "<!-- singletable:end -->"
_START = re.compile(r"^<!-- singletable:start (?P<model>.+?) -->[ \t]*$")
_END = re.compile(r"^<!-- singletable:end -->[ \t]*$")
_FENCE = re.compile(r"^ {0,3}(?P<fence>`{3,}|~{3,})(?P<rest>.*)$")


def start_of(model: str) -> str:
    """The comment that a model's section begins below."""
    return f"<!-- singletable:start {model} -->"


@dataclass(frozen=True)
class _Line:
    text: str
    ending: str


def put_between_markers(file: str, text: str, model: str, name: str) -> str:
    """The file's text with the model's section in its place, in the line endings of the file.

    `name` is what messages call the file. Markers inside a fenced block are an example and no markers.
    """
    lines = [_line(each) for each in re.findall(r"[^\n]*\n|[^\n]+$", file)]
    first, last = _find(lines, model, name)
    ending = lines[first].ending or "\n"
    inside = "".join(f"{line}{ending}" for line in text.strip("\n").split("\n"))
    before = "".join(line.text + line.ending for line in lines[: first + 1])
    after = "".join(line.text + line.ending for line in lines[last:])
    return f"{before}{ending}{inside}{ending}{after}"


def _line(text: str) -> _Line:
    bare = text.removesuffix("\n").removesuffix("\r") if text.endswith("\n") else text
    return _Line(bare, text[len(bare) :])


def _find(lines: list[_Line], model: str, name: str) -> tuple[int, int]:
    """The lines of the model's two markers."""
    markers = _markers(lines)
    starts = [number for number, named in markers if named == model]
    if not starts:
        others = [named for _, named in markers if named is not None]
        known = f"\n  It has a section for {', '.join(others)}." if others else ""
        raise ExportRefused(
            f"{name} has no section for {model}. Add these two lines where it should stand:{known}\n"
            f"  {start_of(model)}\n  {END}"
        )
    if len(starts) > 1:
        where = " and ".join(str(number + 1) for number in starts)
        raise ExportRefused(f"{name} begins a section for {model} more than once, on lines {where}; leave one of them")
    following = next((each for each in markers if each[0] > starts[0]), None)
    if following is None or following[1] is not None:
        raise ExportRefused(f"{name}:{starts[0] + 1}: the section has no end; add a line {END} below it")
    return starts[0], following[0]


def _markers(lines: list[_Line]) -> list[tuple[int, str | None]]:
    """The markers by the number of their line: the model of one that begins a section, None for one that ends it."""
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
