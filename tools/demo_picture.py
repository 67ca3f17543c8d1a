"""Draws the demo as a picture for the README: the shop's most telling patterns, and the summary of all six.

python tools/demo_picture.py            draw the picture
python tools/demo_picture.py --check    exit 1 when the demo says something else by now
"""

from __future__ import annotations

import argparse
import html
import io
import re
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from rich.console import Console, Group
from rich.text import Text

from singletable.cli.demo_drawn import asked_panel, heading, summary
from singletable.demo.systems import systems_named
from singletable.demo.tour import take

ROOT = Path(__file__).resolve().parent.parent
PICTURE = ROOT / "docs" / "pictures" / "demo.svg"
COMMAND = "singletable demo shop"
DRAWN = ("orders_of_customer", "whole_order")
COLUMNS = 100

# As rich makes it, without a font from elsewhere: a picture on a page may not load one.
FORMAT = """\
<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
    <style>
    .{unique_id}-matrix {{
        font-family: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
        font-size: {char_height}px;
        line-height: {line_height}px;
        font-variant-east-asian: full-width;
    }}
    .{unique_id}-title {{
        font-size: 18px;
        font-weight: bold;
        font-family: system-ui, sans-serif;
    }}
    {styles}
    </style>
    <defs>
    <clipPath id="{unique_id}-clip-terminal">
      <rect x="0" y="0" width="{terminal_width}" height="{terminal_height}" />
    </clipPath>
    {lines}
    </defs>
    {chrome}
    <g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
    {backgrounds}
    <g class="{unique_id}-matrix">
    {matrix}
    </g>
    </g>
</svg>
"""


def drawn() -> str:
    """The picture."""
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True, color_system="truecolor")
    (system,) = systems_named(["shop"])
    tour = take(system)
    first = tour.fillings[0]
    of_the_table = tuple(asked for asked in tour.asked if asked.requests[0].parameters["TableName"] == first.name)
    tour = replace(tour, fillings=(first,), asked=of_the_table)
    console.print(Text.assemble(("$ ", "dim"), (COMMAND, "bold")), "\n")
    console.print(heading(tour))
    console.print(Group(*(asked_panel(asked) for asked in tour.asked if asked.name in DRAWN)))
    console.print(summary(tour))
    return console.export_svg(title=COMMAND, code_format=FORMAT, unique_id="demo")


def words(picture: str) -> list[str]:
    """What a picture says, piece by piece; how rich places the pieces is left aside."""
    found = re.findall(r"<text[^>]*>([^<]*)</text>", picture)
    return [text for piece in found if (text := html.unescape(piece).replace("\xa0", " ").strip())]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="change nothing, exit 1 when the picture is stale")
    options = parser.parse_args(arguments)
    picture = drawn()
    if options.check:
        if not PICTURE.is_file() or words(PICTURE.read_text(encoding="utf-8")) != words(picture):
            print(f"{PICTURE.relative_to(ROOT)} shows another demo than this one; run `make pictures`", file=sys.stderr)
            return 1
        return 0
    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    PICTURE.write_text(picture, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
