"""`singletable cost MODEL`: estimate the cost of each call in capacity units, and the cost per month in dollars."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from singletable.cli.load_model import load_tables
from singletable.cli.output import print_json
from singletable.cli.price_options import add_price_options, chosen_prices
from singletable.errors import ArgumentRefused

if TYPE_CHECKING:
    from singletable.client.table import Table
    from singletable.cost.cost_report import CostReport
    from singletable.cost.measured_items import ItemSample
    from singletable.cost.prices import Prices
    from singletable.cost.recorded_comparison import RecordedComparison

_AT = ("small", "expected", "large")
_CLASSES = ("standard", "infrequent-access")


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser("cost", help="estimate the cost per call and per month", description=__doc__)
    parser.add_argument("model", metavar="MODEL", help="a Python file or module; add :Table to select one table")
    parser.add_argument(
        "--at",
        choices=_AT,
        default="expected",
        help="size of collections: small is a tenth of the expected size, large is ten times the expected size",
    )
    add_price_options(parser)
    parser.add_argument(
        "--class",
        dest="table_class",
        choices=_CLASSES,
        default="standard",
        help="the table class (default: standard)",
    )
    parser.add_argument(
        "--items",
        metavar="ENTITY=N",
        type=_count,
        action="append",
        default=[],
        help="the number of stored items of an entity, for the storage cost; repeatable",
    )
    parser.add_argument(
        "--sample",
        metavar="STORE",
        help="take the item sizes from a store (file or URL) or from a JSON file with items",
    )
    parser.add_argument("--compare", action="store_true", help="compare with one table per entity")
    parser.add_argument(
        "--catalogue",
        metavar="FILE",
        type=Path,
        action="append",
        default=[],
        help="compare with the tables of a recorded catalogue, as the application uses them; repeatable",
    )
    parser.add_argument(
        "--measured",
        metavar="STORE",
        help="run every pattern on the items of a store, and compare with the estimate",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.set_defaults(run=run)


def _count(text: str) -> tuple[str, float]:
    name, _, number = text.partition("=")
    digits = number.replace("_", "").replace(",", "")
    if not name or not (digits.isascii() and digits.isdigit() and len(digits) < 16):
        raise argparse.ArgumentTypeError(f"invalid item count {text!r}: write Order=2000000")
    return name, float(digits)


def run(options: argparse.Namespace) -> int:
    """Estimate the cost of every table of the model."""
    from singletable.cli.cost_output import document, show

    prices = chosen_prices(options)
    tables = load_tables(options.model)
    _check_entities(tables, options)
    documents: list[dict[str, Any]] = []
    for number, table in enumerate(tables):
        reports, sample = _reports(table, options, prices)
        report = reports[options.at]
        measured = _measured(table, report, options)
        recorded = _recorded(report, options)
        if options.json:
            documents.append(document(report, reports, measured, recorded))
        else:
            if number:
                print()
            show(report, reports, sample, measured, recorded, with_comparison=options.compare)
    if options.json:
        print_json({"tables": documents})
    return 0


def _check_entities(tables: tuple[type[Table], ...], options: argparse.Namespace) -> None:
    known = [entity.label for table in tables for entity in table.design.entities]
    for name, _ in options.items:
        if name not in known:
            raise ArgumentRefused(f"--items: unknown entity {name}; the entities are {', '.join(known)}")


def _reports(
    table: type[Table], options: argparse.Namespace, prices: Prices
) -> tuple[dict[str, CostReport], ItemSample | None]:
    """Return a report for each collection size, and the sample if there is one."""
    from singletable.cost.cost_report import cost_report

    sample = None
    if options.sample is not None:
        from singletable.cli.item_source import read_sample

        sample = read_sample(table, options.sample)
    counts = dict(options.items)
    reports = {
        at: cost_report(table.design, prices, at=at, table_class=options.table_class, sample=sample, counts=counts)
        for at in _AT
    }
    return reports, sample


def _recorded(report: CostReport, options: argparse.Namespace) -> RecordedComparison | None:
    if not options.catalogue:
        return None
    from singletable.catalogue.recorded_catalogue import read_catalogue
    from singletable.cost.recorded_comparison import compare_recorded

    return compare_recorded(read_catalogue(options.catalogue), report.calls, report.prices, report.table_class)


def _measured(table: type[Table], report: CostReport, options: argparse.Namespace) -> list[Any] | None:
    if options.measured is None:
        return None
    from singletable.cli.cost_measurement import measure

    measured: list[Any] = list(measure(table, report, options.measured))
    return measured
