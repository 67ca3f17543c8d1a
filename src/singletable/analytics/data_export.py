"""Export of items to files: one typed table per entity, with a manifest, in steps that can be continued."""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pyarrow as pa  # type: ignore[import-untyped]  # pyarrow has no type information

from singletable.analytics.entity_rows import EntityRows, TableRows, require_distinct
from singletable.analytics.export_files import ExportFormat, suffix_of, write_database, write_part
from singletable.analytics.table_source import ItemSource, Position
from singletable.errors import AnalyticsRefused
from singletable.model.design import Design

MANIFEST = "manifest.json"
FORMAT_VERSION = 1
STEP_ROWS = 250_000
STEP_SECONDS = 60.0
"""The export writes the files and its progress each time it has read this many rows, or this time has passed."""
NULL_PARTITION = "__HIVE_DEFAULT_PARTITION__"
UNITS = {"year": 4, "month": 7, "day": 10}
"""The units for partitions by a date or time, each with the length of its text: 7 for the month 2026-05."""
PARTITIONS_MAX = 10_000
FOLDER_CHARACTERS_MAX = 255


@dataclass(frozen=True)
class Partitioning:
    """The field by which the files of an entity are partitioned, and the unit of a date or time."""

    entity: str
    field: str
    unit: str | None = None

    @property
    def column(self) -> str:
        """The name of the partition column.

        It differs from the name of the field, because the files also contain the field.
        """
        return f"by_{self.field}" if self.unit is None else f"by_{self.unit}_of_{self.field}"

    def text(self, value: Any) -> str:
        """Return the partition of a value."""
        if value is None:
            return NULL_PARTITION
        if self.unit is not None:
            return str(value.isoformat()[: UNITS[self.unit]])
        if isinstance(value, datetime | date):
            return value.isoformat()
        return str(value)


def partitioning(text: str, design: Design) -> Partitioning:
    """Parse `Order.status` or `Order.created_at:month`. Raise AnalyticsRefused if there is no such field."""
    place, _, unit = text.partition(":")
    name, _, wanted = place.partition(".")
    entity = next((each for each in design.entities if each.name == name), None)
    if entity is None or wanted not in entity.fields:
        raise AnalyticsRefused(f"cannot partition by {text!r}: write ENTITY.FIELD, such as Order.status")
    declared = entity.fields[wanted].type
    is_time = isinstance(declared, type) and issubclass(declared, date)
    if unit and (unit not in UNITS or not is_time):
        raise AnalyticsRefused(f"cannot partition by {text!r}: a date or time has the units {', '.join(UNITS)}")
    if is_time and not unit:
        raise AnalyticsRefused(f"cannot partition by {text!r}: add a unit, such as {place}:month")
    return Partitioning(name, wanted, unit or None)


@dataclass
class ExportManifest:
    """The content of `manifest.json`: the settings, the columns, the files and the progress of an export."""

    export_format: ExportFormat
    model: str
    source: str
    partitions: dict[str, str] = field(default_factory=dict)
    """The partition column of each partitioned entity."""
    columns: dict[str, list[dict[str, str]]] = field(default_factory=dict)
    files: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    position: Position = None
    is_complete: bool = False
    unknown: dict[str, int] = field(default_factory=dict)
    """The number of items that belong to no entity, by their type attribute."""
    read_units: float = 0.0

    @property
    def settings(self) -> tuple[Any, ...]:
        """The settings that must be equal to continue an export."""
        return (self.export_format, self.model, self.source, self.partitions, self.columns)

    def rows(self, entity: str) -> int:
        """Return the number of exported items of an entity."""
        return sum(int(each["rows"]) for each in self.files.get(entity, ()))

    def write(self, folder: Path) -> None:
        """Write the manifest atomically."""
        temporary = folder / f"{MANIFEST}.{os.getpid()}.new"
        document = {"format_version": FORMAT_VERSION, **vars(self)}
        temporary.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        temporary.replace(folder / MANIFEST)


def read_manifest(folder: Path) -> ExportManifest | None:
    """Return the manifest of a folder, or None. Raise AnalyticsRefused if it is not readable."""
    path = folder / MANIFEST
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        if document.pop("format_version") != FORMAT_VERSION:
            raise ValueError("another format version")
        return ExportManifest(**document)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as problem:
        raise AnalyticsRefused(f"{path} is not the manifest of an export: {problem}") from None


class DataExport:
    """Exports the items of a source to a folder."""

    def __init__(
        self,
        design: Design,
        source: ItemSource,
        folder: Path,
        export_format: ExportFormat,
        *,
        partitions: Mapping[str, Partitioning] | None = None,
        step_rows: int = STEP_ROWS,
        progress: Callable[[ExportManifest], None] = lambda _: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        if export_format == "duckdb":
            require_distinct((each.name for each in design.entities), str.lower, "a DuckDB database")
        self._rows = TableRows(design, with_zone=export_format != "duckdb")
        self._source, self._folder, self._step_rows, self._clock = source, folder, step_rows, clock
        self._partitions, self._progress = partitions or {}, progress
        columns = {name: _described(each) for name, each in self._rows.entities.items()}
        by = {name: each.column for name, each in self._partitions.items()}
        self.manifest = ExportManifest(export_format, design.name, source.name, by, columns)

    def run(self) -> ExportManifest:
        """Export all items, or continue an interrupted export."""
        self._start()
        waiting: dict[str, list[pa.RecordBatch]] = {}
        count, written_at = 0, self._clock()
        for page in self._source.pages(self.manifest.position):
            for name, batch in self._rows.batches(page.items, self.manifest.unknown).items():
                waiting.setdefault(name, []).append(batch)
                count += batch.num_rows
            self.manifest.position = page.position
            self.manifest.read_units += page.read_units
            if count >= self._step_rows or self._clock() - written_at >= STEP_SECONDS:
                self._write(waiting)
                waiting, count, written_at = {}, 0, self._clock()
        self._write(waiting)
        self._write_empty_tables()
        if self.manifest.export_format == "duckdb":
            self._make_database()
        self.manifest.position, self.manifest.is_complete = None, True
        self.manifest.write(self._folder)
        return self.manifest

    def _start(self) -> None:
        """Create the folder, or take over the progress of an interrupted export."""
        found = read_manifest(self._folder) if self._folder.is_dir() else None
        if found is None:
            if self._folder.exists() and (not self._folder.is_dir() or any(self._folder.iterdir())):
                raise AnalyticsRefused(f"{self._folder} is not empty; choose a new folder for the export")
            self._folder.mkdir(parents=True, exist_ok=True)
            self.manifest.write(self._folder)
            return
        if found.is_complete:
            raise AnalyticsRefused(f"{self._folder} already has a complete export; choose a new folder, or delete it")
        if found.settings != self.manifest.settings:
            raise AnalyticsRefused(
                f"{self._folder} has an unfinished export with another format, source, partition or model.\n  Choose a "
                "new folder, or delete it."
            )
        self.manifest = found
        listed = {self._folder / each["path"] for files in found.files.values() for each in files}
        for path in self._folder.rglob("part-*"):
            if path not in listed:
                path.unlink()

    def _write(self, waiting: Mapping[str, list[pa.RecordBatch]]) -> None:
        """Write the waiting rows as files, and then the manifest that lists them."""
        for name, batches in waiting.items():
            table = pa.Table.from_batches(batches, self._rows.entities[name].schema)
            chosen = self._partitions.get(name)
            parts = {"": table} if chosen is None else _split(table, chosen)
            for place, part in parts.items():
                self._write_part(name, place, part)
        self.manifest.write(self._folder)
        self._progress(self.manifest)

    def _write_empty_tables(self) -> None:
        """Write a file without rows for every entity without items, so that its columns have their types."""
        for name, rows in self._rows.entities.items():
            if name not in self.manifest.files and name not in self._partitions:
                self._write_part(name, "", rows.schema.empty_table())

    def _write_part(self, name: str, place: str, part: pa.Table) -> None:
        files = self.manifest.files.setdefault(name, [])
        export_format = self.manifest.export_format
        relative = Path(quote(name, safe="")) / place / f"part-{len(files):05}.{suffix_of(export_format)}"
        path = self._folder / relative
        path.parent.mkdir(parents=True, exist_ok=True)
        write_part(part, path, export_format)
        files.append({"path": relative.as_posix(), "rows": part.num_rows})

    def _make_database(self) -> None:
        """Replace the Parquet files by a DuckDB database."""
        parts = {name: [self._folder / each["path"] for each in files] for name, files in self.manifest.files.items()}
        schemas = {name: each.schema for name, each in self._rows.entities.items()}
        database = f"{self.manifest.model}.duckdb"
        write_database(self._folder / database, parts, schemas)
        counts = {name: self.manifest.rows(name) for name in self.manifest.files}
        self.manifest.files = {name: [{"path": database, "rows": rows}] for name, rows in counts.items()}
        self.manifest.position, self.manifest.is_complete = None, True
        self.manifest.write(self._folder)
        for name in counts:
            shutil.rmtree(self._folder / quote(name, safe=""), ignore_errors=True)


def _described(rows: EntityRows) -> list[dict[str, str]]:
    return [
        {"name": each.name, "type": str(each.arrow.type)} | ({"note": each.arrow.note} if each.arrow.note else {})
        for each in rows.columns
    ]


def _split(table: pa.Table, chosen: Partitioning) -> dict[str, pa.Table]:
    """Return the rows of each partition, by the folder of the partition."""
    texts = [chosen.text(value) for value in table.column(chosen.field).to_pylist()]
    places: dict[str, list[int]] = {}
    for row, text in enumerate(texts):
        places.setdefault(text, []).append(row)
    if len(places) > PARTITIONS_MAX:
        raise AnalyticsRefused(
            f"{chosen.entity}.{chosen.field} has more than {PARTITIONS_MAX:,} values in one step; choose another field "
            "for the partitions, or a larger unit"
        )
    folders = {text: f"{chosen.column}={quote(text, safe='')}" for text in places}
    if long := next((text for text, folder in folders.items() if len(folder) > FOLDER_CHARACTERS_MAX), None):
        raise AnalyticsRefused(
            f"{chosen.entity}.{chosen.field} has the value {long[:40]!r}..., which is too long for the name of a "
            "folder; choose another field for the partitions"
        )
    return {folders[text]: table.take(rows) for text, rows in places.items()}
