"""ST112: no pattern reads the index, and no write uses it to find copies, but every write pays for it."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.table_schema import Index
from singletable.planner.key_source import remove_keys
from singletable.planner.planner import copy_indexes
from singletable.planner.remedy import Alternative, Remedy, RemoveElement, index_place
from singletable.verify.findings import Finding, PlannedDesign, Rule, entity_finding, table_finding

RULE = Rule("ST112", "unused index", "warning")


def check(planned: PlannedDesign) -> Iterator[Finding]:
    """Find unused indexes, and entities with unused keys in an index."""
    if not planned.outcomes:
        return
    read = {(p.index.alias, e.label) for p in planned.plans if not p.pattern.is_write for e in p.entities}
    # An unsupported pattern may use any index after you have corrected the pattern.
    unsupported = [r for r in planned.unsupported if not r.pattern.is_write]
    read |= {(alias, e.label) for r in unsupported for e in r.entities for alias in e.placements}
    read |= {(alias, label) for label, alias in copy_indexes(planned.design)}
    for alias, index in planned.design.indexes.items():
        if index.is_table:
            continue
        placed = planned.design.placed_in(index)
        if not any((alias, entity.label) in read for entity in placed):
            message = f"no pattern reads {index.label}"
            yield table_finding(RULE, planned.design, message, _remedy(planned.design, index, placed))
            continue
        # An inverse index, or another index by keys of the table, contains every entity without further declarations.
        is_of_all = index.is_inverse or set(index.key_attributes) <= set(planned.design.table.key_attributes)
        for entity in () if is_of_all else placed:
            if (alias, entity.label) not in read:
                message = f"no pattern reads its keys in {index.label}, but every write pays for them"
                yield entity_finding(RULE, entity, message, _remedy(planned.design, index, (entity,), keep=True))


def _remedy(design: Design, index: Index, entities: tuple[Entity, ...], *, keep: bool = False) -> Remedy:
    """Return the edits that remove the keys of the entities. Without `keep`, they remove the index too."""
    edits = tuple(edit for entity in entities if not index.is_inverse for edit in remove_keys(entity, index.alias))
    declared = index_place(design, index.alias)
    if declared is not None and not keep:
        edits += (RemoveElement(declared),)
    # Programs outside the model can read the index, and the model may lack the pattern that uses it.
    return Remedy("Declare the pattern that uses it, or:", (Alternative(edits, needs_decision=True),))
