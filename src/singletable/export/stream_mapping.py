"""Settings of the event source mapping: Lambda reads the stream of a table, and calls its handlers."""

from __future__ import annotations

import json
from dataclasses import dataclass

from singletable.export.exported_table import ExportedTable

STARTING_POSITION = "TRIM_HORIZON"
"""The mapping delivers every record that is still in the stream when you create it, not only later ones."""
BATCH_SIZE = 100
RESPONSE_TYPES = ("ReportBatchItemFailures",)
"""The function returns which records of a batch failed, and Lambda retries from the first of them."""
BISECT_BATCH_ON_ERROR = True
"""If the function crashes, Lambda splits the batch in two and retries each half."""
RETRIES_MAX = 50
"""The function itself sets a failing record aside after a few attempts.

This limit leaves enough retries for several such records in one batch.
"""
RETENTION_SECONDS = 14 * 86_400


@dataclass(frozen=True)
class StreamMapping:
    """The settings of the event source mapping that differ from table to table."""

    filters: tuple[str, ...]
    """Filter patterns, as JSON. A record that matches none is not delivered, and costs nothing."""


def stream_mapping(table: ExportedTable) -> StreamMapping | None:
    """Return the mapping of a table, or None if it has no stream handlers."""
    handlers = table.design.settings.handlers
    if not handlers:
        return None
    classes = {cls for handler in handlers for cls in handler.entities}
    names = sorted(table.design.entity_of(cls).name for cls in classes)
    attribute = table.design.settings.type_attribute
    if attribute is None:
        return StreamMapping(())
    images = ("NewImage", "OldImage")
    return StreamMapping(tuple(json.dumps({"dynamodb": {each: {attribute: {"S": names}}}}) for each in images))
