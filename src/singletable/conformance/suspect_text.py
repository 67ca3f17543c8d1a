"""Texts that are probably mistakes: malformed times, numbers as text, placeholders, quotes in keys."""

from __future__ import annotations

import re
from datetime import date, datetime
from typing import Literal

import msgspec

Suspicion = Literal["malformed time", "number", "boolean", "placeholder", "quotes", "malformed list"]
"""What a text looks like; each is a mistake only in some attributes."""

# Most texts match none of these starts or ends, so one search decides about them.
_SUSPECT = re.compile(
    r"""-?[0-9]+(?:\.[0-9]+)?\Z      # a number
    | (?:[0-9]{4,6})-[0-9]{1,2}-     # a date
    | ["'`~<\[{]                     # quotes, placeholders and lists
    | \$\{
    | (?:true|false|todo|tbd|fixme|undefined|null|none|nan|n/a)\Z
    """,
    re.VERBOSE | re.IGNORECASE,
)
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?")
_BOOLEAN = re.compile(r"true|false", re.IGNORECASE)
_PLACEHOLDER = re.compile(
    r"~[\w -]+~|<[A-Za-z][\w -]{0,40}>|\$\{[^{}]*\}|\{\{[^{}]*\}\}|todo|tbd|fixme|undefined|null|nan|\[object Object\]",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"""(["'`]).*\1""", re.DOTALL)
_LIST = re.compile(r"\[.*\]|\{.*\}", re.DOTALL)
_DAY = re.compile(r"([0-9]{4,6})-([0-9]{1,2})-([0-9]{1,2})(?:[T ](.*))?", re.DOTALL)
# Python reads 20:25:25:00 as a time with a fraction of a second; other readers, and the order of texts, do not.
_CLOCK = re.compile(
    r"[0-9]{2}(?::?[0-9]{2}(?::?[0-9]{2}(?:[.,][0-9]{1,9})?)?)?(?: ?(?:Z|UTC|[+-][0-9]{2}:?(?:[0-9]{2})?))?"
)
_CENTURIES = ("19", "20")
VALID_TIME = re.compile(
    r"(?:1|2)[0-9]{3}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])"
    r"(?:[T ](?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:\.[0-9]{1,9})?)?(?:Z|[+-][0-9]{2}:?[0-9]{2})?)?"
)
"""Dates and times that need no further check; days after the 28th need one."""


def suspicion_of(text: str) -> Suspicion | None:
    """Return what a text looks like, or None if it looks like an ordinary text."""
    if _SUSPECT.match(text) is None or VALID_TIME.fullmatch(text):
        return None
    if _NUMBER.fullmatch(text):
        return "number"
    if _BOOLEAN.fullmatch(text):
        return "boolean"
    if _PLACEHOLDER.fullmatch(text):
        return "placeholder"
    if is_malformed_time(text):
        return "malformed time"
    if _QUOTED.fullmatch(text):
        return "quotes"
    return "malformed list" if _LIST.fullmatch(text) and not _is_json(text) else None


def is_malformed_time(text: str) -> bool:
    """Return whether a text begins like a date, but is neither a date nor a time in the ISO format."""
    found = _DAY.fullmatch(text)
    if found is None:
        return False
    year, month, day, rest = found.groups()
    if rest is None and not (len(year) == 4 and year.startswith(_CENTURIES)):
        return False  # an id such as 4711-12-03
    if rest is not None and not rest[:1].isdigit():
        return False
    if rest is not None and _CLOCK.fullmatch(rest) is None:
        return True
    try:
        date(int(year) if len(year) == 4 else 0, int(month), int(day))
        if rest is not None:
            datetime.fromisoformat(text.removesuffix("UTC").rstrip())
    except ValueError:
        return True
    return len(month) < 2 or len(day) < 2


def time_format(text: str) -> str:
    """Return the format of a valid date or time, without its digits."""
    return re.sub(r"[0-9]", "0", text)


def _is_json(text: str) -> bool:
    try:
        msgspec.json.decode(text)
    except msgspec.DecodeError:
        return False
    return True
