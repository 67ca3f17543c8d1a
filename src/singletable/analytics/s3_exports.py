"""Exports of DynamoDB to S3, read from a folder: full and incremental exports, in DynamoDB JSON and Ion.

The layout is that of the AWS documentation: `AWSDynamoDB/ID/manifest-summary.json`, `manifest-files.json`, and data
files, which are below the export's own folder for a full export, and in `AWSDynamoDB/data/` for an incremental one.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import importlib
import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

from singletable.analytics.table_source import Position, SourcePage
from singletable.client.responses import Item
from singletable.errors import AnalyticsRefused, RequestRefused
from singletable.values.attribute_value import number_text
from singletable.values.item_validation import accept_item

PAGE_ITEMS = 5000
FORMATS = ("DYNAMODB_JSON", "ION")
_SETS = {"$dynamodb_SS": "SS", "$dynamodb_NS": "NS", "$dynamodb_BS": "BS"}
Record = dict[str, Any]


class ExportFolder(NamedTuple):
    """One export: its folder, its data files, and what its manifest says."""

    folder: Path
    files: tuple[tuple[Path, str], ...]
    """The data files, each with its MD5 checksum in base64."""
    is_incremental: bool
    output_format: str
    table: str
    until: datetime
    """The point in time of the data: the time of a full export, or the end of the period of an incremental export."""
    since: datetime | None = None


def find_exports(folder: Path) -> list[ExportFolder]:
    """Return the complete exports below a folder: the full export, then the incremental ones after it, in order.

    Raise AnalyticsRefused if there is no single full export, if a period is missing, or if the exports are of several
    tables.
    """
    found = [_read_manifest(path) for path in sorted(folder.rglob("manifest-summary.json"))]
    full = [each for each in found if not each.is_incremental]
    if len(full) != 1:
        shown = ", ".join(each.folder.name for each in full) or "none"
        raise AnalyticsRefused(
            f"{folder} must contain one full export of DynamoDB, found {shown}.\n  Copy one export from the bucket, "
            "with its folder AWSDynamoDB, and the incremental exports after it."
        )
    if other := next((each for each in found if each.table != full[0].table), None):
        raise AnalyticsRefused(
            f"{other.folder} is an export of another table, {other.table}; move it to another folder"
        )
    changes = [each for each in found if each.since is not None and each.until > full[0].until]
    until, following = full[0].until, sorted(changes, key=lambda each: each.since or each.until)
    for each in following:
        if each.since is not None and each.since > until:
            raise AnalyticsRefused(
                f"{folder} has no export of the period from {until.isoformat()} to {each.since.isoformat()}; copy this "
                "incremental export too"
            )
        until = max(until, each.until)
    return [full[0], *following]


def _read_manifest(path: Path) -> ExportFolder:
    try:
        summary = json.loads(path.read_text(encoding="utf-8"))
        lines = (path.parent / "manifest-files.json").read_text(encoding="utf-8").splitlines()
        listed = [json.loads(line) for line in lines if line.strip()]
        files = tuple((_data_file(path, str(each["dataFileS3Key"])), str(each["md5Checksum"])) for each in listed)
        output_format, table = summary["outputFormat"], str(summary["tableArn"])
        if output_format not in FORMATS:
            raise ValueError(f"outputFormat is {output_format!r}")
        if (listed_items := sum(each["itemCount"] for each in listed)) != summary["itemCount"]:
            raise ValueError(f"the data files have {listed_items:,} of {summary['itemCount']:,} items")
        if summary.get("exportType") == "INCREMENTAL_EXPORT":
            since, until = _time(summary["exportFromTime"]), _time(summary["exportToTime"])
            return ExportFolder(path.parent, files, True, output_format, table, until, since)
        return ExportFolder(path.parent, files, False, output_format, table, _time(summary["exportTime"]))
    except (OSError, ValueError, KeyError, TypeError) as problem:
        raise AnalyticsRefused(f"{path.parent} is not a complete export of DynamoDB: {problem!r}") from None


def _time(text: str) -> datetime:
    found = datetime.fromisoformat(text)
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)


def _data_file(manifest: Path, key: str) -> Path:
    """Return the local file of an object key. The folder can be a copy of the bucket, or of a part of it."""
    parts = key.split("/")
    for above in manifest.parents:
        for start in range(len(parts)):
            candidate = above.joinpath(*parts[start:])
            if candidate.is_file() and ".." not in parts:
                return candidate
    raise AnalyticsRefused(f"{manifest}: the data file {key} is missing; copy it from the bucket")


class S3ExportSource:
    """The items of a full export, changed by the incremental exports after it."""

    def __init__(self, folder: Path, key_attributes: Sequence[str]) -> None:
        self.name = str(folder)
        self._full, *self._changes = find_exports(folder)
        self._key_attributes = tuple(key_attributes)

    def pages(self, position: Position) -> Iterator[SourcePage]:
        """Yield the items of the full export that did not change later, and then the changed items."""
        changed = self._changed_items()
        done: int = position or 0
        page: list[Item] = []
        number = 0
        for item in self._items(changed):
            number += 1
            if number <= done:
                continue
            page.append(item)
            if len(page) == PAGE_ITEMS:
                yield SourcePage(page, number)
                page = []
        yield SourcePage(page, number)

    def _items(self, changed: dict[Any, Item | None]) -> Iterator[Item]:
        for record in _records(self._full):
            item = _item(record, "Item", self._full)
            if self._key(item, self._full) not in changed:
                yield item
        yield from (item for item in changed.values() if item is not None)

    def _changed_items(self) -> dict[Any, Item | None]:
        """Return the last state of every item that an incremental export contains; None for a deleted item."""
        latest: dict[Any, tuple[int, Item | None]] = {}
        for export in self._changes:
            for record in _records(export):
                key = self._key(_item(record, "Keys", export), export)
                at = int(_item(record, "Metadata", export).get("WriteTimestampMicros", {}).get("N", 0))
                item = _item(record, "NewImage", export) if "NewImage" in record else None
                if key not in latest or latest[key][0] <= at:
                    latest[key] = (at, item)
        return {key: item for key, (_, item) in latest.items()}

    def _key(self, item: Item, export: ExportFolder) -> tuple[Any, ...]:
        missing = [name for name in self._key_attributes if name not in item]
        if missing:
            raise AnalyticsRefused(
                f"{export.folder}: an item has no attribute {missing[0]}, which is a key of the model.\n  Pass the "
                f"model of the table {export.table.partition('table/')[2]}."
            )
        values = (next(iter(item[name].items())) for name in self._key_attributes)
        return tuple((kind, Decimal(text) if kind == "N" else text) for kind, text in values)


def _item(record: Record, member: str, export: ExportFolder) -> Item:
    try:
        item: Item = record[member]
        accept_item(item)
    except (KeyError, TypeError, AttributeError, ValueError, RequestRefused) as problem:
        raise AnalyticsRefused(f"{export.folder}: a line has no valid {member} ({problem})") from None
    return item


def _records(export: ExportFolder) -> Iterator[Record]:
    """Yield the lines of an export as DynamoDB JSON. Raise AnalyticsRefused if a file is damaged."""
    for path, checksum in export.files:
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, lambda: hashlib.md5(usedforsecurity=False)).digest()
        if base64.b64encode(digest).decode() != checksum:
            raise AnalyticsRefused(f"{path}: the checksum differs from the manifest; copy the file again")
        try:
            with gzip.open(path, "rb") as lines:
                if export.output_format == "ION":
                    yield from _ion_records(lines)
                else:
                    yield from (json.loads(line) for line in lines if not line.isspace())
        except (OSError, EOFError, ValueError) as problem:
            raise AnalyticsRefused(f"{path}: not a data file in {export.output_format}: {problem}") from None


def _ion_records(file: Any) -> Iterator[Record]:
    try:
        ion = importlib.import_module("amazon.ion.simpleion")
    except ModuleNotFoundError:
        raise AnalyticsRefused("exports in Ion need amazon.ion: pip install 'singletable[ion]'") from None
    for value in ion.load(file, single_value=False, parse_eagerly=False):
        yield {str(member): _ion_item(each) for member, each in value.items()}


def _ion_item(struct: Any) -> Item:
    return {str(name): _from_ion(value) for name, value in struct.items()}


def _from_ion(value: Any) -> dict[str, Any]:
    annotation = next((str(getattr(each, "text", each)) for each in getattr(value, "ion_annotations", ())), "")
    if value is None or type(value).__name__ == "IonPyNull":
        return {"NULL": True}
    if type(value).__name__ == "IonPyBool" or isinstance(value, bool):
        return {"BOOL": bool(value)}
    if isinstance(value, int | float | Decimal):
        return {"N": number_text(value)}
    if isinstance(value, bytes):
        return {"B": base64.b64encode(value).decode()}
    if isinstance(value, str):
        return {"S": str(value)}
    if annotation in _SETS:
        kind = _SETS[annotation]
        return {kind: [_from_ion(each)[kind[0]] for each in value]}
    if isinstance(value, list | tuple):
        return {"L": [_from_ion(each) for each in value]}
    if hasattr(value, "items"):
        return {"M": _ion_item(value)}
    raise ValueError(f"{value!r} is not a DynamoDB value")
