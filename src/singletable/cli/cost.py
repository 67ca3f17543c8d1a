"""`singletable cost MODEL`: what every call costs in DynamoDB's units, and what a month of them costs in money."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from singletable.cli.chosen_prices import add_price_options, chosen_prices
from singletable.cli.load_model import load_tables
from singletable.cli.output import print_json
from singletable.errors import ArgumentRefused

if TYPE_CHECKING:
    from singletable.client.table import Table
    from singletable.cost.prices import Prices
    from singletable.cost.report import CostReport
    from singletable.cost.sample import Sample

_AT = ("small", "expected", "large")
_CLASSES = ("standard", "infrequent-access")


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser("cost", help="what a model costs by call and by month", description=__doc__)
    parser.add_argument("model", metavar="MODEL", help="a Python file or module, with :Table to pick one")
    parser.add_argument(
        "--at",
        choices=_AT,
        default="expected",
        help="collections a tenth as large, as expected, or ten times",
    )
    add_price_options(parser)
    parser.add_argument(
        "--class",
        dest="table_class",
        choices=_CLASSES,
        default="standard",
        help="the table class, standard unless given",
    )
    parser.add_argument(
        "--items",
        metavar="ENTITY=N",
        type=_count,
        action="append",
        default=[],
        help="how many items of an entity there are, for storage; may be given for each",
    )
    parser.add_argument(
        "--sample", metavar="STORE", help="sizes of real items: a store's file or URL, or a file of items in JSON"
    )
    parser.add_argument("--compare", action="store_true", help="price the same patterns with a table for each entity")
    parser.add_argument(
        "--measured",
        metavar="STORE",
        help="run every pattern on a store's items, beside the estimate",
    )
    parser.add_argument("--json", action="store_true", help="one JSON document for machines")
    parser.set_defaults(run=run)


def _count(text: str) -> tuple[str, float]:
    name, _, number = text.partition("=")
    digits = number.replace("_", "").replace(",", "")
    if not name or not (digits.isascii() and digits.isdigit() and len(digits) < 16):
        raise argparse.ArgumentTypeError(f"{text!r} is no number of items: write Order=2000000")
    return name, float(digits)


def run(options: argparse.Namespace) -> int:
    """Price every table of the model."""
    from singletable.cli.cost_document import document
    from singletable.cli.cost_tables import show

    prices = chosen_prices(options)
    tables = load_tables(options.model)
    _refuse_unknown(tables, options)
    documents: list[dict[str, Any]] = []
    for number, table in enumerate(tables):
        reports, sample = _reports(table, options, prices)
        report = reports[options.at]
        measured = _measured(table, report, options)
        if options.json:
            documents.append(document(report, reports, measured))
        else:
            if number:
                print()
            show(report, reports, sample, measured, with_comparison=options.compare)
    if options.json:
        print_json({"tables": documents})
    return 0


def _refuse_unknown(tables: tuple[type[Table], ...], options: argparse.Namespace) -> None:
    known = [entity.label for table in tables for entity in table.design.entities]
    for name, _ in options.items:
        if name not in known:
            raise ArgumentRefused(f"--items names {name}, which is no entity of the model; they are {', '.join(known)}")


def _reports(
    table: type[Table], options: argparse.Namespace, prices: Prices
) -> tuple[dict[str, CostReport], Sample | None]:
    """The design at each size of its collections, with the sizes of the sample where there is one."""
    from singletable.cost.report import cost_report

    sample = None
    if options.sample is not None:
        from singletable.cli.sampling import read_sample

        sample = read_sample(table, options.sample)
    counts = dict(options.items)
    reports = {
        at: cost_report(table.design, prices, at=at, table_class=options.table_class, sample=sample, counts=counts)
        for at in _AT
    }
    return reports, sample


def _measured(table: type[Table], report: CostReport, options: argparse.Namespace) -> list[Any] | None:
    if options.measured is None:
        return None
    from singletable.cli.measuring import measure

    measured: list[Any] = list(measure(table, report, options.measured))
    return measured
