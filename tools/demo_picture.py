"""Draw the demo as a picture for the README: two patterns of the shop, and the summary of all six.

python tools/demo_picture.py            draw the picture
python tools/demo_picture.py --check    exit 1 when the picture is out of date
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

from singletable.cli.demo_panels import heading, run_panel, summary
from singletable.demo.systems import systems_named
from singletable.demo.tour import run_tour

ROOT = Path(__file__).resolve().parent.parent
PICTURE = ROOT / "docs" / "pictures" / "demo.svg"
COMMAND = "singletable demo shop"
DRAWN = ("orders_of_customer", "whole_order")
COLUMNS = 100

# The SVG template of rich without its web font, which a picture on a page must not load.
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


def draw_demo() -> str:
    """Return the picture as SVG."""
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True, color_system="truecolor")
    (system,) = systems_named(["shop"])
    tour = run_tour(system)
    first = tour.fillings[0]
    of_the_table = tuple(run for run in tour.runs if run.requests[0].parameters["TableName"] == first.name)
    tour = replace(tour, fillings=(first,), runs=of_the_table)
    console.print(Text.assemble(("$ ", "dim"), (COMMAND, "bold")), "\n")
    console.print(heading(tour))
    console.print(Group(*(run_panel(run) for run in tour.runs if run.name in DRAWN)))
    console.print(summary(tour))
    return console.export_svg(title=COMMAND, code_format=FORMAT, unique_id="demo")


def texts_of(picture: str) -> list[str]:
    """Return the texts of a picture, without their positions."""
    found = re.findall(r"<text[^>]*>([^<]*)</text>", picture)
    return [text for piece in found if (text := html.unescape(piece).replace("\xa0", " ").strip())]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="change nothing; exit 1 when the picture is out of date")
    options = parser.parse_args(arguments)
    picture = draw_demo()
    if options.check:
        if not PICTURE.is_file() or texts_of(PICTURE.read_text(encoding="utf-8")) != texts_of(picture):
            print(f"{PICTURE.relative_to(ROOT)} is out of date: run `make pictures`", file=sys.stderr)
            return 1
        return 0
    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    PICTURE.write_text(picture, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
