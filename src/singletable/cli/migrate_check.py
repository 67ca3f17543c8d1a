"""`singletable migrate check MODEL`: exit with 1 if the model has changed since the last migration."""

from __future__ import annotations

import argparse

from singletable.cli.migration_target import add_folder
from singletable.cli.output import print_json

CHANGED = 1


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser("check", help="compare the model with the last migration", description=__doc__)
    add_folder(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the changes since the last migration."""
    from singletable.cli.load_model import load_table
    from singletable.evolve.design_snapshot import snapshot_of
    from singletable.migrations.migration_files import check_migrations

    model = snapshot_of(load_table(options.model).design)
    problem = check_migrations(options.folder, model)
    if options.json:
        print_json({"table": model.name, "fingerprint": model.fingerprint, "problem": problem})
    else:
        print(problem or f"{model.name}: the last migration has the design of the model")
    return 0 if problem is None else CHANGED
