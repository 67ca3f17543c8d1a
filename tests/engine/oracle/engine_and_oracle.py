"""The engine and the oracle side by side: both get every request, and their responses must be equal."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from singletable.engine.engine import Engine
from singletable.errors import RequestRefused
from tests.engine.oracle.oracle_conditions import printed
from tests.engine.oracle.oracle_dynamodb import Answer, OracleDynamoDB, Refused, Request
from tests.engine.oracle.oracle_table import Key, OracleIndex, OracleTable
from tests.engine.oracle.oracle_values import Item, Unspecified, normal_item

# Options that reduce a response. Without them, a request reads its whole key range.
NARROWING = (
    "FilterExpression",
    "ProjectionExpression",
    "Limit",
    "Select",
    "ExclusiveStartKey",
    "ReturnConsumedCapacity",
)


class Clock:
    """A clock that the test advances."""

    def __init__(self) -> None:
        self.seconds = 1_700_000_000.0

    def __call__(self) -> float:
        return self.seconds


class EngineAndOracle:
    """Both sides and their requests, so that a difference can be reproduced without the test.

    Two engines open a store in a file, like two processes, and handle the requests in turn.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.clock = Clock()
        self.oracle = OracleDynamoDB(self.clock)
        self._url = "memory:" if path is None else f"file:{path}"
        self._engines: list[Engine] = []
        self._sent: list[str] = []
        self._open()

    def _open(self) -> None:
        count = 1 if self._url == "memory:" else 2
        self._engines = [Engine(self._url, now=self.clock) for _ in range(count)]
        self._sent.append(f"engines = [Engine({self._url!r}, now=clock) for _ in range({count})]")

    def reopen(self) -> None:
        """Open the engine again. A store in a file must still contain all items."""
        if self._url != "memory:":
            self.close()
            self._sent.append("[engine.close() for engine in engines]")
            self._open()

    def close(self) -> None:
        for engine in self._engines:
            engine.close()

    # Tables

    def create(self, table: OracleTable) -> None:
        self._call("CreateTable", table.creation())
        self.oracle.tables[table.name] = table

    def add_index(self, table: OracleTable, index: OracleIndex) -> None:
        used = {name for known in table.indexes.values() for name in known.key_names}
        definitions = table.definitions({*used, *index.key_names, *table.key_names})
        change = {"Create": index.description()}
        self._update_table(table, {"AttributeDefinitions": definitions}, change)
        table.indexes[index.name] = index

    def remove_index(self, table: OracleTable, name: str) -> None:
        self._update_table(table, {}, {"Delete": {"IndexName": name}})
        del table.indexes[name]

    def _update_table(self, table: OracleTable, more: Answer, change: Answer) -> None:
        self._call("UpdateTable", {"TableName": table.name, **more, "GlobalSecondaryIndexUpdates": [change]})
        self._sent.append("[engine.backfill.wait() for engine in engines]")
        for engine in self._engines:
            engine.backfill.wait()

    # Items

    def run(self, action: str, request: Request) -> None:
        """Send one request to both sides, unless DynamoDB does not specify the behaviour."""
        try:
            expected: Answer | Refused = self.oracle.answer(action, request)
        except Refused as refused:
            expected = refused
        except Unspecified:
            return
        self._compare(action, request, expected)

    def read_pages(self, action: str, request: Request, between: Callable[[Answer], None] | None = None) -> None:
        """Read all pages of a Query or Scan. `between` may change items between two pages."""
        try:
            self.oracle.check_page(request)
        except Refused as refused:
            self._compare(action, request, refused)
            return
        order = self._reading_order(action, request)
        start: Item | None = None
        for _ in range(len(order) + 2):
            sent = {**request, "ExclusiveStartKey": start}
            expected = self.oracle.page(sent, order)
            self._compare(action, sent, expected)
            start = expected.get("LastEvaluatedKey")
            if start is None:
                return
            if between is not None:
                between(expected)
        raise AssertionError(f"{action} never ends\n{self._reproduction()}")

    def _reading_order(self, action: str, request: Request) -> list[Key]:
        """Return the order in which the engine reads.

        Check that each entry occurs once, and that partitions are in order.
        """
        table, index = self.oracle.source(request)
        wide = {name: value for name, value in request.items() if name not in NARROWING}
        read: list[Item] = []
        start: Item | None = None
        while True:
            answer = self._call(action, {**wide, "ExclusiveStartKey": start})
            read += [normal_item(item) for item in answer["Items"]]
            start = answer.get("LastEvaluatedKey")
            if start is None:
                break
        expected = table.matching(index, request.get("KeyConditionExpression"))
        keys = [table.key_of(item) for item in read]
        if "Segment" not in request:
            self._assert_same(action, wide, dict(zip(keys, read, strict=True)), expected)
        assert len(set(keys)) == len(keys), f"an item is read twice\n{self._reproduction()}"
        try:
            table.assert_order(index, read, descending=request.get("ScanIndexForward") is False)
        except AssertionError as error:
            raise AssertionError(f"{error}\n{self._reproduction()}") from None
        return keys

    def scan_segments(self, request: Request, total: int) -> None:
        """Read all segments. Check that each entry occurs once, and that no partition is in two segments."""
        table, index = self.oracle.source(request)
        keys: list[Key] = []
        partitions: list[set[Key]] = []
        for segment in range(total):
            sent = {**request, "Segment": segment, "TotalSegments": total}
            self.read_pages("Scan", sent)
            read = self._reading_order("Scan", sent)
            entries = table.entries(index)
            keys += read
            partitions.append({table.partition_of(index, entries[key]) for key in read})
        assert set(keys) == set(table.entries(index)), self._reproduction()
        assert len(set(keys)) == len(keys), self._reproduction()
        assert sum(map(len, partitions)) == len(set().union(*partitions)), self._reproduction()

    # Comparing

    def _call(self, action: str, request: Request) -> Answer:
        sent = printed(request)
        which = len(self._sent) % len(self._engines)
        self._sent.append(f"engines[{which}].call({action!r}, {sent!r})")
        return self._engines[which].call(action, sent)

    def _compare(self, action: str, request: Request, expected: Answer | Refused) -> None:
        try:
            actual: Answer | RequestRefused = self._call(action, request)
        except RequestRefused as refused:
            actual = refused
        if isinstance(expected, Refused) or isinstance(actual, RequestRefused):
            self._compare_errors(action, request, actual, expected)
        else:
            self._assert_same(action, request, _comparable(actual), _comparable(expected))

    def _compare_errors(
        self, action: str, request: Request, actual: Answer | RequestRefused, expected: Answer | Refused
    ) -> None:
        if not isinstance(expected, Refused) or not isinstance(actual, RequestRefused):
            self._assert_same(action, request, repr(actual), repr(expected))
            return
        self._assert_same(action, request, actual.code, expected.code)
        fields = json.loads(json.dumps(actual.fields, default=_raw))
        item = fields.get("Item")
        self._assert_same(action, request, item and normal_item(item), expected.item)
        if expected.reasons is not None:
            self._compare_reasons(action, request, fields["CancellationReasons"], expected.reasons)

    def _compare_reasons(
        self, action: str, request: Request, actual: Sequence[Answer], expected: Sequence[Answer]
    ) -> None:
        """Compare cancellation reasons, which are in the order of the actions.

        The engine may find actions that do not fit their table before it looks at other actions. These then have no
        reason.
        """
        reasons = [{name: value for name, value in reason.items() if name != "Message"} for reason in actual]
        reasons = [reason | ({"Item": normal_item(reason["Item"])} if "Item" in reason else {}) for reason in reasons]
        if not any(reason["Code"] == "ValidationError" for reason in expected):
            self._assert_same(action, request, reasons, list(expected))
            return
        known = [theirs if mine["Code"] == "None" else mine for mine, theirs in zip(reasons, expected, strict=True)]
        self._assert_same(action, request, known, list(expected))
        assert any(reason["Code"] == "ValidationError" for reason in reasons), self._reproduction()

    def _assert_same(self, action: str, request: Request, actual: Any, expected: Any) -> None:
        if actual != expected:
            raise AssertionError(
                f"{action} {json.dumps(printed(request), default=repr)}\n"
                f"  the engine: {actual}\n  should say: {expected}\n{self._reproduction()}"
            )

    def _reproduction(self) -> str:
        return "\n".join(["To repeat it:", *self._sent])


def _raw(value: Any) -> Any:
    """Decode the items in an error, which are raw JSON."""
    return json.loads(bytes(value))


def _comparable(answer: Answer) -> Answer:
    """Return a response without the unspecified order of sets, tables and items of a batch."""
    result = dict(answer)
    for name in ("Item", "Attributes", "LastEvaluatedKey"):
        if name in result:
            result[name] = normal_item(result[name])
    if "Items" in result:
        result["Items"] = [normal_item(item) for item in result["Items"]]
    if isinstance(result.get("Responses"), list):
        result["Responses"] = [
            {name: normal_item(item) for name, item in response.items()} for response in result["Responses"]
        ]
    if isinstance(result.get("Responses"), dict):
        result["Responses"] = {
            table: sorted((normal_item(item) for item in items), key=lambda item: json.dumps(item, sort_keys=True))
            for table, items in result["Responses"].items()
        }
    if isinstance(result.get("ConsumedCapacity"), list):
        result["ConsumedCapacity"] = sorted(result["ConsumedCapacity"], key=lambda consumed: consumed["TableName"])
    return result
