"""The shared options of the export commands: output file, table name and table settings."""

from __future__ import annotations

import argparse
import inspect
import os
import sys
from pathlib import Path
from typing import Any

from singletable.cli.load_model import load_tables
from singletable.errors import ExportRefused
from singletable.export.exported_table import (
    INSIGHTS_MODES,
    STREAM_VIEWS,
    TABLE_CLASSES,
    ExportedTable,
    ExportSettings,
    ProvisionedUnits,
    exported_table,
    with_control_tables,
)

OUTDATED = 1


def add_file_options(parser: argparse.ArgumentParser) -> None:
    """Add MODEL, --output and --check."""
    parser.add_argument("model", metavar="MODEL", help="a Python file or module; add :Table to select one table")
    parser.add_argument("--output", metavar="FILE", help="write to this file instead of standard output")
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 if FILE is outdated")


def write_export(text: str, options: argparse.Namespace) -> int:
    """Write the export. With --check, compare it with the file and return 1 if it differs."""
    if options.output is None:
        if options.check:
            raise ExportRefused("--check needs --output FILE to compare with")
        print(text, end="")
        return 0
    path = Path(options.output)
    if options.check:
        return _compare(text, path)
    replace_file(path, text)
    return 0


def replace_file(path: Path, text: str) -> None:
    """Replace a file atomically. Readers see either the old text or the new text."""
    temporary = path.with_name(f"{path.name}.{os.getpid()}.new")
    try:
        temporary.write_bytes(text.encode("utf-8"))
        temporary.replace(path)
    except OSError as problem:
        temporary.unlink(missing_ok=True)
        raise ExportRefused(f"cannot write {path}: {problem.strerror}") from problem


def _compare(text: str, path: Path) -> int:
    try:
        found = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        raise ExportRefused(f"cannot read {path}: {problem}") from problem
    if found == text:
        return 0
    print(f"{path} is outdated; run the command without --check to update it", file=sys.stderr)
    return OUTDATED


OFF = "off"


def add_table_options(parser: argparse.ArgumentParser) -> None:
    """Add MODEL, the output options and the table settings."""
    default = ExportSettings()
    add_file_options(parser)
    parser.add_argument("--table-name", metavar="NAME", help="the table name (default: the name in the model)")
    parser.add_argument(
        "--provisioned",
        metavar="[INDEX=]READ:WRITE",
        action="append",
        default=[],
        help="provisioned units per second, for the table and its global indexes or for one index (default: on-demand)",
    )
    _add_choice(parser, "--stream", STREAM_VIEWS, default.stream, "the stream view type")
    _add_choice(parser, "--insights", INSIGHTS_MODES, default.insights, "the Contributor Insights mode")
    parser.add_argument("--table-class", choices=TABLE_CLASSES, default=default.table_class, help="the table class")
    for name, what in (
        ("deletion-protection", "disable deletion protection"),
        ("point-in-time-recovery", "disable point-in-time recovery"),
        ("alarms", "export no CloudWatch alarms"),
    ):
        parser.add_argument(f"--no-{name}", action="store_true", help=what)
    parser.add_argument("--tag", metavar="KEY=VALUE", action="append", default=[], help="tag the table; repeatable")


def _add_choice(
    parser: argparse.ArgumentParser, name: str, choices: tuple[str, ...], default: str | None, what: str
) -> None:
    parser.add_argument(name, choices=(*choices, OFF), default=default, help=f"{what} (default: {default})")


def tables_of(options: argparse.Namespace) -> tuple[ExportedTable, ...]:
    """Return the tables of the model with their settings, and their control tables."""
    models = load_tables(options.model)
    if options.table_name is not None and len(models) > 1:
        names = ", ".join(model.__name__ for model in models)
        raise ExportRefused(
            f"--table-name applies to one table, but {options.model} contains {names}; select one with MODEL:Table"
        )
    settings = _settings(options)
    return with_control_tables(
        [
            exported_table(model.design, name=options.table_name, description=description_of(model), settings=settings)
            for model in models
        ]
    )


def description_of(model: type) -> str:
    """Return the first paragraph of a table's docstring."""
    return (inspect.cleandoc(vars(model).get("__doc__") or "")).split("\n\n")[0]


def _settings(options: argparse.Namespace) -> ExportSettings:
    provisioned, index_units = _provisioned(options.provisioned)
    return ExportSettings(
        provisioned=provisioned,
        index_units=index_units,
        stream=None if options.stream == OFF else options.stream,
        table_class=options.table_class,
        deletion_protection=not options.no_deletion_protection,
        point_in_time_recovery=not options.no_point_in_time_recovery,
        insights=None if options.insights == OFF else options.insights,
        alarms=not options.no_alarms,
        tags=dict(_tag(each) for each in options.tag),
    )


def _provisioned(given: list[str]) -> tuple[ProvisionedUnits | None, dict[str, ProvisionedUnits]]:
    table: ProvisionedUnits | None = None
    indexes: dict[str, ProvisionedUnits] = {}
    for each in given:
        index, separator, units = each.rpartition("=")
        if separator:
            indexes[index] = _units(units, each)
        else:
            table = _units(units, each)
    return table, indexes


def _units(text: str, given: Any) -> ProvisionedUnits:
    read, _, write = text.partition(":")
    if not (read.isascii() and read.isdigit() and write.isascii() and write.isdigit()):
        raise ExportRefused(f"--provisioned {given}: write READ:WRITE or INDEX=READ:WRITE, such as 10:5 or GSI1=20:5")
    return ProvisionedUnits(int(read), int(write))


def _tag(given: str) -> tuple[str, str]:
    key, separator, value = given.partition("=")
    if not separator:
        raise ExportRefused(f"--tag {given}: write KEY=VALUE, such as team=shop")
    return key, value
