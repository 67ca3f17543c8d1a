"""ST133: another index, or the table, has the same items in the same partitions and order."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.model.design import Design
from singletable.model.keys import Placement
from singletable.model.table_schema import Index
from singletable.planner.key_source import remove_keys
from singletable.planner.remedy import Alternative, Edit, Remedy, RemoveElement, index_place
from singletable.verify.findings import Finding, PlannedDesign, Rule, table_finding

RULE = Rule("ST133", "redundant index", "warning")


def check(planned: PlannedDesign) -> Iterator[Finding]:
    """Find indexes whose reads the table or another index serves as well."""
    design, reported = planned.design, set[str]()
    for index in design.indexes.values():
        for other in design.indexes.values():
            if other is index or other.alias in reported or not _covers(design, other, index):
                continue
            reported.add(index.alias)
            message = (
                f"{index.name} has the same items as {other.display_name}, with the same partition key and "
                f"{'no other order' if index.sort else 'no sort key'}, but every write pays for both"
            )
            yield table_finding(RULE, design, message, _remedy(design, index, other))
            break


def _covers(design: Design, other: Index, index: Index) -> bool:
    """Whether a Query of `other` returns the items of a Query of `index`, in the same order, with all attributes."""
    if index.kind != "GSI" or other.kind == "LSI" or index.is_inverse or other.is_inverse:
        return False
    if not other.is_table and other.projection not in (index.projection, type(index.projection)("ALL")):
        return False
    if other.is_table and index.projection.kind != "ALL":
        return False  # a smaller copy of the table can be cheaper to read
    inside = design.placed_in(index)
    if not inside or {entity.label for entity in inside} != {entity.label for entity in design.placed_in(other)}:
        return False
    return all(_same(entity.placements[index.alias], entity.placements[other.alias]) for entity in inside)


def _same(placement: Placement, other: Placement) -> bool:
    own, others = _texts(placement.partition), _texts(other.partition)
    sort, other_sort = _texts(placement.sort), _texts(other.sort)
    return own == others and bool(own) and sort in ([], other_sort) and placement.sparse == other.sparse


def _texts(parts: tuple[object, ...]) -> list[str]:
    return [str(part) for part in parts]


def _remedy(design: Design, index: Index, other: Index) -> Remedy:
    """Return the edits that remove the index."""
    edits: tuple[Edit, ...] = tuple(
        edit for entity in design.placed_in(index) for edit in remove_keys(entity, index.alias)
    )
    declared = index_place(design, index.alias)
    if declared is not None:
        edits += (RemoveElement(declared),)
    effect = f"The patterns then read {other.display_name}."
    return Remedy("", (Alternative(edits, effect, needs_decision=True),))
