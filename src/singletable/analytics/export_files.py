"""Files of an export: Parquet, CSV and JSON Lines, and a DuckDB database, from Arrow tables."""

from __future__ import annotations

import base64
import json
import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal

import duckdb
import pyarrow as pa  # type: ignore[import-untyped]  # pyarrow has no type information
import pyarrow.csv as pa_csv  # type: ignore[import-untyped]  # as above
import pyarrow.parquet as pq  # type: ignore[import-untyped]  # as above

from singletable.analytics.arrow_types import json_text

ExportFormat = Literal["parquet", "csv", "jsonl", "duckdb"]
FORMATS: tuple[ExportFormat, ...] = ("parquet", "csv", "jsonl", "duckdb")
ROW_GROUP_ROWS = 100_000


def suffix_of(export_format: ExportFormat) -> str:
    """Return the file name suffix of the data files. A DuckDB database is first exported as Parquet files."""
    return "parquet" if export_format == "duckdb" else export_format


def write_part(table: pa.Table, path: Path, export_format: ExportFormat) -> None:
    """Write a data file atomically."""
    temporary = path.with_name(f"{path.name}.new")
    _WRITERS[suffix_of(export_format)](table, temporary)
    temporary.replace(path)


def _write_parquet(table: pa.Table, path: Path) -> None:
    pq.write_table(table, path, row_group_size=ROW_GROUP_ROWS, compression="zstd")


def _write_csv(table: pa.Table, path: Path) -> None:
    """Write one line per item. Nested values are JSON text, bytes are base64, and None is an empty field."""
    columns = [_flat(column, field.type) for column, field in zip(table.columns, table.schema, strict=True)]
    pa_csv.write_csv(pa.table(columns, names=table.schema.names), path)


def _flat(column: Any, kind: Any) -> Any:
    if pa.types.is_nested(kind):
        values = [None if value is None else json_text(plain(value, kind)) for value in column.to_pylist()]
        return pa.array(values, pa.string())
    if pa.types.is_binary(kind):
        values = [None if value is None else base64.b64encode(value).decode() for value in column.to_pylist()]
        return pa.array(values, pa.string())
    return column


def plain(value: Any, kind: Any) -> Any:
    """Return a value of an Arrow type as JSON shows it. A map is a list of pairs in Arrow, and an object in JSON."""
    if value is None:
        return None
    if pa.types.is_map(kind):
        return {str(name): plain(each, kind.item_type) for name, each in value}
    if pa.types.is_struct(kind):
        return {each.name: plain(value[each.name], each.type) for each in kind}
    if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
        return [plain(each, kind.value_type) for each in value]
    if pa.types.is_interval(kind):
        return f"P{value.months}M{value.days}DT{value.nanoseconds / 1e9:g}S"
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def plain_rows(table: Any) -> Iterator[list[Any]]:
    """Yield the rows of a table as lists of values, as JSON shows them. Two columns can have the same name."""
    for batch in table.to_batches(max_chunksize=10_000):
        columns = [
            [plain(value, field.type) for value in column.to_pylist()]
            for column, field in zip(batch.columns, batch.schema, strict=True)
        ]
        yield from map(list, zip(*columns, strict=True))


def text_rows(table: Any) -> Iterator[list[str | None]]:
    """Yield the rows of a table as texts: nested values are JSON, and bytes are in base64."""
    for row in plain_rows(table):
        yield [None if value is None else _text(value) for value in row]


def _text(value: Any) -> str:
    if isinstance(value, dict | list):
        return json_text(value)
    return str(json_default(value)) if isinstance(value, bytes) else str(value)


def _write_jsonl(table: pa.Table, path: Path) -> None:
    with path.open("w", encoding="utf-8") as file:
        for row in plain_rows(table):
            line = dict(zip(table.schema.names, row, strict=True))
            file.write(json.dumps(line, ensure_ascii=False, default=json_default) + "\n")


def json_default(value: Any) -> Any:
    """Return the JSON form of a scalar: times in ISO 8601, decimal numbers as text, bytes in base64."""
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, Decimal):
        return str(value)
    return str(value)


_WRITERS: Mapping[str, Callable[[Any, Path], None]] = {
    "parquet": _write_parquet,
    "csv": _write_csv,
    "jsonl": _write_jsonl,
}


def write_database(path: Path, parts: Mapping[str, Iterable[Path]], schemas: Mapping[str, Any]) -> None:
    """Write a DuckDB database with one table per entity, and replace an existing file atomically."""
    temporary = path.with_name(f"{path.name}.{os.getpid()}.new")
    temporary.unlink(missing_ok=True)
    with duckdb.connect(temporary) as database:
        for name, schema in schemas.items():
            database.register("empty_part", schema.empty_table())
            table = identifier(name)
            database.execute(f"CREATE TABLE {table} AS SELECT * FROM empty_part")  # noqa: S608  # a quoted name
            database.unregister("empty_part")
            for part in parts.get(name, ()):
                insert = f"INSERT INTO {table} SELECT * FROM read_parquet(?, hive_partitioning = false)"  # noqa: S608
                database.execute(insert, [str(part)])
    temporary.replace(path)


def identifier(name: str) -> str:
    """Return a name as a quoted SQL identifier."""
    escaped = name.replace('"', '""')
    return f'"{escaped}"'
