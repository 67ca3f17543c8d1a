"""`singletable demo [NAME ...]`: example systems run in memory, what each question becomes, answers and costs."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from singletable.cli.output import print_json, print_table

if TYPE_CHECKING:
    from singletable.demo.keeping import Kept
    from singletable.demo.systems import NeedsPackage, System
    from singletable.demo.tour import Tour


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser("demo", help="example systems, run and measured in memory", description=__doc__)
    parser.add_argument(
        "names",
        metavar="NAME",
        nargs="*",
        help="an example, or one of its scripts as shop.whole_order; all examples when left out",
    )
    parser.add_argument("--list", action="store_true", help="only say which examples there are")
    parser.add_argument(
        "--keep", metavar="PATH", type=Path, help="leave the tables in a new file, for singletable serve"
    )
    parser.add_argument("--json", action="store_true", help="one JSON document for machines")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Show the examples that are named, or all of them."""
    from singletable.demo.systems import systems_named

    systems = systems_named(options.names)
    if options.list:
        _list(systems, as_json=options.json)
        return 0
    if options.keep is not None:
        from singletable.demo.keeping import refuse_existing

        refuse_existing(options.keep)
    tours, lacking = _shown(systems, quiet=options.json)
    if lacking and (options.names or not tours):
        raise lacking[0]
    kept: Sequence[Kept] = ()
    if options.keep is not None:
        from singletable.demo.keeping import keep

        kept = keep(options.keep, tours)
    if options.json:
        from singletable.cli.demo_document import document

        print_json(document(tours, lacking, options.keep, kept))
    else:
        from singletable.cli.demo_plain import print_end

        print_end(tours, lacking, options.keep, kept)
    return 0


def _list(systems: Sequence[System], *, as_json: bool) -> None:
    if as_json:
        print_json({"systems": [{"name": each.name, "title": each.title, "tour": each.tour} for each in systems]})
    else:
        print_table("Examples", ("name", "what it is"), [(each.name, each.title) for each in systems])


def _shown(systems: Sequence[System], *, quiet: bool) -> tuple[list[Tour], list[NeedsPackage]]:
    """Takes the tours and shows each when it is over; what lacks a package is left out."""
    from singletable.demo.systems import NeedsPackage
    from singletable.demo.tour import take

    tours: list[Tour] = []
    lacking: list[NeedsPackage] = []
    for system in systems:
        try:
            tour = take(system)
        except NeedsPackage as problem:
            lacking.append(problem)
            continue
        if not quiet:
            _show(tour, is_first=not tours)
        tours.append(tour)
    return tours, lacking


def _show(tour: Tour, *, is_first: bool) -> None:
    if sys.stdout.isatty():
        from singletable.cli.demo_drawn import print_tour
    else:
        from singletable.cli.demo_plain import print_tour
    print_tour(tour, is_first=is_first)
