"""ST113: items have no entity type attribute."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.planner.remedy import Alternative, Remedy, SetKeyword, table_place
from singletable.verify.findings import Finding, PlannedDesign, Rule, table_finding

RULE = Rule("ST113", "missing entity type", "warning")


def check(planned: PlannedDesign) -> Iterator[Finding]:
    """Report a table of several entities that has no entity type attribute."""
    if planned.design.settings.type_attribute is None and len(planned.design.entities) > 1:
        message = (
            f"items of {planned.design.name} have no entity type attribute, so stream consumers and people must "
            "infer the type from the keys"
        )
        edit = SetKeyword(table_place(planned.design), "type_attribute", '"entity_type"')
        yield table_finding(RULE, planned.design, message, Remedy("", (Alternative((edit,)),)))
