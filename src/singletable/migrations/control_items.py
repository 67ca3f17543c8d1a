"""The control items of a migration in the table: state, designs and progress. Each write checks the epoch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from singletable.client.design_state import (
    CONTENT,
    DesignState,
    design_text,
    read_item,
    read_state,
    reserved_key,
)
from singletable.client.request_steps import Call, Steps
from singletable.client.responses import Item, read_get
from singletable.client.write.item_actions import ItemAction
from singletable.errors import MigrationStopped, RequestRefused
from singletable.evolve.snapshot_records import Snapshot, to_bytes
from singletable.expressions.tree import Compare, Constant, Path
from singletable.model.table_schema import RESERVED_PREFIX, RESERVED_TYPE, STATE

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
    """Reads and writes the reserved items of a runner in one table: its state with the epoch, and its progress."""

    table: str
    attributes: tuple[str, ...]
    type_attribute: str | None

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
        """Return the check of a transaction that no other runner has taken over."""
        guard = Compare("=", Path((CONTENT, "epoch")), Constant({"N": str(epoch)}))
        return ItemAction("ConditionCheck", reserved_key(self.attributes, self.state_text), 0, guards=(guard,))

    def read(self, text: str) -> Steps[Item | None]:
        """Read the content of a reserved item. Return None if there is no item."""
        (body,) = yield (read_item(self.table, reserved_key(self.attributes, text)),)
        item = read_get(body).item
        return None if item is None else item[CONTENT]["M"]

    def item(self, text: str, content: Mapping[str, Any]) -> Item:
        """Return a reserved item with this content."""
        item = reserved_key(self.attributes, text) | {CONTENT: dict(content)}
        return item if self.type_attribute is None else item | {self.type_attribute: {"S": RESERVED_TYPE}}

    def replace(self, item: Item, before: Item | None) -> Steps[None]:
        """Write a reserved item whose content must still be `before`, or which must not exist for None.

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
        yield (Call("DeleteItem", {"TableName": self.table, "Key": reserved_key(self.attributes, text)}),)

    def put_call(self, item: Item, **parameters: Any) -> Call:
        """Return the request that writes a reserved item."""
        return Call("PutItem", {"TableName": self.table, "Item": item, **parameters})

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
    """Reads and writes the control items of a migration in one table."""

    def state(self) -> Steps[DesignState | None]:
        """Read the state of the table."""
        return read_state(self.table, self.attributes)

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
