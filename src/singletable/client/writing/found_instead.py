"""The item that a failed condition found, read where the server does not tell it by itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from singletable.client.answers import read_get
from singletable.client.steps import Call, Steps
from singletable.errors import RequestRefused

CONDITION_FAILED = "ConditionalCheckFailedException"
TELL_OLD = {"ReturnValuesOnConditionCheckFailure": "ALL_OLD"}


class FoundInstead:
    """Knows whether a server tells the item with its refusal; DynamoDB does, and some that stand in for it do not."""

    def __init__(self, key_attributes: Sequence[str], *, is_told: bool) -> None:
        self._key_attributes = key_attributes
        self._is_told = is_told

    def add_to(self, refusal: RequestRefused, sent: dict[str, Any]) -> Steps[None]:
        """Gives the refusal of a write the item that it lacks, if there is one."""
        if refusal.code != CONDITION_FAILED or not sent.keys() >= TELL_OLD.keys():
            return
        if "Item" in refusal.fields:
            self._is_told = True  # and where it is missing from now on, there is none
        if self._is_told:
            return
        named = sent.get("Key") or {name: sent["Item"][name] for name in self._key_attributes}
        (body,) = yield (Call("GetItem", {"TableName": sent["TableName"], "Key": named, "ConsistentRead": True}),)
        item = read_get(body).item
        if item is not None:
            refusal.fields["Item"] = item
