"""ST141: an index lists the items of a reference, but its sort key is the same text for all of them."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.model.entity import Entity
from singletable.model.field_roles import own_identifier, words_of
from singletable.model.keys import Placement
from singletable.verify.findings import Finding, PlannedDesign, Rule, entity_finding

RULE = Rule("ST141", "sort key without a field", "warning")


def check(planned: PlannedDesign) -> Iterator[Finding]:
    """Find index keys such as `(native("customer_id"), "ORDER")`."""
    for entity in planned.design.entities:
        for placement in entity.placements.values():
            if placement.index.is_table or placement.index.is_inverse or not _is_constant(placement):
                continue
            name = _reference(entity, placement)
            if name is None or entity.expected_in(placement.index) == 1:
                continue
            sort = " and ".join(f'{part.attribute} = "{part}"' for part in placement.sort)
            message = (
                f"all items with one {name} have the same sort key in {placement.index.display_name}, {sort}: a read "
                "returns them in no defined order, and cannot select a range"
            )
            remedy = "Add the field by which you sort the items, such as the time, to the end of the sort key."
            yield entity_finding(RULE, entity, message, remedy)


def _is_constant(placement: Placement) -> bool:
    return bool(placement.sort) and not any(part.fields for part in placement.sort)


def _reference(entity: Entity, placement: Placement) -> str | None:
    """Return the field that alone selects the partition, if it is the id of another entity."""
    names = {name for part in placement.partition for name in part.fields}
    if len(names) != 1 or names >= set(entity.identity or ()):
        return None
    (name,) = names
    own = own_identifier(entity.label, tuple(entity.fields.values()))
    is_reference = words_of(name)[-1:] == ("id",) and len(words_of(name)) > 1
    return name if is_reference and (own is None or own.name != name) else None
