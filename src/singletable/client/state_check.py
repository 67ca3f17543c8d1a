"""Compare the design state of a table with the model when a table is opened."""

from __future__ import annotations

from singletable.client.design_lease import DesignLease, open_migration
from singletable.client.design_state import ClientAccess, DesignState, read_design, read_state
from singletable.client.request_steps import Steps
from singletable.errors import TableDiffers
from singletable.evolve.design_snapshot import snapshot_of
from singletable.evolve.differences import differences, needs_migration
from singletable.evolve.snapshot_records import Snapshot
from singletable.model.design import Design
from singletable.model.table_schema import STATE

SHOWN_MAX = 10


def design_lease(design: Design, name: str, *, is_new: bool = False) -> Steps[DesignLease | None]:
    """Return the lease of a client; raise TableDiffers if the items of the table follow another design.

    None for a table whose keys are not strings: it cannot contain a design state. A new table has none yet.
    """
    attributes = design.table.key_attributes
    if any(each.type != "S" for each in (*design.table.partition, *design.table.sort)):
        return None
    state = None if is_new else (yield from read_state(name, attributes))
    if state is None:
        model = snapshot_of(design)
        return DesignLease(name, attributes, design.name, frozenset((model.fingerprint,)), None)
    model = snapshot_of(design)
    known = frozenset((model.fingerprint,))
    if state.access(known) is ClientAccess.NONE:
        known |= yield from _compatible(name, attributes, state, model)
    lease = DesignLease(name, attributes, design.name, known, state)
    if lease.access is ClientAccess.NONE:
        raise TableDiffers((yield from _difference(name, attributes, state, model)))
    return lease


def _compatible(name: str, attributes: tuple[str, ...], state: DesignState, model: Snapshot) -> Steps[frozenset[str]]:
    """Return the fingerprint of the current design if the model needs no migration from it."""
    stored = yield from read_design(name, attributes, state.current)
    if stored is None or needs_migration(differences(stored, model)):
        return frozenset()
    return frozenset((state.current,))


def _difference(name: str, attributes: tuple[str, ...], state: DesignState, model: Snapshot) -> Steps[str]:
    """Return the message for a model that cannot use the table: the differences, and the command to run."""
    if state.phase is not None and model.fingerprint in (state.fingerprint, state.target):
        is_target = model.fingerprint == state.target
        when = "Open it again in the phase 'contract'" if is_target else "Deploy the code of the new design"
        return f"{open_migration(name, state)}, in which {model.name} may not use the table.\n  {when}."
    stored = yield from read_design(name, attributes, state.current)
    if stored is None:
        return (
            f"table {name!r} follows the design {state.current}, but {model.name} is {model.fingerprint}, and the item "
            f"{STATE!r} has no design to compare.\n  Run `singletable migrate status`."
        )
    found = differences(stored, model)
    shown = [str(each) for each in found[:SHOWN_MAX]]
    shown += [f"... and {len(found) - SHOWN_MAX} more"] if len(found) > SHOWN_MAX else []
    lines = "\n  ".join(shown)
    return (
        f"table {name!r} does not follow the design of {model.name}:\n  {lines}\n"
        "  Run `singletable migrate make` and `singletable migrate run`, or open the table with the code of its design."
    )
