"""ST132: a list inside an item grows without end, until the item reaches the limit of 400 KB."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.model.field_roles import is_growing_list
from singletable.verify.findings import Finding, PlannedDesign, Rule, entity_finding

RULE = Rule("ST132", "list grows inside an item", "warning")


def check(planned: PlannedDesign) -> Iterator[Finding]:
    """Find lists and maps whose name shows that they collect other entities or events."""
    for entity in planned.design.entities:
        if entity.declaration.expected_bytes is not None:
            continue
        for field in entity.fields.values():
            if not is_growing_list(field):
                continue
            message = (
                f"{field.name} collects elements inside one item; an item has at most 400 KB, and each change costs "
                "write units for the whole item"
            )
            remedy = (
                "Store each element as an item of its own in the same partition. If the number of elements is limited, "
                f"declare expected_bytes= in @entity of {entity.label}."
            )
            yield entity_finding(RULE, entity, message, remedy)
