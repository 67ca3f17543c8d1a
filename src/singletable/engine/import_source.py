"""The files of an import, read item by item: DynamoDB JSON, Ion or CSV, compressed or not."""

from __future__ import annotations

import csv
import gzip
import importlib
import io
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, cast

import msgspec

from singletable.engine.ion import NotIon, ion_documents, item_of_ion
from singletable.engine.table import Item
from singletable.errors import invalid
from singletable.values.limits import ITEM_BYTES_MAX
from singletable.wire.decoders import decoder_of
from singletable.wire.transfers import CsvOptions

# A line that is longer holds no item: one of 400 KB is never written so wide.
LINE_BYTES_MAX = 16 * 2**20

Kinds = dict[str, str]


class Read(NamedTuple):
    """What is at one place of a file: an item, or what is wrong there."""

    item: Item | None
    problem: str = ""


class Unreadable(Exception):  # it is counted as one error, and the rest of the file is left out, as in the service
    """A file whose rest makes no sense."""


def require_compression(kind: str | None) -> None:
    """Refuses a compression that this Python cannot read."""
    if kind == "ZSTD":
        try:
            importlib.import_module("compression.zstd")
        except ModuleNotFoundError:
            raise invalid(
                "One or more parameter values were invalid: ZSTD needs Python 3.14 or newer: "
                "use GZIP or NONE as InputCompressionType"
            ) from None


def opened(path: Path, compression: str | None) -> BinaryIO:
    """A file as the bytes that were compressed into it."""
    if compression == "GZIP":
        return cast(BinaryIO, gzip.open(path, "rb"))
    if compression == "ZSTD":
        return cast(BinaryIO, importlib.import_module("compression.zstd").open(path, "rb"))
    return path.open("rb")


def read_items(file: BinaryIO, input_format: str, options: CsvOptions, kinds: Kinds) -> Iterator[Read]:
    """Every item of a file, and every place where there is none; raises Unreadable where the file breaks off."""
    read: dict[str, Callable[[], Iterator[Read]]] = {
        "DYNAMODB_JSON": lambda: _json_items(file),
        "ION": lambda: _ion_items(file),
        "CSV": lambda: _csv_items(file, options, kinds),
    }
    try:
        yield from read[input_format]()
    except (EOFError, OSError, zlib.error) as problem:
        raise Unreadable(f"The object cannot be read to its end: {problem}") from None
    except UnicodeDecodeError as problem:
        raise Unreadable(f"The object is not UTF-8: {problem}") from None
    except csv.Error as problem:
        raise Unreadable(f"The object is not CSV: {problem}") from None
    except NotIon as problem:
        raise Unreadable(f"The object is {problem}") from None
    except RecursionError:
        raise Unreadable("The object is nested too deeply") from None


class _Line(msgspec.Struct):
    Item: dict[str, dict[str, Any]]


_decode_line = decoder_of(_Line).decode


def _json_items(file: BinaryIO) -> Iterator[Read]:
    while line := file.readline(LINE_BYTES_MAX):
        if len(line) == LINE_BYTES_MAX and not line.endswith(b"\n"):
            raise Unreadable(f"A line has more than {LINE_BYTES_MAX} bytes")
        if line.isspace():
            continue
        try:
            yield Read(_decode_line(line).Item)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as problem:
            yield Read(None, f"The line is no DynamoDB JSON: {problem}")


def _ion_items(file: BinaryIO) -> Iterator[Read]:
    for document in ion_documents(file):
        try:
            yield Read(item_of_ion(document))
        except NotIon as problem:
            yield Read(None, f"The value is no item: {problem}")


def _csv_items(file: BinaryIO, options: CsvOptions, kinds: Kinds) -> Iterator[Read]:
    # The limit is one for the whole process, and 128 KB unless somebody raised it.
    csv.field_size_limit(max(csv.field_size_limit(), ITEM_BYTES_MAX))
    text = io.TextIOWrapper(file, "utf-8-sig", newline="")
    try:
        rows = csv.reader(text, strict=True, delimiter=options.delimiter or ",")
        header = options.header_list or next(rows, [])
        if len(set(header)) < len(header):
            raise Unreadable("The header names an attribute twice")
        for row in rows:
            if len(row) == len(header):
                yield Read({name: {kinds.get(name, "S"): value} for name, value in zip(header, row, strict=True)})
            elif row:
                yield Read(None, f"The line has {len(row)} values, and the header names {len(header)}")
    finally:
        text.detach()  # else it would close the file, which is not its own
