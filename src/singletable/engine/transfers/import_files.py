"""Reads the files of an import item by item: DynamoDB JSON, Ion or CSV, compressed or not."""

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

from singletable.engine.tables.stored_table import Item
from singletable.engine.transfers.ion import NotIon, ion_documents, item_of_ion
from singletable.errors import invalid
from singletable.values.limits import ITEM_BYTES_MAX
from singletable.wire.api_types import decoder_of
from singletable.wire.transfer_requests import CsvOptions

# No item within the limit of 400 KB needs a longer line.
LINE_BYTES_MAX = 16 * 2**20

Kinds = dict[str, str]


class SourceRow(NamedTuple):
    """One row of a file: an item, or an error message."""

    item: Item | None
    problem: str = ""


class UnreadableFile(Exception):  # counts as one import error; as in DynamoDB, the rest of the file is skipped
    """Raised when the rest of a file cannot be parsed."""


def require_compression(kind: str | None) -> None:
    """Reject a compression format that this version of Python cannot read."""
    if kind == "ZSTD":
        try:
            importlib.import_module("compression.zstd")
        except ModuleNotFoundError:
            raise invalid(
                "One or more parameter values were invalid: ZSTD needs Python 3.14 or newer: "
                "use GZIP or NONE as InputCompressionType"
            ) from None


def open_source(path: Path, compression: str | None) -> BinaryIO:
    """Open a file, and return a stream of its decompressed content."""
    if compression == "GZIP":
        return cast(BinaryIO, gzip.open(path, "rb"))
    if compression == "ZSTD":
        return cast(BinaryIO, importlib.import_module("compression.zstd").open(path, "rb"))
    return path.open("rb")


def read_items(file: BinaryIO, input_format: str, options: CsvOptions, kinds: Kinds) -> Iterator[SourceRow]:
    """Yield the rows of a file. Raise UnreadableFile if the rest cannot be parsed."""
    read: dict[str, Callable[[], Iterator[SourceRow]]] = {
        "DYNAMODB_JSON": lambda: _json_items(file),
        "ION": lambda: _ion_items(file),
        "CSV": lambda: _csv_items(file, options, kinds),
    }
    try:
        yield from read[input_format]()
    except (EOFError, OSError, zlib.error) as problem:
        raise UnreadableFile(f"The object is truncated or damaged: {problem}") from None
    except UnicodeDecodeError as problem:
        raise UnreadableFile(f"The object is not UTF-8: {problem}") from None
    except csv.Error as problem:
        raise UnreadableFile(f"The object is not CSV: {problem}") from None
    except NotIon as problem:
        raise UnreadableFile(f"The object is {problem}") from None
    except RecursionError:
        raise UnreadableFile("The object is nested too deeply") from None


class _Line(msgspec.Struct):
    Item: dict[str, dict[str, Any]]


_decode_line = decoder_of(_Line).decode


def _json_items(file: BinaryIO) -> Iterator[SourceRow]:
    while line := file.readline(LINE_BYTES_MAX):
        if len(line) == LINE_BYTES_MAX and not line.endswith(b"\n"):
            raise UnreadableFile(f"A line has more than {LINE_BYTES_MAX} bytes")
        if line.isspace():
            continue
        try:
            yield SourceRow(_decode_line(line).Item)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as problem:
            yield SourceRow(None, f"The line is not DynamoDB JSON: {problem}")


def _ion_items(file: BinaryIO) -> Iterator[SourceRow]:
    for document in ion_documents(file):
        try:
            yield SourceRow(item_of_ion(document))
        except NotIon as problem:
            yield SourceRow(None, f"The value is not an item: {problem}")


def _csv_items(file: BinaryIO, options: CsvOptions, kinds: Kinds) -> Iterator[SourceRow]:
    # The field size limit of the csv module applies to the whole process. Its default is 128 KB.
    csv.field_size_limit(max(csv.field_size_limit(), ITEM_BYTES_MAX))
    text = io.TextIOWrapper(file, "utf-8-sig", newline="")
    try:
        rows = csv.reader(text, strict=True, delimiter=options.delimiter or ",")
        header = options.header_list or next(rows, [])
        if len(set(header)) < len(header):
            raise UnreadableFile("The header has a duplicate attribute")
        for row in rows:
            if len(row) == len(header):
                yield SourceRow({name: {kinds.get(name, "S"): value} for name, value in zip(header, row, strict=True)})
            elif row:
                yield SourceRow(None, f"The line has {len(row)} values, but the header has {len(header)}")
    finally:
        text.detach()  # without this, the text wrapper would close the caller's file
