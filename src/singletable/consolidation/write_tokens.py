"""Write tokens: the token of a call is stored with its dual write, so that a repeated call changes nothing.

DynamoDB's own token belongs to one attempt: if another writer changes the row, the next attempt is another transaction.
So each transaction stores the token of the application in an item of the new table, on the condition that it is absent.
The tokens share 4,096 items, and each transaction removes the old tokens of its item.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from singletable.client.request_steps import Call, Steps
from singletable.client.responses import Item, read_get
from singletable.errors import RequestRefused
from singletable.model.reserved_place import ReservedPlace
from singletable.model.table_schema import CONSOLIDATION, RESERVED_TYPE

MISMATCH = "IdempotentParameterMismatchException"
TOKEN_SECONDS = 900
"""How long a token is known. DynamoDB promises ten minutes, and the clocks of two processes can differ."""
REMOVED_MAX = 50
_ITEM_DIGITS, _TOKEN_DIGITS = 3, 32


class Repeated(Exception):
    """An earlier transaction with the token of the application has made the changes."""


@dataclass(frozen=True)
class WriteTokens:
    """The items of the new table that contain the tokens of committed dual writes."""

    place: ReservedPlace
    now: Callable[[], float]

    def entry(self, token: str, parameters: Mapping[str, Any]) -> Steps[dict[str, Any]]:
        """Return the action that stores a token in a transaction. Its condition fails if the token is stored.

        Raise Repeated if the same request was committed with this token, and RequestRefused if another one was.
        """
        digits = _hash(token)
        key = self.place.key(f"{CONSOLIDATION}#tokens#{digits[:_ITEM_DIGITS]}")
        request = {"TableName": self.place.table, "Key": key, "ConsistentRead": True}
        (body,) = yield (Call("GetItem", request, source="dual write"),)
        stored = read_get(body).item or {}
        name, digest = f"{RESERVED_TYPE}:{digits}", _hash(json.dumps(parameters["TransactItems"], sort_keys=True))
        if name in stored:
            if stored[name]["S"].partition(" ")[0] == digest:
                raise Repeated
            raise RequestRefused(MISMATCH, "The provided client token was used before with other parameters.")
        return {"Update": self._update(key, name, f"{digest} {self.now():.0f}", self._old_names(stored))}

    def _old_names(self, stored: Item) -> list[str]:
        """Return the names of the tokens that can be removed."""
        times = {name: float(value["S"].partition(" ")[2]) for name, value in stored.items() if _is_token(name)}
        return [name for name, time in times.items() if time < self.now() - TOKEN_SECONDS][:REMOVED_MAX]

    def _update(self, key: Item, name: str, text: str, removed: list[str]) -> dict[str, Any]:
        names = {"#token": name, **{f"#old{number}": each for number, each in enumerate(removed)}}
        values: Item = {":token": {"S": text}}
        expression = "SET #token = :token"
        if self.place.type_attribute is not None:
            expression += ", #type = :type"
            names["#type"], values[":type"] = self.place.type_attribute, {"S": RESERVED_TYPE}
        if removed:
            expression += " REMOVE " + ", ".join(f"#old{number}" for number in range(len(removed)))
        return {
            "TableName": self.place.table,
            "Key": key,
            "UpdateExpression": expression,
            "ConditionExpression": "attribute_not_exists(#token)",
            "ExpressionAttributeNames": names,
            "ExpressionAttributeValues": values,
        }


def _is_token(name: str) -> bool:
    return name.startswith(f"{RESERVED_TYPE}:")


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:_TOKEN_DIGITS]
