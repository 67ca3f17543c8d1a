"""The --region and --prices options: the prices of a region, or of the user's own file."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from singletable.errors import ArgumentRefused

if TYPE_CHECKING:
    from singletable.cost.prices import Prices


def add_price_options(parser: argparse.ArgumentParser) -> None:
    """Add --region and --prices."""
    parser.add_argument("--region", default="us-east-1", help="the region to take prices from (default: us-east-1)")
    parser.add_argument(
        "--prices", metavar="FILE", type=Path, help="your own prices, in the format of docs/guides/cost.md"
    )


def chosen_prices(options: argparse.Namespace) -> Prices:
    """Return the selected prices; raise ArgumentRefused if they cannot be read."""
    from singletable.cost.prices import prices_of, read_prices

    if options.prices is None:
        return prices_of(options.region)
    try:
        text = options.prices.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        reason = problem.strerror if isinstance(problem, OSError) else "it is not UTF-8"
        raise ArgumentRefused(f"cannot read the prices in {options.prices}: {reason}") from None
    return read_prices(text, str(options.prices))
