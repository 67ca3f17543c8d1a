"""Papers as they come in numbers, for the questions that figures answer: about 1.2 KB each."""

from datetime import date, timedelta

from .model import Paper

ABSTRACT = "An abstract of nine hundred characters is what most of them have. " * 14


def paper(number: int, series: str) -> Paper:
    """One of many papers, each published a day after the one before."""
    published = date(2026, 1, 1) + timedelta(days=number)
    return Paper(f"wp-{number:04}", series, f"Working Paper No. {number}", ABSTRACT, "1.0", "final", published)
