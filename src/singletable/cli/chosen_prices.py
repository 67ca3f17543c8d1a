"""The prices that a command computes with: those of a region, or those in a file of the user's own."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from singletable.errors import ArgumentRefused

if TYPE_CHECKING:
    from singletable.cost.prices import Prices


def add_price_options(parser: argparse.ArgumentParser) -> None:
    """Adds --region and --prices."""
    parser.add_argument("--region", default="us-east-1", help="whose prices are taken, us-east-1 unless given")
    parser.add_argument("--prices", metavar="FILE", type=Path, help="prices of your own, in the form of docs/cost.md")


def chosen_prices(options: argparse.Namespace) -> Prices:
    """The prices that the options name; raises ArgumentRefused where there are none."""
    from singletable.cost.prices import prices_of, read_prices

    if options.prices is None:
        return prices_of(options.region)
    try:
        text = options.prices.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        reason = problem.strerror if isinstance(problem, OSError) else "it is not UTF-8"
        raise ArgumentRefused(f"the prices in {options.prices} cannot be read: {reason}") from None
    return read_prices(text, str(options.prices))
