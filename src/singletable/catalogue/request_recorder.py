"""Recorder: turns requests and responses into lines of a catalogue file, without values."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any
from weakref import ref

from singletable.catalogue.callers import Caller
from singletable.catalogue.recent_results import RecentResults
from singletable.catalogue.record_lines import FORMAT, Line, LineWriter, caller_record, shape_record
from singletable.catalogue.request_measures import (
    CONDITION_ERRORS,
    IndexKeys,
    failed_write_units,
    items_by_table,
    items_of,
    measures_of,
)
from singletable.catalogue.request_shapes import (
    RECORDED,
    RequestPart,
    RequestShape,
    RequestShapes,
    key_conditions,
    parts_of,
)
from singletable.catalogue.value_shapes import UNKNOWN, AttributeValue, ValueHashes, ValueShapes

_SCHEMAS = {"CreateTable": "TableDescription", "DescribeTable": "Table", "UpdateTable": "TableDescription"}
OBSERVED = RECORDED | _SCHEMAS.keys()
"""The operations that a recorder observes.

It writes a line for each read or write, and takes the keys of a table from CreateTable, DescribeTable and UpdateTable.
"""
ATTRIBUTE_SETS_MAX = 20
"""The maximum number of different sets of attributes that the recorder writes for one shape."""
KEYS_MAX = 25
"""The maximum number of hashed keys in the line of a request."""
ShapeKey = tuple[RequestShape, str, str]


class RequestRecorder:
    """Writes a line for each request. Several threads can use a recorder at the same time, also after a fork."""

    def __init__(
        self,
        path: Path,
        source: str,
        *,
        labels: str | None = None,
        clock: Callable[[], float] = time.time,
        random_bytes: Callable[[int], bytes] = os.urandom,
    ) -> None:
        self._writer = LineWriter(path)
        self._source = source
        self._clock = clock
        self._random_bytes = random_bytes
        self._hashes = ValueHashes(random_bytes(16))
        self._values = ValueShapes(labels)
        self._shapes = RequestShapes(self._values, self._keys_of)
        self._keys: dict[str, tuple[str, ...]] = {}
        self._partitions: dict[str, str] = {}
        self._indexes: dict[str, IndexKeys] = {}
        self._start()
        if hasattr(os, "register_at_fork"):
            own = ref(self)
            os.register_at_fork(after_in_child=lambda: _restart(own()))

    def _start(self) -> None:
        """Start a recording of this process."""
        self._lock = threading.Lock()
        self.run = self._random_bytes(4).hex()
        self._numbers: dict[ShapeKey, int] = {}
        self._attributes: dict[int, set[tuple[str, frozenset[str]]]] = {}
        self._requests = count()
        self._writer.write(
            {"catalogue": FORMAT, "run": self.run, "source": self._source, "time": round(self._clock(), 3)}
        )

    def close(self) -> None:
        """Close the file."""
        self._writer.close()

    def record(
        self,
        operation: str,
        request: Mapping[str, Any],
        answer: Mapping[str, Any] | None,
        *,
        seconds: float,
        caller: Caller | None = None,
        recent: RecentResults | None = None,
        error: str | None = None,
        retries: int = 0,
    ) -> None:
        """Write the line of a request. `answer` is None after an error, whose code is `error`."""
        if operation in _SCHEMAS:
            self._learn_table((answer or {}).get(_SCHEMAS[operation]))
        if operation not in RECORDED:
            return
        parts = list(parts_of(operation, request))
        self._learn_keys(parts)
        shape = self._shapes.of(operation, request, parts)
        number = self._number(shape, caller)
        line: Line = {"run": self.run, "s": number, "n": next(self._requests), "t": round(self._clock(), 3)}
        line["ms"] = round(seconds * 1000, 2)
        self._add_options(line, request, answer or {}, error, retries)
        if len(parts) != 1:
            line["parts"] = self._shapes.part_counts(shape, parts) if shape.parts else len(parts)
        if answer is not None:
            self._add_measures(line, operation, parts, answer)
            self._add_attributes(number, parts, items_by_table(parts, answer))
        elif error in CONDITION_ERRORS:
            line["e"] = failed_write_units(operation, parts)
        keys = self._partition_values(operation, parts)
        if keys:
            line["k"] = keys[0] if len(keys) == 1 else keys
        if recent is not None:
            self._relate(line, operation, parts, answer or {}, recent)
        self._writer.write(line)

    def _add_options(
        self,
        line: Line,
        request: Mapping[str, Any],
        answer: Mapping[str, Any],
        error: str | None,
        retries: int,
    ) -> None:
        if "ExclusiveStartKey" in request:
            line["continues"] = True
        if answer.get("LastEvaluatedKey"):
            line["more"] = True
        if error is not None:
            line["error"] = error
        if retries:
            line["retries"] = retries

    def _add_measures(
        self, line: Line, operation: str, parts: Sequence[RequestPart], answer: Mapping[str, Any]
    ) -> None:
        measured = measures_of(operation, parts, answer, self._indexes)
        line["i"] = measured.items
        if measured.examined != measured.items:
            line["x"] = measured.examined
        if measured.bytes_read:
            line["b"] = measured.bytes_read
        if measured.bytes_written:
            line["w"] = measured.bytes_written
        line["e" if measured.is_estimated else "u"] = measured.units

    def _number(self, shape: RequestShape, caller: Caller | None) -> int:
        """Return the number of a shape of a caller, and write the shape the first time."""
        key = (shape, "" if caller is None else caller.file, "" if caller is None else caller.function)
        number = self._numbers.get(key)
        if number is not None:
            return number
        with self._lock:
            if key not in self._numbers:
                number = len(self._numbers)
                line = {"run": self.run, "shape": number, **shape_record(shape)}
                if caller is not None:
                    line["caller"] = caller_record(caller)
                self._writer.write(line)
                self._numbers[key] = number
            return self._numbers[key]

    def _add_attributes(
        self, number: int, parts: Sequence[RequestPart], read: Iterable[tuple[str, Mapping[str, AttributeValue]]]
    ) -> None:
        """Write each new set of attribute names of the items that a shape reads or puts, with their types."""
        known = self._attributes.setdefault(number, set())
        if len(known) >= ATTRIBUTE_SETS_MAX:
            return
        for table, item in [*((part.table, part.item) for part in parts if part.item is not None), *read]:
            names = (table, frozenset(item))
            if names not in known and len(known) < ATTRIBUTE_SETS_MAX:
                known.add(names)
                types = {name: next(iter(value)) for name, value in item.items()}
                self._writer.write({"run": self.run, "of": number, "in": table, "attributes": types})

    def _partition_values(self, operation: str, parts: Sequence[RequestPart]) -> list[str]:
        """Return the hashed partition key values of a request: the value of a Query, or the value of each item."""
        found: dict[str, None] = {}
        for part in parts[:KEYS_MAX]:
            if operation == "Query":
                conditions = key_conditions(part.request, _names(part))
                values = [values[0] for _, operator, values in conditions if operator == "=" and values]
                partition = values[:1]
            else:
                key = part.key or part.item or {}
                name = self._partitions.get(part.table)
                names = self._keys.get(part.table, ()) if name is None else (name,)
                partition = [key[name] for name in names if name in key]
            if partition:
                found[self._hashes.of(*partition)] = None
        return list(found)

    def _relate(
        self,
        line: Line,
        operation: str,
        parts: Sequence[RequestPart],
        answer: Mapping[str, Any],
        recent: RecentResults,
    ) -> None:
        """Add the earlier read whose result contains the key of this read, and remember the result of this read."""
        if operation in ("GetItem", "Query"):
            part = parts[0]
            values: list[AttributeValue] = list((part.key or {}).values()) or [
                found[0]
                for _, operator, found in key_conditions(part.request, _names(part))
                if operator == "=" and found
            ]
            wanted = [self._values.parts_of(value) for value in values if UNKNOWN in self._values.of(value)]
            if (origin := recent.origin_of(wanted)) is not None:
                line["after"] = list(origin)
        if operation in ("GetItem", "Query", "Scan"):
            origin = (line["n"], line["s"])
            items = items_of(answer)
            recent.add(origin, ([self._values.parts_of(value) for value in item.values()] for item in items))

    def _keys_of(self, table: str) -> Sequence[str]:
        return self._keys.get(table, ())

    def _learn_keys(self, parts: Sequence[RequestPart]) -> None:
        for part in parts:
            if part.key is not None and part.table not in self._keys:
                self._keys[part.table] = tuple(part.key)
                if len(part.key) == 1:
                    self._partitions[part.table] = next(iter(part.key))

    def _learn_table(self, description: Mapping[str, Any] | None) -> None:
        """Write the keys and indexes of a table that the application created or described."""
        if not description or "KeySchema" not in description:
            return
        name = description["TableName"]
        keys, indexes = table_keys(description)
        if self._keys.get(name) == keys and self._indexes.get(name) == indexes:
            return
        self._keys[name], self._partitions[name], self._indexes[name] = keys, keys[0], indexes
        line: Line = {"run": self.run, "table": name, "keys": keys, "indexes": indexes}
        for field in ("ItemCount", "TableSizeBytes"):
            if description.get(field):
                line[field] = description[field]
        self._writer.write(line)


def _restart(recorder: RequestRecorder | None) -> None:
    """Start a separate recording in a forked process."""
    if recorder is not None:
        recorder._start()


def _names(part: RequestPart) -> tuple[tuple[str, str], ...]:
    return tuple(sorted(part.request.get("ExpressionAttributeNames", {}).items()))


def table_keys(description: Mapping[str, Any]) -> tuple[tuple[str, ...], dict[str, tuple[str, ...]]]:
    """Return the key attributes of a table, and of its indexes by name."""
    groups = [*description.get("GlobalSecondaryIndexes", ()), *description.get("LocalSecondaryIndexes", ())]
    return _key_names(description), {each["IndexName"]: _key_names(each) for each in groups if "KeySchema" in each}


def _key_names(description: Mapping[str, Any]) -> tuple[str, ...]:
    ordered = sorted(description["KeySchema"], key=lambda each: each["KeyType"] == "RANGE")
    return tuple(each["AttributeName"] for each in ordered)
