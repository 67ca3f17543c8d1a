"""`singletable explain MODEL [PATTERN [ARGUMENT ...]]`: show the requests of a pattern and their proof."""

from __future__ import annotations

import argparse
from typing import Any

from singletable.cli.load_model import load_tables
from singletable.cli.output import print_heading, print_json
from singletable.cli.pattern_arguments import read_arguments
from singletable.client.pattern import BoundPattern, explain_call
from singletable.client.table import Table
from singletable.errors import ModelNotLoaded
from singletable.planner.explanation import Explanation, proof, verdict_text
from singletable.planner.plan import UnsupportedPattern
from singletable.planner.remedies import remedy

NOT_SERVED = 1


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser("explain", help="show the requests of a pattern", description=__doc__)
    parser.add_argument("model", metavar="MODEL", help="a Python file or module; add :Table to select one table")
    parser.add_argument("pattern", metavar="PATTERN", nargs="?", help="default: all patterns")
    parser.add_argument(
        "arguments",
        metavar="ARGUMENT",
        nargs="*",
        help="VALUE or NAME=VALUE; write a range as LOW..HIGH, LOW.. or ..HIGH, a path as a/b/c, a radius as "
        "LAT,LNG,METERS, a box as SOUTH,WEST,NORTH,EAST, and nearest places as LAT,LNG,COUNT,METERS",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Explain one pattern, or all of them."""
    tables = load_tables(options.model)
    named = _named(tables, options.pattern) if options.pattern else _all(tables)
    documents = [_document(table, bound, options.arguments) for table, bound in named]
    if options.json:
        print_json({"patterns": documents})
    else:
        for number, document in enumerate(documents):
            print("\n" if number else "", end="")
            _print(document)
    served = all(document["verdict"].startswith(("one request", "declared")) for document in documents)
    return 0 if served else NOT_SERVED


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
        "verdict": verdict_text(outcome),
        "other_indexes": {each.index: list(each.reasons) for each in outcome.other_indexes},
    }
    if isinstance(outcome, UnsupportedPattern):
        return document | {"reason": outcome.reason, "remedy": remedy(table.design, outcome)}
    document["proof"] = list(proof(table.design, outcome))
    if given or not any(parameter.required for parameter in declaration.parameters.values()):
        arguments = read_arguments(declaration, given)
        explanation: Explanation = explain_call(table.design, outcome, declaration.signature.bind(None, **arguments))
        document["requests"] = [
            {"operation": request.operation, "parameters": request.parameters} for request in explanation.requests
        ]
    return document


def _print(document: dict[str, Any]) -> None:
    print_heading(f"{document['table']}.{document['pattern']}: {document['title']}")
    for line in document.get("proof", ()):
        print(f"  {line}")
    if "reason" in document:
        print(f"  not supported: {document['reason']}\n  {document['remedy']}")
    for index, reasons in document["other_indexes"].items():
        print(f"  not {index}: {'; '.join(reasons)}")
    for request in document.get("requests", ()):
        print(f"\n{request['operation']}")
        print_json(request["parameters"])
