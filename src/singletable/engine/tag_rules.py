"""The rules that tags must keep, in DynamoDB's words; what breaks one changes nothing (captured)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from singletable.errors import RequestRefused, invalid
from singletable.wire.tables import Tag

TAGS_MAX = 50
KEY_CHARACTERS_MAX = 128
VALUE_CHARACTERS_MAX = 256

# Letters, digits and spaces of every script, and these signs; `\w` has the underscore too.
_ALLOWED = re.compile(r"[\w\s+\-=.:/@]*")


def accepted_tags(tags: Sequence[Tag]) -> dict[str, str]:
    """Tags by their keys; refuses what the service would not keep."""
    accepted: dict[str, str] = {}
    for tag in tags:
        key = _accepted_key(tag.key)
        if tag.value is None or len(tag.value) > VALUE_CHARACTERS_MAX or not _ALLOWED.fullmatch(tag.value):
            raise invalid(f"The Tag Value provided is invalid, Value: {_shown(tag.value)}")
        if key in accepted:
            raise invalid(f"Duplicate Tag Keys provided as input: Duplicate Tag Key found {key}")
        accepted[key] = tag.value
    check_count(accepted)
    return accepted


def accepted_keys(keys: Sequence[str]) -> list[str]:
    """Keys of tags that are to go; they are held to the same rules (captured)."""
    accepted = [_accepted_key(key) for key in keys]
    check_count(accepted)
    return accepted


def check_count(tags: Mapping[str, str] | Sequence[str]) -> None:
    """Refuses more tags than a table can have."""
    if len(tags) > TAGS_MAX:
        raise too_many()


def too_many() -> RequestRefused:
    """The refusal of too many tags: not the exception for limits, but that for values (captured)."""
    return invalid("Number of Tags exceed the current limit for the provided ResourceArn")


def stored_tags(tags: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Tags as a definition keeps them."""
    return tuple(sorted(tags.items()))


def told_tags(tags: Iterable[tuple[str, str]]) -> list[dict[str, str]]:
    """Tags as the API tells them."""
    return [{"Key": key, "Value": value} for key, value in tags]


def _accepted_key(key: str | None) -> str:
    if key is None or not 0 < len(key) <= KEY_CHARACTERS_MAX or not _ALLOWED.fullmatch(key):
        raise invalid(f"The Tag Key provided is invalid, Key: {_shown(key)}")
    if key.lower().startswith("aws:"):
        raise invalid(f"Tag Key cannot be prefixed with aws:, Key: {key}")
    return key


def _shown(text: str | None) -> str:
    return "null" if text is None else text
