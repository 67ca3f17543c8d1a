"""The role of a field, guessed from its type and name: identifier, time, score, or a field with few values."""

from __future__ import annotations

import enum
import re
from collections.abc import Collection
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Literal, get_args, get_origin
from uuid import UUID

from singletable.lazy_dataclass import dataclass
from singletable.model.fields import Field

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_ATTRIBUTE_NAME = re.compile(
    r"[a-z]+(?:[A-Z][a-z]+)*(?:Id|ID)|[a-z]+(?:_[a-z]+)*_id|[A-Za-z][a-z]+(?:[A-Z][a-z]+)*(?:Date|Time|DateTime)"
)
_ID_WORDS = frozenset({"id", "uuid", "guid", "ulid", "ksuid", "sku", "isbn", "slug", "handle", "email", "vin", "arn"})
_BARE_IDS = frozenset({("id",), ("uuid",), ("guid",), ("ulid",), ("ksuid",)})
_INSTANT_WORDS = frozenset({"timestamp", "ts", "datetime", "time", "epoch", "instant"})
_DAY_WORDS = frozenset({"date", "day", "month", "week", "hour"})
_CHOSEN_TIME_WORDS = frozenset(
    {"birth", "birthday", "birthdate", "dob", "due", "expiry", "expires", "expiration", "release", "start", "starts"}
    | {"end", "ends", "departure", "arrival", "appointment", "booking", "checkin", "checkout", "deadline", "trip"}
    | {
        "valid",
        "effective",
        "travel",
        "show",
        "flight",
        "stay",
        "visit",
        "delivery",
        "scheduled",
        "schedule",
        "of",
        "next",
    }
)
"""Words of times that people choose: items written now have many different values of such a field."""
_BIRTH_WORDS = frozenset({"birth", "birthday", "birthdate", "dob"})
_SCORE_WORDS = frozenset(
    {"score", "points", "rank", "ranking", "rating", "price", "amount", "balance", "percentage", "percent", "votes"}
    | {"likes", "views", "clicks", "weight", "distance", "temperature", "stars", "popularity"}
)
EVENT_WORDS = frozenset(
    {"event", "log", "transaction", "message", "activity", "entry", "history", "audit", "notification", "comment"}
    | {"payment", "click", "visit", "answer", "reply", "vote", "reading", "measurement", "metric", "telemetry", "alert"}
    | {"checkin", "login", "scan"}
)
"""Words of entities with any number of items on one day, unlike a daily total."""
_QUALIFIERS = frozenset({"name", "code", "label"})
"""Last words of a field name that do not change its role: `country_code` has as many values as `country`."""
_FEW_VALUES = {
    **dict.fromkeys(("status", "state", "type", "kind", "phase", "stage", "priority", "severity", "tier"), 10),
    **dict.fromkeys(("role", "mode", "visibility", "outcome", "gender", "sex", "environment", "env", "level"), 10),
    **dict.fromkeys(("weekday", "continent", "platform"), 10),
    **dict.fromkeys(("category", "genre", "region", "currency", "language", "locale", "department"), 50),
    "country": 200,
    **dict.fromkeys(("letter", "initial"), 26),
}
"""The assumed number of values, by the last word of the field name."""
_FEW_VALUES_OF_TWO_WORDS = {("age", "group"): 10, ("payment", "method"): 10, ("shipping", "method"): 10}
_FREE_TEXT_WORDS = frozenset(
    {"message", "comment", "description", "text", "body", "content", "contents", "notes", "bio", "caption", "summary"}
    | {"abstract", "feedback", "remarks", "answer", "question"}
)
"""Last words of fields that people fill with text of any length."""
_GROWING_WORDS = frozenset(
    {"friend", "follower", "following", "like", "comment", "message", "participant", "event", "history", "log", "post"}
    | {"reply", "replies", "review", "transaction", "notification", "entry", "entries", "vote", "reading", "subscriber"}
    | {
        "visit",
        "order",
        "payment",
        "activity",
        "activities",
        "invoice",
        "booking",
        "reservation",
        "session",
        "purchase",
    }
    | {"member", "attendee", "score", "game", "match", "matches", "conversation", "measurement", "click", "view"}
)
"""Words of lists with one element per event or per related entity, whose number nothing limits."""
_FLAG_WORDS = frozenset({"is", "has"})
_FLAGS = frozenset(
    {"enabled", "disabled", "active", "inactive", "archived", "deleted", "published", "verified", "public", "private"}
)
"""Names of fields that are true or false, even if they are stored as text so that an index can contain them."""


@dataclass(frozen=True)
class ValueCount:
    """The number of values of a field. `is_guess` is False if the type lists the values."""

    values: int
    is_guess: bool


def words_of(name: str) -> tuple[str, ...]:
    """Split a name in snake case or camel case into lower-case words."""
    return tuple(word.lower() for word in _WORD.findall(name))


def is_attribute_name(text: str) -> bool:
    """Return whether a text is the name of an attribute with an id or a time: `userId`, `order_id`, `StartDate`."""
    return _ATTRIBUTE_NAME.fullmatch(text) is not None


def _last_words(field: Field) -> tuple[str, ...]:
    """Return the words of a field name without a number at the end: `status_2` is a status."""
    words = words_of(field.name)
    return words[:-1] if len(words) > 1 and words[-1].isdigit() else words


def is_identifier(field: Field) -> bool:
    """Return whether the values of a field look like identifiers: a UUID, or a name such as `order_id` or `sku`."""
    words = _last_words(field)
    return field.type is UUID or (field.type in (str, int) and bool(words) and words[-1] in _ID_WORDS)


def is_instant(field: Field) -> bool:
    """Return whether a field is a point in time from the clock, such as `created_at` or `timestamp`."""
    words = _last_words(field)
    if field.type is datetime:
        return True
    if not words or field.type not in (str, int, float, Decimal):
        return False
    return words[-1] in _INSTANT_WORDS or (len(words) > 1 and words[-1] == "at")


def is_day(field: Field) -> bool:
    """Return whether a field is a date or a part of a date, such as `order_date` or `month`."""
    words = _last_words(field)
    return field.type is date or (field.type in (str, int) and bool(words) and words[-1] in _DAY_WORDS)


def is_time(field: Field) -> bool:
    """Return whether a field is a point in time, a date or a part of a date."""
    return is_instant(field) or is_day(field)


def follows_clock(field: Field) -> bool:
    """Return whether the clock sets the field, so that items written at the same time have similar values."""
    return is_time(field) and not _CHOSEN_TIME_WORDS & set(_last_words(field))


def is_chosen_day(field: Field) -> bool:
    """Whether a field is a day that people choose, such as a due date; a birthday has many more values."""
    return is_day(field) and not follows_clock(field) and not _BIRTH_WORDS & set(_last_words(field))


def is_score(field: Field) -> bool:
    """Return whether a field is a measured or computed number, which several items can share."""
    if field.type in (float, Decimal):
        return not is_time(field)
    words = _last_words(field)
    return field.type is int and bool(words) and words[-1] in _SCORE_WORDS


def is_free_text(field: Field) -> bool:
    """Return whether people fill a field with text of any length, such as a message or a description."""
    words = _last_words(field)
    return field.type is str and bool(words) and words[-1] in _FREE_TEXT_WORDS


def is_growing_list(field: Field) -> bool:
    """Return whether a field is a list, a set or a map that gets an element for each event or related entity."""
    kind = get_origin(field.type) or field.type
    words = _last_words(field)
    words = words[:-1] if len(words) > 1 and words[-1] in ("list", "ids", "set", "map") else words
    if kind not in (list, set, frozenset, dict) or not words:
        return False
    # A map named `score` holds parts of one score; a list named `scores` holds many.
    is_plural = words[-1].endswith("s") or words != _last_words(field) or words[-1] in ("history", "log", "following")
    return is_plural and (words[-1] in _GROWING_WORDS or words[-1].removesuffix("s") in _GROWING_WORDS)


def value_count(field: Field) -> ValueCount | None:
    """Return the number of values of a field with few values. Return None if the field can have many values."""
    if (listed := _listed(field.type)) is not None:
        return ValueCount(listed, is_guess=False)
    if field.type not in (str, int):
        return None
    words = _last_words(field)
    while len(words) > 1 and words[-1] in _QUALIFIERS:
        words = words[:-1]
    if not words:
        return None
    if (words[0] in _FLAG_WORDS and len(words) > 1) or (len(words) == 1 and words[0] in _FLAGS):
        return ValueCount(2, is_guess=True)
    found = _FEW_VALUES_OF_TWO_WORDS.get(words[-2:]) if len(words) > 1 else None  # type: ignore[arg-type]  # a pair
    found = found or _FEW_VALUES.get(words[-1])
    return None if found is None else ValueCount(found, is_guess=True)


def _listed(field_type: Any) -> int | None:
    """Return the number of values that a type lists: bool, an enum or a Literal."""
    if field_type is bool:
        return 2
    if get_origin(field_type) is Literal:
        return len(get_args(field_type))
    return len(field_type) if isinstance(field_type, type) and issubclass(field_type, enum.Enum) else None


def is_misspelt(word: str, other: str) -> bool:
    """Return whether two words probably mean the same, because they differ in one letter.

    Endings such as the `s` of a plural make another word, and so can a letter in a short word.
    """
    short, long = sorted((word.lower(), other.lower()), key=len)
    if len(short) == len(long):
        places = [place for place, (a, b) in enumerate(zip(short, long, strict=True)) if a != b]
        is_swapped = len(places) == 2 and places[1] == places[0] + 1 and short[places[0]] == long[places[1]]
        is_swapped = is_swapped and short[places[1]] == long[places[0]]
        return (is_swapped and len(short) > SHORTEST_MISSPELT) or (
            len(places) == 1 and len(short) > SHORTEST_MISSPELT and places[0] < len(short) - 2
        )
    if len(long) != len(short) + 1 or len(short) < SHORTEST_MISSPELT - 1:
        return False
    if long.startswith(short):
        return long[-1] not in "sdreyn"
    is_shorter = any(long[:place] + long[place + 1 :] == short for place in range(len(long)))
    return is_shorter and len(short) > SHORTEST_MISSPELT


SHORTEST_MISSPELT = 4
"""In words of this length or shorter, one letter usually makes another word."""


def own_identifier(label: str, fields: Collection[Field]) -> Field | None:
    """Return the id field that is named after the entity, or after its abbreviation: `trans_id` of a `Transaction`."""
    for field in fields:
        words = _last_words(field)
        if is_identifier(field) and (words in _BARE_IDS or _abbreviates(words[:-1], label)):
            return field
    return None


def _abbreviates(stem: tuple[str, ...], label: str) -> bool:
    short, words = "".join(stem), words_of(label)
    return len(short) >= _SHORTEST_STEM and ("".join(words).endswith(short) or words[-1].startswith(short))


_SHORTEST_STEM = 3
