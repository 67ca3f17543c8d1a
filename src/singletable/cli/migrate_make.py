"""`singletable migrate make MODEL`: write a migration from the design of the last migration to the current model."""

from __future__ import annotations

import argparse

from singletable.cli.migration_target import add_folder
from singletable.cli.output import print_json, print_wrapped
from singletable.cli.rename_questions import ask_about_renames, rename_declarations
from singletable.errors import ArgumentRefused


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser("make", help="write the next migration", description=__doc__)
    add_folder(parser)
    parser.add_argument(
        "-m", "--message", default="", help="a description for the file name, such as 'orders by status'"
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Write the migration and print its changes."""
    from singletable.cli.load_model import load_table
    from singletable.evolve.design_snapshot import snapshot_of
    from singletable.evolve.differences import differences
    from singletable.migrations.migration_files import make_migration, read_migrations

    known = read_migrations(options.folder)
    design = load_table(options.model).design
    model = snapshot_of(design)
    if known and not options.json:
        missing = list(rename_declarations(model, ask_about_renames(known[-1].snapshot, model)))
        if missing:
            shown = "\n  ".join(missing)
            raise ArgumentRefused(f"declare the renamed fields in the model, and run the command again:\n  {shown}")
    made = make_migration(options.folder, design, model, options.message)
    operations = differences(known[-1].snapshot, made.snapshot) if known else ()
    if options.json:
        advice = [each.remedy for each in operations if each.remedy is not None]
        print_json({"path": str(made.path), "operations": [str(each) for each in operations], "advice": advice})
    elif known:
        print(f"{made.path}")
        for each in operations:
            print(f"  {each} ({each.category.value})")
            if each.remedy is not None:
                print_wrapped(each.remedy, "    ", "    ")
    else:
        print(f"{made.path}\n  the current design of the table")
    return 0
