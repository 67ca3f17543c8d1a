"""Static export: the pages of the studio as files that work when a browser opens them from disk."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePath
from typing import Any
from urllib.parse import unquote

from singletable.errors import ArgumentRefused, ExportRefused, SingletableError
from singletable.planner.formatting import format_bytes
from singletable.studio import collection_requests, design_pages, overview_requests, pattern_requests
from singletable.studio.application import ASSETS_FOLDER, SCREENS, page_html
from singletable.studio.column_pages import ColumnPosition
from singletable.studio.design_tokens import tokens_css
from singletable.studio.item_rows import ItemRow
from singletable.studio.pattern_forms import HIGH, LOW
from singletable.studio.workspace import TableView, Workspace

Pages = dict[str, bytes]
Document = dict[str, Any]
BYTES_MAX = 5_000_000
"""The maximum size of all files of an export together."""
ROW_LIMITS = (1_000, 300, 100, 30)
"""The numbers of items per column that an export tries, in this order, until its files are small enough."""
_SCREENS = tuple(each for each in SCREENS if each[0] in ("overview", "collections", "patterns", "design"))
_DESIGN_PARTS = design_pages.PARTS[:3]
_LINK = re.compile(r' (href|src|action|(?<=<option )value)="(/[^"]*)"')
"""A link to a page of the studio; the value of an option is a link to another table."""


def export_pages(workspace: Workspace) -> Pages:
    """Return the files of an export by name; raise ExportRefused if they are too large."""
    if workspace.watch.problems:
        first = workspace.watch.problems[0]
        raise ExportRefused(f"the model does not load: {first.place} {first.message}".replace("  ", " "))
    size = 0
    for rows_max in ROW_LIMITS:
        pages = dict(_pages(workspace, rows_max))
        size = sum(len(content) for content in pages.values())
        if size <= BYTES_MAX:
            return pages
    raise ExportRefused(f"the pages have {format_bytes(size)}, but an export has at most {format_bytes(BYTES_MAX)}")


def write_pages(pages: Mapping[str, bytes], folder: Path) -> None:
    """Write the files of an export to a new or empty folder."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ArgumentRefused(f"{folder} is not empty; choose a new folder, or delete it first")
    for name, content in pages.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)


def _pages(workspace: Workspace, rows_max: int) -> Iterator[tuple[str, bytes]]:
    views = [view for name in workspace.table_names if (view := workspace.table(name)) is not None]
    names = dict(_file_names(views))
    for number, view in enumerate(views):
        answers = f"answers-{number}.js"
        for path, html in _table_pages(workspace, view, answers):
            content = _with_relative_links(html, names).encode()
            yield names[path], content
            if number == 0 and path.endswith("/overview"):
                yield "index.html", content
        yield answers, _answers(workspace, view, rows_max, names)
    for file in sorted(ASSETS_FOLDER.iterdir()):
        yield f"assets/{file.name}", file.read_bytes()
    yield "assets/tokens.css", tokens_css().encode()


def _file_names(views: list[TableView]) -> Iterator[tuple[str, str]]:
    """Yield the file of every path; names consist of declared names only, so that no item can name a file."""
    yield "/", "index.html"
    for number, view in enumerate(views):
        name = view.design.name
        plain = re.sub(r"\W", "_", name)
        start = plain if len(views) == 1 else f"{plain}-{number}"
        yield f"/{name}/overview", f"{start}-overview.html"
        yield f"/{name}/collections", f"{start}-collections.html"
        patterns = [f"{start}-pattern-{each.name}.html" for each in view.design.patterns]
        yield f"/{name}/patterns", patterns[0] if patterns else f"{start}-patterns.html"
        yield from (
            (f"/{name}/patterns/{each.name}", file) for each, file in zip(view.design.patterns, patterns, strict=True)
        )
        yield f"/{name}/design", f"{start}-design-model.html"
        yield from ((f"/{name}/design/{part}", f"{start}-design-{part}.html") for part, _ in _DESIGN_PARTS)


def _table_pages(workspace: Workspace, view: TableView, answers: str) -> Iterator[tuple[str, str]]:
    name = view.design.name

    def html(screen: str, values: Document) -> str:
        shown = {"screens": _SCREENS, "static": answers, "model": PurePath(workspace.model).name}
        return page_html(workspace, f"{screen}.html", screen=screen, view=view, write_token="", **{**values, **shown})

    yield f"/{name}/overview", html("overview", overview_requests.page(workspace, view, {}))
    yield f"/{name}/collections", html("collections", collection_requests.page(workspace, view, {}))
    if not view.design.patterns:
        yield f"/{name}/patterns", html("patterns", pattern_requests.page(workspace, view, {}))
    for pattern in view.design.patterns:
        values = pattern_requests.page(workspace, view, {"pattern": pattern.name})
        result = _result(workspace, view, values)
        yield f"/{name}/patterns/{pattern.name}", html("patterns", {**values, "runs_at_once": False, "result": result})
    for part, _ in _DESIGN_PARTS:
        values = design_pages.page(workspace, view, {"part": part})
        yield f"/{name}/design/{part}", html("design", {**values, "parts": _DESIGN_PARTS})


def _result(workspace: Workspace, view: TableView, values: Document) -> str:
    """Return the answer of a read pattern for a stored item; empty if there is none."""
    if not values["runs_at_once"]:
        return ""
    given: dict[str, str] = {}
    for each in values["fields"]:
        if each.control == "range":
            given |= {each.name + LOW: each.value, each.name + HIGH: each.high}
        else:
            given[each.name] = each.value
    try:
        return str(pattern_requests.run(workspace, view, {"pattern": values["pattern"].name, "values": given})["html"])
    except SingletableError:
        return ""


def _answers(workspace: Workspace, view: TableView, rows_max: int, names: Mapping[str, str]) -> bytes:
    """Return a script with the answers to the requests of the pages."""
    columns: dict[str, list[ItemRow]] = {}
    cut: list[str] = []
    for index in view.design.indexes.values():
        rows: list[ItemRow] = []
        position: ColumnPosition | None = ColumnPosition()
        while position is not None and len(rows) < rows_max:
            page = view.columns.page(index, position)
            rows += page.rows
            position = ColumnPosition(start=page.next) if page.next is not None else None
        columns[index.label] = rows[:rows_max]
        if position is not None or len(rows) > rows_max:
            cut.append(index.label)
    ids = dict.fromkeys(row.id for rows in columns.values() for row in rows)
    items = {id_: collection_requests.item(workspace, view, {"id": id_}) for id_ in ids}
    for item in items.values():
        item["html"] = _with_relative_links(item["html"], names)
    document = {
        "columns": {label: [row.document() for row in rows] for label, rows in columns.items()},
        "cut": cut,
        "items": items,
        "heat": overview_requests.heat(workspace, view, {})["html"],
    }
    return f"window.studioAnswers = {json.dumps(document, separators=(',', ':'))};\n".encode()


def _with_relative_links(html: str, names: Mapping[str, str]) -> str:
    """Return a page whose links name the exported files, without links to other pages of the studio."""

    def relative(match: re.Match[str]) -> str:
        attribute, url = match.groups()
        path, hash_, fragment = url.partition("#")
        path = unquote(path.partition("?")[0])
        if path.startswith("/assets/"):
            return f' {attribute}="{path[1:]}"'
        name = names.get(path)
        return "" if name is None else f' {attribute}="{name}{hash_}{fragment}"'

    return _LINK.sub(relative, html)
