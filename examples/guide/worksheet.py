"""The worksheet of the guide: four access patterns, what was asked of each, and the one request that serves it."""

from singletable.verify.check import check
from singletable.verify.worksheet import Row, worksheet

from ..script import Script
from .model import Guide

PATTERNS = ("profile", "recent_orders", "shops_near", "members_by_join_date")


def ask(_: Guide) -> list[Row]:
    """Its rows, which the model knows without any table."""
    design = Guide.design
    rows = {row.pattern: row for row in worksheet(design, check(design).outcomes)}
    return [rows[name] for name in PATTERNS]


def tell(rows: list[Row]) -> None:
    for number, row in enumerate(rows, start=1):
        print(f"{number} {row.title}")
        asked = (row.entry, row.filters, row.sort, row.frequency, row.budget)
        print("  " + ", ".join(text for text in asked if text))
        print(f"  {row.operation} on {row.index}: {row.key_condition}" + (f", Limit {row.limit}" if row.limit else ""))
        print(f"  {row.verdict}")


SCRIPT = Script(Guide, (), ask, tell)

if __name__ == "__main__":
    SCRIPT.main()
