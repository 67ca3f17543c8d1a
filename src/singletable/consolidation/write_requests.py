"""Write requests: the writes and checks of single items in a request, their effect, and the response to the caller."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from singletable.client.responses import Item
from singletable.client.write.item_actions import ActionKind, ItemAction, KeyId, key_id
from singletable.errors import RequestRefused
from singletable.expressions.bound_expressions import BoundCondition, BoundUpdate, Expressions
from singletable.expressions.tree import Change, Condition, Constant, Leaf, Parameter, Path, leaves, with_leaves

CONDITION_FAILED, CANCELLED = "ConditionalCheckFailedException", "TransactionCanceledException"
SINGLE: dict[str, ActionKind] = {"PutItem": "Put", "UpdateItem": "Update", "DeleteItem": "Delete"}
ITEM_WRITES = frozenset((*SINGLE, "BatchWriteItem", "TransactWriteItems"))
STATEMENTS = frozenset(("ExecuteStatement", "BatchExecuteStatement", "ExecuteTransaction"))
_FAILED_MESSAGE = "The conditional request failed"
_LEGACY = ("Expected", "AttributeUpdates", "ConditionalOperator")
Place = tuple[str, KeyId]
"""The table and the key of an item."""


@dataclass(frozen=True)
class RequestedWrite:
    """The write or check of one item, as a request describes it."""

    kind: ActionKind
    table: str
    key: Item
    parameters: Mapping[str, Any]
    condition: BoundCondition | None
    update: BoundUpdate | None

    @property
    def place(self) -> Place:
        """The table and the key of the item."""
        return self.table, key_id(self.key)

    def holds(self, before: Item | None) -> bool:
        """Return whether the condition of the caller holds for the stored item."""
        return self.condition is None or self.condition.holds(before or {})

    def after(self, before: Item | None) -> Item | None:
        """Return the item after the write, or None if there is none."""
        match self.kind:
            case "Put":
                return cast("Item", self.parameters["Item"])
            case "Update" if self.update is not None:
                return self.update.apply(before or self.key)
            case "Update":
                return before or self.key
            case "Delete":
                return None
            case _:
                return before

    @property
    def read(self) -> frozenset[str]:
        """The attributes that the condition and the update read or change."""
        names = set(() if self.condition is None else self.condition.attributes)
        for change in () if self.update is None else self.update.update.changes:
            names |= {each.attribute for each in leaves(change) if isinstance(each, Path)}
        return frozenset(names)

    def action(self, before: Item | None, guards: Sequence[Condition] = ()) -> ItemAction:
        """Return the write of the stored item `before` as an action of a transaction, with the caller's condition."""
        own = () if self.condition is None else (_with_constants(self.condition.tree, self.condition.values),)
        changes: tuple[Change, ...] = ()
        if self.update is not None:
            values = self.update.values
            changes = tuple(_with_constants(each, values) for each in self.update.update.changes)
        if self.kind == "Update" and not changes:  # in a transaction, an update must change an attribute
            kind: ActionKind = "Put" if before is None else "ConditionCheck"
            return ItemAction(kind, self.key, 0, self.key, guards=(*own, *guards))
        item = self.parameters["Item"] if self.kind == "Put" else None
        return ItemAction(self.kind, self.key, 0, item, changes, guards=(*own, *guards))

    def returned(self, before: Item | None, after: Item | None) -> Item | None:
        """Return the attributes that the caller has requested with ReturnValues."""
        match self.parameters.get("ReturnValues"):
            case "ALL_OLD":
                return before
            case "ALL_NEW":
                return after
            case "UPDATED_OLD" if self.update is not None and before is not None:
                return self.update.updated(before)
            case "UPDATED_NEW" if self.update is not None and after is not None:
                return self.update.updated(after)
            case _:
                return None

    def reason(self, before: Item | None) -> dict[str, Any]:
        """Return the cancellation reason for the condition of the caller, which does not hold."""
        wants_item = self.parameters.get("ReturnValuesOnConditionCheckFailure") == "ALL_OLD"
        found = {"Item": before} if wants_item and before is not None else {}
        return {"Code": "ConditionalCheckFailed", "Message": _FAILED_MESSAGE, **found}


def _with_constants(node: Any, values: Mapping[str, Any]) -> Any:
    """Return an expression in which the values replace the placeholders."""

    def constant(leaf: Leaf) -> Leaf:
        return Constant(values[leaf.name]) if isinstance(leaf, Parameter) else leaf

    return with_leaves(node, constant)


@dataclass(frozen=True)
class RequestedWrites:
    """A request that writes items. `entries` are its parts for other tables, which are sent unchanged."""

    operation: str
    parameters: Mapping[str, Any]
    writes: tuple[RequestedWrite, ...]
    entries: tuple[Mapping[str, Any] | None, ...] = ()
    """For a transaction: each entry of another table at its position, and None for each of `writes`."""

    @property
    def token(self) -> str | None:
        """The token with which the application can repeat the request."""
        return self.parameters.get("ClientRequestToken")

    @property
    def others(self) -> list[Mapping[str, Any]]:
        """The entries of other tables."""
        return [each for each in self.entries if each is not None]

    def rejection(self, befores: Sequence[Item | None], others: Sequence[Mapping[str, Any]] = ()) -> RequestRefused:
        """Return DynamoDB's error for conditions that do not hold. `others` are the reasons of the other entries."""
        reasons = [
            {"Code": "None"} if each.holds(before) else each.reason(before)
            for each, before in zip(self.writes, befores, strict=True)
        ]
        if self.operation != "TransactWriteItems":
            found = {"Item": reasons[0]["Item"]} if "Item" in reasons[0] else {}
            return RequestRefused(CONDITION_FAILED, _FAILED_MESSAGE, **found)
        own, foreign = iter(reasons), iter(others or [{"Code": "None"}] * len(self.others))
        listed = [next(own) if each is None else next(foreign) for each in self.entries]
        codes = ", ".join(str(each["Code"]) for each in listed)
        message = f"Transaction cancelled, please refer cancellation reasons for specific reasons [{codes}]"
        return RequestRefused(CANCELLED, message, CancellationReasons=listed)

    def response(
        self, befores: Sequence[Item | None], afters: Sequence[Item | None], capacity: Mapping[str, float]
    ) -> dict[str, Any]:
        """Return the response to the caller. `capacity` are the consumed units of each table."""
        found: dict[str, Any] = {"UnprocessedItems": {}} if self.operation == "BatchWriteItem" else {}
        if self.operation in SINGLE and (values := self.writes[0].returned(befores[0], afters[0])):
            found["Attributes"] = values
        if self.parameters.get("ReturnConsumedCapacity") in ("TOTAL", "INDEXES"):
            tables = {each.table for each in self.writes}
            units = [{"TableName": name, "CapacityUnits": capacity.get(name, 0.0)} for name in sorted(tables)]
            found["ConsumedCapacity"] = units[0] if self.operation in SINGLE else units
        return found


def tables_of(operation: str, parameters: Mapping[str, Any]) -> set[str]:
    """Return the tables that a request writes."""
    if operation in SINGLE:
        return {str(parameters.get("TableName"))}
    if operation == "BatchWriteItem":
        return set(parameters.get("RequestItems") or ())
    entries = parameters.get("TransactItems") or ()
    return {str(part.get("TableName")) for entry in entries for part in entry.values()}


def read_request(operation: str, parameters: Mapping[str, Any], keys: Mapping[str, tuple[str, ...]]) -> RequestedWrites:
    """Return the writes of a request on some tables, given the key attributes of these tables.

    Raise RequestRefused if the request is not valid.
    """
    if operation in SINGLE:
        return RequestedWrites(operation, parameters, (_write(SINGLE[operation], parameters, keys),))
    writes: list[RequestedWrite] = []
    entries: list[Mapping[str, Any] | None] = []
    if operation == "BatchWriteItem":
        for table, requests in parameters["RequestItems"].items():
            for each in requests:
                ((name, part),) = each.items()
                kind: ActionKind = "Put" if name == "PutRequest" else "Delete"
                part = {**part, "TableName": table}
                if table in keys:
                    writes.append(_write(kind, part, keys))
                    entries.append(None)
                else:
                    entries.append({kind: part})
    else:
        for entry in parameters["TransactItems"]:
            ((name, part),) = entry.items()
            if part["TableName"] in keys:
                writes.append(_write(name, part, keys))
                entries.append(None)
            else:
                entries.append(entry)
    request = RequestedWrites(operation, parameters, tuple(writes), tuple(entries))
    _reject_repeated(request)
    return request


def _write(kind: ActionKind, part: Mapping[str, Any], keys: Mapping[str, tuple[str, ...]]) -> RequestedWrite:
    if legacy := [name for name in _LEGACY if name in part]:
        raise RequestRefused(
            "ValidationException", f"dual writes do not support {', '.join(legacy)}; use expressions instead"
        )
    table = str(part["TableName"])
    source: Item = part["Item"] if kind == "Put" else part["Key"]
    if missing := [name for name in keys[table] if name not in source]:
        raise RequestRefused("ValidationException", f"Missing the key {missing[0]} in the item")
    key = {name: source[name] for name in keys[table]}
    expressions = Expressions(part.get("ExpressionAttributeNames"), part.get("ExpressionAttributeValues"))
    text, update = part.get("ConditionExpression"), part.get("UpdateExpression")
    found = None if text is None else expressions.condition("ConditionExpression", text)
    changed = None if update is None else expressions.update(update)
    expressions.finish()
    return RequestedWrite(kind, table, key, part, found, changed)


def _reject_repeated(request: RequestedWrites) -> None:
    places = [each.place for each in request.writes]
    if len(set(places)) < len(places):
        what = "Provided list of item keys contains duplicates"
        if request.operation == "TransactWriteItems":
            what = "Transaction request cannot include multiple operations on one item"
        raise RequestRefused("ValidationException", what)


def key_text(key: Item) -> str:
    """Return a key for messages."""
    return json.dumps(key, ensure_ascii=False)
