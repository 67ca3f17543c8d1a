"""PutItem: a whole item, in place of whatever has its key."""

from __future__ import annotations

from typing import TYPE_CHECKING

from singletable.engine.asked import condition_of
from singletable.engine.item_write import planned_put
from singletable.engine.legacy.expected import expected_of
from singletable.engine.legacy.parameters import uses_legacy
from singletable.engine.single_write import check_return_values, run_single
from singletable.errors import invalid
from singletable.values.accept import ITEM_TOO_LARGE, accept_item
from singletable.values.limits import ITEM_BYTES_MAX
from singletable.wire.items import ItemWriteResult, PutItem

if TYPE_CHECKING:
    from singletable.engine.engine import Engine


def put_item(engine: Engine, request: PutItem) -> ItemWriteResult:
    """Puts the item if its condition holds."""
    is_legacy = uses_legacy(request)
    size = accept_item(request.item)
    check_return_values(request)
    if size > ITEM_BYTES_MAX:
        raise invalid(ITEM_TOO_LARGE)
    condition = expected_of(request) if is_legacy else condition_of(request)
    table = engine.catalog.require(request.table_name)
    returns_old = request.return_values_on_condition_check_failure == "ALL_OLD"
    return run_single(engine, request, planned_put(table, request.item, size, condition, returns_old))
