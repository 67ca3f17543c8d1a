"""UpdateItem: updates one item, and creates it if it does not exist."""

from __future__ import annotations

from typing import TYPE_CHECKING

from singletable.engine.items.item_writes import planned_update, run_single_write
from singletable.engine.items.request_expressions import update_expressions
from singletable.engine.legacy.parameters import has_legacy_parameters
from singletable.engine.legacy.write_parameters import attribute_updates, expected_condition
from singletable.values.item_validation import accept_item
from singletable.wire.item_requests import ItemWriteResult, UpdateItem

if TYPE_CHECKING:
    from singletable.engine.engine import Engine


def update_item(engine: Engine, request: UpdateItem) -> ItemWriteResult:
    """Update the item if the condition holds."""
    is_legacy = has_legacy_parameters(request)
    accept_item(request.key)
    update, condition = (
        (attribute_updates(request), expected_condition(request)) if is_legacy else update_expressions(request)
    )
    table = engine.catalog.require(request.table_name)
    returns_old = request.return_values_on_condition_check_failure == "ALL_OLD"
    # Outside transactions, DynamoDB ignores the key in the size limit of an update, but adds bytes for every change
    # (captured from AWS).
    extra_bytes = 0 if update is None else update.update.extra_bytes
    write = planned_update(table, request.key, update, condition, returns_old, extra_bytes)
    return run_single_write(engine, request, write, update)
