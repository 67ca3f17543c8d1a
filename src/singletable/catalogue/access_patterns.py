"""Access patterns of recorded requests: the requests of one function of the application, with its calls and a name."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import takewhile
from typing import TypeVar

from singletable.catalogue.callers import Caller
from singletable.catalogue.request_groups import OPEN_MAX, RequestGroup, RequestLine
from singletable.catalogue.request_shapes import RequestShape

NAME_MAX = 56
"""The maximum length of a name without its number. The import of a worksheet cuts longer names."""
CALL_SECONDS_MAX = 10.0
"""Requests of a function that share a key belong to one call if they are closer to each other than this."""
_VERBS = {
    "GetItem": "get",
    "BatchGetItem": "get",
    "TransactGetItems": "get",
    "Query": "query",
    "Scan": "scan",
    "PutItem": "put",
    "UpdateItem": "update",
    "DeleteItem": "delete",
    "BatchWriteItem": "write",
    "TransactWriteItems": "write",
    "ConditionCheck": "check",
}
_UNSPECIFIC = frozenset({"<module>", "__call__", "handler", "lambda_handler", "main", "execute", "run"})
_WORD = re.compile(r"[^\W_]+")
_BOUNDARY = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
Key = TypeVar("Key")
Value = TypeVar("Value")


class AccessPattern:
    """The requests of one function of the application, or of one shape if the caller is unknown."""

    def __init__(self, caller: Caller | None) -> None:
        self.name = ""
        self.caller = caller
        self.groups: list[RequestGroup] = []
        self.calls = 0
        self._open: OrderedDict[str, _Call] = OrderedDict()
        self._by_number: OrderedDict[tuple[str, int], tuple[_Call, RequestGroup]] = OrderedDict()

    @property
    def requests(self) -> int:
        """The number of requests."""
        return sum(group.requests for group in self.groups)

    @property
    def units(self) -> float:
        """The read and write units of all requests."""
        return sum(group.units for group in self.groups)

    @property
    def read_units(self) -> float:
        """The read units of all requests."""
        return sum(group.units for group in self.groups if group.shape.is_read)

    @property
    def write_units(self) -> float:
        """The write units of all requests."""
        return sum(group.units for group in self.groups if not group.shape.is_read)

    @property
    def is_estimated(self) -> bool:
        """Whether the units of a request or more are computed from sizes, because the response did not contain them."""
        return any(group.estimated for group in self.groups)

    def add(self, request: RequestLine, group: RequestGroup) -> None:
        """Count a request, and a call if no earlier request belongs to the same call."""
        call = self._call_of(request, group)
        if call is None:
            call = _Call(request.time)
            self.calls += 1
        call.groups.add(id(group))
        call.time = max(call.time, request.time)
        _remember(self._by_number, (request.run, request.number), (call, group))
        for key in request.keys or ("",):
            _remember(self._open, f"{request.run} {key}", call)
        group.add(request)

    def _call_of(self, request: RequestLine, group: RequestGroup) -> _Call | None:
        """Return the call to which a request belongs, or None if it begins a new call.

        It is the call of the previous page, of the read whose result the request uses, or of a recent request with the
        same key.
        """
        if request.after is not None and (found := self._by_number.get((request.run, request.after[0]))) is not None:
            call, origin = found
            if origin is not group:
                return call
        for key in request.keys or ("",):
            recent = self._open.get(f"{request.run} {key}")
            if recent is None or request.time - recent.time > CALL_SECONDS_MAX:
                continue
            if group.is_next_page(request) or (key and id(group) not in recent.groups):
                return recent
        return None


class _Call:
    """A call of a function: the groups of its requests so far."""

    def __init__(self, time: float) -> None:
        self.time = time
        self.groups: set[int] = set()


def _remember(known: OrderedDict[Key, Value], key: Key, value: Value) -> None:
    known[key] = value
    known.move_to_end(key)
    if len(known) > OPEN_MAX:
        known.popitem(last=False)


def short_names(tables: Iterable[str]) -> dict[str, str]:
    """Return the names of tables without the words that all of them begin or end with: `orders` for `shop-orders`."""
    words = {table: words_of(table) for table in dict.fromkeys(tables)}
    if len(words) < 2:
        return {table: "_".join(each) for table, each in words.items()}
    start = _common_start(words.values())
    end = _common_start([each[:start:-1] for each in words.values()])
    return {table: "_".join(each[start : len(each) - end] or each[start:] or each) for table, each in words.items()}


def _common_start(lists: Iterable[Sequence[str]]) -> int:
    return sum(1 for _ in takewhile(lambda each: len(set(each)) == 1, zip(*lists, strict=False)))


def words_of(text: str) -> list[str]:
    """Return the words of a name such as `shop-orders`, `createdAt` or `GetOrder`, in lower case."""
    return [word.lower() for part in _WORD.findall(text) for word in _BOUNDARY.split(part)]


def name_patterns(patterns: Sequence[AccessPattern], tables: dict[str, str]) -> None:
    """Name each pattern after its function. Functions with the same name get the name of their class or file too."""
    candidates = [list(_names(pattern, tables)) for pattern in patterns]
    taken: set[str] = set()
    for pattern, own in zip(patterns, candidates, strict=True):
        others = [names for names in candidates if names is not own]
        pattern.name = next(
            (
                name
                for depth, name in enumerate(own)
                if name is not None and name not in taken and not any(name in names[: depth + 1] for names in others)
            ),
            numbered(own[-1] or "request", taken.__contains__),
        )
        taken.add(pattern.name)


def numbered(name: str, is_taken: Callable[[str], bool]) -> str:
    """Return the name, with a number if it is taken."""
    found, number = name, 2
    while is_taken(found):
        found, number = f"{name}_{number}", number + 1
    return found


def _names(pattern: AccessPattern, tables: dict[str, str]) -> Iterator[str | None]:
    """Yield names of a pattern, from the shortest to the most specific. None replaces a name such as `main`."""
    if pattern.caller is None:
        yield shortened(name_of_shape(pattern.groups[0].shape, tables))
        return
    parts = pattern.caller.function.split(".")
    for start in range(len(parts) - 1, -1, -1):
        yield None if parts[start] in _UNSPECIFIC else _joined(" ".join(parts[start:]))
    path = pattern.caller.file.removesuffix(".py")
    own = "" if parts[-1] in _UNSPECIFIC else " ".join(parts)
    yield _joined(f"{path.rpartition('/')[2]} {own}")
    yield _joined(f"{path} {own}")


def _joined(text: str) -> str:
    return shortened("_".join(words_of(text))) or "request"


def shortened(name: str) -> str:
    """Return the beginning of a name that is too long."""
    return name[:NAME_MAX].rstrip("_")


def name_of_shape(shape: RequestShape, tables: dict[str, str]) -> str:
    """Return a name for requests without a caller: `query_orders_by_customer_id`."""
    if shape.statement is not None:
        return "_".join(words_of(shape.statement)[:8])
    parts = shape.parts or (shape,)
    operations = {part.operation for part in parts}
    verb = _VERBS.get(operations.pop() if len(operations) == 1 else shape.operation, "request")
    words = [verb, "_and_".join(dict.fromkeys(tables.get(part.table, part.table) for part in parts))]
    if keys := [key for key in shape.key if shape.is_read or shape.operation == "UpdateItem"]:
        words += ["by", "_and_".join("_".join(words_of(key_text(each.attribute, each.values))) for each in keys)]
    return "_".join(words)


def key_text(attribute: str, values: Sequence[str]) -> str:
    """Return the words for a key: the labels of its value (`CUST` for `CUST#?`), or else the attribute."""
    labels = " ".join(word for word in _WORD.findall(values[0] if values else "") if word.isupper())
    return labels or attribute
