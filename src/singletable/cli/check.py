"""`singletable check MODEL`: print the worksheet, plans and findings; exit 1 when a pattern is not one request."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from singletable.cli.load_model import load_tables
from singletable.cli.output import print_heading, print_json, print_table
from singletable.verify.design_check import CheckReport, check
from singletable.verify.worksheet import PatternRow, worksheet

if TYPE_CHECKING:
    from singletable.advice.recommendation import Advice
    from singletable.verify.findings import Finding

FAILED = 1
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
_PLAN_HEADERS = ("#", "operation", "index", "key condition", "limit", "entities", "cost", "verdict", "reason")


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser("check", help="prove every access pattern of a model", description=__doc__)
    parser.add_argument("model", metavar="MODEL", help="a Python file or module; add :Table to select one table")
    parser.add_argument(
        "--advice",
        action="store_true",
        help="also print advice on where a single table does not fit",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Check every table of the model."""
    from singletable.client.items.value_reader import reject_unreadable_types

    tables = load_tables(options.model)
    for table in tables:
        reject_unreadable_types(table.design)
    reports = [check(table.design) for table in tables]
    if options.json:
        print_json({"tables": [_document(report, with_advice=options.advice) for report in reports]})
    else:
        for report in reports:
            _print(report)
            if options.advice:
                _print_advice(report)
    return 0 if all(report.passes for report in reports) else FAILED


def _print(report: CheckReport) -> None:
    rows = worksheet(report.design, report.outcomes)
    name = report.design.name
    print_table(f"{name}: the worksheet", _REQUIREMENT_HEADERS, [_requirement_cells(row) for row in rows])
    print()
    print_table(f"{name}: the plans", _PLAN_HEADERS, [_plan_cells(row) for row in rows], optional=("limit", "reason"))
    open_findings = [finding for finding in report.findings if finding.accepted is None]
    accepted = [finding for finding in report.findings if finding.accepted is not None]
    _print_findings(f"{name}: {_count(len(open_findings), 'finding')}", open_findings)
    if accepted:
        _print_findings(f"{name}: {_count(len(accepted), 'accepted finding')}", accepted)
    served = sum(1 for row in rows if row.verdict in ("one request",) or row.verdict.startswith("declared"))
    print(f"\n{name}: {served} of {_count(len(rows), 'pattern')} served as declared")


def _print_advice(report: CheckReport) -> None:
    advice = _advice(report)
    print()
    print_heading(f"{report.design.name}: {_count(len(advice), 'piece')} of advice")
    for each in advice:
        print(f"{each.weight}: {each}")
    if not report.design.patterns:
        print("No advice: it is based on access patterns, and the model declares none.")
    elif not advice:
        print("No advice: nothing in the model speaks against a single table.")


def _advice(report: CheckReport) -> tuple[Advice, ...]:
    from singletable.advice.advise import advise

    return advise(report.design, report.outcomes)


def _print_findings(heading: str, findings: list[Finding]) -> None:
    print()
    print_heading(heading)
    for finding in findings:
        print(f"{finding.severity}: {finding}\n  at {finding.location.full}")


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


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
        "remedy": finding.remedy,
        "accepted": finding.accepted,
        "file": finding.location.file,
        "line": finding.location.line,
    }
