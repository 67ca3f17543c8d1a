"""The oracle: a slow and simple DynamoDB, with dictionaries of items and full searches.

Requests and responses are those of DynamoDB, but expressions are objects (oracle_conditions, oracle_updates) instead of
text. The caller passes the order of the entries to Query and Scan, because DynamoDB specifies no order between
partitions, or between index entries with equal keys.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tests.engine.oracle.oracle_conditions import Condition, is_empty_range, printed
from tests.engine.oracle.oracle_table import ITEM_BYTES_MAX, Key, OracleIndex, OracleTable, Units, read_units
from tests.engine.oracle.oracle_updates import Projection, Update
from tests.engine.oracle.oracle_values import (
    Invalid,
    InvalidEmptyKey,
    InvalidTwice,
    Item,
    Unspecified,
    item_size,
    normal_item,
)

PAGE_BYTES_MAX = 1024 * 1024
TOKEN_SECONDS = 600
EVENTUAL, CONSISTENT, TRANSACTIONAL = 0.5, 1.0, 2.0

Request = Mapping[str, Any]
Answer = dict[str, Any]
# A table, an item key, and the item before and after.
Write = tuple[OracleTable, Key, Item | None, Item | None]


class Refused(Exception):
    """An error response of DynamoDB: its code, with the item or the cancellation reasons."""

    def __init__(self, code: str, *, item: Item | None = None, reasons: list[Answer] | None = None) -> None:
        self.code = code
        self.item = item
        self.reasons = reasons
        super().__init__(code)


class OracleDynamoDB:
    """Tables by name, and idempotency tokens."""

    def __init__(self, now: Callable[[], float]) -> None:
        self.tables: dict[str, OracleTable] = {}
        self._tokens: dict[str, tuple[float, Any, dict[str, Units]]] = {}
        self._now = now

    def answer(self, action: str, request: Request) -> Answer:
        """Answer any request except Query, Scan and table actions."""
        act: Callable[[Request], Answer] = {
            "PutItem": self._write_one,
            "UpdateItem": self._write_one,
            "DeleteItem": self._write_one,
            "GetItem": self._get,
            "BatchWriteItem": self._batch_write,
            "BatchGetItem": self._batch_get,
            "TransactWriteItems": self._transact_write,
            "TransactGetItems": self._transact_get,
        }[action]
        try:
            return act(request)
        except Invalid:
            raise Refused("ValidationException") from None

    # Writes

    def _after(self, table: OracleTable, request: Request) -> tuple[Key, Item | None, Item | None]:
        """Return the key and the item before and after a put, update, delete or condition check."""
        key = table.key_of(request["Item"]) if "Item" in request else table.named_key(request["Key"])
        before = table.items.get(key)
        after: Item | None = None
        if "Item" in request:
            after = normal_item(request["Item"])
            table.check(after)
        update = request.get("UpdateExpression")
        if any(path[0] in table.key_names for path in _paths(update)):
            raise Invalid("an update of a key attribute")
        condition = request.get("ConditionExpression")
        if condition is not None and not condition.holds(before or {}):
            if update is not None and table.misfits(update):
                raise Unspecified("which of two refusals comes first")
            item = before if request.get("ReturnValuesOnConditionCheckFailure") == "ALL_OLD" else None
            raise Refused("ConditionalCheckFailedException", item=copy.deepcopy(item))
        if "UpdateExpression" in request:
            if before is None and update is not None and update.only_removes:
                if table.misfits(update):
                    raise Invalid("an update of an index key with another type")
                return key, None, None
            old = normal_item(request["Key"]) if before is None else before
            after = update.applied(old) if update is not None else old
            if abs(table.counted_size(after) - ITEM_BYTES_MAX) < 4096:
                raise Unspecified("an update that comes near 400 KB")
            table.check(after, old)
        return key, before, after

    def _write_one(self, request: Request) -> Answer:
        table = self._table(request)
        key, before, after = self._after(table, request)
        answer: Answer = {}
        attributes = _returned(request, before, after)
        if attributes:
            answer["Attributes"] = copy.deepcopy(attributes)
        if _detail(request):
            answer["ConsumedCapacity"] = table.write_units(before, after).capacity_document(
                table.name, _detail(request)
            )
        if request.get("ReturnItemCollectionMetrics") == "SIZE" and table.has_local:
            answer["ItemCollectionMetrics"] = self._collection(table, request)
        _store(table, key, after)
        return answer

    def _collection(self, table: OracleTable, request: Request) -> Answer:
        value = request.get("Item", request.get("Key"))[table.partition]
        key = normal_item({table.partition: value})
        return {"ItemCollectionKey": key, "SizeEstimateRangeGB": [0.0, 1.0]}

    def _batch_write(self, request: Request) -> Answer:
        writes: list[Write] = []
        for name, requests in request["RequestItems"].items():
            table = self.tables[name]
            for each in requests:
                (one,) = each.values()
                writes.append((table, *self._after(table, one)))
        places = [(table.name, key) for table, key, _, _ in writes]
        if len(set(places)) < len(places):
            raise Invalid("two writes of one item")
        units: dict[str, Units] = {}
        for table, key, before, after in writes:
            _add(units, table, table.write_units(before, after))
            _store(table, key, after)
        return {"UnprocessedItems": {}} | _consumed_capacity(units, request)

    def _transact_write(self, request: Request) -> Answer:
        token = request.get("ClientRequestToken")
        actions = [next(iter(each.items())) for each in request["TransactItems"]]
        self._refuse_two_on_one_item(actions)
        sent = printed(request["TransactItems"])
        if token in self._tokens and self._now() - self._tokens[token][0] < TOKEN_SECONDS:
            _, known, units = self._tokens[token]
            if known != sent:
                raise Refused("IdempotentParameterMismatchException")
            return _consumed_capacity(units, request, "ReadCapacityUnits")
        units, replay = {}, dict[str, Units]()
        for (word, _), (table, key, before, after) in zip(actions, self._all_or_none(actions), strict=True):
            result = before if word == "ConditionCheck" else after
            _add(units, table, table.write_units(before, result, factor=2))
            larger = max(item_size(before or {}), item_size(result or {}))
            _add(replay, table, Units(table=read_units(larger, TRANSACTIONAL)))
            _store(table, key, result)
        if token is not None:
            self._tokens[token] = (self._now(), sent, replay)
        return _consumed_capacity(units, request, "WriteCapacityUnits")

    def _all_or_none(self, actions: Sequence[tuple[str, Request]]) -> list[Write]:
        """Return the results of all actions, or raise with their cancellation reasons."""
        writes: list[Write] = []
        reasons: list[Answer] = []
        has_empty_key = False
        for _, one in actions:
            try:
                writes.append((self._table(one), *self._after(self._table(one), one)))
                reasons.append({"Code": "None"})
            except Refused as refused:
                item = {} if refused.item is None else {"Item": refused.item}
                reasons.append({"Code": "ConditionalCheckFailed", **item})
            except InvalidEmptyKey:
                has_empty_key = True
            except InvalidTwice:
                raise Unspecified("an empty key and another reason") from None
            except Invalid:
                reasons.append({"Code": "ValidationError"})
        if has_empty_key:
            # Captured from AWS: this error fails the request instead of the action.
            if {"Code": "ValidationError"} in reasons:
                raise Unspecified("an empty key and another reason")
            raise Invalid("an empty key")
        if len(writes) < len(reasons):
            raise Refused("TransactionCanceledException", reasons=reasons)
        return writes

    def _refuse_two_on_one_item(self, actions: Sequence[tuple[str, Request]]) -> None:
        places = []
        for _, one in actions:
            table = self._table(one)
            named = one.get("Item", one.get("Key"))
            try:
                places.append((table.name, table.key_of(named)))
            except Invalid:
                continue
        if len(set(places)) < len(places):
            raise Invalid("two actions on one item")

    # Reads of single items

    def _get(self, request: Request) -> Answer:
        table = self._table(request)
        item = table.items.get(table.named_key(request["Key"]))
        units = Units(table=read_units(item_size(item or {}), _factor(request)))
        answer = {} if item is None else {"Item": copy.deepcopy(_projected(item, request))}
        if _detail(request):
            answer["ConsumedCapacity"] = units.capacity_document(table.name, _detail(request))
        return answer

    def _batch_get(self, request: Request) -> Answer:
        responses: dict[str, list[Item]] = {}
        units: dict[str, Units] = {}
        for name, requested in request["RequestItems"].items():
            table = self.tables[name]
            keys = [table.named_key(key) for key in requested["Keys"]]
            if len(set(keys)) < len(keys):
                raise Invalid("one key twice")
            responses[name] = []
            for key in keys:
                item = table.items.get(key)
                _add(units, table, Units(table=read_units(item_size(item or {}), _factor(requested))))
                if item is not None:
                    responses[name].append(copy.deepcopy(_projected(item, requested)))
        return {"Responses": responses, "UnprocessedKeys": {}} | _consumed_capacity(units, request)

    def _transact_get(self, request: Request) -> Answer:
        responses: list[Answer] = []
        units: dict[str, Units] = {}
        gets = [each["Get"] for each in request["TransactItems"]]
        self._refuse_two_on_one_item([("Get", get) for get in gets])
        for get in gets:
            table = self._table(get)
            item = table.items.get(table.named_key(get["Key"]))
            _add(units, table, Units(table=read_units(item_size(item or {}), TRANSACTIONAL)))
            responses.append({} if item is None else {"Item": copy.deepcopy(_projected(item, get))})
        return {"Responses": responses} | _consumed_capacity(units, request, "ReadCapacityUnits")

    # Pages

    def check_page(self, request: Request) -> None:
        """Reject a Query or Scan that is invalid for all items."""
        table, index = self.source(request)
        condition = request.get("KeyConditionExpression")
        names = table.key_names if index is None else index.key_names
        wrong = False
        if condition is not None:
            wrong = is_empty_range(condition.test) or any(
                path[0] in names for path in _paths(request.get("FilterExpression"))
            )
        if condition is not None and index is not None:
            filtered = _paths(request.get("FilterExpression"))
            wrong |= any(not table.holds(index, str(path[0])) for path in filtered)
        if index is not None and not index.is_local:
            projected = [path[0] for path in _paths(request.get("ProjectionExpression"))]
            wrong |= bool(request.get("ConsistentRead"))
            wrong |= request.get("Select") == "ALL_ATTRIBUTES" and index.projection != "ALL"
            wrong |= any(not table.holds(index, str(name)) for name in projected)
        if wrong:
            raise Refused("ValidationException")

    def source(self, request: Request) -> tuple[OracleTable, OracleIndex | None]:
        table = self._table(request)
        name = request.get("IndexName")
        return table, None if name is None else table.indexes[name]

    def page(self, request: Request, order: Sequence[Key]) -> Answer:
        """Return one page of the entries after ExclusiveStartKey, in the given order."""
        table, index = self.source(request)
        entries = table.entries(index)
        start = request.get("ExclusiveStartKey")
        behind = 0 if start is None else 1 + order.index(table.key_of(start))
        fetches = index is not None and self._fetches(table, index, request)
        items, scanned, size, fetched, last = [], 0, 0, 0.0, None
        for key in order[behind:]:
            if key not in entries:
                continue
            seen = table.items[key] if fetches else entries[key]
            scanned += 1
            size += item_size(entries[key])
            fetched += read_units(item_size(seen), _factor(request)) if fetches else 0.0
            keep = request.get("FilterExpression")
            if keep is None or keep.holds(seen):
                items.append(copy.deepcopy(_projected(seen, request)))
            if size >= PAGE_BYTES_MAX or scanned == request.get("Limit"):
                last = table.key_attributes(entries[key], index)
                break
        answer: Answer = {"Count": len(items), "ScannedCount": scanned}
        if request.get("Select") != "COUNT":
            answer["Items"] = items
        if last is not None and not _reads_one_item(table, index, request):
            answer["LastEvaluatedKey"] = last
        if _detail(request):
            answer["ConsumedCapacity"] = _page_units(
                index, read_units(size, _factor(request)), fetched
            ).capacity_document(table.name, _detail(request))
        return answer

    def _fetches(self, table: OracleTable, index: OracleIndex, request: Request) -> bool:
        """Return whether a local index lacks requested attributes, so that items are fetched from the table."""
        names = [str(path[0]) for path in _paths(request.get("ProjectionExpression"))]
        lacks = any(not table.holds(index, name) for name in names)
        return index.is_local and (lacks or (request.get("Select") == "ALL_ATTRIBUTES" and index.projection != "ALL"))

    def _table(self, request: Request) -> OracleTable:
        table = self.tables.get(request["TableName"])
        if table is None:
            raise Refused("ResourceNotFoundException")
        return table


def _paths(expression: Condition | Update | Projection | None) -> list[Any]:
    if isinstance(expression, Condition):
        return list(expression.paths())
    return [] if expression is None else list(expression.paths)


def _returned(request: Request, before: Item | None, after: Item | None) -> Item | None:
    update = request.get("UpdateExpression")
    match request.get("ReturnValues"):
        case "ALL_OLD":
            return before
        case "ALL_NEW":
            return after
        case "UPDATED_OLD":
            return None if before is None or update is None else update.old_parts(before)
        case "UPDATED_NEW":
            return None if update is None or after is None else update.new_parts(before or request["Key"], after)
        case _:
            return None


def _store(table: OracleTable, key: Key, after: Item | None) -> None:
    if after is None:
        table.items.pop(key, None)
    else:
        table.items[key] = after


def _reads_one_item(table: OracleTable, index: OracleIndex | None, request: Request) -> bool:
    """Return whether a request is a Query for a partition that has at most one item, so that no page follows."""
    return index is None and len(table.key_names) == 1 and "KeyConditionExpression" in request


def _projected(item: Item, request: Request) -> Item:
    projection = request.get("ProjectionExpression")
    return item if projection is None else projection.of(item)


def _factor(request: Request) -> float:
    return CONSISTENT if request.get("ConsistentRead") else EVENTUAL


def _detail(request: Request) -> str:
    detail = str(request.get("ReturnConsumedCapacity", "NONE"))
    return "" if detail == "NONE" else detail


def _add(units: dict[str, Units], table: OracleTable, more: Units) -> None:
    units[table.name] = units.get(table.name, Units()) + more


def _consumed_capacity(units: dict[str, Units], request: Request, axis: str | None = None) -> Answer:
    if not _detail(request):
        return {}
    return {
        "ConsumedCapacity": [of.capacity_document(name, _detail(request), axis) for name, of in sorted(units.items())]
    }


def _page_units(index: OracleIndex | None, page: float, fetched: float) -> Units:
    if index is None:
        return Units(table=page)
    units = Units(table=fetched)
    units.add(index, page)
    return units
