"""ST123: an INCLUDE projection lists key attributes, although every index contains them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from singletable.model.design import Design
from singletable.planner.key_source import quoted
from singletable.planner.remedy import Alternative, Remedy, SetKeyword, import_from_package, index_place
from singletable.verify.findings import Finding, PlannedDesign, Rule, table_finding

RULE = Rule("ST123", "key attribute in INCLUDE", "warning")


def check(planned: PlannedDesign) -> Iterator[Finding]:
    """Find included attributes that are keys of the table or of the index."""
    design = planned.design
    for alias, index in design.indexes.items():
        listed = index.projection.attributes
        keys = {*design.table.key_attributes, *index.key_attributes}
        redundant = [name for name in listed if name in keys]
        if not redundant:
            continue
        needed = [quoted(name) for name in listed if name not in keys]
        names = ", ".join(redundant)
        verb = "is a key attribute" if len(redundant) == 1 else "are key attributes"
        message = (
            f"{index.label} includes {names}, which {verb}: DynamoDB always projects the keys of the table and of the "
            "index, and counts the entry towards the limit of 100 included attributes"
        )
        yield table_finding(RULE, design, message, _remedy(design, alias, needed))


def _remedy(design: Design, alias: str, needed: Sequence[str]) -> Remedy:
    """Return a projection of only the attributes that are not keys."""
    place = index_place(design, alias)
    assert place is not None, "only a declared index has a projection"
    if needed:
        return Remedy("", (Alternative((SetKeyword(place, "projection", f"include({', '.join(needed)})"),)),))
    edits = (SetKeyword(place, "projection", "KEYS_ONLY"), import_from_package(place, "KEYS_ONLY"))
    return Remedy("", (Alternative(edits),))
