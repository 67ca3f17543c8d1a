"""`singletable size ITEM.json`: show the size of each attribute of an item, and the cost of each operation."""

from __future__ import annotations

import argparse
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from singletable.cli.output import escape_controls, print_heading, print_json, print_table
from singletable.errors import ArgumentRefused

if TYPE_CHECKING:
    from singletable.cost.item_report import ItemReport

STDIN = "-"
TOO_LARGE = 1


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "size", help="measure the size of an item and the cost of its operations", description=__doc__
    )
    parser.add_argument("item", metavar="ITEM", help="a file with DynamoDB JSON or plain JSON, or - for standard input")
    parser.add_argument(
        "--plain", action="store_true", help="read the file as plain JSON, even if it looks like DynamoDB JSON"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the size of the item. Return 1 if it exceeds the item size limit."""
    from singletable.cli.item_json import item_of_json, parse_json, untyped_attributes
    from singletable.cost.item_report import item_report

    name = "stdin" if options.item == STDIN else options.item
    document = parse_json(_text(options.item), name)
    item = item_of_json(document, name, is_plain=options.plain)
    if not options.plain and (untyped := untyped_attributes(document)):
        what = f"{', '.join(map(escape_controls, untyped[:3]))} is not in DynamoDB JSON"
        print(f"note: {name} is read as plain JSON, because {what}; pass --plain to confirm", file=sys.stderr)
    report = item_report(item)
    if options.json:
        print_json(_document(report))
    else:
        _show(report)
    return 0 if report.fits else TOO_LARGE


def _text(place: str) -> str:
    from singletable.importers.json_document import InvalidText, decode_text

    try:
        content = sys.stdin.buffer.read() if place == STDIN else Path(place).read_bytes()
        return decode_text(content)
    except OSError as problem:
        raise ArgumentRefused(f"cannot read {place}: {problem.strerror or problem}") from None
    except InvalidText as problem:
        name = "stdin" if place == STDIN else place
        raise ArgumentRefused(f"{name} is not valid UTF-8: {problem}") from None


def _show(report: ItemReport) -> None:
    rows = [
        [
            escape_controls(each.name),
            each.type,
            f"{each.name_bytes:,}",
            f"{each.value_bytes:,}",
            f"{each.total_bytes:,}",
        ]
        for each in report.attributes
    ]
    title = f"{report.total_bytes:,} bytes, {report.share_of_limit:.2%} of the item size limit (409,600)"
    print_table(title, ("attribute", "type", "name", "value", "bytes"), rows)
    if not report.fits:
        print("\nDynamoDB rejects an item of this size: store the large part in S3, and its address in the item.")
        return
    print()
    operations = [[each.operation, each.how, f"{each.units:g} {each.unit}"] for each in report.operations]
    print_table("Cost per operation", ("operation", "how", "units"), operations)
    print()
    print_heading("Many items of this size")
    unit = report.items_per_read_unit
    print(f"  one page of 1 MB: {report.items_per_page:,} items")
    if unit:
        print(f"  one 4 KB read unit of a Query: {unit:,} items (0.5 RRU eventually, 1 RRU strongly consistent)")
    else:
        print("  one 4 KB read unit of a Query: less than one item")
    print(f"  growth until a write costs one more unit: {report.bytes_to_next_write_unit:,} bytes")
    print(
        f"  billed storage: {report.stored_bytes:,} bytes with 100 bytes of overhead, and the same per index with ALL"
    )


def _document(report: ItemReport) -> dict[str, Any]:
    return {
        **asdict(report),
        "fits": report.fits,
        "share_of_limit": report.share_of_limit,
        "stored_bytes": report.stored_bytes,
        "items_per_page": report.items_per_page,
        "items_per_read_unit": report.items_per_read_unit,
        "bytes_to_next_write_unit": report.bytes_to_next_write_unit,
    }
