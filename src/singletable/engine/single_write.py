"""A write that stands alone: what its answer tells of the item, of the units and of the collection."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import UNSET, Raw, UnsetType

from singletable.engine.capacity import told
from singletable.engine.collection_metrics import collection_metrics
from singletable.engine.item_write import (
    ConditionFailed,
    PlannedWrite,
    Written,
    condition_failed,
    conflict,
    perform,
    perform_blind,
)
from singletable.engine.table import Item
from singletable.engine.write import consumed
from singletable.errors import invalid
from singletable.expressions.request import BoundUpdate
from singletable.wire.items import ItemWrite, ItemWriteResult

if TYPE_CHECKING:
    from singletable.engine.engine import Engine

_NOTHING = ItemWriteResult()


def check_return_values(request: ItemWrite) -> None:
    """A put and a delete have no new values to return."""
    if request.return_values not in (None, "NONE", "ALL_OLD"):
        raise invalid("ReturnValues can only be ALL_OLD or NONE")


def run_single(
    engine: Engine, request: ItemWrite, write: PlannedWrite, update: BoundUpdate | None = None
) -> ItemWriteResult:
    """Writes, and answers what was asked for."""
    detail = request.return_consumed_capacity
    is_told = detail is not None and detail != "NONE"
    is_silent = request.return_values is None or request.return_values == "NONE"
    measures = request.return_item_collection_metrics == "SIZE" and write.table.has_local_indexes
    if engine.faults.conflict():
        raise conflict()
    with engine.store.writing(certain=write.table.is_certain) as connection:
        if is_silent and not is_told and not measures and write.is_blind:
            perform_blind(connection, write)
            return _NOTHING
        try:
            written = perform(connection, write)
        except ConditionFailed as failure:
            raise condition_failed(write, failure) from None
        metrics = collection_metrics(connection, write.table, write.item) if measures else UNSET
    return ItemWriteResult(
        attributes=UNSET if is_silent else _attributes(request, written, update),
        consumed_capacity=told(write.table.name, consumed(write.table, *written), detail) if is_told else UNSET,
        item_collection_metrics=metrics,
    )


def _attributes(request: ItemWrite, written: Written, update: BoundUpdate | None) -> Raw | Item | UnsetType:
    match request.return_values:
        case "ALL_OLD":
            image = written.before
        case "ALL_NEW":
            image = written.after
        case "UPDATED_OLD":
            return _touched(written.before, update)
        case _:
            return _touched(written.after, update)
    return UNSET if image is None else Raw(image.body)


def _touched(image: Any, update: BoundUpdate | None) -> Item | UnsetType:
    """The parts of the item that the update speaks of, or nothing when there are none."""
    if image is None or update is None:
        return UNSET
    return update.updated(image.item) or UNSET
