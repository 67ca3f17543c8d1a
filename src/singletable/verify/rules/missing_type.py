"""ST113: items have no entity type attribute."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.model.entity import Entity
from singletable.planner.remedy import Alternative, Remedy, SetKeyword, table_place
from singletable.verify.findings import Finding, PlannedDesign, Rule, table_finding

RULE = Rule("ST113", "missing entity type", "warning")
_TYPE_NAMES = frozenset(
    {"type", "kind", "entity", "entitytype", "itemtype", "recordtype", "objecttype", "typename", "et"}
)


def check(planned: PlannedDesign) -> Iterator[Finding]:
    """Report a table of several entities that has no entity type attribute."""
    design = planned.design
    if design.settings.type_attribute is None and len(design.entities) > 1 and not all(map(_has_type, design.entities)):
        message = (
            f"items of {planned.design.name} have no entity type attribute, so stream consumers and people must "
            "infer the type from the keys"
        )
        edit = SetKeyword(table_place(planned.design), "type_attribute", '"entity_type"')
        yield table_finding(RULE, planned.design, message, Remedy("", (Alternative((edit,)),)))


def _has_type(entity: Entity) -> bool:
    """Return whether the items have a type in a field of their own, which their program sets."""
    stored = [entity.attributes[name] for name, field in entity.fields.items() if not field.may_be_none]
    return any(name.replace("_", "").lower() in _TYPE_NAMES for name in stored)
