"""Why a transaction was cancelled: a reason for each of its actions, in their order."""

from __future__ import annotations

from typing import Any

from msgspec import Raw

from singletable.engine.table import Image
from singletable.engine.traffic.throttled import Throttled
from singletable.errors import RequestRefused

Reason = dict[str, Any]

NO_REASON: Reason = {"Code": "None"}


def failed_condition(old: Image | None) -> Reason:
    """The condition did not hold; `old` is the item, for an action that asked to be told."""
    reason = {"Code": "ConditionalCheckFailed", "Message": "The conditional request failed"}
    return reason if old is None else {**reason, "Item": Raw(old.body)}


def invalid_action(refusal: RequestRefused) -> Reason:
    """The action does not fit the table or the item as it is, or is too much for now."""
    code = refusal.cancellation_code if isinstance(refusal, Throttled) else "ValidationError"
    return {"Code": code, "Message": refusal.message}


def in_conflict() -> Reason:
    """Another writer has the item in its hands."""
    return {"Code": "TransactionConflict", "Message": "Transaction is ongoing for the item"}


def cancelled(reasons: list[Reason]) -> RequestRefused:
    """The refusal of the whole transaction."""
    codes = ", ".join(reason["Code"] for reason in reasons)
    return RequestRefused(
        "TransactionCanceledException",
        f"Transaction cancelled, please refer cancellation reasons for specific reasons [{codes}]",
        CancellationReasons=reasons,
    )
