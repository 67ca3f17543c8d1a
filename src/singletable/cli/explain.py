"""`singletable explain MODEL [PATTERN [ARGUMENT ...]]`: show the requests of a pattern with their proof."""

from __future__ import annotations

import argparse
from typing import Any

from singletable.cli.load_model import load_tables
from singletable.cli.output import print_heading, print_json, print_wrapped
from singletable.cli.pattern_arguments import read_arguments
from singletable.cli.request_snippets import SNIPPETS
from singletable.client.pattern import BoundPattern, explain_call
from singletable.client.table import Table
from singletable.errors import ArgumentRefused, ModelNotLoaded
from singletable.planner.explanation import Explanation, proof
from singletable.planner.plan import UnsupportedPattern
from singletable.planner.remedies import remedy

NOT_SERVED = 1


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser("explain", help="show the requests of a pattern", description=__doc__)
    parser.add_argument("model", metavar="MODEL", help="a Python file or module; add :Table to select one table")
    parser.add_argument("pattern", metavar="PATTERN", nargs="?", help="the name of a pattern (default: all patterns)")
    parser.add_argument(
        "arguments",
        metavar="ARGUMENT",
        nargs="*",
        help="VALUE or NAME=VALUE; write a range as LOW..HIGH, LOW.. or ..HIGH, a path as a/b/c, a radius as "
        "LAT,LNG,METERS, a box as SOUTH,WEST,NORTH,EAST, and nearest places as LAT,LNG,COUNT,METERS",
    )
    formats = parser.add_mutually_exclusive_group()
    formats.add_argument(
        "--as",
        dest="snippet",
        choices=tuple(SNIPPETS),
        help="print only the requests, as boto3 code or AWS CLI commands",
    )
    formats.add_argument("--json", action="store_true", help="print one JSON document")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Explain one pattern, or all of them."""
    tables = load_tables(options.model)
    named = _named(tables, options.pattern) if options.pattern else _all(tables)
    if options.snippet:
        return _print_snippet(named, options)
    documents = [_document(table, bound, options.arguments) for table, bound in named]
    if options.json:
        print_json({"patterns": documents})
    else:
        for number, document in enumerate(documents):
            print("\n" if number else "", end="")
            _print(document)
    return 0 if all(bound.plan.verdict.is_served for _, bound in named) else NOT_SERVED


def _print_snippet(named: Named, options: argparse.Namespace) -> int:
    if len(named) != 1:
        raise ArgumentRefused(f"--as {options.snippet} needs one PATTERN; select the table with MODEL:Table")
    ((table, bound),) = named
    if isinstance(bound.plan, UnsupportedPattern):
        _print(_document(table, bound, options.arguments))
        return NOT_SERVED
    print(SNIPPETS[options.snippet](_explained(table, bound, options.arguments).requests))
    return 0


def _explained(table: type[Table], bound: BoundPattern[..., Any], given: list[str]) -> Explanation:
    assert not isinstance(bound.plan, UnsupportedPattern), "only a plan has requests"
    arguments = read_arguments(bound.declaration, given)
    return explain_call(table.design, bound.plan, bound.declaration.signature.bind(None, **arguments))


Named = list[tuple[type[Table], BoundPattern[..., Any]]]


def _all(tables: tuple[type[Table], ...]) -> Named:
    return [(table, getattr(table, pattern.name)) for table in tables for pattern in table.design.patterns]


def _named(tables: tuple[type[Table], ...], name: str) -> Named:
    found = [(table, bound) for table, bound in _all(tables) if bound.declaration.name == name]
    if not found:
        known = ", ".join(bound.declaration.name for _, bound in _all(tables))
        raise ModelNotLoaded(f"there is no pattern {name!r}; the patterns are {known}")
    return found


def _document(table: type[Table], bound: BoundPattern[..., Any], given: list[str]) -> dict[str, Any]:
    outcome, declaration = bound.plan, bound.declaration
    document: dict[str, Any] = {
        "table": table.design.name,
        "pattern": declaration.name,
        "title": declaration.title,
        "location": declaration.location.full,
        "verdict": outcome.verdict_text(),
        "other_indexes": {each.index: list(each.reasons) for each in outcome.other_indexes},
    }
    if isinstance(outcome, UnsupportedPattern):
        return document | {"reason": outcome.reason, "remedy": str(remedy(table.design, outcome))}
    document["proof"] = list(proof(table.design, outcome))
    if given or not any(parameter.required for parameter in declaration.parameters.values()):
        document["requests"] = [
            {"operation": request.operation, "parameters": request.parameters}
            for request in _explained(table, bound, given).requests
        ]
    return document


def _print(document: dict[str, Any]) -> None:
    print_heading(f"{document['table']}.{document['pattern']}: {document['title']}")
    for line in document.get("proof", ()):
        print_wrapped(line, "  ", "    ")
    if "reason" in document:
        print_wrapped(f"not supported: {document['reason']}", "  ", "    ")
        print_wrapped(document["remedy"], "  ", "    ")
    for index, reasons in document["other_indexes"].items():
        print_wrapped(f"not {index}: {'; '.join(reasons)}", "  ", "    ")
    for request in document.get("requests", ()):
        print(f"\n{request['operation']}")
        print_json(request["parameters"])
