"""Errors for failed writes: one error, or one reason for each action of a transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from singletable.client.answers import Item
from singletable.client.refusals import with_remedy
from singletable.client.write.actions import Action, Requirement
from singletable.client.write.intent import WriteIntent
from singletable.errors import (
    ArgumentRefused,
    CancellationReason,
    ConditionFailed,
    RequestRefused,
    TransactionCancelled,
)


def unmet(
    intents: Sequence[WriteIntent], failures: Sequence[tuple[Requirement, Item | None]], *, is_transaction: bool
) -> Exception:
    """The error for requirements that do not hold."""
    first, item = failures[0]
    if not is_transaction:
        return first.error(item)
    reasons = [CancellationReason("None", "", each.target) for each in intents]
    for requirement, found in reversed(failures):
        error = requirement.error(found)
        target = intents[requirement.intent].target
        there = getattr(error, "item", None)
        reasons[requirement.intent] = CancellationReason("ConditionalCheckFailed", str(error), target, there, error)
    listed = "; ".join(f"action {n + 1}: {each.message}" for n, each in enumerate(reasons) if each.error)
    return TransactionCancelled(f"nothing was written: {listed}", tuple(reasons))


def cancelled(
    actions: Sequence[Action], refusal: RequestRefused, reasons: Sequence[Mapping[str, Any]]
) -> TransactionCancelled:
    """The error for a transaction that DynamoDB cancelled for another reason than a condition."""
    listed = [CancellationReason("None", "")] * (max(action.intent for action in actions) + 1)
    for action, reason in zip(actions, reasons, strict=False):
        if reason.get("Code") not in ("None", None):
            message = with_remedy(str(reason.get("Message") or ""))
            listed[action.intent] = CancellationReason(str(reason["Code"]), message)
    text = "; ".join(
        f"action {n + 1}: {each.code} {each.message}" for n, each in enumerate(listed) if each.code != "None"
    )
    return TransactionCancelled(f"nothing was written: {text or refusal.message}", tuple(listed))


def exhausted(intents: Sequence[WriteIntent], attempts: int, *, is_transaction: bool) -> Exception:
    """The error for a write whose items others changed at every attempt."""
    if not is_transaction:
        return ConditionFailed(
            f"others changed {intents[0].shown} during each of {attempts} attempts to write it; try again later"
        )
    message = f"nothing was written: others changed its items during each of {attempts} attempts; try again later"
    return TransactionCancelled(message, tuple(CancellationReason("None", "", each.target) for each in intents))


def token_reused() -> ArgumentRefused:
    """The error for a token that DynamoDB knows with another request."""
    return ArgumentRefused(
        "idempotency token reused with different parameters within ten minutes: either another transaction used it, "
        "or this one has happened and its items have changed since.\n"
        "  Read the items to find out, or use a new token."
    )
