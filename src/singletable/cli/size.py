"""`singletable size ITEM.json`: the bytes of an item by attribute, and what each operation on it costs."""

from __future__ import annotations

import argparse
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from singletable.cli.output import print_heading, print_json, print_table
from singletable.errors import ArgumentRefused

if TYPE_CHECKING:
    from singletable.cost.item_report import ItemReport

STDIN = "-"
TOO_LARGE = 1


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser("size", help="the size of an item, and what it costs", description=__doc__)
    parser.add_argument("item", metavar="ITEM", help="a file with DynamoDB JSON or plain JSON, or - for stdin")
    parser.add_argument("--plain", action="store_true", help="plain JSON, even where it looks like DynamoDB JSON")
    parser.add_argument("--json", action="store_true", help="one JSON document for machines")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Weigh the item; 1 when it is larger than DynamoDB holds."""
    from singletable.cli.item_json import item_of_json, parsed, untyped_of
    from singletable.cost.item_report import item_report

    name = "stdin" if options.item == STDIN else options.item
    document = parsed(_text(options.item), name)
    item = item_of_json(document, name, is_plain=options.plain)
    if not options.plain and (untyped := untyped_of(document)):
        what = f"{', '.join(map(_printable, untyped[:3]))} is not as DynamoDB's JSON is"
        print(f"note: all of {name} is taken for plain JSON, since {what}; --plain says that it is", file=sys.stderr)
    report = item_report(item)
    if options.json:
        print_json(_document(report))
    else:
        _show(report)
    return 0 if report.fits else TOO_LARGE


def _text(place: str) -> str:
    from singletable.drafts.json_text import NoText, text_of

    try:
        content = sys.stdin.buffer.read() if place == STDIN else Path(place).read_bytes()
        return text_of(content)
    except OSError as problem:
        raise ArgumentRefused(f"{place} cannot be read: {problem.strerror or problem}") from None
    except NoText as problem:
        name = "stdin" if place == STDIN else place
        raise ArgumentRefused(f"{name} is not UTF-8, which JSON is written in: {problem}") from None


def _show(report: ItemReport) -> None:
    rows = [
        [_printable(each.name), each.type, f"{each.name_bytes:,}", f"{each.value_bytes:,}", f"{each.total_bytes:,}"]
        for each in report.attributes
    ]
    title = f"{report.total_bytes:,} bytes, {report.share_of_limit:.2%} of the 409,600 that an item may have"
    print_table(title, ("attribute", "type", "name", "value", "bytes"), rows)
    if not report.fits:
        print("\nDynamoDB refuses an item of this size; keep the large part elsewhere (S3), and its address here.")
        return
    print()
    operations = [[each.operation, each.how, f"{each.units:g} {each.unit}"] for each in report.operations]
    print_table("What it costs", ("operation", "how", "units"), operations)
    print()
    print_heading("Many like it")
    unit = report.items_per_read_unit
    print(f"  a page of 1 MB holds {report.items_per_page:,} of them")
    if unit:
        print(f"  a Query reads {unit:,} of them within one 4 KB unit: 0.5 RRU eventually, 1 RRU strongly consistent")
    else:
        print("  a Query reads less than one of them within a 4 KB unit")
    print(f"  it may grow by {report.bytes_to_next_write_unit:,} bytes before a write costs a unit more")
    print(f"  storage bills {report.stored_bytes:,} bytes, 100 of them overhead, and as much for each index with ALL")


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


def _printable(text: str) -> str:
    """The name without what would steer a terminal."""
    return "".join(each if each.isprintable() else each.encode("unicode_escape").decode() for each in text)
