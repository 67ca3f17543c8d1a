"""The design state of a table: a reserved item with the fingerprint of its design and the phase of a migration."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any

from singletable.client.request_steps import DESIGN_STATE, Call, Steps
from singletable.client.responses import Item, read_get
from singletable.errors import RequestRefused, TableDiffers
from singletable.evolve.phases import Phase
from singletable.evolve.snapshot_records import Snapshot, read_snapshot
from singletable.lazy_dataclass import dataclass
from singletable.model.reserved_place import CONTROL_KEY, ReservedPlace, control_place
from singletable.model.table_schema import DESIGN, RESERVED_TYPE, STATE

CONTENT = RESERVED_TYPE
"""The attribute that holds the content of a reserved item; no index of a user has a key attribute with this name."""
CONTROL_TABLE = "control_table"
"""The member with the name of the control table to which the state of a table has moved."""
_NO_TABLE, _OTHER_KEYS = "ResourceNotFoundException", "ValidationException"


class ClientAccess(Enum):
    """What a client may do while the table is in its current state."""

    ALL = "reads and writes"
    READS = "reads"
    NONE = "nothing"


@dataclass(frozen=True)
class DesignState:
    """The fingerprint of the design that the items of a table follow, and the open migration."""

    fingerprint: str
    applied: tuple[str, ...] = ()
    """The migrations that were applied to the table, each as `name:fingerprint`."""
    migration: str | None = None
    """The name of the open migration, or None."""
    target: str | None = None
    """The fingerprint of the design that the table has after the open migration."""
    phase: Phase | None = None
    epoch: int = 0
    """A number that every new runner increases, so that an earlier runner stops."""
    is_paused: bool = False
    stops_old_writers: bool = False
    """Whether old code must stop writing in the phase `expand` already, and not only in the phase `backfill`."""
    moves_items: bool = False
    """Whether items move to other keys. Then old code must not read or write from the phase `expand` on."""
    began_at: int | None = None
    """The time at which the open or last migration began, in seconds since 1970."""

    def access(self, known: frozenset[str]) -> ClientAccess:
        """Return the access of a client whose model is compatible with the designs of these fingerprints."""
        if self.phase is None:
            return ClientAccess.ALL if self.fingerprint in known else ClientAccess.NONE
        if self.phase is Phase.CONTRACT:
            return ClientAccess.ALL if self.target in known else ClientAccess.NONE
        if self.phase is Phase.SWITCH or self.fingerprint not in known:
            return ClientAccess.NONE
        if self.moves_items and self.phase is not Phase.PENDING:  # old code would not find the moved items
            return ClientAccess.NONE
        if self.phase is Phase.EXPAND and self.stops_old_writers:
            return ClientAccess.READS
        return ClientAccess.READS if self.phase in (Phase.BACKFILL, Phase.VERIFY) else ClientAccess.ALL

    @property
    def current(self) -> str:
        """The fingerprint of the design that clients use now."""
        return (self.target or "") if self.phase is Phase.CONTRACT else self.fingerprint

    @property
    def content(self) -> Item:
        """The state as the members of a DynamoDB JSON map."""
        members: Item = {"fingerprint": {"S": self.fingerprint}, "epoch": {"N": str(self.epoch)}}
        members["applied"] = {"L": [{"S": each} for each in self.applied]}
        for name, value in (("migration", self.migration), ("target", self.target)):
            if value is not None:
                members[name] = {"S": value}
        if self.phase is not None:
            members["phase"] = {"S": self.phase.value}
        if self.began_at is not None:
            members["began_at"] = {"N": str(self.began_at)}
        flags = {"paused": self.is_paused, "stops_old_writers": self.stops_old_writers, "moves": self.moves_items}
        return members | {name: {"BOOL": True} for name, is_set in flags.items() if is_set}


def state_of(item: Mapping[str, Any], table: str) -> DesignState:
    """Return the state from a reserved item; raise TableDiffers if this release of singletable cannot read it."""
    try:
        members = item[CONTENT]["M"]
        return DesignState(
            members["fingerprint"]["S"],
            tuple(each["S"] for each in members["applied"]["L"]),
            members["migration"]["S"] if "migration" in members else None,
            members["target"]["S"] if "target" in members else None,
            Phase(members["phase"]["S"]) if "phase" in members else None,
            int(members["epoch"]["N"]),
            bool(members.get("paused", {}).get("BOOL", False)),
            bool(members.get("stops_old_writers", {}).get("BOOL", False)),
            bool(members.get("moves", {}).get("BOOL", False)),
            int(members["began_at"]["N"]) if "began_at" in members else None,
        )
    except (KeyError, TypeError, ValueError) as problem:
        raise TableDiffers(
            f"table {table!r}: the item {STATE!r} is not readable ({problem!r}); a newer release of singletable may "
            "have written it.\n  Install that release."
        ) from None


def design_text(fingerprint: str) -> str:
    """Return the key text of the reserved item that contains the design with this fingerprint."""
    return f"{DESIGN}#{fingerprint}"


def read_item(place: ReservedPlace, text: str) -> Call:
    """Return the request for a reserved item."""
    request = {"TableName": place.table, "Key": place.key(text), "ConsistentRead": True}
    return Call("GetItem", request, source=DESIGN_STATE)


def next_place(item: Item | None, place: ReservedPlace) -> ReservedPlace | None:
    """Return the control table that the state in a table refers to, or None if the item is a state."""
    members = {} if item is None else item.get(CONTENT, {}).get("M", {})
    name = members.get(CONTROL_TABLE, {}).get("S")
    return None if name is None else control_place(place.owner, name)


def read_content(place: ReservedPlace, text: str) -> Steps[Item | None]:
    """Read a reserved item. Return None if it does not exist.

    Raise TableDiffers if there is no control table, or if another table has its name.
    """
    try:
        (body,) = yield (read_item(place, text),)
    except RequestRefused as problem:
        if not place.is_control_table or problem.code not in (_NO_TABLE, _OTHER_KEYS):
            raise
        raise TableDiffers(_wrong_control_table(place, exists=problem.code == _OTHER_KEYS)) from None
    return read_get(body).item


def _wrong_control_table(place: ReservedPlace, *, exists: bool) -> str:
    if exists:
        return (
            f"table {place.table!r} is not a control table: its key is not the string {CONTROL_KEY!r}, so it cannot "
            f'contain the design state of {place.owner!r}.\n  Declare another name: control_table="NAME".'
        )
    return (
        f"the control table {place.table!r} of table {place.owner!r} does not exist.\n  Create it with "
        "open(create=True), with `singletable migrate run` or with an export, or check the name in control_table=."
    )


def read_state(place: ReservedPlace) -> Steps[tuple[ReservedPlace, DesignState | None]]:
    """Read the state of a table, which is None if the table was never migrated. Return it with its place.

    A table whose state has moved contains the name of its control table instead.
    """
    item = yield from read_content(place, STATE)
    moved = next_place(item, place)
    if moved is not None:
        place, item = moved, (yield from read_content(moved, STATE))
    return place, None if item is None else state_of(item, place.owner)


def reject_state_in_table(own: ReservedPlace | None, place: ReservedPlace) -> Steps[None]:
    """Raise TableDiffers if a table whose state should be in a control table contains a state itself.

    `own` is the place in the table, or None if the table cannot contain a state.
    """
    if own is None or own == place:
        return
    _, state = yield from read_state(own)
    if state is not None:
        raise TableDiffers(
            f"table {place.owner!r} contains its design state itself, but the model declares the control table "
            f"{place.table!r}.\n  Run `singletable migrate run`, which moves the state to the control table."
        )


def read_design(place: ReservedPlace, fingerprint: str) -> Steps[Snapshot | None]:
    """Read the design with this fingerprint. Return None if it is not stored."""
    item = yield from read_content(place, design_text(fingerprint))
    if item is None:
        return None
    return read_snapshot(item[CONTENT]["S"], f"the design of table {place.owner!r}")
