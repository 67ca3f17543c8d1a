"""`singletable design MODEL`: choose keys with the fewest indexes for entities without `key=`, with a proof."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from singletable.cli.changed_files import ChangedFiles
from singletable.cli.edited_sources import edited_sources
from singletable.cli.load_model import load_tables
from singletable.cli.output import print_heading, print_json, print_table, print_wrapped
from singletable.cli.price_options import add_price_options, chosen_prices
from singletable.errors import ArgumentRefused
from singletable.planner.formatting import format_count

if TYPE_CHECKING:
    from singletable.cost.prices import Prices
    from singletable.design.design_report import DesignReport
    from singletable.model.design import Design

FAILED = 1


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser("design", help="choose keys for entities without keys", description=__doc__)
    parser.add_argument("model", metavar="MODEL", help="a Python file or module; add :Table to select one table")
    parser.add_argument("--write", action="store_true", help="write the keys into the @entity(...) calls of the model")
    parser.add_argument(
        "--redesign",
        action="store_true",
        help="choose keys for all entities, to compare them with the declared keys; writes nothing",
    )
    parser.add_argument("--max-gsis", metavar="N", type=int, default=20, help="use at most N indexes (default: 20)")
    add_price_options(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Design every table of the model that has entities without keys."""
    if not 0 <= options.max_gsis <= 20:
        raise ArgumentRefused(f"--max-gsis must be between 0 and 20, got {options.max_gsis}")
    prices = chosen_prices(options)
    if options.redesign:
        return _redesign(options, prices)
    loaded_before = frozenset(sys.modules)
    designs = [table.design for table in load_tables(options.model) if table.design.keyless]
    if not designs:
        message = f"{options.model}: every entity has a key"
        raise ArgumentRefused(f"{message}. Remove key= of the entities to design, or compare with --redesign.")
    reports = [_report(design, options.max_gsis, prices) for design in designs]
    files = ChangedFiles().edited(edit for report in reports for edit in report.table.edits())
    passes = _passes(options.model, files, loaded_before)
    if options.write:
        files.write()
    if options.json:
        print_json(
            {
                "tables": [report.document() for report in reports],
                "passes": passes,
                "files": list(files.names) if options.write else [],
                "diff": files.diff(),
            }
        )
    else:
        _print(reports, files, written=options.write)
    return 0 if passes and not any(report.not_served for report in reports) else FAILED


def _redesign(options: argparse.Namespace, prices: Prices) -> int:
    """Print the chosen keys, and the number of declared indexes for comparison."""
    from singletable.design.redesign import without_keys

    if options.write:
        raise ArgumentRefused("--redesign only compares. To write keys, remove key= of the entities to design.")
    declared = [table.design for table in load_tables(options.model)]
    reports = [_report(without_keys(design), options.max_gsis, prices) for design in declared]
    counts = [sum(index.kind == "GSI" for index in design.indexes.values()) for design in declared]
    if options.json:
        pairs = zip(reports, counts, strict=True)
        print_json({"tables": [{**report.document(), "declared_indexes": count} for report, count in pairs]})
        return FAILED if any(report.not_served for report in reports) else 0
    for report, count in zip(reports, counts, strict=True):
        _print_report(report)
        print(f"The declared keys use {format_count(count, 'GSI')}.")
    return FAILED if any(report.not_served for report in reports) else 0


def _report(design: Design, indexes_max: int, prices: Prices) -> DesignReport:
    from singletable.design.design_report import design_report
    from singletable.design.designed_table import design_table

    designed = design_table(design, indexes_max=indexes_max)
    indexes = designed.solution.indexes
    fewer = design_table(design, indexes_max=indexes - 1) if indexes else None
    return design_report(designed, fewer, prices)


def _passes(model: str, files: ChangedFiles, loaded_before: frozenset[str]) -> bool:
    """Return whether `check` passes on the edited source."""
    from singletable.verify.design_check import check

    with edited_sources(files.after, loaded_before):
        return all(check(table.design).passes for table in load_tables(model))


def _print(reports: list[DesignReport], files: ChangedFiles, *, written: bool) -> None:
    for report in reports:
        _print_report(report)
    if not written:
        print()
        print(files.diff(), end="")
    print()
    for name in files.names:
        print(f"wrote {name}" if written else f"Write this to {name} with --write.")


def _print_report(report: DesignReport) -> None:
    from singletable.design.design_report import certificate_lines, key_cells

    print_heading(f"{report.table.after.name}: {report.headline}")
    for line in certificate_lines(report.table):
        print_wrapped(line)
    print()
    print_table("The keys", ("entity", "index", "partition key / sort key", "serves"), key_cells(report))
    print()
    for each in report.keys:
        print_wrapped(f"{each.entity} {each.alias}: {each.reason}", "  ", "    ")
    if report.alternatives:
        print_heading("alternatives")
        for alternative in report.alternatives:
            print_wrapped(str(alternative), "  ", "    ")
    if report.guesses:
        print_heading("guessed")
        for guess in report.guesses:
            print_wrapped(guess, "  ", "    ")
    for missing in report.not_served:
        print_wrapped(f"not served: {missing.pattern}: {missing.reason}. {missing.remedy}".rstrip())
    patterns = format_count(len(report.table.outcomes), "pattern")
    print(f"{report.table.after.name}: {report.served} of {patterns} served")
