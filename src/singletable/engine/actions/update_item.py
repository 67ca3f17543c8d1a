"""UpdateItem: changes to one item, which is made when it is not there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from singletable.engine.asked import update_of
from singletable.engine.item_write import planned_update
from singletable.engine.legacy.expected import expected_of
from singletable.engine.legacy.parameters import uses_legacy
from singletable.engine.legacy.updates import updates_of
from singletable.engine.single_write import run_single
from singletable.values.accept import accept_item
from singletable.wire.items import ItemWriteResult, UpdateItem

if TYPE_CHECKING:
    from singletable.engine.engine import Engine


def update_item(engine: Engine, request: UpdateItem) -> ItemWriteResult:
    """Updates the item if its condition holds."""
    is_legacy = uses_legacy(request)
    accept_item(request.key)
    update, condition = (updates_of(request), expected_of(request)) if is_legacy else update_of(request)
    table = engine.catalog.require(request.table_name)
    returns_old = request.return_values_on_condition_check_failure == "ALL_OLD"
    # Captured: alone, an update is measured without the key and with bytes for each of its changes.
    extra_bytes = 0 if update is None else update.update.extra_bytes
    write = planned_update(table, request.key, update, condition, returns_old, extra_bytes)
    return run_single(engine, request, write, update)
