"""The pages of a design: model, cost and heat, the choice of keys, and the changes since a revision."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from singletable.client.request_steps import run
from singletable.document.key_choice import key_choice, key_choice_blocks
from singletable.document.model_document import entity_section, key_section
from singletable.document.pattern_sections import worksheet_section
from singletable.errors import ArgumentRefused, SingletableError
from singletable.evolve.change_cost import change_cost
from singletable.evolve.design_snapshot import snapshot_of
from singletable.evolve.differences import differences, needs_migration
from singletable.evolve.operation import Category
from singletable.evolve.phases import DESCRIPTIONS, FORWARD, combined_effects
from singletable.evolve.snapshot_records import Snapshot
from singletable.migrations.control_items import control_items
from singletable.planner.formatting import format_dollars, format_number
from singletable.studio.design_overview import design_overview
from singletable.studio.page_templates import render
from singletable.studio.studio_store import send
from singletable.studio.traffic_costs import measured_lines, traffic
from singletable.studio.workspace import TableView, Workspace

Document = dict[str, Any]
PARTS = (("model", "Model"), ("traffic", "Cost and heat"), ("keys", "Key choice"), ("changes", "Changes"))
_REVISION = re.compile(r"[\w.@{}^~/][\w.@{}^~/-]*")
_SECONDS_IN = (("h", 3600.0), ("min", 60.0), ("s", 1.0))


def page(workspace: Workspace, view: TableView, given: Mapping[str, str]) -> Document:
    """Return the values of one part of the pages."""
    part = given.get("part", "model")
    found = _PAGES.get(part)
    if found is None:
        return {"is_missing": True}
    return {"part": part, "parts": PARTS, "is_missing": False, **found(workspace, view, given)}


def _model(workspace: Workspace, view: TableView, _: Mapping[str, str]) -> Document:
    design, report = view.design, view.report
    sections = [worksheet_section(report, "worksheet"), entity_section(design, "entities")]
    if not design.keyless:
        sections.append(key_section(design, "keys"))
    return {
        "sections": sections,
        "overview": design_overview(view, workspace.prices),
        "open_findings": [each for each in report.findings if each.accepted is None],
        "accepted_findings": [each for each in report.findings if each.accepted is not None],
    }


def _traffic(workspace: Workspace, view: TableView, given: Mapping[str, str]) -> Document:
    problem, values = "", None
    try:
        values = traffic(view, workspace.prices, given)
    except SingletableError as failure:
        problem = str(failure)
    is_billed = workspace.store.is_billed
    measured = render("design_measured.html", lines=measured_lines(view), is_billed=is_billed, is_requested=False)
    return {"traffic": values, "problem": problem, "measured": measured, "region": workspace.prices.regions[0]}


@dataclass(frozen=True)
class ShownChanges:
    """The operations between two designs, and their cost."""

    revision: str
    operations: tuple[Any, ...]
    needs_migration: bool
    cost: str
    unknown: tuple[str, ...]
    effects: tuple[Any, ...]

    @property
    def unsupported(self) -> int:
        """The number of operations that no migration can do."""
        return sum(each.category is Category.UNSUPPORTED for each in self.operations)


def _changes(workspace: Workspace, view: TableView, given: Mapping[str, str]) -> Document:
    revision = given.get("against", "")
    changes, problem = None, ""
    if revision:
        try:
            changes = _changes_since(workspace, view, revision)
        except SingletableError as failure:
            problem = str(failure)
    html = render("design_migration.html", is_read=False, problem="", state=None) if workspace.store.is_billed else ""
    return {
        "revision": revision or "HEAD",
        "changes": changes,
        "problem": problem,
        "has_revisions": workspace.functions.read_revision is not None,
        "migration": html or migration(workspace, view, {})["html"],
    }


def _changes_since(workspace: Workspace, view: TableView, revision: str) -> ShownChanges:
    before, after = _snapshot_at(workspace, view, revision), snapshot_of(view.design)
    operations = differences(before, after)
    counted = view.count.entities if view.count is not None and view.count.is_whole else {}
    entities = view.design.entities
    counts = {entities[number].name: total.items for number, total in counted.items() if number >= 0}
    cost = change_cost(before, after, operations, counts, workspace.prices)
    shown = ""
    if cost.items:
        units = f"{format_number(cost.read_units)} RRU and {format_number(cost.write_units)} WRU"
        written = f"{cost.items:,} items read, {cost.written:,} written: {units}"
        shown = f"{written}, {format_dollars(cost.dollars)}, {_duration(cost.seconds)} at 1,000 WRU/s"
    is_needed = needs_migration(operations)
    is_possible = all(each.category is not Category.UNSUPPORTED for each in operations)
    effects = combined_effects(each.effects for each in operations) if is_needed and is_possible else ()
    return ShownChanges(revision, tuple(operations), is_needed, shown, cost.unknown, tuple(effects))


def _snapshot_at(workspace: Workspace, view: TableView, revision: str) -> Snapshot:
    read: Callable[[str, str], Snapshot] | None = workspace.functions.read_revision
    if read is None:
        raise ArgumentRefused("A table without a model has no revisions. Start the studio with a model file.")
    if _REVISION.fullmatch(revision) is None:
        raise ArgumentRefused(f"{revision!r} is not a git revision; write HEAD, HEAD~1, a branch or a commit")
    return read(revision, view.design.name)


def _duration(seconds: float) -> str:
    unit, size = next((each for each in _SECONDS_IN if seconds >= each[1]), _SECONDS_IN[-1])
    return f"{seconds / size:.3g} {unit}"


def migration(workspace: Workspace, view: TableView, given: Document) -> Document:
    """Show the migrations of the table, and the phase and progress of an open one; reads two items."""
    design, items = view.design, 0
    try:
        opened = view.opened()
        control = control_items(design, opened.reader.name)
        state = run(control.state(), opened.session)
        progress = run(control.progress(), opened.session) if state is not None and state.migration else None
        if progress is not None:
            items = send(opened, "DescribeTable", {"TableName": opened.reader.name})["Table"].get("ItemCount", 0)
    except (SingletableError, OSError) as problem:
        # A migration that starts later makes the table match the model, so the page reads the state again.
        return {"html": render("design_migration.html", is_read=True, problem=str(problem), state=None), "isOpen": True}
    fingerprint = snapshot_of(design).fingerprint
    html = render(
        "design_migration.html",
        is_read=True,
        problem="",
        state=state,
        progress=progress,
        phases=FORWARD,
        description=DESCRIPTIONS.get(state.phase, "") if state is not None and state.phase is not None else "",
        items=items,
        percent=min(100, round(100 * progress.items / items)) if progress is not None and items else 0,
        follows_model=state is not None and state.current == fingerprint,
    )
    return {"html": html, "isOpen": state is not None and bool(state.migration)}


def _keys(workspace: Workspace, view: TableView, _: Mapping[str, str]) -> Document:
    """Explain which keys the search chooses, also for a model that declares none."""
    try:
        found = key_choice(view.design, workspace.prices)
    except SingletableError as failure:
        return {"blocks": (), "problem": re.sub(r"^<[^>]*>:\d+: ", "", str(failure))}  # an inferred model has no lines
    return {"blocks": tuple(key_choice_blocks(view.design, found)), "problem": ""}


_PAGES: Mapping[str, Callable[[Workspace, TableView, Mapping[str, str]], Document]] = {
    "model": _model,
    "traffic": _traffic,
    "keys": _keys,
    "changes": _changes,
}
