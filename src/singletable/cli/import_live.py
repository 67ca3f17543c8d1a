"""`singletable import live URL --table NAME`: infer a model from an existing table and a sample of its items."""

from __future__ import annotations

import argparse

from singletable.cli.import_output import add_file_options, write_import
from singletable.cli.live_table import connect, sample_table

SAMPLE = 1000


def add_to(sources: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the source to the command."""
    parser = sources.add_parser("live", help="an existing table, from a sample of its items", description=__doc__)
    parser.add_argument("url", metavar="URL", help="file:PATH, http://HOST:PORT or dynamodb://REGION")
    parser.add_argument("--table", metavar="NAME", required=True, help="the table name")
    parser.add_argument(
        "--sample", metavar="N", type=_count, default=SAMPLE, help=f"read at most N items (default: {SAMPLE})"
    )
    add_file_options(parser)
    parser.set_defaults(run=run)


def _count(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 8 and int(text) > 0):
        raise argparse.ArgumentTypeError(f"invalid number of items {text!r}: write 1 or more")
    return int(text)


def run(options: argparse.Namespace) -> int:
    """Read the table and write the model."""
    from singletable.cli.import_text import import_draft
    from singletable.importers.draft import Draft
    from singletable.importers.live.inference import inferred_table
    from singletable.importers.live.sampled_table import described_table

    with connect(options.url) as requests:
        sample = sample_table(requests, options.table, options.sample)
    table = inferred_table(described_table(sample.description, sample.items, sample.ttl_attribute))
    usage = {
        "items": len(sample.items),
        "is_whole": sample.is_whole,
        "requests": sample.requests,
        "read_units": sample.read_units,
    }
    return write_import(import_draft(Draft(f"{options.table}, imported from a live table", (table,))), options, usage)
