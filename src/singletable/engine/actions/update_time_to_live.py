"""UpdateTimeToLive: has the items of a table expire by one of their attributes, or no longer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from singletable.engine.definition import TableDefinition, TimeToLive
from singletable.errors import invalid
from singletable.wire.time_to_live import TimeToLiveSpecification, UpdateTimeToLive, UpdateTimeToLiveResult

if TYPE_CHECKING:
    from singletable.engine.engine import Engine

# The service takes up to an hour for a change, and no other meanwhile.
CHANGE_SECONDS = 3600


def update_time_to_live(engine: Engine, request: UpdateTimeToLive) -> UpdateTimeToLiveResult:
    """Changes it at once; items that are there already are looked through while the table is in use."""
    asked = request.time_to_live_specification
    engine.catalog.change(request.table_name, lambda definition: _changed(definition, asked, engine.now()))
    engine.housekeeping.start_if_needed()
    return UpdateTimeToLiveResult(
        time_to_live_specification={"Enabled": asked.enabled, "AttributeName": asked.attribute_name}
    )


def _changed(definition: TableDefinition, asked: TimeToLiveSpecification, now: float) -> TableDefinition:
    had = definition.time_to_live
    active = definition.expiry_attribute
    if active is not None and active != asked.attribute_name:
        raise invalid(f"TimeToLive is active on a different AttributeName: current AttributeName is {active}")
    if asked.enabled == (active is not None):
        raise invalid(f"TimeToLive is already {'enabled' if asked.enabled else 'disabled'}")
    if had is not None and now - had.changed_at < CHANGE_SECONDS:
        raise invalid("Time to live has been modified multiple times within a fixed interval")
    enabled, disabled = TimeToLive(asked.attribute_name, now, "ENABLING"), TimeToLive(None, now, "DISABLED")
    return msgspec.structs.replace(definition, time_to_live=enabled if asked.enabled else disabled)
