"""Guesses at what a misspelt name was meant to be."""

from __future__ import annotations

from collections.abc import Iterable


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A sentence that names the nearest known name, or all of them."""
    from difflib import get_close_matches  # only a mistake needs it, and every import would pay for it

    names = list(dict.fromkeys(known))
    close = get_close_matches(name, names, 1)
    return f"Did you mean {close[0]!r}?" if close else f"The fields are {', '.join(names)}."
