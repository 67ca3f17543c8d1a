"""Refusals: the body of an error as DynamoDB sends it, as the error that is raised."""

from __future__ import annotations

from typing import Any

import msgspec

from singletable.errors import RequestRefused, Throttled

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


def refusal_of(body: bytes) -> RequestRefused:
    """What an error's body says; raises ValueError for one that says nothing."""
    document: Any = _decode(body)
    if not isinstance(document, dict) or not isinstance(document.get("__type"), str):
        raise ValueError("no refusal of DynamoDB")
    code = document.pop("__type").rpartition("#")[2]
    message = document.pop("message", None) or document.pop("Message", "") or ""
    kind = Throttled if code in THROTTLING else RequestRefused
    return kind(code, message, **{name: value for name, value in document.items() if name not in _OWN})
