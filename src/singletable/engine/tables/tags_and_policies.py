"""Tags and resource policies of tables: validation with DynamoDB's messages, and policy revisions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from singletable.engine.tables.table_definition import ResourcePolicy, TableDefinition
from singletable.errors import RequestRefused, invalid
from singletable.wire.table_requests import Tag

TAGS_MAX = 50
KEY_CHARACTERS_MAX = 128
VALUE_CHARACTERS_MAX = 256

# Letters, digits and spaces in any script, and these special characters; `\w` includes the underscore.
_ALLOWED = re.compile(r"[\w\s+\-=.:/@]*")


def validated_tags(tags: Sequence[Tag]) -> dict[str, str]:
    """Return the tag values by tag key. Reject invalid tags."""
    validated: dict[str, str] = {}
    for tag in tags:
        key = _validated_key(tag.key)
        if tag.value is None or len(tag.value) > VALUE_CHARACTERS_MAX or not _ALLOWED.fullmatch(tag.value):
            raise invalid(f"The Tag Value provided is invalid, Value: {_shown(tag.value)}")
        if key in validated:
            raise invalid(f"Duplicate Tag Keys provided as input: Duplicate Tag Key found {key}")
        validated[key] = tag.value
    check_count(validated)
    return validated


def validated_tag_keys(keys: Sequence[str]) -> list[str]:
    """Return the tag keys to remove. Reject the same invalid keys as for new tags (captured from AWS)."""
    validated = [_validated_key(key) for key in keys]
    check_count(validated)
    return validated


def check_count(tags: Mapping[str, str] | Sequence[str]) -> None:
    """Reject more tags than a table can have."""
    if len(tags) > TAGS_MAX:
        raise too_many_tags()


def too_many_tags() -> RequestRefused:
    """Return the error for too many tags: a ValidationException, not a LimitExceededException (captured from AWS)."""
    return invalid("Number of Tags exceed the current limit for the provided ResourceArn")


def stored_tags(tags: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Return the tags in the form in which a table definition stores them."""
    return tuple(sorted(tags.items()))


def tag_list(tags: Iterable[tuple[str, str]]) -> list[dict[str, str]]:
    """Return the Tags member of a response."""
    return [{"Key": key, "Value": value} for key, value in tags]


def _validated_key(key: str | None) -> str:
    if key is None or not 0 < len(key) <= KEY_CHARACTERS_MAX or not _ALLOWED.fullmatch(key):
        raise invalid(f"The Tag Key provided is invalid, Key: {_shown(key)}")
    if key.lower().startswith("aws:"):
        raise invalid(f"Tag Key cannot be prefixed with aws:, Key: {key}")
    return key


def _shown(text: str | None) -> str:
    return "null" if text is None else text


POLICY_BYTES_MAX = 20_480
NO_POLICY = "NO_POLICY"  # as ExpectedRevisionId: the table must not have a policy yet

_INVALID = "One or more parameter values were invalid: "


def check_policy(document: str) -> None:
    """Reject a policy that is too large or has no statements. The statements are not interpreted."""
    if len(document.encode()) > POLICY_BYTES_MAX:
        raise invalid(f"{_INVALID}Maximum policy size of {POLICY_BYTES_MAX} bytes exceeded")
    parsed = _parsed(document)
    if not isinstance(parsed, dict):
        raise invalid(f"{_INVALID}Invalid policy document: This policy contains invalid Json")
    if not parsed.get("Statement"):
        raise invalid(f"{_INVALID}Invalid policy document: Could not parse the policy: Statement is empty!")


def check_revision(definition: TableDefinition, expected: str | None) -> None:
    """Reject a policy change if the current policy does not have the expected revision."""
    policy = definition.policy
    if expected is None or (policy is None and expected == NO_POLICY):
        return
    if policy is None:
        raise _not_found(
            f"Requested update for policy with revision id {expected}, but no policy is associated to target table "
            f"{definition.name}."
        )
    if expected == NO_POLICY:
        raise _not_found(
            f"Requested policy update expecting none to be present for table {definition.name}, but a policy exists "
            f"with revision id {policy.revision}."
        )
    if expected != policy.revision:
        raise _not_found(
            f"Requested update for policy with revision id {expected}, but the policy associated to target table "
            f"{definition.name} has revision id {policy.revision}."
        )


def updated_policy(had: ResourcePolicy | None, document: str, now: float) -> ResourcePolicy:
    """Return the policy with a new revision, which is the time in milliseconds.

    An unchanged document keeps its revision.
    """
    if had is not None and _parsed(had.document) == _parsed(document):
        return had
    revision = int(now * 1000)
    if had is not None:
        revision = max(revision, int(had.revision) + 1)  # unique even for two changes within one millisecond
    return ResourcePolicy(document, str(revision))


def policy_not_found(arn: str) -> RequestRefused:
    """Return the error for a missing policy."""
    return _not_found(arn)


def _not_found(what: str) -> RequestRefused:
    return RequestRefused(
        "PolicyNotFoundException", f"Resource-based policy not found for the provided ResourceArn: {what}"
    )


def _parsed(document: str) -> Any:
    try:
        return msgspec.json.decode(document)
    except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
        return None
