"""PutItem: writes one item, and replaces an existing item with the same key."""

from __future__ import annotations

from typing import TYPE_CHECKING

from singletable.engine.items.item_writes import check_return_values, planned_put, run_single_write
from singletable.engine.items.request_expressions import write_condition
from singletable.engine.legacy.parameters import has_legacy_parameters
from singletable.engine.legacy.write_parameters import expected_condition
from singletable.errors import invalid
from singletable.values.item_validation import ITEM_TOO_LARGE, accept_item
from singletable.values.limits import ITEM_BYTES_MAX
from singletable.wire.item_requests import ItemWriteResult, PutItem

if TYPE_CHECKING:
    from singletable.engine.engine import Engine


def put_item(engine: Engine, request: PutItem) -> ItemWriteResult:
    """Write the item if the condition holds."""
    is_legacy = has_legacy_parameters(request)
    size = accept_item(request.item)
    check_return_values(request)
    if size > ITEM_BYTES_MAX:
        raise invalid(ITEM_TOO_LARGE)
    condition = expected_condition(request) if is_legacy else write_condition(request)
    table = engine.catalog.require(request.table_name)
    returns_old = request.return_values_on_condition_check_failure == "ALL_OLD"
    return run_single_write(engine, request, planned_put(table, request.item, size, condition, returns_old))
