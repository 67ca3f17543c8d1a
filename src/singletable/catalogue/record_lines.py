"""Lines of a catalogue file: one JSON object per recording, table, shape or request. Several processes can append."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from singletable.catalogue.callers import Caller
from singletable.catalogue.request_shapes import OPERATORS, KeyShape, RequestShape
from singletable.errors import ArgumentRefused

FORMAT = 1
Line = dict[str, Any]
_encode = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False).encode


class _Descriptor:
    """An open file. It closes when no thread uses it any more, because its number can then belong to another file."""

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
    """Return the shape of a line. Raise TypeError, ValueError or KeyError if the line is damaged."""
    return RequestShape(
        text_of(line["operation"]),
        text_of(line.get("table", "")),
        _optional_text(line.get("index")),
        tuple(_key_of_record(key) for key in line.get("key", ())),
        _optional_text(line.get("filter")),
        texts_of(line.get("projection", ())),
        _optional_text(line.get("select")),
        bool(line.get("descending", False)),
        _optional_number(line.get("limit")),
        bool(line.get("consistent", False)),
        _optional_text(line.get("condition")),
        _optional_text(line.get("update")),
        _optional_number(line.get("segments")),
        _optional_text(line.get("statement")),
        tuple(shape_of_record(part) for part in line.get("parts", ())),
    )


def _key_of_record(found: Sequence[Any]) -> KeyShape:
    attribute, operator, *values = texts_of(found)
    if operator not in OPERATORS:
        raise ValueError(f"unknown operator {operator!r}")
    return KeyShape(attribute, operator, tuple(values))


def text_of(found: Any) -> str:
    """Return a text of a line. Raise TypeError if it is something else."""
    if not isinstance(found, str):
        raise TypeError(f"{found!r} is not a text")
    return found


def texts_of(found: Any) -> tuple[str, ...]:
    """Return a list of texts of a line. Raise TypeError if it is something else."""
    if not isinstance(found, (list, tuple)):
        raise TypeError(f"{found!r} is not a list")
    return tuple(map(text_of, found))


def _optional_text(found: Any) -> str | None:
    return None if found is None else text_of(found)


def _optional_number(found: Any) -> int | None:
    if found is not None and (not isinstance(found, int) or isinstance(found, bool)):
        raise TypeError(f"{found!r} is not a whole number")
    return found


def table_of_record(line: Mapping[str, Any]) -> tuple[tuple[str, ...], dict[str, tuple[str, ...]], int | None]:
    """Return the keys of a table, the keys of its indexes, and its number of items."""
    indexes = {text_of(index): texts_of(keys) for index, keys in dict(line["indexes"]).items()}
    return texts_of(line["keys"]), indexes, _optional_number(line.get("ItemCount"))


def caller_record(caller: Caller | None) -> list[Any] | None:
    """Return a caller as JSON."""
    return None if caller is None else [caller.file, caller.line, caller.function]


def caller_of_record(found: list[Any] | None) -> Caller | None:
    """Return the caller of a line."""
    if found is None:
        return None
    file, line, function = found
    return Caller(text_of(file), int(line), text_of(function))
