"""Generated papers of about 1.2 KB each, for the open questions that need many papers."""

from datetime import date, timedelta

from .model import Paper

ABSTRACT = "An abstract of nine hundred characters is what most of them have. " * 14


def paper(number: int, series: str) -> Paper:
    """Return one of many papers, each published a day after the previous one."""
    published = date(2026, 1, 1) + timedelta(days=number)
    return Paper(f"wp-{number:04}", series, f"Working Paper No. {number}", ABSTRACT, "1.0", "final", published)
