"""The rules that a resource policy must keep, and the revisions that tell its states apart."""

from __future__ import annotations

from typing import Any

import msgspec

from singletable.engine.definition import ResourcePolicy, TableDefinition
from singletable.errors import RequestRefused, invalid

POLICY_BYTES_MAX = 20_480
NO_POLICY = "NO_POLICY"  # what a request expects that is to attach the first policy

_INVALID = "One or more parameter values were invalid: "


def check_policy(document: str) -> None:
    """Refuses what is too large, or no JSON of statements; what the statements say is not looked at."""
    if len(document.encode()) > POLICY_BYTES_MAX:
        raise invalid(f"{_INVALID}Maximum policy size of {POLICY_BYTES_MAX} bytes exceeded")
    parsed = _parsed(document)
    if not isinstance(parsed, dict):
        raise invalid(f"{_INVALID}Invalid policy document: This policy contains invalid Json")
    if not parsed.get("Statement"):
        raise invalid(f"{_INVALID}Invalid policy document: Could not parse the policy: Statement is empty!")


def check_revision(definition: TableDefinition, expected: str | None) -> None:
    """Refuses a change of a policy that is no longer, or not yet, the one that was expected."""
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


def replaced(had: ResourcePolicy | None, document: str, now: float) -> ResourcePolicy:
    """The policy with its revision, which is the millisecond of the change; an equal document changes nothing."""
    if had is not None and _parsed(had.document) == _parsed(document):
        return had
    revision = int(now * 1000)
    if had is not None:
        revision = max(revision, int(had.revision) + 1)  # two changes in one millisecond are still two
    return ResourcePolicy(document, str(revision))


def no_policy(arn: str) -> RequestRefused:
    """The refusal to show a policy that is not there."""
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
