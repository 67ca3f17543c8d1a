"""The worksheet of the guide: four access patterns, their requirements, and the one request that serves each."""

from singletable.verify.design_check import check
from singletable.verify.worksheet import PatternRow, worksheet

from ..script import Script
from .model import Guide

PATTERNS = ("profile", "recent_orders", "shops_near", "members_by_join_date")


def execute(_: Guide) -> list[PatternRow]:
    """Return the rows of the worksheet, which need no table."""
    design = Guide.design
    rows = {row.pattern: row for row in worksheet(design, check(design).outcomes)}
    return [rows[name] for name in PATTERNS]


def show(rows: list[PatternRow]) -> None:
    for number, row in enumerate(rows, start=1):
        print(f"{number} {row.title}")
        asked = (row.entry, row.filters, row.sort, row.frequency, row.budget)
        print("  " + ", ".join(text for text in asked if text))
        print(f"  {row.operation} on {row.index}: {row.key_condition}" + (f", Limit {row.limit}" if row.limit else ""))
        print(f"  {row.verdict}")


SCRIPT = Script(Guide, (), execute, show)

if __name__ == "__main__":
    SCRIPT.main()
