"""Texts that are probably mistakes: malformed times, numbers as text, placeholders, quotes in keys."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta
from typing import Literal

import msgspec

from singletable.model.field_roles import is_attribute_name

Suspicion = Literal[
    "malformed time", "unsorted time", "number", "boolean", "placeholder", "quotes", "malformed list", "JSON", "spaces"
]
"""What a text looks like; each is a mistake only in some attributes."""

SHORT_TEXT_MAX = 60
"""In longer texts, a space at the start or the end is harmless."""
# Most texts match none of these starts or ends, so one search decides about them.
_SUSPECT = re.compile(
    r"""-?[0-9]+(?:[.,][0-9]+)*\Z    # a number
    | (?:[0-9]{4,6})-[0-9]{1,2}-     # a date
    | [0-9]{1,2}[/.:-][0-9]{1,2}     # a date or a time that begins with the day, the month or the hour
    | (?:[0-9]{1,2}\ )?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)
    | (?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6},?\ [a-z0-9]
    | ["'`~<\[{]                     # quotes, placeholders and lists
    | \$\{
    | \.{3}\Z | x{3,9}\Z | \?+\Z | lorem\ ipsum
    | \s | .{0,59}\s\Z
    | "?json\b
    | (?:true|false|todo|tbd|fixme|undefined|null|none|nan|n/a)\Z
    """,
    re.VERBOSE | re.IGNORECASE,
)
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?")
_LOCAL_NUMBER = re.compile(r"-?[0-9]{1,3}(?:\.[0-9]{3})*,[0-9]+|-?[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?")
_BOOLEAN = re.compile(r"true|false", re.IGNORECASE)
_PLACEHOLDER = re.compile(
    r"~[\w -]+~|<[A-Za-z][\w -]{0,40}>|\$\{[^{}]*\}|\{\{[^{}]*\}\}|todo|tbd|fixme|undefined|null|nan|\[object Object\]"
    r"|\.{3}|x{3,9}|\?+|lorem ipsum.*|\"?json(?: object| string| text)?\"?",
    re.IGNORECASE | re.DOTALL,
)
# Template syntax in a key: `${id}`, `{id}`, `<id>`, or a call such as `hash(id)`.
_SYNTAX = re.compile(r"\$?\{+ *[A-Za-z_][\w .-]*\}+|<[A-Za-z_][\w .-]*>|[a-z]\w*\([a-z_][\w ,.]+\)")
# The name of an attribute or of a type instead of a value: `userId`, `order_id`, `timestamp`.
_NAME = re.compile(r"[a-z]+(?:[A-Z][a-z]+)*(?:Id|ID|Date|Time|Name|At)|[a-z]+(?:_[a-z]+)*_(?:id|at|date|time|name)")
_TYPE_NAMES = frozenset({"uuid", "guid", "ulid", "timestamp", "datetime", "date", "string", "number", "boolean"})
_MONTH = r"(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]{0,6}"
_CLOCK_12 = r"[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})? ?[ap]\.?m\.?"
# Dates that begin with the day or the month, and times of the 12-hour clock.
_UNSORTED_TIME = re.compile(
    r"(?:[0-9]{1,2}(?:/[0-9]{1,2}/(?:19|20)?[0-9]{2}|([.-])[0-9]{1,2}\1(?:19|20)[0-9]{2})"
    rf"|(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{{0,6}},? )?(?:{_MONTH} [0-9]{{1,2}}|[0-9]{{1,2}}[ -]{_MONTH})"
    r",?(?:[ -](?:19|20)[0-9]{2})?)"
    rf"(?:,?[ T].*)?|{_CLOCK_12}",
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
TIME_WITHOUT_ZONE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9:.]+")
"""Matches text in the form of a time without a time zone. The text can still be an invalid time."""
TIME_WITH_OFFSET = re.compile(r"[12][0-9]{3}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9:.]+[+-](?!00:?00)[0-9]{2}:?[0-9]{2}")
"""A time that is not in UTC."""
VALID_TIME = re.compile(
    r"(?:1|2)[0-9]{3}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])"
    r"(?:[T ](?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:\.[0-9]{1,9})?)?(?:Z|[+-][0-9]{2}:?[0-9]{2})?)?"
)
"""Dates and times that need no further check; days after the 28th need one."""


def suspicion_of(text: str) -> Suspicion | None:
    """Return what a text looks like, or None if it looks like an ordinary text."""
    if _SUSPECT.match(text) is None or VALID_TIME.fullmatch(text):
        return None
    if text != text.strip() and len(text) <= SHORT_TEXT_MAX:
        return "spaces"
    if _NUMBER.fullmatch(text) or _LOCAL_NUMBER.fullmatch(text):
        return "number"
    if _BOOLEAN.fullmatch(text):
        return "boolean"
    if _PLACEHOLDER.fullmatch(text):
        return "placeholder"
    if is_malformed_time(text):
        return "malformed time"
    if _UNSORTED_TIME.fullmatch(text):
        return "unsorted time"
    if _QUOTED.fullmatch(text):
        return "quotes"
    if not _LIST.fullmatch(text):
        return None
    return "JSON" if _is_json(text) else "malformed list"


MONTHS = frozenset(
    {"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec", "january", "february"}
    | {"march", "april", "june", "july", "august", "september", "october", "november", "december"}
)
"""The names of months, which sort by letters. One of them alone can be another word or a name."""


def is_template_syntax(text: str) -> bool:
    """Return whether a key contains a template or a call, such as `${id}` or `hash(id)`, instead of a value."""
    return _SYNTAX.search(text) is not None


def is_name(text: str) -> bool:
    """Return whether a text is the name of an attribute or of a type."""
    return text in _TYPE_NAMES or is_attribute_name(text) or _NAME.fullmatch(text) is not None


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


_PERIOD = re.compile(r"(?:19|20)[0-9]{2}-(?:0[1-9]|1[0-2])(?:-[0-9]{2})?")
_FULL_TIME = re.compile(r"((?:19|20)[0-9]{2}-[0-9]{2}-[0-9]{2})[T ][0-9]{2}:[0-9]{2}.*")


def other_period(partition: list[str], sort: list[str]) -> tuple[str, str] | None:
    """Return the month or day in a partition key, and the time in the sort key, if the time is not in this period.

    A difference of one day can come from a time zone.
    """
    periods = [segment for segment in partition if _PERIOD.fullmatch(segment)]
    times = [found for segment in sort if (found := _FULL_TIME.fullmatch(segment))]
    if not periods or not times:
        return None
    try:
        day = date.fromisoformat(times[0][1])
    except ValueError:
        return None  # a malformed time, which another rule reports
    near = [str(day + timedelta(days=days)) for days in (-1, 0, 1)]
    is_near = any(each.startswith(period) for period in periods for each in near)
    return None if is_near else (periods[0], times[0][0])


def time_format(text: str) -> str:
    """Return the format of a valid date or time, without its digits."""
    return re.sub(r"[0-9]", "0", text)


def _is_json(text: str) -> bool:
    try:
        msgspec.json.decode(text)
    except msgspec.DecodeError:
        return False
    return True
