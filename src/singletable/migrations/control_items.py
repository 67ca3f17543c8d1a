"""The control items of a migration: state, designs and progress.

Each write checks the epoch, a number that increases when another runner takes over. So an older runner cannot write.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from singletable.client.design_state import (
    CONTENT,
    DesignState,
    design_text,
    read_content,
    read_state,
    reject_state_in_table,
)
from singletable.client.request_steps import Call, Steps
from singletable.client.responses import Item
from singletable.client.write.item_actions import ItemAction
from singletable.errors import MigrationRefused, MigrationStopped, RequestRefused
from singletable.evolve.snapshot_records import Snapshot, to_bytes
from singletable.expressions.tree import Compare, Condition, Constant, Path
from singletable.model.design import Design
from singletable.model.reserved_place import NO_PLACE, ReservedPlace, place_in_table, reserved_place
from singletable.model.table_schema import RESERVED_PREFIX, STATE

PROGRESS = f"{RESERVED_PREFIX}progress"
_FAILED = "ConditionalCheckFailedException"


@dataclass(frozen=True)
class Progress:
    """The progress of a pass over the items: the next position of each segment, or None for a finished segment."""

    migration: str
    phase: str
    positions: tuple[Item | None, ...]
    items: int = 0
    written: int = 0
    failed: int = 0

    @property
    def is_finished(self) -> bool:
        """Whether every segment is finished."""
        return all(each is None for each in self.positions)


@dataclass(frozen=True)
class RunnerItems:
    """Reads and writes the reserved items of a runner: the state of a table with the epoch, and the progress."""

    attributes: tuple[str, ...]
    """The key attributes of the table."""
    place: ReservedPlace

    @property
    def table(self) -> str:
        """The name of the table."""
        return self.place.owner

    @property
    def state_text(self) -> str:
        """The key text of the item that contains the epoch."""
        return STATE

    @property
    def stopped(self) -> str:
        """The message for a runner whose write failed because another runner or command wrote first."""
        return (
            f"table {self.table!r}: another runner or command has changed the migration, so this runner stops.\n  "
            "`singletable migrate status` shows the state; `singletable migrate run` continues the migration."
        )

    def epoch_check(self, epoch: int) -> ItemAction:
        """Return the entry of a transaction that checks that no other runner has taken over."""
        guard = Compare("=", Path((CONTENT, "epoch")), Constant({"N": str(epoch)}))
        return self.check(self.state_text, guard)

    def check(self, text: str, guard: Condition) -> ItemAction:
        """Return the check of a transaction that a reserved item meets a condition."""
        return ItemAction("ConditionCheck", self.place.key(text), 0, guards=(guard,), table=self.place.table)

    def read(self, text: str) -> Steps[Item | None]:
        """Read the content of a reserved item. Return None if there is no item."""
        item = yield from read_content(self.place, text)
        return None if item is None else item[CONTENT]["M"]

    def item(self, text: str, content: Mapping[str, Any]) -> Item:
        """Return a reserved item with this content."""
        return self.place.item(text, **{CONTENT: dict(content)})

    def replace(self, item: Item, before: Item | None) -> Steps[None]:
        """Write a reserved item if its content is still `before`. If `before` is None, the item must not exist.

        Otherwise raise MigrationStopped.
        """
        names = {"#content": CONTENT}
        if before is None:
            yield from self._put(item, "attribute_not_exists(#content)", names, {})
        else:
            yield from self._put(item, "#content = :before", names, {":before": {"M": before}})

    def progress(self, text: str = PROGRESS) -> Steps[Progress | None]:
        """Read the progress of the open pass."""
        members = yield from self.read(text)
        if members is None:
            return None
        positions = tuple(each.get("M") for each in members["positions"]["L"])
        counts = (int(members[name]["N"]) for name in ("items", "written", "failed"))
        return Progress(members["migration"]["S"], members["phase"]["S"], positions, *counts)

    def put_progress(self, progress: Progress, epoch: int, text: str = PROGRESS) -> Steps[None]:
        """Write the progress. Raise MigrationStopped if a runner with a later epoch has written it."""
        positions: list[dict[str, Any]] = [
            {"NULL": True} if each is None else {"M": each} for each in progress.positions
        ]
        members: Item = {
            "epoch": {"N": str(epoch)},
            "migration": {"S": progress.migration},
            "phase": {"S": progress.phase},
            "positions": {"L": positions},
            "items": {"N": str(progress.items)},
            "written": {"N": str(progress.written)},
            "failed": {"N": str(progress.failed)},
        }
        condition = "attribute_not_exists(#content) OR #content.#epoch <= :epoch"
        names = {"#content": CONTENT, "#epoch": "epoch"}
        yield from self._put(self.item(text, {"M": members}), condition, names, {":epoch": {"N": str(epoch)}})

    def delete_progress(self, text: str = PROGRESS) -> Steps[None]:
        """Delete the progress of a finished pass."""
        yield (Call("DeleteItem", {"TableName": self.place.table, "Key": self.place.key(text)}),)

    def put_call(self, item: Item, **parameters: Any) -> Call:
        """Return the request that writes a reserved item."""
        return Call("PutItem", {"TableName": self.place.table, "Item": item, **parameters})

    def _put(self, item: Item, condition: str, names: dict[str, str], values: dict[str, Any]) -> Steps[None]:
        given: dict[str, Any] = {"ConditionExpression": condition, "ExpressionAttributeNames": names}
        given |= {"ExpressionAttributeValues": values} if values else {}
        try:
            yield (self.put_call(item, **given),)
        except RequestRefused as error:
            if error.code != _FAILED:
                raise
            raise MigrationStopped(self.stopped) from None


@dataclass(frozen=True)
class ControlItems(RunnerItems):
    """Reads and writes the control items of a migration."""

    own: ReservedPlace | None = None
    """The place of reserved items in the table itself; None if the table cannot contain them."""

    def state(self) -> Steps[DesignState | None]:
        """Read the state of the table. Raise MigrationStopped if another command has moved it to a control table."""
        place, state = yield from read_state(self.place)
        if place != self.place:
            raise MigrationStopped(
                f"table {self.table!r}: its design state has moved to the control table {place.table!r}.\n  Declare "
                f'control_table="{place.table}" in the model.'
            )
        if state is None:
            yield from reject_state_in_table(self.own, self.place)
        return state

    def take_over(self, state: DesignState) -> Steps[DesignState]:
        """Increase the epoch, so that every other runner stops, and return the new state."""
        return (yield from self.change(state, replace(state, epoch=state.epoch + 1, is_paused=False)))

    def state_item(self, state: DesignState) -> Item:
        """Return the stored item of a state."""
        return self.item(STATE, {"M": state.content})

    def create(self, state: DesignState) -> Steps[DesignState]:
        """Write the first state of a table. Raise MigrationStopped if it already has a state."""
        yield from self.replace(self.state_item(state), None)
        return state

    def change(self, state: DesignState, changed: DesignState) -> Steps[DesignState]:
        """Replace the state if it still equals the given state. Otherwise raise MigrationStopped."""
        yield from self.replace(self.state_item(changed), state.content)
        return changed

    def put_design(self, snapshot: Snapshot) -> Steps[None]:
        """Write a design under its fingerprint, for clients whose model differs from it."""
        text = to_bytes(snapshot).decode()
        yield (self.put_call(self.item(design_text(snapshot.fingerprint), {"S": text})),)


def control_items(design: Design, name: str) -> ControlItems:
    """Return the control items of a table. Raise MigrationRefused if no table can contain them."""
    place = reserved_place(design, name)
    if place is None:
        raise MigrationRefused(
            f"{design.name}: the keys of the table are not strings, so it cannot contain the state of a migration.\n  "
            f"To migrate it, {NO_PLACE}"
        )
    return ControlItems(design.table.key_attributes, place, place_in_table(design, name))
