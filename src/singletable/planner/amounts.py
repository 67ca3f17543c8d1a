"""Figures as a person reads them: units, sizes and money, a guess with its mark."""

from __future__ import annotations

GUESS = "≈"
_KB = 1024


def counted(number: int, noun: str, several: str | None = None) -> str:
    """So many of something: `1 index`, `2 indexes`."""
    return f"{number:,} {noun if number == 1 else several or noun + 's'}"


def money(dollars: float) -> str:
    """Dollars with cents; less than half a cent as such."""
    return "<$0.01" if 0 < dollars < 0.005 else f"${dollars:,.2f}"


def number(value: float) -> str:
    """A number with at most two decimals; less than half of a hundredth as such."""
    if 0 < value < 0.005:
        return "<0.01"
    return f"{value:,.2f}".rstrip("0").rstrip(".") if "." in f"{value:,.2f}" else f"{value:,.0f}"


def size(many: float) -> str:
    """Bytes in the unit that fits."""
    for unit in ("B", "KB", "MB"):
        if many < _KB:
            return f"{many:,.0f} {unit}" if unit == "B" else f"{many:,.1f} {unit}"
        many /= _KB
    return f"{many:,.1f} GB"
