"""The collections of a table, and the requests of their page: drawers, items and searches."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from singletable.errors import ArgumentRefused, SingletableError
from singletable.studio.column_pages import ColumnPosition, FieldSearch, meaning_of
from singletable.studio.page_templates import render
from singletable.studio.workspace import TableView, Workspace

Document = dict[str, Any]


def page(workspace: Workspace, view: TableView, given: Mapping[str, str]) -> Document:
    """Return the values of the collections page. The script of the page reads the drawers."""
    design = view.design
    readers = {
        index.label: sum(
            getattr(outcome, "index", None) == index and not outcome.pattern.is_write
            for outcome in view.report.outcomes
        )
        for index in design.indexes.values()
    }
    columns = [
        {
            "place": index.label,
            "key_attributes": ", ".join(index.key_attributes),
            "projection": str(index.projection),
            "absent": [
                {"entity": number, "label": entity.label}
                for number, entity in enumerate(design.entities)
                if index.alias not in entity.placements
            ],
            "alias": index.alias,
            "readers": readers[index.label],
        }
        for index in design.indexes.values()
    ]
    return {
        "columns": columns,
        "entities": [entity.label for entity in design.entities],
        "state": {"columns": columns, "isBilled": workspace.store.is_billed, "q": given.get("q", "")},
    }


def column(workspace: Workspace, view: TableView, given: Document) -> Document:
    """Return one page of a column."""
    index = view.rows.index(str(given.get("place")))
    if index is None:
        raise ArgumentRefused(f"there is no index {given.get('place')!r}; reload the page")
    search = given.get("search")
    position = ColumnPosition(
        given.get("partition"),
        str(given.get("sort") or ""),
        given.get("start"),
        FieldSearch(search["field"], search["text"], search["entity"]) if search else None,
    )
    return view.columns.page(index, position).document()


def find(workspace: Workspace, view: TableView, given: Document) -> Document:
    """Return the meaning of a search text."""
    text = str(given.get("text", "")).strip()
    if not text:
        raise ArgumentRefused("enter a partition key such as USER#42, or FIELD:VALUE")
    return meaning_of(view.rows, text).document()


def item(workspace: Workspace, view: TableView, given: Document) -> Document:
    """Return one item: its place in every column, and the panel that describes it."""
    try:
        key = json.loads(str(given["id"]))
    except (KeyError, ValueError):
        raise ArgumentRefused("the item has no valid key; select it again") from None
    found = view.columns.item(key)
    if found is None:
        raise SingletableError("The item was deleted after this page was read. Reload the page.")
    shown = view.views.view(found)
    html = render("item_dock.html", item=shown, table=view.design.name, number=shown.entity)
    return {
        "id": shown.id,
        "name": shown.name,
        "label": shown.label,
        "places": [place.document() for place in shown.places],
        "html": html,
    }
