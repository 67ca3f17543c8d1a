"""Phases of a migration, and the behaviour of clients of the old and the new design in each phase."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum
from typing import NamedTuple


class Phase(Enum):
    """A phase of a migration. The runner moves from one phase to the next; an undo moves back."""

    PENDING = "pending"
    EXPAND = "expand"
    BACKFILL = "backfill"
    VERIFY = "verify"
    SWITCH = "switch"
    CONTRACT = "contract"
    ROLLBACK = "rollback"


FORWARD = (Phase.PENDING, Phase.EXPAND, Phase.BACKFILL, Phase.VERIFY, Phase.SWITCH, Phase.CONTRACT)
"""The phases of a migration in order. ROLLBACK is the phase that restores the old design."""


class PhaseEffect(NamedTuple):
    """The behaviour of the clients of the old and of the new design in a phase."""

    phase: Phase
    old_code: str
    new_code: str


_WORKS, _READS_ONLY, _REJECTED = "reads and writes", "reads; its writes are rejected", "all its requests are rejected"
IN_PLACE_EFFECTS = (
    PhaseEffect(Phase.PENDING, _WORKS, _REJECTED),
    PhaseEffect(Phase.EXPAND, _WORKS, _REJECTED),
    PhaseEffect(Phase.BACKFILL, _READS_ONLY, _REJECTED),
    PhaseEffect(Phase.VERIFY, _READS_ONLY, _REJECTED),
    PhaseEffect(Phase.SWITCH, _REJECTED, _REJECTED),
    PhaseEffect(Phase.CONTRACT, _REJECTED, _WORKS),
)
"""What happens in each phase if new code cannot write the old form: no two designs write at the same time."""
_OLD_KEYS, _BOTH_KEYS = "works with the old form", "writes both forms, reads the old one"
DUAL_EFFECTS = (
    PhaseEffect(Phase.PENDING, _WORKS, _OLD_KEYS),
    PhaseEffect(Phase.EXPAND, _WORKS, _BOTH_KEYS),
    PhaseEffect(Phase.BACKFILL, _READS_ONLY, _BOTH_KEYS),
    PhaseEffect(Phase.VERIFY, _READS_ONLY, _BOTH_KEYS),
    PhaseEffect(Phase.SWITCH, _REJECTED, "writes both forms, reads the new one"),
    PhaseEffect(Phase.CONTRACT, _REJECTED, "works with the new form"),
)
"""The effects in each phase if new code can write both forms: new code works in all phases."""
COUNTING_EFFECTS = tuple(
    each._replace(old_code=_READS_ONLY) if each.phase is Phase.EXPAND else each for each in DUAL_EFFECTS
)
"""What happens in each phase if the migration adds a counter: old code cannot write when the first item is counted."""


MOVE_EFFECTS = (
    PhaseEffect(Phase.PENDING, _WORKS, "works with the old keys"),
    PhaseEffect(Phase.EXPAND, _REJECTED, "reads both keys, writes the old ones"),
    PhaseEffect(Phase.BACKFILL, _REJECTED, "reads both keys, moves the items that it writes"),
    PhaseEffect(Phase.VERIFY, _REJECTED, "reads both keys, moves the items that it writes"),
    PhaseEffect(Phase.SWITCH, _REJECTED, "works with the new keys"),
    PhaseEffect(Phase.CONTRACT, _REJECTED, "works with the new keys"),
)
"""What happens in each phase if items move: old code would not find the moved items."""
OFFLINE_MOVE_EFFECTS = tuple(
    each._replace(new_code=_WORKS if each.phase is Phase.CONTRACT else _REJECTED) for each in MOVE_EFFECTS
)
"""What happens in each phase if items move, and new code cannot compute one key of an item from the other."""


class FormUse(Enum):
    """How new code reads or writes the old and the new form of items while a migration is open."""

    READS_OLD = "reads the old form"
    READS_NEW = "reads the new form"
    WRITES_OLD = "writes the old form"
    WRITES_EXPANDED = "writes both forms, without new counters"
    WRITES_BOTH = "writes both forms"
    WRITES_NEW = "writes the new form"
    READS_BOTH_KEYS = "reads both keys of each item"
    READS_RETURNING = "reads both keys of each item while an undo moves the items back"
    WRITES_OLD_KEYS = "writes the old keys"
    WRITES_MOVING = "moves items to their new keys"
    WRITES_NOTHING = "waits for an undo that moves the items back"


class ItemForm(NamedTuple):
    """The form of items that new code reads and writes in a phase."""

    reads: FormUse
    writes: FormUse


NEW_FORM = ItemForm(FormUse.READS_NEW, FormUse.WRITES_NEW)
_OLD, _FILLED = ItemForm(FormUse.READS_OLD, FormUse.WRITES_OLD), ItemForm(FormUse.READS_OLD, FormUse.WRITES_BOTH)
ITEM_FORMS: Mapping[Phase, ItemForm] = {
    Phase.PENDING: _OLD,
    Phase.EXPAND: ItemForm(FormUse.READS_OLD, FormUse.WRITES_EXPANDED),
    Phase.BACKFILL: _FILLED,
    Phase.VERIFY: _FILLED,
    Phase.SWITCH: ItemForm(FormUse.READS_NEW, FormUse.WRITES_BOTH),
    Phase.CONTRACT: NEW_FORM,
    Phase.ROLLBACK: _OLD,
}
"""How new code reads and writes in each phase.

Clients can be in two neighbouring phases at the same time: the clients of each phase write everything that the
clients of the other phase read.
"""

_MOVING = ItemForm(FormUse.READS_BOTH_KEYS, FormUse.WRITES_MOVING)
MOVE_FORMS: Mapping[Phase, ItemForm] = {
    Phase.PENDING: _OLD,
    Phase.EXPAND: ItemForm(FormUse.READS_BOTH_KEYS, FormUse.WRITES_OLD_KEYS),
    Phase.BACKFILL: _MOVING,
    Phase.VERIFY: _MOVING,
    Phase.SWITCH: NEW_FORM,
    Phase.CONTRACT: NEW_FORM,
    Phase.ROLLBACK: ItemForm(FormUse.READS_RETURNING, FormUse.WRITES_NOTHING),
}
"""How new code reads and writes in each phase of a migration that moves items.

The first item moves in the phase `backfill`. Before it, every client reads both keys. Items move in one direction only:
to the new key until the phase `rollback`, and then, after the last client has stopped writing, back to the old key.
"""


def combined_effects(effects: Iterable[tuple[PhaseEffect, ...]]) -> tuple[PhaseEffect, ...]:
    """Return what happens in each phase of a migration with several changes: the strictest of their effects."""
    given = set(effects)
    for strictest in (OFFLINE_MOVE_EFFECTS, MOVE_EFFECTS, IN_PLACE_EFFECTS, COUNTING_EFFECTS):
        if strictest in given:
            return strictest
    return DUAL_EFFECTS


def effects_with(old_code: str, new_code: str) -> tuple[PhaseEffect, ...]:
    """Return the effects of a change that needs no phases. They are the same before and after it."""
    return (PhaseEffect(Phase.PENDING, old_code, new_code),)


DESCRIPTIONS: Mapping[Phase, str] = {
    Phase.PENDING: "nothing has changed",
    Phase.EXPAND: "create the new indexes",
    Phase.BACKFILL: "write the new form of every item",
    Phase.VERIFY: "check every item",
    Phase.SWITCH: "wait until no client reads the old form",
    Phase.CONTRACT: "wait until no client writes the old form, then delete it",
    Phase.ROLLBACK: "wait until no client writes the new form, then delete it",
}
"""The work in each phase. The form of an item is its keys, attributes and derived data, and the table with the item."""
