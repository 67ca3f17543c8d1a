"""Lines of a catalogue file: JSON, one line per recording, table, shape and request, which several processes append."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from singletable.catalogue.callers import Caller
from singletable.catalogue.request_shapes import KeyShape, RequestShape
from singletable.errors import ArgumentRefused

FORMAT = 1
Line = dict[str, Any]
_encode = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False).encode


class _Descriptor:
    """An open file. It is closed when no thread uses it any more, so that no thread writes to another file."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __del__(self) -> None:
        os.close(self.number)


class LineWriter:
    """Appends lines to a file. Each line is one write, so lines of several processes do not mix."""

    def __init__(self, path: Path) -> None:
        try:
            self._file: _Descriptor | None = _Descriptor(os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600))
        except OSError as problem:
            raise ArgumentRefused(f"cannot write the catalogue {path}: {problem.strerror}") from None

    def write(self, line: Line) -> None:
        """Append a line, unless the writer is closed. If the disk is full, the line is lost."""
        if (file := self._file) is not None:
            with suppress(OSError):
                os.write(file.number, f"{_encode(line)}\n".encode(errors="replace"))

    def close(self) -> None:
        """Close the file."""
        self._file = None


def read_lines(path: Path, mark: bytes = b"") -> Iterator[Line]:
    """Yield the lines of a file that contain `mark`. A line that a killed process did not finish is ignored."""
    yield from (line for _, line in numbered_lines(path, mark))


def numbered_lines(path: Path, mark: bytes = b"") -> Iterator[tuple[int, Line]]:
    """Yield the lines of a file that contain `mark`, with their numbers."""
    try:
        with path.open("rb") as file:
            for number, text in enumerate(file, 1):
                if number > 1 and mark not in text:
                    continue
                try:
                    line = json.loads(text)
                except (ValueError, RecursionError):
                    line = None
                if number == 1 and (not isinstance(line, dict) or "catalogue" not in line):
                    raise ArgumentRefused(_not_a_catalogue(path))
                if isinstance(line, dict):
                    if line.get("catalogue", FORMAT) != FORMAT:
                        raise ArgumentRefused(
                            f"{path}: the catalogue has format {line['catalogue']}; this version reads {FORMAT}"
                        )
                    yield number, line
    except OSError as problem:
        raise ArgumentRefused(f"cannot read {path}: {problem.strerror}") from None


def _not_a_catalogue(path: Path) -> str:
    return (
        f"{path} is not a catalogue. Record one with singletable.catalogue.install(FILE), pytest "
        "--dynamodb-catalogue=FILE or singletable serve --catalogue FILE."
    )


def shape_record(shape: RequestShape) -> Line:
    """Return a shape as JSON, without the fields that have their default."""
    found: Line = {"operation": shape.operation}
    for name in ("table", "index", "filter", "select", "limit", "condition", "update", "segments", "statement"):
        if getattr(shape, name):
            found[name] = getattr(shape, name)
    for name in ("descending", "consistent"):
        if getattr(shape, name):
            found[name] = True
    if shape.key:
        found["key"] = [[each.attribute, each.operator, *each.values] for each in shape.key]
    if shape.projection:
        found["projection"] = list(shape.projection)
    if shape.parts:
        found["parts"] = [shape_record(part) for part in shape.parts]
    return found


def shape_of_record(line: Mapping[str, Any]) -> RequestShape:
    """Return the shape of a line."""
    return RequestShape(
        line["operation"],
        line.get("table", ""),
        line.get("index"),
        tuple(KeyShape(attribute, operator, tuple(values)) for attribute, operator, *values in line.get("key", ())),
        line.get("filter"),
        tuple(line.get("projection", ())),
        line.get("select"),
        line.get("descending", False),
        line.get("limit"),
        line.get("consistent", False),
        line.get("condition"),
        line.get("update"),
        line.get("segments"),
        line.get("statement"),
        tuple(shape_of_record(part) for part in line.get("parts", ())),
    )


def caller_record(caller: Caller | None) -> list[Any] | None:
    """Return a caller as JSON."""
    return None if caller is None else [caller.file, caller.line, caller.function]


def caller_of_record(found: list[Any] | None) -> Caller | None:
    """Return the caller of a line."""
    return None if found is None else Caller(found[0], found[1], found[2])
