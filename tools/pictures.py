"""Draw the pictures of the documentation from the tables that the pages create.

    python -m tools.pictures            redraw all pictures
    python -m tools.pictures --check    exit 1 when a picture is out of date

A picture on a page is a comment with an image below it. The comment is a call, which runs after the Python blocks above
it. The text of the image is the title of the picture, and its address is the file:

    <!-- picture(shop, read='shop.whole_order("o1")') -->
    ![An order and its lines](../pictures/one-to-many.svg)

`index="GSI1"` draws an index, and `attributes=[...]` selects the attributes. `read` is a call of a pattern. A bracket
then marks the rows that its requests read.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

from singletable import Table
from singletable.document.collection_picture import draw_collections
from singletable.document.item_collections import collections_in, index_named, key_of, labels_of
from tools.pages import PAGES, blocks_of, module_of, name_of, run_python

_PICTURE = re.compile(r"^<!-- (?P<call>picture\(.*\)) -->\n!\[(?P<title>[^\]]*)\]\((?P<file>[^)]+)\)$", re.MULTILINE)
_COMMENT = re.compile(r"^<!-- picture", re.MULTILINE)


@dataclass(frozen=True)
class PagePicture:
    """A picture on a page: its line, the call that draws it, its title and its file."""

    page: Path
    line: int
    call: str
    title: str
    file: Path


def pictures_on(page: Path) -> list[PagePicture]:
    """Return the pictures of a page, from top to bottom."""
    text = page.read_text(encoding="utf-8")
    found = [
        PagePicture(
            page,
            text.count("\n", 0, match.start()) + 1,
            match["call"],
            match["title"],
            Path(os.path.normpath(page.parent / match["file"])),
        )
        for match in _PICTURE.finditer(text)
    ]
    if len(found) != len(_COMMENT.findall(text)):
        raise SystemExit(
            f"{name_of(page)}: a picture is a comment `<!-- picture(...) -->` with its image on the line below"
        )
    return found


def pictures_of(page: Path) -> Iterator[tuple[Path, str]]:
    """Yield each picture file of a page with its content."""
    waiting = pictures_on(page)
    if not waiting:
        return
    module, lines = module_of(page), [block.line for block in blocks_of(page, "python")]
    sys.modules[module.__name__] = module
    with tempfile.TemporaryDirectory() as folder:
        for block in run_python(page, module, Path(folder)):
            next_line = min((line for line in lines if line > block.line), default=sys.maxsize)
            while waiting and waiting[0].line < next_line:
                page_picture = waiting.pop(0)
                yield page_picture.file, _draw(page_picture, module)


def _draw(page_picture: PagePicture, module: ModuleType) -> str:
    names = {**module.__dict__, "picture": partial(_picture, page_picture.title, module)}
    svg: str = eval(page_picture.call, names)  # noqa: S307  # a page of our own
    return svg


def _picture(
    title: str,
    module: ModuleType,
    table: Table,
    *,
    index: str | None = None,
    attributes: Sequence[str] | None = None,
    read: str | None = None,
) -> str:
    design = type(table).design
    items = [] if read is None else list(_read_by(table, read, module))
    partitions = collections_in(
        design,
        _items(table, "Scan", {"TableName": design.name}),
        index,
        attributes=attributes,
        read={key_of(design, item) for item in items},
    )
    drawn_index = index_named(design, index)
    label = drawn_index.name if index else f"table {design.name}"
    return draw_collections(
        title, label, partitions, keys=drawn_index.key_attributes, entities=labels_of(design), read_by=read
    )


def _read_by(table: Table, read: str, module: ModuleType) -> Iterator[Mapping[str, Any]]:
    pattern, _, arguments = read.partition("(")
    explained = eval(f"{pattern}.explain({arguments}", module.__dict__)  # noqa: S307  # a page of our own
    for request in explained.requests:
        yield from _items(table, request.operation, request.parameters)


def _items(table: Table, operation: str, parameters: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    response = json.loads(table._opened().session.transport.send(operation, json.dumps(parameters).encode()))
    if "LastEvaluatedKey" in response and "Limit" not in parameters:
        raise SystemExit(f"{type(table).__name__} has more items than a picture can show")
    batches = response.get("Responses", {})
    found = [response["Item"]] if "Item" in response else response.get("Items", [])
    return [*found, *(item for table_items in batches.values() for item in table_items)]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="change nothing; exit 1 when a picture is out of date")
    check: bool = parser.parse_args(arguments).check

    stale = 0
    for page in PAGES:
        for file, new in pictures_of(page):
            if file.is_file() and file.read_text(encoding="utf-8") == new:
                continue
            stale += 1
            print(f"{name_of(file)} is {'out of date: run `make pictures`' if check else 'redrawn'}.")
            if not check:
                file.parent.mkdir(exist_ok=True)
                file.write_text(new, encoding="utf-8")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
