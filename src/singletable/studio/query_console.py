"""The query console: runs a PartiQL statement, and shows its DynamoDB operation, its items and its units."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from singletable.document.item_collections import text_of
from singletable.document.svg import clean
from singletable.errors import ArgumentRefused, SingletableError
from singletable.planner.formatting import format_bytes, format_count, format_number
from singletable.studio.item_rows import Item, item_id
from singletable.studio.page_templates import render
from singletable.studio.statement_history import PastStatement, history_of, history_with
from singletable.studio.studio_store import StatementAccess, access_of, send
from singletable.studio.workspace import TableView, Workspace
from singletable.values.attribute_value import attribute_value
from singletable.values.item_size import EVENTUAL
from singletable.values.limits import READ_UNIT_BYTES

Document = dict[str, Any]
ROWS_MAX = 100


@dataclass(frozen=True)
class StatementRow:
    """An item in the answer of a statement."""

    entity: int
    label: str
    id: str
    """The table key as JSON; empty if the statement does not select it."""
    cells: tuple[str, ...]


def page(workspace: Workspace, view: TableView, given: Mapping[str, str]) -> Document:
    """Return the values of the page."""
    statement, parameters = (given["s"], given.get("p", "")) if given.get("s") else _example(workspace, view)
    return {
        "statement": statement,
        "parameters": parameters,
        "history": tuple(history_of(workspace, view, "query")),
        "access": _access_html(workspace, view, statement, parameters),
    }


def _name(workspace: Workspace, view: TableView) -> str:
    return workspace.store.table_name or view.design.name


def _example(workspace: Workspace, view: TableView) -> tuple[str, str]:
    """Return a statement, with its parameters, that reads the partition of an item that a page has read."""
    partition = view.design.table.partition[0].name
    newest = view.read_items.newest(view.design.name)
    kind, value = next(iter(newest[0].item[partition].items())) if newest else ("S", "...")
    parameters = json.dumps([{kind: value}]) if kind == "B" else ""
    shown = {"N": str(value), "B": "?"}.get(kind) or "'" + str(value).replace("'", "''") + "'"
    name = partition if partition.isidentifier() else f'"{partition}"'
    statement = f'SELECT * FROM "{_name(workspace, view)}"\nWHERE {name} = {shown}'  # noqa: S608  # an example to edit
    return statement, parameters


def explain(workspace: Workspace, view: TableView, given: Document) -> Document:
    """Show the DynamoDB operation that executes a statement, without sending the statement."""
    html = _access_html(workspace, view, str(given.get("statement", "")), str(given.get("parameters", "")))
    return {"html": html}


def _access_html(workspace: Workspace, view: TableView, statement: str, parameters: str) -> str:
    try:
        access = _access(workspace, view, statement, parameters)
    except SingletableError as problem:
        return render("query_access.html", access=None, problem=_with_place(statement, problem), units="")
    return render("query_access.html", access=access, problem="", units=_price(workspace, view, access))


def _access(workspace: Workspace, view: TableView, statement: str, parameters: str) -> StatementAccess:
    return access_of(view.design, _name(workspace, view), statement, _parameters(parameters))


def _with_place(statement: str, problem: SingletableError) -> str:
    """Return an error with the line of the statement and a mark below the position, if the error has one."""
    line, column, length = getattr(problem, "position", (0, 0, 0))
    if not line:
        return str(problem)
    text = statement.split("\n")[line - 1]
    return f"{problem}\n\n{text}\n{' ' * (column - 1)}{'^' * max(1, length)}"


def _price(workspace: Workspace, view: TableView, access: StatementAccess) -> str:
    """Return what an access costs, from the rules of DynamoDB and the counted items."""
    if access.is_write:
        return "1 WRU for each KB of the item, and the units of each index entry"
    if access.operation == "GetItem":
        times = "" if len(access.keys) < 2 else f"{len(access.keys)} x "
        return f"{times}0.5 RRU for each 4 KB of the item"
    if access.operation == "Query":
        return "0.5 RRU for each 4 KB that the key range contains, before the filter"
    counted = view.count
    if counted is None or not counted.is_whole:
        return "the whole table is read and billed: 0.5 RRU for each 4 KB"
    size = sum(each.items * each.mean_bytes for each in counted.entities.values())
    units = max(size / READ_UNIT_BYTES * EVENTUAL, EVENTUAL)
    return f"the whole table is read and billed: {format_bytes(size)}, ≈{format_number(round(units, 1))} RRU"


def _parameters(text: str) -> list[Any] | None:
    if not text.strip():
        return None
    try:
        given = json.loads(text)
    except ValueError as problem:
        raise ArgumentRefused(f"the parameters are not valid JSON: {problem}") from None
    if not isinstance(given, list):
        raise ArgumentRefused('write a list with one value for each ?, such as ["USER#42", 5]')
    try:
        return [each if isinstance(each, dict) else attribute_value(each) for each in given] or None
    except TypeError as problem:
        raise ArgumentRefused(str(problem)) from None


def query(workspace: Workspace, view: TableView, given: Document) -> Document:
    """Run a statement, or read its next page; a write and a Scan on AWS need a confirmation."""
    statement, parameters = str(given.get("statement", "")), str(given.get("parameters", ""))
    try:
        access = _access(workspace, view, statement, parameters)
    except SingletableError as problem:
        raise ArgumentRefused("Nothing was sent: correct the statement first.") from problem
    store = workspace.store
    if access.is_write and not store.may_write:
        raise ArgumentRefused("The store is read-only. Start the studio with --write to change it.")
    is_dear = access.is_write or (access.operation == "Scan" and store.is_billed)
    if is_dear and not given.get("confirmed"):
        return {"html": _confirmation(access, _price(workspace, view, access))}
    request: Document = {"Statement": statement, "ReturnConsumedCapacity": "TOTAL"}
    if (values := _parameters(parameters)) is not None:
        request["Parameters"] = values
    if not access.is_write and access.operation != "GetItem":
        request["Limit"] = ROWS_MAX
    if given.get("next"):
        request["NextToken"] = str(given["next"])
    started = time.perf_counter()
    answer = send(view.opened(), "ExecuteStatement", request)
    seconds = time.perf_counter() - started
    if access.is_write:
        workspace.read_items.clear()
    items = answer.get("Items") or []
    units = float(answer.get("ConsumedCapacity", {}).get("CapacityUnits", 0.0))
    unit = "WRU" if access.is_write else "RRU"
    summary = f"{access.operation} · {format_count(len(items), 'item')} · {format_number(units)} {unit}"
    history = history_with(workspace, view, "query", PastStatement(statement, parameters, summary))
    names = _columns(view, items)
    html = render(
        "query_answer.html",
        table=view.design.name,
        access=access,
        names=names,
        numeric={name for name in names if all("N" in item.get(name, {"N": ""}) for item in items)},
        rows=[_row(view, item, names) for item in items],
        has_key=all(name in names for name in view.design.table.key_attributes),
        units=units,
        seconds=seconds,
        next=answer.get("NextToken") or "",
    )
    return {"html": html, "history": history}


def _confirmation(access: StatementAccess, units: str) -> str:
    what = "changes an item. It costs" if access.is_write else "reads every item:"
    text = f"The statement {what} {units}."
    return render("statement_confirm.html", operation=access.operation, text=text, may_export=False)


def _columns(view: TableView, items: Sequence[Item]) -> tuple[str, ...]:
    """Return the attributes of the items, those of the table key first."""
    keys = view.design.table.key_attributes
    found = dict.fromkeys(name for item in items for name in item)
    return (*(name for name in keys if name in found), *(name for name in found if name not in keys))


def _row(view: TableView, item: Item, names: Sequence[str]) -> StatementRow:
    has_key = all(name in item for name in view.design.table.key_attributes)
    number = view.rows.number_of(item) if has_key else -2
    cells = tuple(clean(text_of(item[name])) if name in item else "" for name in names)
    label = view.rows.label_of(number) if has_key else ""
    return StatementRow(number, label, item_id(view.design, item) if has_key else "", cells)
