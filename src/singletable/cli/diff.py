"""`singletable diff A B`: show the changes between two designs, their cost, and how to deploy them."""

from __future__ import annotations

import argparse
import dataclasses
from typing import TYPE_CHECKING, Any

from singletable.cli.output import print_heading, print_json, print_table, print_wrapped
from singletable.cli.price_options import add_price_options, chosen_prices
from singletable.cli.rename_questions import ask_about_renames, rename_declarations
from singletable.errors import ArgumentRefused
from singletable.planner.formatting import format_count, format_dollars, format_list, format_number

if TYPE_CHECKING:
    from singletable.cli.design_source import DesignSource
    from singletable.evolve.change_cost import ChangeCost
    from singletable.evolve.operation import Operation

NEEDS_MIGRATION = 1
_HEADERS = ("#", "change", "of", "from → to", "needs", "items")
_MINUTE, _HOUR = 60, 3600


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser("diff", help="compare two designs", description=__doc__)
    place = "a model, a snapshot file, a git revision (HEAD~1:shop.py) or the URL of a live table"
    parser.add_argument("before", metavar="A", help=f"the old design: {place}")
    parser.add_argument("after", metavar="B", help=f"the new design: {place}")
    parser.add_argument(
        "--table-name", metavar="NAME", help="the name of a live table (default: the name in the model)"
    )
    parser.add_argument(
        "--items", metavar="N", type=_count, help="the number of items of each entity, instead of expected_items="
    )
    parser.add_argument(
        "--rate", metavar="WRU", type=_count, default=1_000, help="write units per second (default: 1000)"
    )
    add_price_options(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.set_defaults(run=run)


def _count(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 13 and int(text) > 0):
        raise argparse.ArgumentTypeError(f"invalid number {text!r}: write 1 or more")
    return int(text)


def run(options: argparse.Namespace) -> int:
    """Print the operations between two designs. Return 1 if one of them needs a migration."""
    from singletable.evolve.change_cost import change_cost
    from singletable.evolve.differences import differences, needs_migration

    before, after = _designs(options)
    if not options.json:
        confirmed = ask_about_renames(before.snapshot, after.snapshot)
        missing = list(rename_declarations(after.snapshot, confirmed))
        after = dataclasses.replace(after, snapshot=confirmed)
        if missing:
            print("\n  ".join(("Declare the renamed fields in the model:", *missing)))
    operations = differences(before.snapshot, after.snapshot)
    items: int | None = options.items
    counts: dict[str, int] = {} if items is None else dict.fromkeys(before.snapshot.entities, items)
    prices = chosen_prices(options)
    cost = change_cost(before.snapshot, after.snapshot, operations, counts, prices, options.rate)
    if options.json:
        print_json(_document(before, after, operations, cost, options.rate))
    else:
        _print(before, after, operations, cost, options.rate)
    return NEEDS_MIGRATION if needs_migration(operations) else 0


def _designs(options: argparse.Namespace) -> tuple[DesignSource, DesignSource]:
    from singletable.cli.design_source import is_url, read_design, read_live_design

    places = (options.before, options.after)
    if all(map(is_url, places)):
        raise ArgumentRefused("diff needs a model or a snapshot on one side: a live table does not show its entities")
    known = {place: read_design(place) for place in places if not is_url(place)}
    model = next(iter(known.values())).snapshot
    for place in places:
        if is_url(place):
            known[place] = read_live_design(place, options.table_name or model.name, model)
    return known[options.before], known[options.after]


def _print(
    before: DesignSource, after: DesignSource, operations: tuple[Operation, ...], cost: ChangeCost, rate: int
) -> None:
    title = f"{before.place} → {after.place}"
    if not operations:
        print(f"{title}: both designs store items in the same way")
    else:
        rows = [
            [str(number), each.kind, each.subject, each.detail, each.category.value, each.items]
            for number, each in enumerate(operations, 1)
        ]
        print_table(f"{title}: {format_count(len(operations), 'change')}", _HEADERS, rows, optional=("from → to",))
        _print_remedies(operations)
        if any(each.category.has_phases for each in operations):
            _print_phases(operations)
            _print_cost(cost, rate)
        print()
        print_wrapped(_deployment(operations))
    if before.is_described or after.is_described:
        print()
        print_wrapped(
            "DescribeTable shows keys, indexes and the TTL, but no entities: fields and templates come from the "
            "model. `singletable check MODEL --items URL` compares the stored items."
        )


def _print_remedies(operations: tuple[Operation, ...]) -> None:
    for number, each in enumerate(operations, 1):
        if each.remedy is not None:
            print()
            print_wrapped(f"{number} {each.kind} {each.subject}: {each.remedy}")


def _print_phases(operations: tuple[Operation, ...]) -> None:
    from singletable.evolve.phases import combined_effects

    print()
    effects = combined_effects(each.effects for each in operations)
    rows = [[effect.phase.value, effect.old_code, effect.new_code] for effect in effects]
    print_table("During the migration", ("phase", "old code", "new code"), rows)


def _print_cost(cost: ChangeCost, rate: int) -> None:
    print()
    if cost.items:
        print_heading("Cost")
        reads, writes = format_number(cost.read_units), format_number(cost.write_units)
        print(f"{cost.items:,} items read, {cost.written:,} written: {reads} RRU and {writes} WRU, ", end="")
        print(f"{format_dollars(cost.dollars)}, {_duration(cost.seconds)} at {rate:,} WRU/s")
    if cost.unknown:
        names = format_list(cost.unknown)
        print_wrapped(f"The number of items of {names} is unknown: declare expected_items=, or pass --items.")


def _duration(seconds: float) -> str:
    if seconds < _MINUTE:
        return f"{seconds:.0f} s"
    return f"{seconds / _MINUTE:.0f} min" if seconds < _HOUR else f"{seconds / _HOUR:.1f} h"


def _deployment(operations: tuple[Operation, ...]) -> str:
    from singletable.evolve.operation import Category

    categories = {each.category for each in operations}
    if Category.UNSUPPORTED in categories:
        return "This release cannot migrate all of these changes: follow the advice above, and compare again."
    if any(each.has_phases for each in categories):
        return (
            "The stored items need a migration: `singletable migrate make` writes it, `singletable migrate plan` and "
            "`singletable migrate run` run it."
        )
    return "Deploy the new code; no migration is needed."


def _document(
    before: DesignSource, after: DesignSource, operations: tuple[Operation, ...], cost: ChangeCost, rate: int
) -> dict[str, Any]:
    from singletable.evolve.differences import needs_migration

    return {
        "before": {"place": before.place, "fingerprint": before.snapshot.fingerprint},
        "after": {"place": after.place, "fingerprint": after.snapshot.fingerprint},
        "needs_migration": needs_migration(operations),
        "operations": [
            {
                "kind": each.kind,
                "subject": each.subject,
                "detail": each.detail,
                "needs": each.category.value,
                "items": each.items,
                "remedy": each.remedy,
                "phases": [
                    {"phase": effect.phase.value, "old_code": effect.old_code, "new_code": effect.new_code}
                    for effect in each.effects
                ],
            }
            for each in operations
        ],
        "cost": {
            "items": cost.items,
            "written": cost.written,
            "read_units": cost.read_units,
            "write_units": cost.write_units,
            "dollars": cost.dollars,
            "seconds": cost.seconds,
            "write_units_per_second": rate,
            "unknown": list(cost.unknown),
        },
        "deployment": _deployment(operations) if operations else "",
    }
