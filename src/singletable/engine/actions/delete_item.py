"""DeleteItem: deletes one item."""

from __future__ import annotations

from typing import TYPE_CHECKING

from singletable.engine.items.item_writes import check_return_values, planned_delete, run_single_write
from singletable.engine.items.request_expressions import write_condition
from singletable.engine.legacy.parameters import has_legacy_parameters
from singletable.engine.legacy.write_parameters import expected_condition
from singletable.values.item_validation import accept_item
from singletable.wire.item_requests import DeleteItem, ItemWriteResult

if TYPE_CHECKING:
    from singletable.engine.engine import Engine


def delete_item(engine: Engine, request: DeleteItem) -> ItemWriteResult:
    """Delete the item if the condition holds. Deleting an item that does not exist is not an error."""
    is_legacy = has_legacy_parameters(request)
    accept_item(request.key)
    check_return_values(request)
    condition = expected_condition(request) if is_legacy else write_condition(request)
    table = engine.catalog.require(request.table_name)
    returns_old = request.return_values_on_condition_check_failure == "ALL_OLD"
    return run_single_write(engine, request, planned_delete(table, request.key, condition, returns_old))
