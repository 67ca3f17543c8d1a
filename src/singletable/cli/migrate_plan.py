"""`singletable migrate plan MODEL URL`: count the writes of the next migration on the items of a table."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from singletable.cli.migration_target import add_table, migration_target
from singletable.cli.output import print_json, print_table, print_wrapped
from singletable.cli.price_options import add_price_options, chosen_prices
from singletable.planner.formatting import format_dollars, format_number

if TYPE_CHECKING:
    from singletable.migrations.migration_plan import MigrationPlan, PlannedWrites
    from singletable.migrations.runner import MigrationRun

STOPS = 1
_MILLION = 1_000_000
OLD_PROGRAMS = (
    "Programs that do not read the design state (other tools, earlier releases of singletable) must not write after "
    "the phase 'backfill' has started. Stop them, or deny their writes with IAM."
)
RECOVERY = (
    "The migration can be undone before the phase 'contract'. Enable point-in-time recovery or create a backup before "
    "it begins, so that you can restore the table as it was."
)
OLD_PROGRAMS_OF_MOVES = (
    "Programs that do not read the design state (other tools, earlier releases of singletable) must not read or write "
    "after the phase 'expand' has started, because items move. Stop them, or deny their access with IAM."
)


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser("plan", help="count the writes of the next migration", description=__doc__)
    add_table(parser)
    add_price_options(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Scan the table once and print the plan. Return 1 if an item would stop the migration, or if the model has no
    migration yet.
    """
    from singletable.client.request_steps import run as run_steps
    from singletable.migrations.baseline import check_baseline
    from singletable.migrations.migration_plan import plan_migration

    with migration_target(options) as target:
        if target.state() is None:
            run_steps(check_baseline(target.control, target.files[0], target.first_design), target.session)
        state = target.known_state()
        following = target.run(state)
        if following is None:
            return target.report_no_migration(as_json=options.json)
        plan = run_steps(plan_migration(following, state), target.session)
    dollars = _dollars(plan, options)
    if options.json:
        print_json(_document(following, plan, dollars))
    else:
        _print(following, plan, dollars)
    return STOPS if plan.failed else 0


def old_programs(migration: MigrationRun | None) -> str:
    """Return what programs that do not read the design state must not do during a migration."""
    return OLD_PROGRAMS_OF_MOVES if migration is not None and migration.moves_items else OLD_PROGRAMS


def _dollars(plan: MigrationPlan, options: argparse.Namespace) -> float:
    from singletable.cost.prices import STANDARD

    prices = chosen_prices(options).classes[STANDARD]
    reads = plan.read_units * prices.million_read_units
    return (reads + plan.write_units * prices.million_write_units) / _MILLION


def _print(migration: MigrationRun, plan: MigrationPlan, dollars: float) -> None:
    from singletable.evolve.phases import DESCRIPTIONS, Phase, combined_effects

    print(f"{migration.file.label} on table {migration.control.table}: {plan.items:,} items")
    for each in migration.operations:
        print(f"  {each} ({each.category.value})")
    print()
    writes = {Phase.EXPAND: plan.expand, Phase.BACKFILL: plan.backfill, Phase.CONTRACT: plan.contract}
    rows = []
    for effect in combined_effects(each.effects for each in migration.operations):
        found = writes.get(effect.phase)
        counts = [f"{found.written:,}", f"{found.write_units:,}"] if found and found.written else ["", ""]
        rows.append([effect.phase.value, DESCRIPTIONS[effect.phase], *counts, effect.old_code, effect.new_code])
    print_table("phases", ("phase", "work", "items", "WRU", "old code", "new code"), rows)
    print()
    reads = format_number(plan.read_units)
    print(f"about {reads} RRU in {plan.scans} scans, {plan.write_units:,} WRU, {format_dollars(dollars)}")
    print(f"{plan.stream_records:,} records in a stream of the table")
    print_wrapped(old_programs(migration))
    print_wrapped(RECOVERY)
    if plan.failed:
        print()
        print(f"{plan.failed:,} items would stop the migration:")
        for failure in plan.failures:
            print(f"  {failure.key}: {failure.reason}")


def _document(migration: MigrationRun, plan: MigrationPlan, dollars: float) -> dict[str, Any]:
    return {
        "migration": migration.file.label,
        "table": migration.control.table,
        "operations": [str(each) for each in migration.operations],
        "items": plan.items,
        "scans": plan.scans,
        "read_units": plan.read_units,
        "stream_records": plan.stream_records,
        "expand": _planned(plan.expand),
        "backfill": _planned(plan.backfill),
        "contract": _planned(plan.contract),
        "dollars": dollars,
        "failed": plan.failed,
        "failures": [{"key": each.key, "reason": each.reason} for each in plan.failures],
    }


def _planned(writes: PlannedWrites) -> dict[str, int]:
    return {"items": writes.written, "write_units": writes.write_units, "stream_records": writes.stream_records}
