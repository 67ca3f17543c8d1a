"""The table and the migrations of a `migrate` command, and the options that these commands share."""

from __future__ import annotations

import argparse
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from singletable.cli.output import print_json
from singletable.errors import ArgumentRefused

if TYPE_CHECKING:
    from singletable.client.design_state import DesignState
    from singletable.client.request_session import Session
    from singletable.evolve.snapshot_records import Snapshot
    from singletable.migrations.control_items import ControlItems
    from singletable.migrations.migration_files import MigrationFile
    from singletable.migrations.runner import MigrationRun, RunSettings
    from singletable.model.design import Design

FOLDER = Path("migrations")
MODEL_CHANGED = 1


def add_folder(parser: argparse.ArgumentParser) -> None:
    """Add the model and the folder of the migrations."""
    parser.add_argument("model", metavar="MODEL", help="a Python file or module; add :Table to select one table")
    parser.add_argument(
        "--folder", metavar="DIR", type=Path, default=FOLDER, help="the folder of the migrations (default: migrations)"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def add_table(parser: argparse.ArgumentParser) -> None:
    """Add the model, the folder and the table."""
    add_folder(parser)
    parser.add_argument("url", metavar="URL", help="file:PATH, http://HOST:PORT or dynamodb://REGION")
    parser.add_argument("--table-name", metavar="NAME", help="the table name (default: the name in the model)")


@dataclass(frozen=True)
class MigrationTarget:
    """A table, the session that accesses it, the model and its migrations."""

    design: Design
    model: Snapshot
    files: tuple[MigrationFile, ...]
    session: Session
    control: ControlItems

    def state(self) -> DesignState | None:
        """Return the design state of the table."""
        from singletable.client.request_steps import run

        return run(self.control.state(), self.session)

    def known_state(self) -> DesignState:
        """Return the design state. If there is none, return the state that the first run will record."""
        from singletable.client.design_state import DesignState

        first = self.files[0]
        return self.state() or DesignState(first.snapshot.fingerprint, (first.applied_as,))

    @property
    def first_design(self) -> Design | None:
        """The design of the first migration, if it is that of the model."""
        return self.design if self.files[0].snapshot.fingerprint == self.model.fingerprint else None

    def run(self, state: DesignState, settings: RunSettings | None = None) -> MigrationRun | None:
        """Return the next migration of the table, or None."""
        from singletable.migrations.runner import RunSettings, migration_run

        chosen = settings or RunSettings()
        return migration_run(self.control, self.files, state, self.design, self.model, chosen)

    def missing_migration(self) -> str | None:
        """Return how the model differs from the last migration, or None."""
        from singletable.migrations.migration_files import missing_migration

        return missing_migration(self.files, self.model)

    def report_no_migration(self, *, as_json: bool) -> int:
        """Print that no migration is left. Return 1 if the model has changed since the last one."""
        problem = self.missing_migration()
        if as_json:
            print_json({"migration": None, "problem": problem})
        else:
            print("\n".join(filter(None, (f"{self.control.table} has all migrations", problem))))
        return 0 if problem is None else MODEL_CHANGED


@contextmanager
def migration_target(options: argparse.Namespace) -> Generator[MigrationTarget, None, None]:
    """Load the model and the migrations, and connect to the table."""
    from singletable.cli.live_table import connect, existing_table
    from singletable.cli.load_model import load_table
    from singletable.client.open_table import reject_control_table_name, reject_table_name
    from singletable.evolve.design_snapshot import snapshot_of
    from singletable.migrations.control_items import control_items
    from singletable.migrations.migration_files import read_migrations

    design = load_table(options.model).design
    model = snapshot_of(design)
    name = options.table_name or model.name
    reject_table_name(name)
    reject_control_table_name(design, name)
    control = control_items(design, name)
    files = read_migrations(options.folder)
    if not files:
        raise ArgumentRefused(f"{options.folder} has no migrations; run `singletable migrate make` first")
    with connect(options.url) as requests, existing_table(requests, name):
        yield MigrationTarget(design, model, files, requests.session, control)
