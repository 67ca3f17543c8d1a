"""Refusals: the body of an error as DynamoDB sends it, as the error that is raised."""

from __future__ import annotations

from typing import Any

import msgspec

from singletable.errors import ArgumentRefused, RequestRefused, Throttled

_decode = msgspec.json.decode

# The table, the index or the account is asked for more than it may be, for now.
THROTTLING = frozenset(
    (
        "ProvisionedThroughputExceededException",
        "RequestLimitExceeded",
        "Throttling",
        "ThrottlingException",
        "TooManyRequestsException",
    )
)
_OWN = frozenset(("code", "message", "self"))

# What DynamoDB says of an update that does not fit the item as it is, which does not say what to do about it.
_REMEDIES = {
    "An operand in the update expression has an incorrect data type": (
        "what is added to or appended to is stored as None, or as another type: set the field first, or as a whole"
    ),
    "The document path provided in the update expression is invalid for update": (
        "a change reaches into a field that is None or not stored: set the field as a whole first"
    ),
}


def refusal_of(body: bytes) -> RequestRefused:
    """What an error's body says; raises ValueError for one that says nothing."""
    document: Any = _decode(body)
    if not isinstance(document, dict) or not isinstance(document.get("__type"), str):
        raise ValueError("no refusal of DynamoDB")
    code = document.pop("__type").rpartition("#")[2]
    message = document.pop("message", None) or document.pop("Message", "") or ""
    kind = Throttled if code in THROTTLING else RequestRefused
    refusal = kind(code, message, **{name: value for name, value in document.items() if name not in _OWN})
    refusal.args = (f"{code}: {with_remedy(message)}",)
    return refusal


def not_utf8(problem: UnicodeEncodeError) -> ArgumentRefused:
    """The error for a text that has no UTF-8 form."""
    text = problem.object[max(0, problem.start - 10) : problem.end]
    return ArgumentRefused(
        f"the text {text!r} holds half of a surrogate pair, which has no UTF-8 form; pass whole characters"
    )


def with_remedy(message: str) -> str:
    """DynamoDB's words, and what to do where they do not say it."""
    remedy = _REMEDIES.get(message)
    return message if remedy is None else f"{message}; {remedy}"
