"""Consolidation state: a reserved item of the new table with the phase, and the lease of the clients that read it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import Enum

from singletable.client.design_lease import RENEW_SECONDS, VIEW_SECONDS_MAX
from singletable.client.design_state import CONTENT, read_item
from singletable.client.request_steps import Steps
from singletable.client.responses import Item, read_get
from singletable.client.write.item_actions import ItemAction
from singletable.client.write.stored_expressions import missing
from singletable.errors import RequestRefused, TableDiffers, Unreachable
from singletable.expressions.tree import Compare, Constant, Or, Path
from singletable.migrations.control_items import RunnerItems
from singletable.model.reserved_place import ReservedPlace
from singletable.model.table_schema import CONSOLIDATION

STATE_TEXT, PROGRESS_TEXT = f"{CONSOLIDATION}#state", f"{CONSOLIDATION}#progress"


class Stage(Enum):
    """The stage of a consolidation. Each stage ends when its work is done and every client knows the next one."""

    BACKFILL = "backfill"
    """The runner copies the rows. Only the old tables may be written; a copied row is kept in sync."""
    VERIFY = "verify"
    """The runner copies the rest, and compares every row."""
    DUAL = "dual write"
    """Both the old tables and the new table may be written, and both are in sync."""
    CLOSING = "closing"
    """Only the new table may be written; the rows in the old tables are still kept in sync."""
    RETIRED = "retired"
    """Only the new table is written."""


STAGE_EFFECTS = {
    Stage.BACKFILL: "copy the rows; write through the old tables",
    Stage.VERIFY: "copy the rest and compare every row; write through the old tables",
    Stage.DUAL: "write through the old tables or the new table",
    Stage.CLOSING: "write through the new table; the old tables are kept in sync",
    Stage.RETIRED: "write the new table only",
}


@dataclass(frozen=True)
class ConsolidationState:
    """The stage of a consolidation, and the epoch of its runner."""

    stage: Stage = Stage.BACKFILL
    epoch: int = 0
    watermarks: dict[str, Item] = field(default_factory=dict)
    """The watermark from which the next run reads each file and SQL query."""
    retired: tuple[str, ...] = ()
    """The backups of the old tables."""

    @property
    def content(self) -> Item:
        """The state as the members of a DynamoDB JSON map."""
        return {
            "stage": {"S": self.stage.value},
            "epoch": {"N": str(self.epoch)},
            "watermarks": {"M": {name: {"M": each} for name, each in self.watermarks.items()}},
            "retired": {"L": [{"S": each} for each in self.retired]},
        }


def consolidation_state_of(members: Item, table: str) -> ConsolidationState:
    """Return the state from its members; raise TableDiffers if this release of singletable cannot read it."""
    try:
        watermarks = {name: each["M"] for name, each in members["watermarks"]["M"].items()}
        retired = tuple(each["S"] for each in members["retired"]["L"])
        return ConsolidationState(Stage(members["stage"]["S"]), int(members["epoch"]["N"]), watermarks, retired)
    except (KeyError, TypeError, ValueError) as problem:
        raise TableDiffers(
            f"table {table!r}: the item {STATE_TEXT!r} is not readable ({problem!r}); a newer release of singletable "
            "may have written it.\n  Install that release."
        ) from None


@dataclass(frozen=True)
class ConsolidationItems(RunnerItems):
    """Reads and writes the reserved items of a consolidation in the new table."""

    @property
    def state_text(self) -> str:
        """The key text of the item that contains the epoch."""
        return STATE_TEXT

    @property
    def stopped(self) -> str:
        """The message for a runner whose write failed because another runner or command wrote first."""
        return (
            f"table {self.table!r}: another runner or command has changed the consolidation, so this runner stops.\n  "
            "`singletable consolidate status` shows the state; `singletable consolidate run` continues."
        )

    def state(self) -> Steps[ConsolidationState | None]:
        """Read the state. Return None if no run has started."""
        members = yield from self.read(STATE_TEXT)
        return None if members is None else consolidation_state_of(members, self.table)

    def change(self, before: ConsolidationState | None, after: ConsolidationState) -> Steps[ConsolidationState]:
        """Replace the state if it still equals `before`. Otherwise raise MigrationStopped."""
        content = None if before is None else before.content
        yield from self.replace(self.item(STATE_TEXT, {"M": after.content}), content)
        return after

    def backfill_check(self) -> ItemAction:
        """Return the check of a transaction that the runner has not finished the stage `backfill`."""
        stage = Compare("=", Path((CONTENT, "stage")), Constant({"S": Stage.BACKFILL.value}))
        return self.check(STATE_TEXT, Or((missing(CONTENT), stage)))

    def take_over(self, state: ConsolidationState | None) -> Steps[ConsolidationState]:
        """Increase the epoch, so that every other runner stops, and return the new state."""
        started = state or ConsolidationState()
        return (yield from self.change(state, replace(started, epoch=started.epoch + 1)))


@dataclass
class ConsolidationLease:
    """The client's knowledge about the stage, which it reads again every 30 seconds."""

    place: ReservedPlace
    clock: Callable[[], float] = time.monotonic
    stage: Stage = Stage.BACKFILL
    asked_at: float | None = None
    confirmed_at: float | None = None

    @property
    def table(self) -> str:
        """The name of the new table."""
        return self.place.owner

    def current(self) -> Steps[Stage]:
        """Return the stage. Raise TableDiffers if it could not be read for 60 seconds."""
        now = self.clock()
        # Another thread may have sent the request, and wait for its response.
        if self.asked_at is None or now - self.asked_at >= RENEW_SECONDS or self._is_outdated(now):
            self.asked_at = now
            yield from self._renew(now)
        if self._is_outdated(now):
            raise TableDiffers(
                f"table {self.table!r}: the client could not read the state of the consolidation for "
                f"{VIEW_SECONDS_MAX:.0f} seconds, so it cannot know which tables to write. Nothing was written.\n  "
                f"Allow GetItem on the item {self.place.text(STATE_TEXT)!r} of table {self.place.table!r} in the "
                "access policy, and repeat the call."
            )
        return self.stage

    def _is_outdated(self, now: float) -> bool:
        return self.confirmed_at is None or now - self.confirmed_at > VIEW_SECONDS_MAX

    def forget(self) -> None:
        """Read the stage again before the next write, because a request has shown that it has changed."""
        self.asked_at = None

    def _renew(self, now: float) -> Steps[None]:
        try:
            (body,) = yield (read_item(self.place, STATE_TEXT),)
        except (RequestRefused, Unreachable):  # the known stage stays; its age limits later requests
            return
        item = read_get(body).item
        if item is not None:
            self.stage = consolidation_state_of(item[CONTENT]["M"], self.table).stage
        self.confirmed_at = now
