"""Shapes of requests: the table, the index, the key condition, the filter and the options, without values."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from singletable.catalogue.value_shapes import DELIMITERS, UNKNOWN, AttributeValue, ValueShapes
from singletable.errors import RequestRefused
from singletable.expressions.condition_parser import parse_condition
from singletable.expressions.key_condition import key_tests
from singletable.expressions.printer import Placeholders, Printer
from singletable.expressions.projection import parse_projection
from singletable.expressions.tree import Constant, Parameter
from singletable.expressions.update_expression import parse_update
from singletable.lazy_dataclass import dataclass

Request = Mapping[str, Any]
Names = tuple[tuple[str, str], ...]
_Condition = tuple[str, str, Sequence[AttributeValue]]

READS = ("GetItem", "Query", "Scan", "BatchGetItem", "TransactGetItems")
WRITES = ("PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems")
STATEMENTS = ("ExecuteStatement", "BatchExecuteStatement", "ExecuteTransaction")
RECORDED = frozenset((*READS, *WRITES, *STATEMENTS))
"""The operations that read or write items."""

_ACTIONS = {"Get": "GetItem", "Put": "PutItem", "Update": "UpdateItem", "Delete": "DeleteItem"}
_CHECK = "ConditionCheck"
_LEGACY_OPERATORS = {"EQ": "=", "LE": "<=", "LT": "<", "GE": ">=", "GT": ">", "BEGINS_WITH": "begins_with"}
OPERATORS = frozenset({*_LEGACY_OPERATORS.values(), "BETWEEN"})
"""The operators of key conditions."""
_UNREADABLE = "(not a valid expression)"
# In a PartiQL statement, a quoted name stays. A number or a string (even without its end quote) becomes `?`.
_LITERAL = re.compile(r"""(?P<name>"(?:[^"]|"")*"|[A-Za-z_$][\w$]*)|'(?:[^']|'')*(?:'|$)|(?:\d|\.\d)[\w.+-]*""")
_SEVERAL = re.compile(r"\?(?:, \?)+(?=[)\]])")


@dataclass(frozen=True)
class KeyShape:
    """A condition on a key attribute: the attribute, the operator, and the shapes of the operands."""

    attribute: str
    operator: str
    values: tuple[str, ...]

    def __str__(self) -> str:
        first, *others = self.values or (UNKNOWN,)  # a request that is not valid can lack the values
        if self.operator == "BETWEEN":
            return f"{self.attribute} BETWEEN {first} AND {others[-1] if others else UNKNOWN}"
        if self.operator == "begins_with":
            return f"begins_with({self.attribute}, {first})"
        return f"{self.attribute} {self.operator} {first}"


@dataclass(frozen=True)
class RequestShape:
    """The part of a request that is the same for every call of an access pattern."""

    operation: str
    table: str = ""
    index: str | None = None
    key: tuple[KeyShape, ...] = ()
    filter: str | None = None
    projection: tuple[str, ...] = ()
    select: str | None = None
    descending: bool = False
    limit: int | None = None
    consistent: bool = False
    condition: str | None = None
    update: str | None = None
    segments: int | None = None
    statement: str | None = None
    parts: tuple[RequestShape, ...] = ()
    """The different requests of a batch or a transaction, each once."""

    @property
    def is_read(self) -> bool:
        """Whether the request reads items and writes none."""
        if self.operation in STATEMENTS:
            return all(text.lstrip()[:6].upper() == "SELECT" for text in (self.statement or "").split(";"))
        return self.operation in READS


@dataclass(frozen=True)
class RequestPart:
    """One read or write of a request: a request itself, or an element of a batch or a transaction."""

    operation: str
    table: str
    request: Request
    item: Mapping[str, AttributeValue] | None = None
    """The item that is put."""
    key: Mapping[str, AttributeValue] | None = None
    """The key of the item."""


def parts_of(operation: str, request: Request) -> Iterator[RequestPart]:
    """Yield the reads and writes of a request. Only batches and transactions have several."""
    if operation in ("TransactWriteItems", "TransactGetItems"):
        for element in request.get("TransactItems", ()):
            for action, each in element.items():
                yield _part(_ACTIONS.get(action, _CHECK), each.get("TableName", ""), each)
    elif operation == "BatchGetItem":
        for table, each in request.get("RequestItems", {}).items():
            for key in each.get("Keys", ()):
                yield RequestPart("GetItem", table, each, key=key)
    elif operation == "BatchWriteItem":
        for table, elements in request.get("RequestItems", {}).items():
            for element in elements:
                for action, each in element.items():
                    yield _part("PutItem" if action == "PutRequest" else "DeleteItem", table, each)
    elif operation not in STATEMENTS:
        yield _part(operation, request.get("TableName", ""), request)


def _part(operation: str, table: str, request: Request) -> RequestPart:
    return RequestPart(operation, table.rpartition(":table/")[2], request, request.get("Item"), request.get("Key"))


class RequestShapes:
    """Returns the shapes of requests. `keys_of` returns the names of a table's key attributes, as far as known."""

    def __init__(self, values: ValueShapes, keys_of: Callable[[str], Sequence[str]]) -> None:
        self._values = values
        self._keys_of = keys_of

    def of(self, operation: str, request: Request, parts: Sequence[RequestPart]) -> RequestShape:
        """Return the shape of a request that consists of these parts."""
        if operation in STATEMENTS:
            return RequestShape(operation, statement="; ".join(dict.fromkeys(_statements(request))))
        if operation in ("GetItem", "Query", "Scan", "PutItem", "UpdateItem", "DeleteItem"):
            return self._of_part(parts[0])
        distinct = dict.fromkeys(self._of_part(part) for part in parts)
        return RequestShape(operation, parts=tuple(sorted(distinct, key=_order)))

    def part_counts(self, shape: RequestShape, parts: Sequence[RequestPart]) -> list[int]:
        """Return the number of parts of a batch or transaction with each part shape, in the order of `shape.parts`."""
        counts = Counter(self._of_part(part) for part in parts)
        return [counts[each] for each in shape.parts]

    def _of_part(self, part: RequestPart) -> RequestShape:
        request = part.request
        names: Names = tuple(sorted(request.get("ExpressionAttributeNames", {}).items()))
        return RequestShape(
            part.operation,
            part.table,
            request.get("IndexName"),
            self.key_of(part, names),
            _filter(request, names),
            _projection(request, names),
            request["Select"] if request.get("Select") in ("COUNT", "ALL_PROJECTED_ATTRIBUTES") else None,
            request.get("ScanIndexForward") is False,
            request.get("Limit"),
            request.get("ConsistentRead") is True,
            _condition(request, names),
            _update(request, names),
            request.get("TotalSegments"),
        )

    def key_of(self, part: RequestPart, names: Names) -> tuple[KeyShape, ...]:
        """Return the shape of the key condition of a Query, or of the key of an item."""
        if part.key is not None:
            conditions: Iterable[_Condition] = ((name, "=", [value]) for name, value in part.key.items())
        elif part.item is not None:
            own = [name for name in self._keys_of(part.table) if name in part.item]
            conditions = ((name, "=", [part.item[name]]) for name in own)
        else:
            conditions = key_conditions(part.request, names)
        shape = self._values.of
        return _without_lone_labels(
            [KeyShape(attribute, operator, tuple(map(shape, values))) for attribute, operator, values in conditions]
        )


def _without_lone_labels(keys: Sequence[KeyShape]) -> tuple[KeyShape, ...]:
    """Return the keys. A value of only capital letters becomes `?`, unless a key has a label with a delimiter.

    `METADATA` next to `USER#?` is a constant of the design. A code such as `JFK` or `PENDING` alone is a value.
    """
    if any(_has_delimiter(value) for key in keys for value in key.values):
        return tuple(keys)
    return tuple(
        KeyShape(key.attribute, key.operator, tuple(v if v.startswith(UNKNOWN) else UNKNOWN for v in key.values))
        for key in keys
    )


def _has_delimiter(shape: str) -> bool:
    return any(each in shape for each in DELIMITERS)


def _order(shape: RequestShape) -> tuple[str, str, str]:
    return shape.table, shape.operation, str(shape.key)


def key_conditions(request: Request, names: Names) -> list[tuple[str, str, list[AttributeValue]]]:
    """Return the attribute, operator and values of each key condition of a Query."""
    legacy = request.get("KeyConditions")
    if legacy:
        return [
            (name, _LEGACY_OPERATORS.get(each["ComparisonOperator"], "BETWEEN"), each.get("AttributeValueList", []))
            for name, each in legacy.items()
        ]
    text = request.get("KeyConditionExpression")
    if not text:
        return []
    given = request.get("ExpressionAttributeValues", {})
    return [
        (attribute, operator, [given[name] for name in operands if name in given])
        for attribute, operator, operands in _compiled_key(text, names)
    ]


@lru_cache(512)
def _compiled_key(text: str, names: Names) -> tuple[tuple[str, str, tuple[str, ...]], ...]:
    try:
        tests = key_tests(parse_condition("KeyConditionExpression", text, dict(names)).tree)
    except RequestRefused:
        return ()
    return tuple(
        (each.attribute, each.operator, tuple(o.name for o in each.operands if isinstance(o, Parameter)))
        for each in tests.values()
    )


def _filter(request: Request, names: Names) -> str | None:
    for legacy in ("QueryFilter", "ScanFilter"):
        if request.get(legacy):
            return _legacy_tests(request[legacy])
    text = request.get("FilterExpression")
    return _compiled_condition(text, names) if text else None


def _condition(request: Request, names: Names) -> str | None:
    if request.get("Expected"):
        return _legacy_tests(request["Expected"])
    text = request.get("ConditionExpression")
    return _compiled_condition(text, names) if text else None


def _update(request: Request, names: Names) -> str | None:
    if request.get("AttributeUpdates"):
        return ", ".join(f"{each.get('Action', 'PUT')} {name}" for name, each in request["AttributeUpdates"].items())
    text = request.get("UpdateExpression")
    return _compiled_update(text, names) if text else None


def _projection(request: Request, names: Names) -> tuple[str, ...]:
    if request.get("AttributesToGet"):
        return tuple(request["AttributesToGet"])
    text = request.get("ProjectionExpression")
    return _compiled_projection(text, names) if text else ()


def _legacy_tests(tests: Mapping[str, Mapping[str, Any]]) -> str:
    return " AND ".join(f"{name} {each.get('ComparisonOperator', 'EQ')} {UNKNOWN}" for name, each in tests.items())


class _Masked(Placeholders):
    """Prints attribute names themselves, and `?` for every value."""

    def name(self, attribute: str) -> str:
        return attribute

    def value(self, value: object) -> str:
        return UNKNOWN


def _printer() -> Printer:
    return Printer(_Masked(), lambda name: name, _hidden)


def _hidden(_: Constant | Parameter) -> None:
    return None


@lru_cache(512)
def _compiled_condition(text: str, names: Names) -> str:
    try:
        shown = _printer().condition(parse_condition("FilterExpression", text, dict(names)).tree)
    except RequestRefused:
        return _UNREADABLE
    return _SEVERAL.sub("?, ...", shown)  # the number of options is a value too


@lru_cache(512)
def _compiled_update(text: str, names: Names) -> str:
    try:
        return _printer().update(parse_update("UpdateExpression", text, dict(names)).changes)
    except RequestRefused:
        return _UNREADABLE


@lru_cache(512)
def _compiled_projection(text: str, names: Names) -> tuple[str, ...]:
    try:
        paths = parse_projection("ProjectionExpression", text, dict(names)).paths
    except RequestRefused:
        return (_UNREADABLE,)
    return tuple(str(path) for path in paths)


def _statements(request: Request) -> Iterator[str]:
    """Yield the PartiQL statements of a request, with `?` for every literal."""
    if "Statement" in request:
        yield masked_statement(request["Statement"])
    for each in (*request.get("Statements", ()), *request.get("TransactStatements", ())):
        yield masked_statement(each["Statement"])


def masked_statement(text: str) -> str:
    """Return a PartiQL statement with `?` for every string and number."""
    masked = _LITERAL.sub(lambda found: found["name"] or UNKNOWN, text)
    return _SEVERAL.sub("?, ...", " ".join(masked.split()))
