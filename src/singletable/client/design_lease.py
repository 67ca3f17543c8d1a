"""Design lease: a client reads the design state again every 30 seconds, and stops when a migration requires it."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import field

from singletable.client.design_state import ClientAccess, DesignState, next_place, read_item, state_of
from singletable.client.request_steps import Call
from singletable.client.responses import read_get
from singletable.errors import TableDiffers
from singletable.evolve.phases import ITEM_FORMS, NEW_FORM, FormUse, ItemForm, Phase
from singletable.lazy_dataclass import dataclass
from singletable.model.reserved_place import ReservedPlace
from singletable.model.table_schema import STATE

RENEW_SECONDS, VIEW_SECONDS_MAX = 30.0, 60.0
WRITES = frozenset(
    {
        *("PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems"),
        *("ExecuteStatement", "BatchExecuteStatement", "ExecuteTransaction"),
    }
)


@dataclass
class DesignLease:
    """The client's knowledge about the design of its table, and the time when it was read."""

    place: ReservedPlace
    model: str
    """The name of the model, for messages."""
    fingerprints: frozenset[str]
    """The fingerprints of the designs that the model of the client can read and write."""
    state: DesignState | None
    clock: Callable[[], float] = field(default=time.monotonic)
    confirmed_at: float = 0.0
    """The time when the client sent its last successful read of the state."""
    asked_at: float = 0.0
    is_free: bool = field(init=False, default=False)
    """Whether the last known state allows reads and writes."""

    def __post_init__(self) -> None:
        self.confirmed_at = self.asked_at = self.clock()
        self.is_free = self.access is ClientAccess.ALL

    @property
    def table(self) -> str:
        """The name of the table."""
        return self.place.owner

    def passes(self) -> bool:
        """Return whether a request needs no further check.

        Most requests pass, so the check is one comparison of times.
        """
        return self.is_free and self.confirmed_at == self.asked_at and self.clock() - self.asked_at < RENEW_SECONDS

    @property
    def is_due(self) -> bool:
        """Whether the client must read the state before its next request."""
        return self.clock() - self.asked_at >= RENEW_SECONDS

    def request(self) -> Call:
        """Return the request that reads the state, and note the time. `renew` takes the response."""
        self.asked_at = self.clock()
        return read_item(self.place, STATE)

    def renew(self, body: bytes, asked_at: float) -> None:
        """Store the state in a response. `asked_at` is the time when its request was sent."""
        try:
            item = read_get(body).item
        except (ValueError, RecursionError):
            return  # the known state stays, with its age
        moved = next_place(item, self.place)
        if moved is not None:
            self.place, self.asked_at = moved, -math.inf  # the next request reads the state in its new place
            return
        self.state = None if item is None else state_of(item, self.table)
        self.confirmed_at = asked_at
        self.is_free = self.access is ClientAccess.ALL

    @property
    def access(self) -> ClientAccess:
        """The access that the current state allows."""
        return ClientAccess.ALL if self.state is None else self.state.access(self.fingerprints)

    def check(self, operation: str, uses: Iterable[FormUse] = ()) -> None:
        """Raise TableDiffers if the client must not send this operation now.

        `uses` are the ways in which the request depends on the old and the new form of items, during a migration.
        """
        access = self.access
        is_write = operation in WRITES
        if access is ClientAccess.NONE or (is_write and access is ClientAccess.READS):
            raise TableDiffers(self._rejection(is_write=is_write))
        if self.clock() - self.confirmed_at > VIEW_SECONDS_MAX:
            raise TableDiffers(
                f"table {self.table!r}: the client could not read the design state for {VIEW_SECONDS_MAX:.0f} seconds, "
                "so it cannot know whether a migration allows this request. The request was not sent.\n  Allow "
                f"GetItem on the item {self.place.text(STATE)!r} of table {self.place.table!r} in the access policy, "
                "and repeat the call."
            )

    def _rejection(self, *, is_write: bool) -> str:
        state = self.state
        assert state is not None, "a table without a state accepts every request"
        what = "writes" if is_write else "requests"
        if state.phase is None:
            return (
                f"table {self.table!r} was migrated to another design, which {self.model} cannot use.\n  Deploy the "
                f"code of that design. The table has the migrations {_names(state) or 'none'}."
            )
        return (
            f"{open_migration(self.table, state)}. In this phase, {self.model} must not send {what}.\n  "
            f"{_advice(state)}"
        )


@dataclass
class DualLease(DesignLease):
    """The lease of new code that works with the old or the new form of items, as the phase of a migration requires."""

    forms: Mapping[Phase, ItemForm] = field(default_factory=lambda: ITEM_FORMS)
    """The form of items that a call reads and writes in each phase."""
    confirmed_uses: dict[FormUse, float] = field(init=False, default_factory=dict)
    """When the client last requested a state that allows this use of a form."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self._note()

    def renew(self, body: bytes, asked_at: float) -> None:
        """Store the state in a response, and note the uses of the old and the new form that the state allows."""
        super().renew(body, asked_at)
        self._note()

    def _note(self) -> None:
        if self.access is not ClientAccess.NONE:
            self.confirmed_uses |= dict.fromkeys(self.form, self.confirmed_at)

    @property
    def is_open(self) -> bool:
        """Whether the migration to the design of the client is open."""
        return self.state is not None and self.state.phase is not None and self.state.target in self.fingerprints

    @property
    def access(self) -> ClientAccess:
        """What the client may do: everything while its migration is open."""
        return ClientAccess.ALL if self.is_open else super().access

    @property
    def form(self) -> ItemForm:
        """The form that a new call reads and writes."""
        phase = None if self.state is None else self.state.phase
        return self.forms[phase] if self.is_open and phase is not None else NEW_FORM

    def check(self, operation: str, uses: Iterable[FormUse] = ()) -> None:
        """Raise TableDiffers also if no state of the last 60 seconds allows one of these uses of a form."""
        super().check(operation)
        now = self.clock()
        for use in uses:
            if now - self.confirmed_uses.get(use, -math.inf) > VIEW_SECONDS_MAX:
                raise TableDiffers(
                    f"table {self.table!r}: this call {use.value}, but the migration has reached a phase in which no "
                    f"client of {self.model} does that; nothing was sent.\n  Repeat the call; it was running for too "
                    "long."
                )


def open_migration(table: str, state: DesignState) -> str:
    """Return the start of a message, which names the open migration and its phase."""
    phase = "" if state.phase is None else state.phase.value
    return f"table {table!r}: migration {state.migration} is in the phase {phase!r}"


def _advice(state: DesignState) -> str:
    if state.phase in (Phase.SWITCH, Phase.CONTRACT):
        return "Deploy the code of the new design; it works in the phase 'contract'."
    return "The new design works in the phase 'contract'; `singletable migrate status` shows the progress."


def _names(state: DesignState) -> str:
    return ", ".join(each.partition(":")[0] for each in state.applied)
