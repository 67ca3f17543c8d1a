"""Compare the design state of a table with the model when a table is opened."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import TYPE_CHECKING

from singletable.client.design_lease import DesignLease, DualLease, open_migration
from singletable.client.design_state import ClientAccess, DesignState, read_design, read_state, reject_state_in_table
from singletable.client.request_steps import Steps
from singletable.errors import TableDiffers
from singletable.evolve.design_snapshot import snapshot_of
from singletable.evolve.phases import Phase
from singletable.evolve.snapshot_records import Snapshot
from singletable.lazy_dataclass import dataclass
from singletable.model.design import Design
from singletable.model.reserved_place import ReservedPlace, place_in_table, reserved_place

if TYPE_CHECKING:
    from singletable.evolve.dual_designs import DualDesigns

SHOWN_MAX = 10


@dataclass(frozen=True)
class OpenState:
    """What a client knows about the design of its table when it opens the table."""

    lease: DesignLease | None = None
    """None for a table whose keys are not strings, and that has no control table: it has no design state."""
    dual: DualDesigns | None = None
    """The designs of the old and the new form of items, for new code while its migration is open. Otherwise None."""
    former_names: Mapping[str, str] = field(default_factory=dict)
    """The old names of entities by their new names, while the last phase of a migration renames them."""


def open_state(design: Design, name: str, *, is_new: bool = False) -> Steps[OpenState]:
    """Return the access of a client; raise TableDiffers if the items of the table follow another design."""
    place = reserved_place(design, name)
    if place is None:
        return OpenState()
    state = None
    if not is_new:
        place, state = yield from read_state(place)
        if state is None:
            yield from reject_state_in_table(place_in_table(design, name), place)
    model = snapshot_of(design)
    known = frozenset((model.fingerprint,))
    if state is None:
        return OpenState(DesignLease(place, design.name, known, None))
    designs = (state.current, state.target or "") if state.phase is not None else (state.current,)
    for fingerprint in dict.fromkeys(designs):
        if state.access(known) is ClientAccess.NONE and state.target not in known:
            known |= yield from _compatible(place, fingerprint, model)
    if state.phase is not None and state.target in known:
        dual = yield from _dual_designs(design, place, state)
        if dual is None and state.phase is Phase.CONTRACT:
            lease = DesignLease(place, design.name, known, state)
            return OpenState(lease, former_names=(yield from _former_names(place, state, model)))
        if dual is not None:
            return OpenState(DualLease(place, design.name, known, state, forms=dual.forms), dual)
    lease = DesignLease(place, design.name, known, state)
    if lease.access is ClientAccess.NONE:
        raise TableDiffers((yield from _difference(place, state, model)))
    return OpenState(lease)


def _former_names(place: ReservedPlace, state: DesignState, model: Snapshot) -> Steps[Mapping[str, str]]:
    """Return the old names of the entities that the open migration renames."""
    from singletable.evolve.differences import differences  # only during a migration
    from singletable.evolve.dual_designs import renamed_entities

    before = yield from read_design(place, state.fingerprint)
    return {} if before is None else renamed_entities(differences(before, model))


def _dual_designs(design: Design, place: ReservedPlace, state: DesignState) -> Steps[DualDesigns | None]:
    """Return the designs for the old and the new form of items.

    Return None if the new code must wait until the migration ends.
    """
    from singletable.evolve.dual_designs import NotDual, dual_designs  # only during a migration

    before = yield from read_design(place, state.fingerprint)
    try:
        return None if before is None else dual_designs(design, before)
    except NotDual:
        return None


def _compatible(place: ReservedPlace, fingerprint: str, model: Snapshot) -> Steps[frozenset[str]]:
    """Return the fingerprint of a stored design if the model needs no migration from it."""
    from singletable.evolve.differences import differences, needs_migration  # only if the fingerprints differ

    stored = yield from read_design(place, fingerprint)
    if stored is None or needs_migration(differences(stored, model)):
        return frozenset()
    return frozenset((fingerprint,))


def _difference(place: ReservedPlace, state: DesignState, model: Snapshot) -> Steps[str]:
    """Return the message for a model that cannot use the table, with the differences and the command to run."""
    from singletable.evolve.differences import differences

    name = place.owner
    if state.phase is not None and model.fingerprint in (state.fingerprint, state.target):
        is_target = model.fingerprint == state.target
        when = "Open it again in the phase 'contract'" if is_target else "Deploy the code of the new design"
        return f"{open_migration(name, state)}. In this phase, {model.name} must not use the table.\n  {when}."
    stored = yield from read_design(place, state.current)
    if stored is None:
        return (
            f"table {name!r} follows the design {state.current}, but {model.name} has the design {model.fingerprint}. "
            "The table does not store its design, so the two cannot be compared.\n  Run `singletable migrate "
            "status`."
        )
    found = differences(stored, model)
    shown = [str(each) for each in found[:SHOWN_MAX]]
    shown += [f"... and {len(found) - SHOWN_MAX} more"] if len(found) > SHOWN_MAX else []
    lines = "\n  ".join(shown)
    return (
        f"table {name!r} does not follow the design of {model.name}:\n  {lines}\n"
        "  Run `singletable migrate make` and `singletable migrate run`, or open the table with the code of its design."
    )
