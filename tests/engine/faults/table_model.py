"""The table of the fault runs: random operations on a few items, their requests, and what they do one at a time."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from itertools import count
from threading import Lock
from typing import Any

from singletable.engine.engine import Engine
from singletable.errors import RequestRefused, StoreRefused, Unreachable
from tests.engine.faults.linearizability import NEVER, UNKNOWN, Model, Operation, first_violation
from tests.engine.table_requests import create

TABLE = "table"
ITEMS = 3
FAILED = "failed"
_CONDITIONS = ("ConditionalCheckFailedException", "TransactionCanceledException")

_ONE_OF_EACH: dict[str, tuple[Any, ...]] = {
    "put": (0, 1),
    "create": (0, 2),
    "swap": (0, 1, 3),
    "add": (0, 4),
    "transfer": (0, 1, 5),
    "get": (0,),
    "read all": (),
    "delete": (0,),
}

State = tuple[int | None, ...]
"""The value of each item; None if the item does not exist."""
Send = Callable[[str, dict[str, Any]], dict[str, Any]]


SendAll = Callable[[Sequence[tuple[str, dict[str, Any]]]], Sequence[dict[str, Any] | Exception]]
"""Sends requests together; returns the response or the error of each."""


class OutcomeLost(Exception):
    """A fault has ended a request, which may have taken effect, but will not do so later."""


def create_table(engine: Engine) -> None:
    """Create the table, with an index on the values."""
    create(
        engine,
        TABLE,
        AttributeDefinitions=[{"AttributeName": name, "AttributeType": kind} for name, kind in ATTRIBUTES],
        GlobalSecondaryIndexes=[
            {
                "IndexName": "by-value",
                "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "v", "KeyType": "RANGE"}],
                "Projection": {"ProjectionType": "ALL"},
            }
        ],
    )


ATTRIBUTES = (("pk", "S"), ("sk", "S"), ("v", "N"))


def apply(state: State, operation: Operation) -> tuple[Any, State]:
    """Return the result of an operation on the items, and the items after it."""

    def changed(item: int, value: int | None) -> State:
        return (*state[:item], value, *state[item + 1 :])

    match operation.name, operation.arguments:
        case "get", (item,):
            return state[item], state
        case "read all", ():
            return state, state
        case "put", (item, value):
            return "ok", changed(item, value)
        case "create", (item, value):
            return ("ok", changed(item, value)) if state[item] is None else (FAILED, state)
        case "swap", (item, old, new):
            return ("ok", changed(item, new)) if state[item] == old else (FAILED, state)
        case "add", (item, amount):
            total = (state[item] or 0) + amount
            return total, changed(item, total)
        case "delete", (item,):
            return state[item], changed(item, None)
        case "transfer", (source, target, amount):
            before = state[source]
            if before is None or before < amount:
                return FAILED, state
            state = changed(source, before - amount)
            return "ok", changed(target, (state[target] or 0) + amount)
        case _:
            raise AssertionError(operation)


MODEL: Model[State] = Model((None,) * ITEMS, apply)


class History:
    """The operations of a run, in the order in which they end."""

    def __init__(self) -> None:
        self.operations: list[Operation] = []
        self._values, self._lock = count(1), Lock()

    def now(self) -> int:
        """Return a time that all processes of this machine share."""
        return time.monotonic_ns()

    def choose(self, chance: random.Random) -> tuple[str, tuple[Any, ...]]:
        """Return a random operation; each written value is used once, so that a lost or repeated write shows."""
        with self._lock:
            value = next(self._values) * 100
        item, other = chance.sample(range(ITEMS), 2)
        name = chance.choice(("get", "get", "read all", "put", "create", "swap", "add", "add", "delete", "transfer"))
        match name:
            case "get" | "delete":
                return name, (item,)
            case "read all":
                return name, ()
            case "put" | "create":
                return name, (item, value)
            case "swap":
                return name, (item, self._recent(chance), value)
            case "add":
                return name, (item, chance.randrange(1, 10))
            case _:
                return name, (item, other, chance.randrange(1, 60))

    def _recent(self, chance: random.Random) -> int:
        """Return a value that an item may have."""
        found = [each.result for each in self.operations[-10:] if isinstance(each.result, int)]
        return chance.choice(found) if found else 0

    def perform(self, send: Send, name: str, arguments: tuple[Any, ...], caller: str = "") -> Any:
        """Send the request of an operation, record it, and return its result."""
        started = self.now()
        ended: float = 0
        try:
            result = result_of(name, send(*request_of(name, arguments, f"{caller}-{started}"[-36:])))
        except RequestRefused as refused:
            result = _failure(refused)
        except (OutcomeLost, StoreRefused):
            result = UNKNOWN
        except Unreachable:  # the server may execute it later
            result, ended = UNKNOWN, NEVER
        self.add(Operation(name, arguments, result, started, ended or self.now(), caller))
        return result

    def perform_together(self, send_all: SendAll, chance: random.Random, times: int, caller: str = "") -> None:
        """Send the requests of random operations together, and record them; one error loses the results of all."""
        started = self.now()
        operations = [self.choose(chance) for _ in range(times)]
        requests = [request_of(*each, f"{number}-{started}") for number, each in enumerate(operations)]
        try:
            found: Sequence[dict[str, Any] | Exception] = send_all(requests)
        except (OutcomeLost, StoreRefused):
            found = [OutcomeLost()] * times
        ended = self.now()
        for (name, arguments), each in zip(operations, found, strict=True):
            if isinstance(each, RequestRefused):
                result = _failure(each)
            elif isinstance(each, Exception):
                result = UNKNOWN
            else:
                result = result_of(name, each)
            self.add(Operation(name, arguments, result, started, ended, caller))

    def add(self, operation: Operation) -> None:
        """Record an operation, unless it is a read without a result."""
        if operation.result is not UNKNOWN or operation.name not in ("get", "read all"):
            with self._lock:
                self.operations.append(operation)

    def run(self, send: Send, chance: random.Random, times: int, caller: str = "") -> None:
        """Perform random operations."""
        for _ in range(times):
            self.perform(send, *self.choose(chance), caller)

    def warm_up(self, send: Send) -> None:
        """Perform each operation once: Python cannot interrupt the import of a module safely."""
        for name, arguments in _ONE_OF_EACH.items():
            self.perform(send, name, arguments)

    def check(self) -> None:
        """Raise AssertionError with the operations up to the first violation, if these are not linearizable."""
        violation = first_violation(self.operations, MODEL)
        shown = "\n".join(map(str, violation[-25:]))
        assert not violation, f"not linearizable, at the latest at the last ended operation:\n{shown}"


def _failure(refused: RequestRefused) -> str:
    """Return the result of a condition that was not met; raise any other error."""
    if refused.code not in _CONDITIONS:
        raise refused
    return FAILED


def _key(item: int) -> dict[str, Any]:
    return {"pk": {"S": "p"}, "sk": {"S": str(item)}}


def _number(value: int) -> dict[str, str]:
    return {"N": str(value)}


def request_of(name: str, arguments: tuple[Any, ...], token: str) -> tuple[str, dict[str, Any]]:
    """Return the action and the request of an operation."""
    if name == "read all":
        return "TransactGetItems", {"TransactItems": [{"Get": _on(item)} for item in range(ITEMS)]}
    item = arguments[0]
    match name:
        case "get":
            return "GetItem", {**_on(item), "ConsistentRead": True}
        case "delete":
            return "DeleteItem", {**_on(item), "ReturnValues": "ALL_OLD"}
        case "add":
            return "UpdateItem", {**_add(item, arguments[1]), "ReturnValues": "UPDATED_NEW"}
        case "transfer":
            values = {":amount": _number(-arguments[2]), ":least": _number(arguments[2])}
            taken = {**_add(item, 0), "ConditionExpression": "v >= :least", "ExpressionAttributeValues": values}
            actions = [{"Update": taken}, {"Update": _add(arguments[1], arguments[2])}]
            return "TransactWriteItems", {"TransactItems": actions, "ClientRequestToken": token}
        case _:
            return "PutItem", _put(name, arguments)


def _put(name: str, arguments: tuple[Any, ...]) -> dict[str, Any]:
    request: dict[str, Any] = {"TableName": TABLE, "Item": _key(arguments[0]) | {"v": _number(arguments[-1])}}
    if name == "create":
        request["ConditionExpression"] = "attribute_not_exists(pk)"
    elif name == "swap":
        values = {":old": _number(arguments[1])}
        request |= {"ConditionExpression": "v = :old", "ExpressionAttributeValues": values}
    return request


def _on(item: int) -> dict[str, Any]:
    return {"TableName": TABLE, "Key": _key(item)}


def _add(item: int, amount: int) -> dict[str, Any]:
    return {
        **_on(item),
        "UpdateExpression": "ADD v :amount",
        "ExpressionAttributeValues": {":amount": _number(amount)},
    }


def result_of(name: str, response: dict[str, Any]) -> Any:
    if name == "read all":
        return tuple(_value(each.get("Item")) for each in response["Responses"])
    if name == "get":
        return _value(response.get("Item"))
    return _value(response.get("Attributes")) if name in ("add", "delete") else "ok"


def _value(item: dict[str, Any] | None) -> int | None:
    return None if item is None else int(item["v"]["N"])
