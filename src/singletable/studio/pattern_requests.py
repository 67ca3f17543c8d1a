"""The page of an access pattern, and its requests: run it, read the next page, and show the plan of a write."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from inspect import Signature
from typing import Any

from singletable.client.pattern import explain_call
from singletable.errors import ArgumentRefused, SingletableError
from singletable.planner.estimate import estimate
from singletable.planner.explanation import proof
from singletable.planner.formatting import format_bytes, format_count, format_number
from singletable.planner.plan import Outcome, Plan, UnsupportedPattern
from singletable.planner.planned_requests import Request
from singletable.planner.remedies import remedy
from singletable.studio.client_snippet import client_snippet
from singletable.studio.column_pages import ColumnPosition
from singletable.studio.design_overview import TONES
from singletable.studio.javascript_snippet import javascript_snippet
from singletable.studio.page_templates import ordered_json, render
from singletable.studio.pattern_forms import argument_texts, form_fields
from singletable.studio.pattern_runs import PatternRun, run_page, without_last_page
from singletable.studio.workspace import TableView, Workspace
from singletable.values.limits import PAGE_BYTES_MAX

Document = dict[str, Any]


@dataclass(frozen=True)
class PatternLink:
    """A pattern in the list of patterns."""

    name: str
    tone: str
    verdict: str
    index: str
    is_write: bool


def page(workspace: Workspace, view: TableView, given: Mapping[str, str]) -> Document:
    """Return the values of the page of a pattern."""
    links = [_link(outcome) for outcome in view.report.outcomes]
    outcome = _outcome(view, given.get("pattern", ""))
    if outcome is None:
        return {"links": links, "outcome": None, "is_missing": bool(given.get("pattern"))}
    pattern = outcome.pattern
    is_plan = isinstance(outcome, Plan)
    arguments = {**_example(view, outcome, is_billed=workspace.store.is_billed), **given}
    is_free_read = is_plan and not pattern.is_write and not workspace.store.is_billed
    return {
        "links": links,
        "is_missing": False,
        "outcome": outcome,
        "pattern": pattern,
        "tone": TONES[outcome.verdict],
        "verdict": outcome.verdict_text(),
        "signature": _signature(pattern.signature),
        "fields": form_fields(outcome, arguments),
        "proof": _proof(view, outcome),
        "remedy": str(remedy(view.design, outcome)) if isinstance(outcome, UnsupportedPattern) else "",
        "runs_at_once": is_free_read and _has_all(outcome, arguments),
        "budget": pattern.options.budget_ms,
        "estimated": str(estimate(view.design, outcome)) if isinstance(outcome, Plan) else "",
    }


def _proof(view: TableView, outcome: Outcome) -> list[str]:
    """Return the proof of a plan without the verdict, because the page shows the verdict at the top."""
    if not isinstance(outcome, Plan):
        return []
    return [line for line in proof(view.design, outcome) if not line.startswith("verdict:")]


def _link(outcome: Outcome) -> PatternLink:
    index = outcome.index.label if isinstance(outcome, Plan) else ""
    pattern = outcome.pattern
    return PatternLink(pattern.name, TONES[outcome.verdict], outcome.verdict_text(), index, pattern.is_write)


def _outcome(view: TableView, name: str) -> Outcome | None:
    return next((each for each in view.report.outcomes if each.pattern.name == name), None)


def _has_all(outcome: Outcome, given: Mapping[str, str]) -> bool:
    needed = [each.name for each in outcome.pattern.parameters.values() if each.required]
    names = {name.partition(".")[0] for name in given}
    return all(name in names for name in needed)


def _signature(found: Signature) -> str:
    """Return a signature with short type names: `(user_id: str, *, limit: int = 20) -> Page[Order]`."""
    shown = str(found.replace(parameters=[each for name, each in found.parameters.items() if name != "self"]))
    shown = re.sub(r"\b(?:\w+\.)+(?=\w)", "", shown)
    return re.sub(r"(?<=: |> )'([^']*)'", r"\1", shown)  # an annotation that is a text


def _example(view: TableView, outcome: Outcome, *, is_billed: bool) -> dict[str, str]:
    """Return arguments from an item that a page has read, so that the first run finds something."""
    if not isinstance(outcome, Plan) or outcome.pattern.is_write:
        return {}
    if not is_billed and not view.read_items.newest(view.design.name):
        with suppress(SingletableError, OSError):  # the run reports why the store does not respond
            view.columns.page(view.design.table, ColumnPosition())
    for read in view.read_items.newest(view.design.name):
        entity = view.rows.entity_of(read.item)
        if entity is not None and entity in outcome.entities:
            for each in view.views.view(read.item).patterns:
                if each.pattern == outcome.pattern.name:
                    return dict(each.arguments)
    return {}


def run(workspace: Workspace, view: TableView, given: Document) -> Document:
    """Run a pattern, read its next page, or go back to the page before, which sends no request."""
    outcome = _planned(view, given)
    if outcome.pattern.is_write and not workspace.store.may_write:
        raise ArgumentRefused("The store is read-only. To change it, start the studio with --write.")
    texts = tuple(argument_texts(outcome.pattern, given.get("values") or {}))
    known = view.runs.get(outcome.pattern.name)
    if given.get("previous") and known is not None and len(known.pages) > 1:
        view.runs[outcome.pattern.name] = shorter = without_last_page(view.rows, known)
        return {"html": _answer(workspace, view, outcome, shorter)}
    if given.get("next") and known is not None and known.texts == texts:
        started = known
    else:
        arguments = workspace.functions.read_arguments(outcome.pattern, list(texts))
        started = PatternRun(outcome.pattern.name, arguments, texts)
    finished = run_page(view.opened(), view.rows, outcome, started)
    view.runs[outcome.pattern.name] = finished
    if outcome.pattern.is_write:
        workspace.read_items.clear()
    view.measured.add(outcome.pattern.name, finished.pages[-1].cost)
    return {"html": _answer(workspace, view, outcome, finished)}


def _answer(workspace: Workspace, view: TableView, outcome: Plan, run: PatternRun) -> str:
    documents = [page.document for page in run.pages]
    answered = [each.request for each in run.pages[-1].requests if each.request.error is None]
    sent = [Request(each.operation, each.parameters) for each in answered]
    budget = outcome.pattern.options.budget_ms
    return render(
        "run.html",
        run=run,
        table=view.design.name,
        plan=outcome,
        pattern=outcome.pattern,
        proof=_proof(view, outcome),
        metrics=_metrics(view, outcome, run, budget),
        snippets=_snippets(workspace, view, outcome, run.texts, sent),
        document=ordered_json(documents if len(documents) > 1 else documents[0]),
    )


def _metrics(view: TableView, plan: Plan, run: PatternRun, budget: float | None) -> list[tuple[str, str]]:
    """Return the figures of a run, each with its explanation."""
    cost, calls = run.cost, len(run.pages)
    units = [f"{format_number(cost.read_units)} RRU"] * bool(cost.read_units or not cost.write_units)
    units += [f"{format_number(cost.write_units)} WRU"] * bool(cost.write_units)
    each = " a call" if calls > 1 else ""
    share = run.bytes / PAGE_BYTES_MAX
    found = [
        (" + ".join(units), f"measured; {estimate(view.design, plan)} estimated{each}"),
        (format_count(cost.requests, "request"), _page_text(calls, run.retried)),
    ]
    if not plan.pattern.is_write:
        unreadable = f", {run.unreadable:,} unreadable" if run.unreadable else ""
        shown = f"{run.returned:,} returned, {run.discarded:,} discarded{unreadable}"
        found.append((f"{run.examined:,} read", shown))
        found.append((format_bytes(run.bytes), f"{share:.2%} of a 1 MB page"))
    shown = f"{run.seconds * 1000:.3g} ms"
    found.append((shown, f"budget {budget:g} ms a call" if budget is not None else "measured by the studio"))
    return found


def _page_text(calls: int, retried: int) -> str:
    shown = "one call" if calls == 1 else f"{calls} pages, one call each"
    return f"{shown}; {retried} failed and retried" if retried else shown


def _snippets(
    workspace: Workspace, view: TableView, plan: Plan, texts: tuple[str, ...], requests: list[Request]
) -> list[Document]:
    shown = "\n\n".join(f"{each.operation}\n{ordered_json(each.parameters)}" for each in requests)
    functions = workspace.functions.snippets
    arguments = workspace.functions.read_arguments(plan.pattern, list(texts))
    client = client_snippet(view.design, workspace.store, plan.pattern.name, arguments)
    found = [("request", "Request", shown), ("client", "singletable", client)]
    found += [("boto3", "boto3", functions["boto3"](requests)), ("cli", "AWS CLI", functions["cli"](requests))]
    found.append(("javascript", "JavaScript", javascript_snippet(requests)))
    return [{"id": id_, "title": title, "text": text} for id_, title, text in found]


def plan(workspace: Workspace, view: TableView, given: Document) -> Document:
    """Show the requests that a write will send, without sending them."""
    outcome = _planned(view, given)
    texts = argument_texts(outcome.pattern, given.get("values") or {})
    arguments = workspace.functions.read_arguments(outcome.pattern, texts)
    bound = outcome.pattern.signature.bind(None, **arguments)
    explained = explain_call(view.design, outcome, bound, workspace.store.table_name)
    cost = explained.estimate
    units = [(label, format_number(units)) for label, units in cost.by_index.items()]
    html = render(
        "write_plan.html",
        plan=outcome,
        pattern=outcome.pattern,
        units=units,
        proof=_proof(view, outcome),
        estimated=str(cost),
        store=workspace.store,
        snippets=_snippets(workspace, view, outcome, tuple(texts), list(explained.requests)),
    )
    return {"html": html}


def _planned(view: TableView, given: Document) -> Plan:
    outcome = _outcome(view, str(given.get("pattern")))
    if outcome is None or isinstance(outcome, UnsupportedPattern):
        raise ArgumentRefused(f"{given.get('pattern')} has no plan; the overview shows the reason")
    return outcome
