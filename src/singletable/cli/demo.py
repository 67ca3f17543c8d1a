"""`singletable demo [NAME ...]`: run the example systems in memory, and show the requests and cost of every pattern.

`singletable demo evolve` and other walkthroughs show a task from start to end.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from singletable.cli.output import print_json, print_table
from singletable.errors import ArgumentRefused

if TYPE_CHECKING:
    from singletable.demo.demo_store import SavedTable
    from singletable.demo.systems import NeedsPackage, System
    from singletable.demo.tour import Tour
    from singletable.demo.walkthroughs import Walkthrough


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser("demo", help="run and measure example systems in memory", description=__doc__)
    parser.add_argument(
        "names",
        metavar="NAME",
        nargs="*",
        help="an example (shop), a script of it (shop.whole_order) or a walkthrough (evolve); default: all examples",
    )
    parser.add_argument("--list", action="store_true", help="list the examples and walkthroughs, and exit")
    parser.add_argument(
        "--keep", metavar="PATH", type=Path, help="save the tables to a new file, for singletable serve"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Run the named examples and walkthroughs, or all examples."""
    from singletable.demo.systems import systems_named
    from singletable.demo.walkthroughs import all_walkthroughs, split_names

    names, walkthroughs = split_names(options.names)
    systems = () if walkthroughs and not names else systems_named(names)
    if options.list:
        _list(systems, walkthroughs if options.names else all_walkthroughs(), as_json=options.json)
        return 0
    if options.keep is not None:
        from singletable.demo.demo_store import check_new_path

        if not systems:
            raise ArgumentRefused("--keep saves the tables of examples, and a walkthrough has none; name an example")
        check_new_path(options.keep)
    tours, skipped = _run_and_show(systems, quiet=options.json)
    if skipped and (options.names or not tours):
        raise skipped[0]
    _show_end(options, tours, walkthroughs, skipped)
    return 0


def _show_end(
    options: argparse.Namespace,
    tours: Sequence[Tour],
    walkthroughs: Sequence[Walkthrough],
    skipped: Sequence[NeedsPackage],
) -> None:
    """Save the tables if required, and show everything after the examples."""
    from singletable.cli.demo_output import document, print_end, print_walkthrough

    saved: Sequence[SavedTable] = ()
    if options.keep is not None:
        from singletable.demo.demo_store import save_tables

        saved = save_tables(options.keep, tours)
    if options.json:
        print_json(document(tours, walkthroughs, skipped, options.keep, saved))
        return
    for each in walkthroughs:
        print_walkthrough(each)
    if tours:
        print_end(tours, skipped, options.keep, saved)


def _list(systems: Sequence[System], walkthroughs: Sequence[Walkthrough], *, as_json: bool) -> None:
    if as_json:
        listed = [{"name": each.name, "title": each.title} for each in walkthroughs]
        examples = [{"name": each.name, "title": each.title, "tour": each.tour} for each in systems]
        print_json({"systems": examples, "walkthroughs": listed})
        return
    if systems:
        print_table("Examples", ("name", "description"), [(each.name, each.title) for each in systems])
    if walkthroughs:
        print("\n" if systems else "", end="")
        print_table("Walkthroughs", ("name", "description"), [(each.name, each.title) for each in walkthroughs])


def _run_and_show(systems: Sequence[System], *, quiet: bool) -> tuple[list[Tour], list[NeedsPackage]]:
    """Run the tours and show each one when it finishes. Skip examples whose packages are missing."""
    from singletable.demo.systems import NeedsPackage
    from singletable.demo.tour import run_tour

    tours: list[Tour] = []
    skipped: list[NeedsPackage] = []
    for system in systems:
        try:
            tour = run_tour(system)
        except NeedsPackage as problem:
            skipped.append(problem)
            continue
        if not quiet:
            _show(tour, is_first=not tours)
        tours.append(tour)
    return tours, skipped


def _show(tour: Tour, *, is_first: bool) -> None:
    if sys.stdout.isatty():
        from singletable.cli.demo_panels import print_tour
    else:
        from singletable.cli.demo_output import print_tour
    print_tour(tour, is_first=is_first)
