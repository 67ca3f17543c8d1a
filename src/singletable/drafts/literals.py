"""Which parts of a key look like literals, and which attributes are there to be keys and nothing else."""

from __future__ import annotations

import re

DELIMITER = "#"
# Letters, and for a word in capitals a number behind two of them: GEO2 is a literal, U1 and A12 are ids.
_WORD = re.compile(r"[^\W\d_][^\W\d]*(?:[-.][^\W\d]+)*|[A-Z]{2,}[A-Z_-]*\d{1,2}")
_KEY_NAME = re.compile(r".*(?:PK|SK)\d*$", re.IGNORECASE)
_SORT_NAME = re.compile(r".*SK\d*$", re.IGNORECASE)


def looks_literal(text: str) -> bool:
    """Whether a segment of a key looks like a literal and no value: a word without digits."""
    return _WORD.fullmatch(text) is not None


def is_key_name(attribute: str) -> bool:
    """Whether an attribute is called as keys are that hold anything: PK, SK, GSI1PK, gsi2-sk."""
    return _KEY_NAME.fullmatch(attribute) is not None


def is_sort_name(attribute: str) -> bool:
    """Whether it is called as sort keys are."""
    return _SORT_NAME.fullmatch(attribute) is not None
