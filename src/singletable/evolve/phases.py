"""Phases of a migration, and what clients of the old and the new design do in each of them."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import NamedTuple


class Phase(Enum):
    """A phase of a migration; the runner moves from one to the next, and back to undo."""

    PENDING = "pending"
    EXPAND = "expand"
    BACKFILL = "backfill"
    VERIFY = "verify"
    SWITCH = "switch"
    CONTRACT = "contract"
    ROLLBACK = "rollback"


FORWARD = (Phase.PENDING, Phase.EXPAND, Phase.BACKFILL, Phase.VERIFY, Phase.SWITCH, Phase.CONTRACT)
"""The phases of a migration in order; ROLLBACK is the way back to the old design."""


class PhaseEffect(NamedTuple):
    """What the clients of the old and of the new design do in a phase."""

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
"""What happens in each phase of a change in place: no two designs write at the same time."""


def effects_with(old_code: str, new_code: str) -> tuple[PhaseEffect, ...]:
    """Return the effects of a change that needs no phases: the same sentences before and after it."""
    return (PhaseEffect(Phase.PENDING, old_code, new_code),)


DESCRIPTIONS: Mapping[Phase, str] = {
    Phase.PENDING: "nothing has changed",
    Phase.EXPAND: "create the new indexes",
    Phase.BACKFILL: "write the new index keys of every item",
    Phase.VERIFY: "check every item",
    Phase.SWITCH: "wait until no client uses the old design",
    Phase.CONTRACT: "delete the old indexes and their keys, and rewrite items of older schema versions",
    Phase.ROLLBACK: "delete the new indexes and their keys",
}
