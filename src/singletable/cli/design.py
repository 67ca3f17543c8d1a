"""`singletable design MODEL`: choose keys with the fewest indexes for entities without `key=`, with a proof."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from singletable.cli.changed_files import ChangedFiles
from singletable.cli.design_text import is_text, keyless_model
from singletable.cli.edited_sources import edited_sources
from singletable.cli.import_sql import DIALECTS
from singletable.cli.load_model import load_tables
from singletable.cli.output import print_heading, print_json, print_table, print_wrapped
from singletable.cli.price_options import add_price_options, chosen_prices
from singletable.errors import ArgumentRefused, DesignError
from singletable.planner.formatting import format_count, format_dollars, format_list

if TYPE_CHECKING:
    from singletable.conformance.witness import WitnessReport
    from singletable.design.design_report import DesignReport
    from singletable.model.design import Design
    from singletable.verify.findings import Finding

FAILED = 1


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser("design", help="choose keys for entities without keys", description=__doc__)
    parser.add_argument(
        "model",
        metavar="MODEL",
        help="a Python file or module; add :Table to select one table. Or a worksheet or pattern table (.md, .csv), or "
        "an SQL schema (.sql); - for standard input",
    )
    parser.add_argument("--write", action="store_true", help="write the keys into the @entity(...) calls of the model")
    parser.add_argument(
        "--redesign",
        action="store_true",
        help="choose keys for all entities, to compare them with the declared keys; writes nothing",
    )
    parser.add_argument("--output", metavar="FILE", help="write the model of a text to this file")
    parser.add_argument("--force", action="store_true", help="overwrite FILE if it exists")
    parser.add_argument("--queries", metavar="FILE", help="the queries of an SQL schema")
    parser.add_argument("--dialect", choices=DIALECTS, help="the SQL dialect (default: detected from the schema)")
    parser.add_argument("--max-gsis", metavar="N", type=int, default=20, help="use at most N indexes (default: 20)")
    parser.add_argument("--no-copies", action="store_true", help="use no copies of other entities' fields in keys")
    parser.add_argument(
        "--allow-fan-out", action="store_true", help="split hot partitions into shards; a read is then several Queries"
    )
    parser.add_argument(
        "--multi-attribute",
        action="store_true",
        help="allow index keys of several attributes, so that an update changes one of them without the others",
    )
    add_price_options(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Design every table of the model that has entities without keys."""
    if not 0 <= options.max_gsis <= 20:
        raise ArgumentRefused(f"--max-gsis must be between 0 and 20, got {options.max_gsis}")
    if is_text(options.model):
        return _design_text(options)
    if options.output is not None or options.queries is not None:
        raise ArgumentRefused(
            "--output and --queries need a text file, but the argument is a model. Use --write to change the model."
        )
    if options.redesign:
        return _redesign(options)
    designed = _design(options.model, options)
    if options.write:
        designed.files.write()
    if options.json:
        names = list(designed.files.names) if options.write else []
        print_json({**_document(designed), "files": names, "diff": designed.files.diff()})
    else:
        _print(designed, written=options.write)
    return designed.status


class _Table(NamedTuple):
    """The report of a table, and the witness check of its new keys."""

    report: DesignReport
    found: WitnessReport

    def document(self) -> dict[str, Any]:
        """Return the report and the witness check as a dict for JSON."""
        differences = [str(each) for each in self.found.differences]
        run = {"calls": sum(self.found.calls.values()), "items": self.found.items, "differences": differences}
        return {**self.report.document(), "witness": run}


class _Designed(NamedTuple):
    """The tables, the edited files, and the findings that make `check` fail, except those about patterns not served."""

    tables: list[_Table]
    files: ChangedFiles
    failing: list[Finding]

    @property
    def status(self) -> int:
        """The exit status: 0 if every pattern is served, and `check` and the witness check pass."""
        passes = all(table.found.passes and not table.report.not_served for table in self.tables)
        return 0 if passes and not self.failing else FAILED


def _design(model: str, options: argparse.Namespace) -> _Designed:
    """Choose keys for every table of a model that has entities without keys."""
    loaded_before = frozenset(sys.modules)
    designs = [table.design for table in load_tables(model) if table.design.keyless]
    if not designs:
        raise ArgumentRefused(
            f"{model}: every entity has a key. Remove key= of the entities to design, or compare with --redesign. "
            "For a new pattern of a live table, singletable check --fix adds an index and changes no key."
        )
    tables = [_table(design, options) for design in designs]
    files = ChangedFiles().edited(edit for each in tables for edit in each.report.table.edits())
    return _checked(model, _Designed(tables, files, []), loaded_before)


def _checked(model: str, designed: _Designed, loaded_before: frozenset[str]) -> _Designed:
    """Return the designed tables with the findings that make `check` fail on the edited files."""
    from singletable.verify.design_check import check

    known = {missing.pattern for each in designed.tables for missing in each.report.not_served}
    with edited_sources(designed.files.after, loaded_before):
        findings = [each for table in load_tables(model) for each in check(table.design).findings]
    return designed._replace(failing=[each for each in findings if each.fails and each.subject not in known])


def _document(designed: _Designed) -> dict[str, Any]:
    tables = [each.document() for each in designed.tables]
    findings = [str(each) for each in designed.failing]
    return {"tables": tables, "passes": designed.status == 0, "findings": findings}


def _design_text(options: argparse.Namespace) -> int:
    """Convert a text to a model without keys, choose the keys, and write the model."""
    from singletable.cli.import_output import write_file

    if options.write or options.redesign:
        raise ArgumentRefused(
            "--write and --redesign need a model, but the argument is a text file. Use --output FILE to write a model."
        )
    with keyless_model(options.model, options.queries, options.dialect) as (path, notes):
        designed = _located(_design_draft(path, options), options.output or Path(path).name)
        (source,) = designed.files.after.values()
    if options.output is not None:
        write_file(source, Path(options.output), force=options.force)
    if options.json:
        written = {"file": options.output} if options.output is not None else {"source": source}
        print_json({**_document(designed), "notes": notes, **written})
        return designed.status
    for each in designed.tables:
        _print_table(each)
    if notes:
        from singletable.importers.draft_tree import printable

        print()
        print_heading("notes about the text")
        for note in notes:
            print_wrapped(printable(note), "  ", "    ")
    print()
    _print_failing(designed.failing)
    if options.output is None:
        print(source, end="")
        print("\nWrite this model to a file with --output FILE.")
    else:
        print(f"wrote {options.output}; next: singletable check {options.output}")
    return designed.status


def _design_draft(path: str, options: argparse.Namespace) -> _Designed:
    """Choose keys for the model of a text file, and apply the automatic remedies of findings that make `check` fail."""
    loaded_before = frozenset(sys.modules)
    try:
        designed = _design(path, options)
    except DesignError as problem:
        message = re.sub(rf"{re.escape(path)}:\d+: ", "", str(problem))
        steps = "Or write the model with `singletable import`, edit it, and run `singletable design` on it"
        raise ArgumentRefused(f"{options.model}: {message}\n  {steps}.") from problem
    automatic = [each.remedy.automatic for each in designed.failing]
    edits = [edit for each in automatic if each is not None for edit in each.edits]
    return _checked(path, designed._replace(files=designed.files.edited(edits)), loaded_before) if edits else designed


def _located(designed: _Designed, file: str) -> _Designed:
    """Return the designed tables with findings that name this file instead of the temporary file."""
    failing = [replace(each, location=replace(each.location, file=file)) for each in designed.failing]
    return designed._replace(failing=failing)


def _redesign(options: argparse.Namespace) -> int:
    """Print the chosen keys, and the number of declared indexes for comparison."""
    from singletable.design.redesign import declared_counts, without_keys

    if options.write:
        raise ArgumentRefused("--redesign only compares. To write keys, remove key= of the entities to design.")
    declared = [table.design for table in load_tables(options.model)]
    found = [_table(without_keys(design), options, declared_counts(design)) for design in declared]
    designed = _Designed(found, ChangedFiles(), [])
    counts = [sum(index.kind == "GSI" for index in design.indexes.values()) for design in declared]
    if options.json:
        pairs = zip(found, counts, strict=True)
        print_json({"tables": [{**each.document(), "declared_indexes": count} for each, count in pairs]})
        return designed.status
    for each, design, count in zip(found, declared, counts, strict=True):
        _print_table(each)
        if design.entities:
            print(f"The declared keys use {format_count(count, 'GSI')}.")
    return designed.status


def _table(
    design: Design, options: argparse.Namespace, counts: Mapping[str, Mapping[frozenset[str], int]] | None = None
) -> _Table:
    from singletable.conformance.witness import witness
    from singletable.design.design_report import design_report
    from singletable.design.designed_table import design_table
    from singletable.design.model_workload import DesignOptions

    limits = DesignOptions(
        options.max_gsis, not options.no_copies, options.allow_fan_out, multi_attribute=options.multi_attribute
    )
    table = design_table(design, limits, counts)
    return _Table(design_report(table, limits, chosen_prices(options)), witness(table.after))


def _print(designed: _Designed, *, written: bool) -> None:
    for each in designed.tables:
        _print_table(each)
    if not written:
        print()
        print(designed.files.diff(), end="")
    print()
    _print_failing(designed.failing)
    for name in designed.files.names:
        print(f"wrote {name}" if written else f"Write this to {name} with --write.")


def _print_failing(findings: list[Finding]) -> None:
    from singletable.cli.check import print_finding

    if findings:
        print_heading("check fails with the new keys")
        for each in findings:
            print_finding(each)
        print()


def _print_table(designed: _Table) -> None:
    from singletable.design.design_report import certificate_lines, key_cells, searched_text

    report = designed.report
    print_heading(f"{report.table.after.name}: {report.headline}")
    for line in certificate_lines(report.table):
        print_wrapped(line)
    print()
    print_table("The keys", ("entity", "index", "partition key / sort key", "serves"), key_cells(report))
    print()
    for each in report.keys:
        print_wrapped(f"{each.entity} {each.alias}: {each.reason}", "  ", "    ")
    costs = [f"{each.pattern}: {format_dollars(each.dollars)}" for each in report.costs if each.dollars is not None]
    sections: tuple[tuple[str, Sequence[object]], ...] = (
        ("attributes in the indexes", report.projections),
        ("copies", report.copies),
        ("writes", report.writes),
        ("hot partitions", report.hot_keys),
        ("cost of a month", costs),
        ("alternatives", report.alternatives),
        ("guessed", report.guesses),
        ("assumptions that decide the design", report.assumptions),
    )
    for title, lines in sections:
        if lines:
            print_heading(title)
            for each_line in lines:
                print_wrapped(str(each_line), "  ", "    ")
    print()
    print_wrapped(f"{searched_text(report.table)}.")
    reasons: dict[tuple[str, str], list[str]] = {}
    for missing in report.not_served:
        reasons.setdefault((missing.reason, missing.remedy), []).append(missing.pattern)
    for (reason, remedy), names in reasons.items():
        print_wrapped(f"not served: {format_list(names)}: {reason}. {remedy}".rstrip())
    print_wrapped(f"witness check: {_witnessed(designed.found)}")
    patterns = format_count(len(report.table.outcomes), "pattern")
    print(f"{report.table.after.name}: {report.served} of {patterns} served")


def _witnessed(found: WitnessReport) -> str:
    """Return the result of the witness check as text."""
    if found.differences:
        return f"wrong result: {found.differences[0]}"
    calls = sum(found.calls.values())
    if not calls:
        return "no read to compare"
    items = format_count(found.items, "random item")
    return f"{format_count(calls, 'call')} on {items}, all results are exact"
