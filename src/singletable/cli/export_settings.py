"""The options of every export of infrastructure: what the model does not say of its tables."""

from __future__ import annotations

import argparse
import inspect
from typing import Any

from singletable.cli.export_file import add_file_options
from singletable.cli.load_model import load_tables
from singletable.errors import ExportRefused
from singletable.export.settings import INSIGHTS_MODES, STREAM_VIEWS, TABLE_CLASSES, Settings, Units
from singletable.export.table import ExportedTable, exported_table

OFF = "off"


def add_table_options(parser: argparse.ArgumentParser) -> None:
    """Add MODEL, where the export goes, and the settings of its tables."""
    default = Settings()
    add_file_options(parser)
    parser.add_argument("--table-name", metavar="NAME", help="the table's name, where it is not the model's")
    parser.add_argument(
        "--provisioned",
        metavar="[INDEX=]READ:WRITE",
        action="append",
        default=[],
        help="units a second for the table and its global indexes, or for one of them; on demand when left out",
    )
    _add_choice(parser, "--stream", STREAM_VIEWS, default.stream, "what its stream shows of a change")
    _add_choice(parser, "--insights", INSIGHTS_MODES, default.insights, "the keys that Contributor Insights counts")
    parser.add_argument("--table-class", choices=TABLE_CLASSES, default=default.table_class)
    for name, what in (
        ("deletion-protection", "let the table be deleted by one request"),
        ("point-in-time-recovery", "keep no continuous backups"),
        ("alarms", "no CloudWatch alarms"),
    ):
        parser.add_argument(f"--no-{name}", action="store_true", help=what)
    parser.add_argument("--tag", metavar="KEY=VALUE", action="append", default=[], help="a tag for the table")


def _add_choice(
    parser: argparse.ArgumentParser, name: str, choices: tuple[str, ...], default: str | None, what: str
) -> None:
    parser.add_argument(name, choices=(*choices, OFF), default=default, help=f"{what}; {default} unless given")


def tables_of(options: argparse.Namespace) -> tuple[ExportedTable, ...]:
    """The tables that the options ask for, with their settings."""
    models = load_tables(options.model)
    if options.table_name is not None and len(models) > 1:
        names = ", ".join(model.__name__ for model in models)
        raise ExportRefused(f"--table-name names one table, and {options.model} holds {names}; pick one as MODEL:Table")
    settings = _settings(options)
    return tuple(
        exported_table(model.design, name=options.table_name, description=description_of(model), settings=settings)
        for model in models
    )


def description_of(model: type) -> str:
    """The first paragraph of a table's own docstring."""
    return (inspect.cleandoc(vars(model).get("__doc__") or "")).split("\n\n")[0]


def _settings(options: argparse.Namespace) -> Settings:
    provisioned, index_units = _provisioned(options.provisioned)
    return Settings(
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


def _provisioned(given: list[str]) -> tuple[Units | None, dict[str, Units]]:
    table: Units | None = None
    indexes: dict[str, Units] = {}
    for each in given:
        index, separator, units = each.rpartition("=")
        if separator:
            indexes[index] = _units(units, each)
        else:
            table = _units(units, each)
    return table, indexes


def _units(text: str, given: Any) -> Units:
    read, _, write = text.partition(":")
    if not (read.isascii() and read.isdigit() and write.isascii() and write.isdigit()):
        raise ExportRefused(f"--provisioned {given} is not READ:WRITE or INDEX=READ:WRITE, such as 10:5 or GSI1=20:5")
    return Units(int(read), int(write))


def _tag(given: str) -> tuple[str, str]:
    key, separator, value = given.partition("=")
    if not separator:
        raise ExportRefused(f"--tag {given} is not KEY=VALUE, such as team=shop")
    return key, value
