"""What is told of writes that did not happen: one error, or a reason for each action of a transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from singletable.client.answers import Item
from singletable.client.refusals import with_remedy
from singletable.client.writing.action import Action, Requirement
from singletable.client.writing.wanted import Wanted
from singletable.errors import (
    ArgumentRefused,
    CancellationReason,
    ConditionFailed,
    RequestRefused,
    TransactionCancelled,
)


def broken_requirements(
    wanted: Sequence[Wanted], failures: Sequence[tuple[Requirement, Item | None]], *, together: bool
) -> Exception:
    """What the caller requires and does not hold; of a transaction, for the actions that require it."""
    first, item = failures[0]
    if not together:
        return first.failed(item)
    reasons = [CancellationReason("None", "", each.target) for each in wanted]
    for requirement, found in reversed(failures):
        error = requirement.failed(found)
        target = wanted[requirement.asked].target
        there = getattr(error, "item", None)
        reasons[requirement.asked] = CancellationReason("ConditionalCheckFailed", str(error), target, there, error)
    said = "; ".join(f"action {n + 1}: {each.message}" for n, each in enumerate(reasons) if each.error)
    return TransactionCancelled(f"nothing was written: {said}", tuple(reasons))


def cancelled(
    actions: Sequence[Action], refusal: RequestRefused, reasons: Sequence[Mapping[str, Any]]
) -> TransactionCancelled:
    """A transaction that DynamoDB would not carry out, whatever its conditions say."""
    told = [CancellationReason("None", "")] * (max(action.asked for action in actions) + 1)
    for action, reason in zip(actions, reasons, strict=False):
        if reason.get("Code") not in ("None", None):
            told[action.asked] = CancellationReason(str(reason["Code"]), with_remedy(str(reason.get("Message") or "")))
    said = "; ".join(
        f"action {n + 1}: {each.code} {each.message}" for n, each in enumerate(told) if each.code != "None"
    )
    return TransactionCancelled(f"nothing was written: {said or refusal.message}", tuple(told))


def exhausted(wanted: Sequence[Wanted], tries: int, *, together: bool) -> Exception:
    """Writes that were made anew so often, since others were quicker each time."""
    if not together:
        return ConditionFailed(
            f"{wanted[0].shown} was changed by others {tries} times while it was being written; try again"
        )
    message = f"nothing was written: others changed its items {tries} times meanwhile; try again"
    return TransactionCancelled(message, tuple(CancellationReason("None", "", each.target) for each in wanted))


def token_used() -> ArgumentRefused:
    """A token of one's own with which DynamoDB knows another request."""
    return ArgumentRefused(
        "the token was used less than ten minutes ago, for a transaction that is not the same any more: either it was "
        "another, or this one has happened, and what it depends on is different since.\n"
        "  Look at what is there, or take another token."
    )
