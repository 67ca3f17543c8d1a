"""Format counts, numbers, byte sizes and dollar amounts for people."""

from __future__ import annotations

from collections.abc import Sequence

GUESS_MARK = "≈"
_KB = 1024


NAMES_SHOWN = 3
"""The number of names of a long list that a sentence shows."""


def format_count(number: int, noun: str, several: str | None = None) -> str:
    """Return a count with its noun: `1 index`, `2 indexes`."""
    return f"{number:,} {noun if number == 1 else several or noun + 's'}"


def format_list(names: Sequence[str]) -> str:
    """Return names as a list in a sentence: `a, b and c`."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def format_some(names: Sequence[str]) -> str:
    """Return names as a list in a sentence.

    For a long list, return the first names and a count: `a, b, c and 10 others`.
    """
    shown = [*names[:NAMES_SHOWN], f"{len(names) - NAMES_SHOWN} others"] if len(names) > NAMES_SHOWN + 1 else names
    return format_list(shown)


def format_page_limit(items: int, mark: str = "") -> str:
    """Return the number of items that fit into one page: `up to ≈500 items are one page`."""
    return f"up to {mark}{format_count(items, 'item')} {'is' if items == 1 else 'are'} one page"


def format_dollars(dollars: float) -> str:
    """Return an amount in dollars and cents, or `<$0.01` for less than half a cent."""
    return "<$0.01" if 0 < dollars < 0.005 else f"${dollars:,.2f}"


def format_number(value: float) -> str:
    """Return a number with at most two decimals, or `<0.01` for less than 0.005."""
    if 0 < value < 0.005:
        return "<0.01"
    return f"{value:,.2f}".rstrip("0").rstrip(".") if "." in f"{value:,.2f}" else f"{value:,.0f}"


def format_bytes(many: float) -> str:
    """Return a byte count in B, KB, MB or GB."""
    for unit in ("B", "KB", "MB"):
        if many < _KB:
            return f"{many:,.0f} {unit}" if unit == "B" else f"{many:,.1f} {unit}"
        many /= _KB
    return f"{many:,.1f} GB"
