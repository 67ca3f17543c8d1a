"""Event source mapping: connects the stream of a table with handlers to a Lambda function."""

from __future__ import annotations

import json
from dataclasses import dataclass

from singletable.export.exported_table import ExportedTable

BATCH_SIZE = 100
RETRIES_MAX = 50
"""More than the attempts after which the function sets a record aside, for several such records in one batch."""
RETENTION_SECONDS = 14 * 86_400


@dataclass(frozen=True)
class StreamMapping:
    """The settings of the event source mapping of one table."""

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
