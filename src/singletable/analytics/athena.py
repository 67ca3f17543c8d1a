"""Table definitions of Amazon Athena and AWS Glue for exported Parquet files."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

import pyarrow as pa  # type: ignore[import-untyped]  # pyarrow has no type information

from singletable.analytics.arrow_types import columns_of_entity
from singletable.analytics.data_export import Partitioning
from singletable.analytics.entity_rows import require_distinct
from singletable.errors import AnalyticsRefused
from singletable.model.design import Design
from singletable.model.entity import Entity

_INPUT = "org.apache.hadoop.hive.ql.io.parquet.MapredParquetInputFormat"
_OUTPUT = "org.apache.hadoop.hive.ql.io.parquet.MapredParquetOutputFormat"
_SERDE = "org.apache.hadoop.hive.ql.io.parquet.serde.ParquetHiveSerDe"
_LOCATION = re.compile(r"s3://[a-z0-9][a-z0-9.-]+(/[^'\"`\s]*)?")
_HIVE = {"string": "string", "int64": "bigint", "double": "double", "bool": "boolean", "binary": "binary"}


def athena_ddl(
    design: Design, location: str, partitions: Mapping[str, Partitioning], *, database: str | None = None
) -> str:
    """Return CREATE EXTERNAL TABLE statements, one per entity."""
    name = _name(database or design.name)
    _require_names(design)
    statements = [f"CREATE DATABASE IF NOT EXISTS `{name}`;"]
    statements += [
        _create(name, entity, _place(location, entity), partitions.get(entity.name)) for entity in design.entities
    ]
    return "\n\n".join(statements) + "\n"


def _create(database: str, entity: Entity, location: str, chosen: Partitioning | None) -> str:
    columns = ",\n".join(f"  `{name}` {kind}" for name, kind in _columns(entity))
    lines = [f"CREATE EXTERNAL TABLE IF NOT EXISTS `{database}`.`{_name(entity.name)}` (", columns, ")"]
    if chosen is not None:
        lines.append(f"PARTITIONED BY (`{chosen.column}` string)")
    lines += ["STORED AS PARQUET", f"LOCATION '{location}';"]
    if chosen is not None:
        lines += ["", f"MSCK REPAIR TABLE `{database}`.`{_name(entity.name)}`;"]
    return "\n".join(lines)


def glue_tables(design: Design, location: str, partitions: Mapping[str, Partitioning]) -> str:
    """Return the TableInput document of every entity, for CreateTable of AWS Glue, as JSON."""
    _require_names(design)
    found = [_table_input(each, _place(location, each), partitions.get(each.name)) for each in design.entities]
    return json.dumps(found, indent=2) + "\n"


def _require_names(design: Design) -> None:
    require_distinct((each.name for each in design.entities), _name, "Athena")
    for each in design.entities:
        require_distinct(each.fields, str.lower, f"a table of Athena for {each.name}")


def _table_input(entity: Entity, location: str, chosen: Partitioning | None) -> dict[str, Any]:
    return {
        "Name": _name(entity.name),
        "TableType": "EXTERNAL_TABLE",
        "Parameters": {"classification": "parquet", "EXTERNAL": "TRUE"},
        "PartitionKeys": [] if chosen is None else [{"Name": chosen.column, "Type": "string"}],
        "StorageDescriptor": {
            "Columns": [{"Name": name, "Type": kind} for name, kind in _columns(entity)],
            "Location": location,
            "InputFormat": _INPUT,
            "OutputFormat": _OUTPUT,
            "SerdeInfo": {"SerializationLibrary": _SERDE},
        },
    }


def _columns(entity: Entity) -> list[tuple[str, str]]:
    return [(each.name.lower(), hive_type(each.arrow.type)) for each in columns_of_entity(entity)]


def hive_type(kind: Any) -> str:
    """Return the type of a column in Athena and Glue."""
    if pa.types.is_decimal(kind):
        return f"decimal({kind.precision},{kind.scale})"
    if pa.types.is_timestamp(kind):
        return "timestamp"
    if pa.types.is_date(kind):
        return "date"
    if pa.types.is_map(kind):
        return f"map<string,{hive_type(kind.item_type)}>"
    if pa.types.is_list(kind):
        return f"array<{hive_type(kind.value_type)}>"
    if pa.types.is_struct(kind):
        return f"struct<{','.join(f'{field.name.lower()}:{hive_type(field.type)}' for field in kind)}>"
    return _HIVE[str(kind)]


def _name(name: str) -> str:
    """Return a name that Athena and Glue accept: lower case letters, digits and underscores."""
    return re.sub(r"[^a-z0-9_]", "_", name.lower())


def _place(location: str, entity: Entity) -> str:
    if not _LOCATION.fullmatch(location):
        raise AnalyticsRefused(f"{location!r} is not a location of Athena; write s3://BUCKET/PREFIX")
    return f"{location.rstrip('/')}/{quote(entity.name, safe='')}/"
