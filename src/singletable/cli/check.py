"""`singletable check MODEL`: print the worksheet, the plans and the findings; exit with 1 if there is an error."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from singletable.cli.load_model import load_tables
from singletable.cli.output import print_heading, print_json, print_table, print_wrapped
from singletable.errors import ArgumentRefused
from singletable.planner.formatting import format_count
from singletable.planner.plan import Verdict
from singletable.verify.design_check import CheckReport, check
from singletable.verify.worksheet import PatternRow, worksheet

if TYPE_CHECKING:
    from singletable.advice.recommendation import Advice
    from singletable.planner.remedy import Edit
    from singletable.verify.findings import Finding

FAILED = 1
ALL_ITEMS = "all"
_REQUIREMENT_HEADERS = (
    "#",
    "pattern",
    "access pattern",
    "entry entity",
    "filters / range",
    "sort direction",
    "frequency",
    "budget",
    "expected",
)
_OTHER_VERDICTS = {
    Verdict.SEVERAL_PAGES: "on several pages",
    Verdict.UNBOUNDED: "unbounded",
    Verdict.UNDECLARED_FANOUT: "with an undeclared fan-out",
    Verdict.UNSUPPORTED: "not supported",
}
_PLAN_HEADERS = ("#", "operation", "index", "key condition", "limit", "entities", "cost", "verdict", "reason")


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser("check", help="prove every access pattern of a model", description=__doc__)
    parser.add_argument("model", metavar="MODEL", help="a Python file or module; add :Table to select one table")
    parser.add_argument(
        "--advice",
        action="store_true",
        help="also print reasons to use more than one table",
    )
    parser.add_argument(
        "--all",
        action="store_true",
        help="if no index serves a pattern, print the reason for every index, not only for the nearest index",
    )
    parser.add_argument("--fix", action="store_true", help="apply the remedies to the source files of the model")
    parser.add_argument("--dry-run", action="store_true", help="with --fix: print the diff and write nothing")
    _add_item_options(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.set_defaults(run=run)


def _add_item_options(parser: argparse.ArgumentParser) -> None:
    """Add the options for the check of stored items."""
    parser.add_argument(
        "--items",
        metavar="PLACE",
        help="compare stored items with the model, instead of checking the patterns: a JSON file, a NoSQL Workbench "
        "model, file:PATH, http://HOST:PORT or dynamodb://REGION",
    )
    parser.add_argument(
        "--sample",
        metavar="N",
        type=_item_count,
        help=f"with --items, read at most N items, or {ALL_ITEMS} "
        "(default: all of a file or store, 100000 of a live table)",
    )
    parser.add_argument(
        "--table-name", metavar="NAME", help="with --items, the table name (default: the name in the model)"
    )


def _item_count(text: str) -> int | str:
    if text == ALL_ITEMS:
        return ALL_ITEMS
    if not (text.isascii() and text.isdigit() and len(text) < 12 and int(text) > 0):
        raise argparse.ArgumentTypeError(f"invalid number of items {text!r}: write 1 or more, or {ALL_ITEMS}")
    return int(text)


def run(options: argparse.Namespace) -> int:
    """Check every table of the model."""
    if options.fix:
        from singletable.cli.check_fix import run_fix

        return run_fix(options.model, dry_run=options.dry_run, as_json=options.json)
    if options.dry_run:
        raise ArgumentRefused("--dry-run needs --fix")
    from singletable.client.items.value_reader import reject_unreadable_types

    tables = load_tables(options.model)
    for table in tables:
        reject_unreadable_types(table.design)
    if options.items is not None:
        from singletable.cli.check_items import check_items

        return 0 if check_items(tables, options) else FAILED
    reports = [check(table.design) for table in tables]
    if options.json:
        print_json({"tables": [_document(report, with_advice=options.advice) for report in reports]})
    else:
        for report in reports:
            _print(report, with_other_indexes=options.all)
            if options.advice:
                _print_advice(report)
    return 0 if all(report.passes for report in reports) else FAILED


def _print(report: CheckReport, *, with_other_indexes: bool) -> None:
    rows = worksheet(report.design, report.outcomes)
    name = report.design.name
    print_table(f"{name}: the worksheet", _REQUIREMENT_HEADERS, [_requirement_cells(row) for row in rows])
    print()
    plans, patterns = [_plan_cells(row) for row in rows], [row.pattern for row in rows]
    print_table(f"{name}: the plans", _PLAN_HEADERS, plans, optional=("limit", "reason"), names=patterns)
    open_findings = [finding for finding in report.findings if finding.accepted is None]
    accepted = [finding for finding in report.findings if finding.accepted is not None]
    _print_findings(f"{name}: {format_count(len(open_findings), 'finding')}", open_findings, with_other_indexes)
    if accepted:
        _print_findings(f"{name}: {format_count(len(accepted), 'accepted finding')}", accepted, with_other_indexes)
    print(f"\n{name}: {_summary(report)}")


def _summary(report: CheckReport) -> str:
    """Return how many patterns are served as declared, and how many are not, by reason (such as unbounded)."""
    others = [outcome for outcome in report.outcomes if not outcome.is_as_declared]
    served = len(report.outcomes) - len(others)
    parts = [f"{served} of {format_count(len(report.outcomes), 'pattern')} served as declared"]
    for verdict, words in _OTHER_VERDICTS.items():
        if found := sum(outcome.verdict is verdict for outcome in others):
            parts.append(f"{found} {words}")
    return "; ".join(parts)


def _print_advice(report: CheckReport) -> None:
    advice = _advice(report)
    print()
    print_heading(f"{report.design.name}: {format_count(len(advice), 'piece')} of advice")
    for each in advice:
        print(f"{each.weight}: {each}")
    if report.design.keyless:
        names = ", ".join(entity.label for entity in report.design.keyless)
        print(f"Incomplete: no key yet: {names}.")
    elif not report.design.patterns:
        print("No advice: it is based on access patterns, and the model declares none.")
    elif not advice:
        print("No advice: the analysis found no reason against a single table.")


def _advice(report: CheckReport) -> tuple[Advice, ...]:
    from singletable.advice.advise import advise

    return advise(report.design, report.outcomes)


def _edit(edit: Edit) -> dict[str, Any]:
    return {
        "edit": type(edit).__name__,
        "place": str(edit.place),
        "source": edit.code,
        "file": edit.place.location.file,
        "line": edit.place.location.line,
    }


def _print_findings(heading: str, findings: list[Finding], with_other_indexes: bool) -> None:
    print()
    print_heading(heading)
    for finding in findings:
        print_finding(finding)
        for other in finding.other_indexes if with_other_indexes else ():
            print_wrapped(other, "  ", "    ")
    left_out = sum(len(finding.other_indexes) for finding in findings)
    if left_out and not with_other_indexes:
        count = format_count(left_out, "reason", "reasons")
        print(f"--all prints {count} why other indexes do not serve these patterns")


def print_finding(finding: Finding) -> None:
    """Print a finding with its remedy and its location."""
    print_wrapped(f"{finding.severity}: {finding.code} {finding.rule.title}: {finding.message}")
    accepted = finding.accepted
    ends = finding.remedy.paragraphs if accepted is None else (f"accepted: {accepted}",)
    for line in (*finding.details, *ends, f"at {finding.location.full}"):
        print_wrapped(line, "  ", "    ")


def _requirement_cells(row: PatternRow) -> list[str]:
    return [
        str(row.number),
        row.pattern,
        row.title,
        row.entry,
        row.filters,
        row.sort,
        row.frequency,
        row.budget,
        row.expected,
    ]


def _plan_cells(row: PatternRow) -> list[str]:
    return [
        str(row.number),
        row.operation,
        row.index,
        row.key_condition,
        row.limit,
        row.entities,
        row.cost,
        row.verdict,
        row.reason,
    ]


def _document(report: CheckReport, *, with_advice: bool) -> dict[str, Any]:
    document: dict[str, Any] = {
        "table": report.design.name,
        "passes": report.passes,
        "patterns": [asdict(row) for row in worksheet(report.design, report.outcomes)],
        "findings": [_finding(finding) for finding in report.findings],
    }
    if with_advice:
        document["advice"] = [asdict(advice) for advice in _advice(report)]
    return document


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "code": finding.code,
        "title": finding.rule.title,
        "severity": finding.severity,
        "subject": finding.subject,
        "message": finding.message,
        "details": finding.details,
        "other_indexes": finding.other_indexes,
        "remedy": str(finding.remedy),
        "alternatives": [
            {
                "needs_decision": each.needs_decision,
                "effect": each.effect,
                "edits": [_edit(edit) for edit in each.edits],
            }
            for each in finding.remedy.alternatives
        ],
        "accepted": finding.accepted,
        "file": finding.location.file,
        "line": finding.location.line,
    }
