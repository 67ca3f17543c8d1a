"""DeleteItem: the end of one item."""

from __future__ import annotations

from typing import TYPE_CHECKING

from singletable.engine.asked import condition_of
from singletable.engine.item_write import planned_delete
from singletable.engine.legacy.expected import expected_of
from singletable.engine.legacy.parameters import uses_legacy
from singletable.engine.single_write import check_return_values, run_single
from singletable.values.accept import accept_item
from singletable.wire.items import DeleteItem, ItemWriteResult

if TYPE_CHECKING:
    from singletable.engine.engine import Engine


def delete_item(engine: Engine, request: DeleteItem) -> ItemWriteResult:
    """Deletes the item if its condition holds; an item that is not there is no error."""
    is_legacy = uses_legacy(request)
    accept_item(request.key)
    check_return_values(request)
    condition = expected_of(request) if is_legacy else condition_of(request)
    table = engine.catalog.require(request.table_name)
    returns_old = request.return_values_on_condition_check_failure == "ALL_OLD"
    return run_single(engine, request, planned_delete(table, request.key, condition, returns_old))
