"""UpdateTimeToLive: enables or disables TTL.

Items have an expiry time in an attribute, after which TTL deletes them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from singletable.engine.tables.table_definition import TableDefinition, TimeToLive
from singletable.errors import invalid
from singletable.wire.table_requests import TimeToLiveSpecification, UpdateTimeToLive, UpdateTimeToLiveResult

if TYPE_CHECKING:
    from singletable.engine.engine import Engine

# DynamoDB needs up to an hour to apply a change, and rejects further changes during this hour.
CHANGE_SECONDS = 3600


def update_time_to_live(engine: Engine, request: UpdateTimeToLive) -> UpdateTimeToLiveResult:
    """Change the TTL setting at once. A background thread records the expiry times of existing items."""
    specification = request.time_to_live_specification
    engine.catalog.change(request.table_name, lambda definition: _changed(definition, specification, engine.now()))
    engine.sweeper.start_if_needed()
    return UpdateTimeToLiveResult(
        time_to_live_specification={"Enabled": specification.enabled, "AttributeName": specification.attribute_name}
    )


def _changed(definition: TableDefinition, specification: TimeToLiveSpecification, now: float) -> TableDefinition:
    old = definition.time_to_live
    active = definition.expiry_attribute
    if active is not None and active != specification.attribute_name:
        raise invalid(f"TimeToLive is active on a different AttributeName: current AttributeName is {active}")
    if specification.enabled == (active is not None):
        raise invalid(f"TimeToLive is already {'enabled' if specification.enabled else 'disabled'}")
    if old is not None and now - old.changed_at < CHANGE_SECONDS:
        raise invalid("Time to live has been modified multiple times within a fixed interval")
    enabled, disabled = TimeToLive(specification.attribute_name, now, "ENABLING"), TimeToLive(None, now, "DISABLED")
    return msgspec.structs.replace(definition, time_to_live=enabled if specification.enabled else disabled)
