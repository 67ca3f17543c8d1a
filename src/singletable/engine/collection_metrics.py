"""ItemCollectionMetrics: how large the partition of a written item has grown, for tables with local indexes."""

from __future__ import annotations

import sqlite3
from typing import Any

from singletable.engine.storage.key_range import index_range, table_range
from singletable.engine.table import Item, OpenTable
from singletable.values.key_bytes import key_bytes

GIGABYTE = 1024**3


def collection_metrics(connection: sqlite3.Connection, table: OpenTable, item: Item) -> dict[str, Any]:
    """The collection of an item or key, and between which two gigabytes its size lies."""
    value = item[table.partition_name]
    partition = key_bytes(table.partition_kind, value[table.partition_kind])
    size_bytes = table.tree.bytes_between(connection, *table_range(partition))
    for index in table.indexes:
        if index.definition.is_local:
            size_bytes += index.tree.bytes_between(connection, *index_range([partition]))
    lower = float(size_bytes // GIGABYTE)
    return {"ItemCollectionKey": {table.partition_name: value}, "SizeEstimateRangeGB": [lower, lower + 1.0]}
