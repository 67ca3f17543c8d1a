"""Groups of recorded requests: the same shape and the same caller, with counts, sizes and percentiles."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Mapping
from typing import Any

from singletable.catalogue.callers import Caller
from singletable.catalogue.distributions import Distribution
from singletable.catalogue.request_measures import CONDITION_ERRORS
from singletable.catalogue.request_shapes import RequestShape
from singletable.lazy_dataclass import dataclass

OPEN_MAX = 512
"""The maximum number of reads with further pages that a group remembers, and of results that later requests use."""
Keys = tuple[str, ...]
"""The hashed partition keys of a request."""


@dataclass(frozen=True)
class RequestLine:
    """The line of one request."""

    run: str
    number: int
    shape: int
    time: float
    milliseconds: float
    keys: Keys
    items: int
    examined: int
    bytes_read: int
    bytes_written: int
    units: float
    is_estimated: bool
    continues: bool
    error: str | None
    retries: int
    after: tuple[int, int] | None
    parts: tuple[int, ...]
    """The number of parts of a batch or a transaction with each shape."""


def request_of_line(line: Mapping[str, Any]) -> RequestLine:
    """Return the request of a line. Raise KeyError, TypeError or ValueError if the line is damaged."""
    keys = line.get("k", ())
    after = line.get("after")
    items = int(line.get("i", 0))
    return RequestLine(
        str(line["run"]),
        int(line["n"]),
        int(line["s"]),
        float(line["t"]),
        float(line.get("ms", 0.0)),
        (keys,) if isinstance(keys, str) else tuple(map(str, keys)),
        items,
        int(line.get("x", items)),
        int(line.get("b", 0)),
        int(line.get("w", 0)),
        float(line.get("u", line.get("e", 0.0))),
        "e" in line,
        bool(line.get("continues", False)),
        None if line.get("error") is None else str(line["error"]),
        int(line.get("retries", 0)),
        None if after is None else (int(after[0]), int(after[1])),
        tuple(map(int, parts)) if isinstance(parts := line.get("parts", ()), list) else (),
    )


class _OpenRead:
    """The pages of a read so far."""

    def __init__(self) -> None:
        self.items = self.pages = self.size = 0


class RequestGroup:
    """The requests of one shape and one caller."""

    def __init__(self, shape: RequestShape, caller: Caller | None) -> None:
        self.shape = shape
        self.caller = caller
        self.limits: set[int] = set()
        self.requests = self.estimated = self.retries = 0
        self.examined = self.returned = self.bytes_read = self.bytes_written = 0
        self.units = 0.0
        self.errors: Counter[str] = Counter()
        self.items, self.pages, self.sizes, self.milliseconds = (Distribution() for _ in range(4))
        self.part_totals = [0] * len(shape.parts)
        """The number of parts of batches or transactions with each shape."""
        self.attributes: dict[tuple[str, frozenset[str]], dict[str, str]] = {}
        """The types of the attributes of items, by table and set of attributes."""
        self.long_results = 0
        """The responses with two or more items, which a loop could follow."""
        self.followed: OrderedDict[tuple[str, int, int], int] = OrderedDict()
        self.sequences: dict[int, Distribution] = {}
        """How many requests followed each result of this group, by the number of the group of these requests."""
        self._open: OrderedDict[Keys, _OpenRead] = OrderedDict()
        self._recent_keys: OrderedDict[str, None] = OrderedDict()

    @property
    def reads(self) -> int:
        """The number of reads (a read includes all its pages) or of writes."""
        return self.items.count

    @property
    def failed_share(self) -> float:
        """The share of the requests whose condition failed."""
        return sum(self.errors[code] for code in CONDITION_ERRORS) / max(1, self.requests)

    def add(self, request: RequestLine) -> None:
        """Count a request."""
        self.requests += 1
        self.retries += request.retries
        self.milliseconds.add(round(request.milliseconds, 1))
        self.units += request.units
        self.estimated += request.is_estimated
        self.examined += request.examined
        self.returned += request.items
        self.bytes_read += request.bytes_read
        self.bytes_written += request.bytes_written
        self.long_results += request.items > 1
        if request.error is not None:
            self.errors[request.error] += 1
        parts = request.parts or (1,)
        if len(parts) == len(self.part_totals):
            self.part_totals = [sum(pair) for pair in zip(self.part_totals, parts, strict=True)]
        for key in request.keys:
            self._recent_keys[key] = None
        if len(self._recent_keys) > OPEN_MAX:
            self._recent_keys.popitem(last=False)
        if not self.is_next_page(request):
            self._close(request.keys)
        read = self._open.setdefault(request.keys, _OpenRead())
        read.items, read.pages = read.items + request.items, read.pages + 1
        read.size += request.bytes_read + request.bytes_written
        if len(self._open) > OPEN_MAX:
            self._close(next(iter(self._open)))

    def is_next_page(self, request: RequestLine) -> bool:
        """Return whether a request reads the next page of a read. Pages of a Query with a Limit are separate reads."""
        is_one_read = self.shape.operation == "Scan" or not self.limits
        return request.continues and is_one_read and request.keys in self._open

    def shared_keys(self, other: RequestGroup) -> bool:
        """Return whether most of the recent requests have the same partition key as a request of the other group."""
        shared = self._recent_keys.keys() & other._recent_keys.keys()
        return 2 * len(shared) > len(self._recent_keys)

    def add_sequence(self, run: str, number: int, group: int) -> None:
        """Count a request of another group that reads an item of a result of this group."""
        key = (run, number, group)
        self.followed[key] = self.followed.pop(key, 0) + 1
        if len(self.followed) > OPEN_MAX:
            self._close_sequence(next(iter(self.followed)))

    def add_attributes(self, table: str, types: Mapping[str, str]) -> None:
        """Add a set of attributes that items of this group have."""
        self.attributes.setdefault((table, frozenset(types)), dict(types))

    def close(self) -> None:
        """Count the reads and sequences that are still open."""
        for keys in list(self._open):
            self._close(keys)
        for key in list(self.followed):
            self._close_sequence(key)

    def _close(self, keys: Keys) -> None:
        if (read := self._open.pop(keys, None)) is not None:
            self.items.add(read.items)
            self.pages.add(read.pages)
            self.sizes.add(read.size)

    def _close_sequence(self, key: tuple[str, int, int]) -> None:
        self.sequences.setdefault(key[2], Distribution()).add(self.followed.pop(key))
