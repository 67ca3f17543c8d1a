"""Catalogue of recorded files: access patterns with rates, the tables that they use, and findings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from singletable.catalogue.access_patterns import AccessPattern, name_patterns, short_names
from singletable.catalogue.callers import Caller
from singletable.catalogue.record_lines import (
    Line,
    caller_of_record,
    numbered_lines,
    read_lines,
    shape_of_record,
    table_of_record,
    text_of,
)
from singletable.catalogue.request_findings import RequestFinding, findings_of
from singletable.catalogue.request_groups import RequestGroup, request_of_line
from singletable.catalogue.request_recorder import table_keys
from singletable.catalogue.request_shapes import RequestShape
from singletable.errors import ArgumentRefused
from singletable.lazy_dataclass import dataclass, replace

RATE_SECONDS_MIN = 1.0
"""A recording of a shorter time has no rates."""
TESTS = "pytest"
"""The source of a recording of tests. Tests do not call as often as users do."""
_DAMAGED = (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError)
_BY_KEY = ("GetItem", "UpdateItem", "DeleteItem")
CallerKey = tuple[str, str]
TableKeys = tuple[tuple[str, ...], dict[str, tuple[str, ...]], int | None]
"""The keys of a table, the keys of its indexes, and its number of items."""


@dataclass(frozen=True)
class RecordedTable:
    """A table of the application. The keys and indexes are empty if no request described or created the table."""

    name: str
    short_name: str
    keys: tuple[str, ...]
    indexes: dict[str, tuple[str, ...]]
    items: int | None
    """The number of items, if the application described the table."""
    is_described: bool = True


@dataclass(frozen=True)
class RecordedCatalogue:
    """The access patterns of one or more recordings."""

    files: tuple[str, ...]
    patterns: tuple[AccessPattern, ...]
    tables: dict[str, RecordedTable]
    seconds: float
    """The time during which at least one process was recording."""
    from_tests: bool
    findings: tuple[RequestFinding, ...]
    scale: float | None = None
    """The factor from a number of recorded calls to calls per second. None if the recording has no rates."""

    @property
    def requests(self) -> int:
        """The number of requests."""
        return sum(pattern.requests for pattern in self.patterns)

    def described(self, descriptions: Mapping[str, Mapping[str, Any]]) -> RecordedCatalogue:
        """Return the catalogue with the keys, indexes and numbers of items of these DescribeTable descriptions."""
        found = {name: _described(table, descriptions.get(name)) for name, table in self.tables.items()}
        return replace(self, tables=found)

    def rate(self, calls: float) -> float | None:
        """Return the rate per second of a recorded number of events."""
        return None if self.scale is None else calls * self.scale


def _described(table: RecordedTable, description: Mapping[str, Any] | None) -> RecordedTable:
    if description is None:
        return table
    keys, indexes = table_keys(description)
    return RecordedTable(table.name, table.short_name, keys, indexes, description.get("ItemCount"))


class _Reader:
    """Reads the lines of files into groups of requests."""

    def __init__(self) -> None:
        self.groups: dict[tuple[str, int], RequestGroup] = {}
        self.patterns: dict[object, AccessPattern] = {}
        self.pattern_of: dict[int, AccessPattern] = {}
        self.tables: dict[str, TableKeys] = {}
        self.times: dict[str, list[float]] = {}
        self.sources: set[str] = set()

    def read_shapes(self, files: Sequence[Path]) -> None:
        """Read the shapes of all files, and make a group for each caller and shape."""
        found: dict[tuple[str, int], tuple[RequestShape, Caller | None]] = {}
        for file in files:
            for line in read_lines(file, b'"shape"'):
                if "shape" in line:
                    shape, caller = shape_of_record(line), caller_of_record(line.get("caller"))
                    found[str(line["run"]), int(line["shape"])] = (shape, caller)
        made: dict[tuple[CallerKey | None, RequestShape], RequestGroup] = {}
        for number, (shape, caller) in found.items():
            own = replace(shape, limit=None)  # the limit is an argument of a call
            group = made.setdefault((_key(caller), own), RequestGroup(own, caller))
            if shape.limit is not None:
                group.limits.add(shape.limit)
            self.groups[number] = group
            self._add_to_pattern(group, caller)

    def _add_to_pattern(self, group: RequestGroup, caller: Caller | None) -> None:
        pattern = self.patterns.setdefault(_key(caller) or group.shape, AccessPattern(caller))
        if group not in pattern.groups:
            pattern.groups.append(group)
        self.pattern_of[id(group)] = pattern

    def read(self, line: Line) -> None:
        """Read a line that is not a shape."""
        run = str(line.get("run"))
        if "s" in line:
            request = request_of_line(line)
            group = self.groups[run, request.shape]
            self.times[run].append(request.time)
            self.times[run] = [min(self.times[run]), max(self.times[run])]
            if request.after is not None and (origin := self.groups[run, request.after[1]]) is not group:
                origin.add_sequence(run, request.after[0], id(group))
            self.pattern_of[id(group)].add(request, group)
        elif "attributes" in line:
            self.groups[run, int(line["of"])].add_attributes(text_of(line["in"]), _types(line["attributes"]))
        elif "table" in line and "shape" not in line:
            self.tables[text_of(line["table"])] = table_of_record(line)
        elif "catalogue" in line:
            self.times[run] = [float(line["time"])]
            self.sources.add(str(line.get("source", "")))


def read_catalogue(files: Sequence[Path], calls_per_second: float | None = None) -> RecordedCatalogue:
    """Return the catalogue of files. `calls_per_second` replaces the recorded rate of all calls together.

    Raise ArgumentRefused if a file is not a catalogue, or contains no request.
    """
    files = list(dict.fromkeys(files))  # the same file twice would double the counts
    reader = _Reader()
    try:
        reader.read_shapes(files)
    except ArgumentRefused:
        raise
    except _DAMAGED as problem:
        raise ArgumentRefused(f"{', '.join(map(str, files))}: damaged line of a request shape: {problem!r}") from None
    for file in files:
        for number, line in numbered_lines(file):
            try:
                reader.read(line)
            except _DAMAGED as problem:
                raise ArgumentRefused(f"{file}:{number}: damaged line: {problem!r}") from None
    patterns = [pattern for pattern in reader.patterns.values() if pattern.requests]
    if not patterns:
        names = ", ".join(map(str, files))
        raise ArgumentRefused(f"{names}: no request was recorded. Record while the application sends requests.")
    for pattern in patterns:
        pattern.groups = [group for group in pattern.groups if group.requests]
        for group in pattern.groups:
            group.close()
    tables = _tables(reader, patterns)
    name_patterns(patterns, {each.name: each.short_name for each in tables.values()})
    seconds, from_tests = _covered(list(reader.times.values())), TESTS in reader.sources
    return RecordedCatalogue(
        tuple(map(str, files)),
        tuple(patterns),
        tables,
        seconds,
        from_tests,
        tuple(findings_of(patterns)),
        _scale(patterns, seconds, calls_per_second, from_tests=from_tests),
    )


def _scale(
    patterns: Sequence[AccessPattern], seconds: float, calls_per_second: float | None, *, from_tests: bool
) -> float | None:
    if calls_per_second is not None:
        return calls_per_second / sum(pattern.calls for pattern in patterns)
    return None if from_tests or seconds < RATE_SECONDS_MIN else 1 / seconds


def _key(caller: Caller | None) -> CallerKey | None:
    return None if caller is None else (caller.file, caller.function)


def _tables(reader: _Reader, patterns: Sequence[AccessPattern]) -> dict[str, RecordedTable]:
    groups = [group.shape for pattern in patterns for group in pattern.groups]
    shapes = [part for shape in groups for part in (shape.parts or (shape,))]
    used = dict.fromkeys(shape.table for shape in shapes if shape.table)
    found: dict[str, RecordedTable] = {}
    for name, short in short_names(used).items():
        keys, indexes, items = reader.tables.get(name, (_keys_of(name, shapes), {}, None))
        found[name] = RecordedTable(name, short, keys, indexes, items, name in reader.tables)
    return found


def _keys_of(table: str, shapes: Sequence[RequestShape]) -> tuple[str, ...]:
    """Return the key attributes of a table that no request described, as far as its requests show them."""
    own = [shape for shape in shapes if shape.table == table and shape.index is None and shape.key]
    names = next((tuple(key.attribute for key in shape.key) for shape in own if shape.operation in _BY_KEY), ())
    first = next((shape.key[0].attribute for shape in own if shape.operation == "Query"), None)
    return tuple(sorted(names, key=lambda name: name != first)) if names else () if first is None else (first,)


def _types(found: Mapping[str, Any]) -> dict[str, str]:
    return {name: text_of(kind) for name, kind in found.items()}


def _covered(spans: Sequence[Sequence[float]]) -> float:
    """Return the length of the union of time spans, because processes record at the same time."""
    covered, end = 0.0, float("-inf")
    for span in sorted((min(each), max(each)) for each in spans):
        covered += max(0.0, span[1] - max(span[0], end))
        end = max(end, span[1])
    return covered
