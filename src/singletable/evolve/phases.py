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


_WORKS, _READS_ONLY = "works", "reads; its writes are rejected"
IN_PLACE_EFFECTS = (
    PhaseEffect(Phase.PENDING, _WORKS, "reads and writes the old form"),
    PhaseEffect(Phase.EXPAND, _WORKS, "reads the old form, writes both forms"),
    PhaseEffect(Phase.BACKFILL, _READS_ONLY, "reads the old form, writes both forms"),
    PhaseEffect(Phase.VERIFY, _READS_ONLY, "reads the old form, writes both forms"),
    PhaseEffect(Phase.SWITCH, _READS_ONLY, "reads the new form, writes both forms"),
    PhaseEffect(Phase.CONTRACT, "all its requests are rejected", "reads and writes the new form"),
)
"""What happens in each phase of a change in place, where one item holds both forms in separate attributes."""


def effects_with(old_code: str, new_code: str) -> tuple[PhaseEffect, ...]:
    """Return the effects of a change that needs no phases: the same sentences before and after it."""
    return (PhaseEffect(Phase.PENDING, old_code, new_code),)


DESCRIPTIONS: Mapping[Phase, str] = {
    Phase.PENDING: "nothing has changed; new code runs in the old form",
    Phase.EXPAND: "create the new indexes",
    Phase.BACKFILL: "write the new attributes of every item",
    Phase.VERIFY: "check every item",
    Phase.SWITCH: "read the new indexes",
    Phase.CONTRACT: "delete the old indexes and attributes",
    Phase.ROLLBACK: "delete the new indexes and attributes",
}
