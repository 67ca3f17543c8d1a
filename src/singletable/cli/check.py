"""`singletable check MODEL`: the worksheet, the plans and every finding; fails when a pattern is not one request."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from singletable.cli.load_model import load_tables
from singletable.cli.output import print_heading, print_json, print_table
from singletable.verify.check import Report, check
from singletable.verify.worksheet import Row, worksheet

if TYPE_CHECKING:
    from singletable.advice.advice import Advice
    from singletable.verify.finding import Finding

DOES_NOT_HOLD = 1
_ASKED = (
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
_ANSWERED = ("#", "operation", "index", "key condition", "limit", "entities", "cost", "verdict", "reason")


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser("check", help="prove every access pattern of a model", description=__doc__)
    parser.add_argument("model", metavar="MODEL", help="a Python file or module, with :Table to pick one")
    parser.add_argument(
        "--advice", action="store_true", help="say what in the model speaks against a single table, and what to do"
    )
    parser.add_argument("--json", action="store_true", help="one JSON document for machines")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Check every table of the model."""
    from singletable.client.items.readable import refuse_unreadable

    tables = load_tables(options.model)
    for table in tables:
        refuse_unreadable(table.design)
    reports = [check(table.design) for table in tables]
    if options.json:
        print_json({"tables": [_document(report, with_advice=options.advice) for report in reports]})
    else:
        for report in reports:
            _print(report)
            if options.advice:
                _print_advice(report)
    return 0 if all(report.passes for report in reports) else DOES_NOT_HOLD


def _print(report: Report) -> None:
    rows = worksheet(report.design, report.outcomes)
    name = report.design.name
    print_table(f"{name}: the worksheet", _ASKED, [_asked(row) for row in rows])
    print()
    print_table(f"{name}: the plans", _ANSWERED, [_answered(row) for row in rows], optional=("limit", "reason"))
    open_findings = [finding for finding in report.findings if finding.accepted is None]
    accepted = [finding for finding in report.findings if finding.accepted is not None]
    _print_findings(f"{name}: {_count(len(open_findings), 'finding')}", open_findings)
    if accepted:
        _print_findings(f"{name}: {_count(len(accepted), 'accepted finding')}", accepted)
    served = sum(1 for row in rows if row.verdict in ("one request",) or row.verdict.startswith("declared"))
    print(f"\n{name}: {served} of {_count(len(rows), 'pattern')} served as declared")


def _print_advice(report: Report) -> None:
    advice = _advice(report)
    print()
    print_heading(f"{report.design.name}: {_count(len(advice), 'piece')} of advice")
    for each in advice:
        print(f"{each.weight}: {each}")
    if not report.design.patterns:
        print("No pattern is declared yet, so that there is nothing to judge: advice follows from how items are read.")
    elif not advice:
        print("Nothing in the model speaks against a single table.")


def _advice(report: Report) -> tuple[Advice, ...]:
    from singletable.advice.advise import advise

    return advise(report.design, report.outcomes)


def _print_findings(heading: str, findings: list[Finding]) -> None:
    print()
    print_heading(heading)
    for finding in findings:
        print(f"{finding.severity}: {finding}\n  at {finding.location.full}")


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _asked(row: Row) -> list[str]:
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


def _answered(row: Row) -> list[str]:
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


def _document(report: Report, *, with_advice: bool) -> dict[str, Any]:
    told: dict[str, Any] = {
        "table": report.design.name,
        "passes": report.passes,
        "patterns": [asdict(row) for row in worksheet(report.design, report.outcomes)],
        "findings": [_finding(finding) for finding in report.findings],
    }
    if with_advice:
        told["advice"] = [asdict(advice) for advice in _advice(report)]
    return told


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
