"""Control table of a migration: creates it, and moves the design state of a table into it."""

from __future__ import annotations

from singletable.client.design_state import (
    CONTENT,
    CONTROL_TABLE,
    DesignState,
    design_text,
    next_place,
    read_content,
    state_of,
)
from singletable.client.open_table import create_control_table
from singletable.client.request_steps import Call, Steps
from singletable.client.responses import Item
from singletable.client.write.request_sender import CANCELLED
from singletable.errors import MigrationRefused, MigrationStopped, RequestRefused
from singletable.lazy_dataclass import replace
from singletable.migrations.control_items import PROGRESS, ControlItems
from singletable.migrations.table_indexes import Report
from singletable.model.reserved_place import ReservedPlace
from singletable.model.table_schema import STATE


def prepare_control_table(control: ControlItems, report: Report) -> Steps[None]:
    """Create the control table that a model declares, and move the design state of the table into it.

    One transaction writes the state to the control table, and replaces the state in the table by the name of the
    control table. Clients that still read the table then follow this name, and a runner of an open migration stops.
    """
    place, own = control.place, control.own
    if not place.is_control_table:
        return
    yield from create_control_table(place.table)
    item = None if own is None else (yield from read_content(own, STATE))
    if own is None or item is None:
        return
    known = next_place(item, own)
    if known is not None:
        if known != place:
            raise MigrationRefused(
                f"the design state of table {own.owner!r} is in the control table {known.table!r}, not in "
                f'{place.table!r}; nothing was written.\n  Declare control_table="{known.table}".'
            )
        return
    yield from _move(control, own, state_of(item, own.owner), item)
    report(f"moved the design state of table {own.owner} to the control table {place.table}")


def _move(control: ControlItems, own: ReservedPlace, state: DesignState, before: Item) -> Steps[None]:
    """Copy the designs and the progress, and then move the state."""
    place = control.place
    for text in (*(design_text(each) for each in (state.fingerprint, state.target) if each), PROGRESS):
        stored = yield from read_content(own, text)
        if stored is not None:
            yield (control.put_call(place.item(text, **{CONTENT: stored[CONTENT]})),)
    moved = control.state_item(replace(state, epoch=state.epoch + 1))  # stops a runner that uses the state in the table
    reference = own.item(STATE, **{CONTENT: {"M": {CONTROL_TABLE: {"S": place.table}}}})
    unused = {
        "ConditionExpression": "attribute_not_exists(#content)",
        "ExpressionAttributeNames": {"#content": CONTENT},
    }
    same = {
        "ConditionExpression": "#content = :before",
        "ExpressionAttributeNames": {"#content": CONTENT},
        "ExpressionAttributeValues": {":before": before[CONTENT]},
    }
    entries = [
        {"Put": {"TableName": place.table, "Item": moved, **unused}},
        {"Put": {"TableName": own.table, "Item": reference, **same}},
    ]
    try:
        yield (Call("TransactWriteItems", {"TransactItems": entries}),)
    except RequestRefused as problem:
        if problem.code != CANCELLED:
            raise
        reasons = problem.fields.get("CancellationReasons") or [{}]
        if reasons[0].get("Code") == "ConditionalCheckFailed":
            raise MigrationRefused(
                f"both table {own.owner!r} and its control table {place.table!r} contain a design state; nothing was "
                "written.\n  Declare the control table that contains the state of this table, or a new name."
            ) from None
        raise MigrationStopped(control.stopped) from None
