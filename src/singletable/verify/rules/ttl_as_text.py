"""ST126: an expiry time is stored as text, so DynamoDB never deletes the item."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.model.entity import Entity
from singletable.model.field_roles import words_of
from singletable.model.fields import Field
from singletable.planner.remedy import (
    Alternative,
    Edit,
    Remedy,
    SetFieldDeclaration,
    SetKeyword,
    class_place,
    entity_place,
)
from singletable.verify.findings import Finding, PlannedDesign, Rule, entity_finding

RULE = Rule("ST126", "TTL stored as text", "warning")


def check(planned: PlannedDesign) -> Iterator[Finding]:
    """Find text fields that are declared as TTL, or whose name suggests a TTL."""
    expiry = planned.design.ttl_attribute
    for entity in planned.design.entities:
        for field in entity.fields.values():
            is_ttl = expiry in (None, entity.attributes[field.name]) and _is_named_ttl(field)
            if field.type is str and (is_ttl or entity.declaration.ttl == field.name):
                message = (
                    f"{field.name} is text, but DynamoDB only deletes items whose TTL attribute is a number of "
                    "seconds since 1970, so these items never expire"
                )
                yield entity_finding(RULE, entity, message, _remedy(entity, field))


def _is_named_ttl(field: Field) -> bool:
    words = words_of(field.name)
    return words[0] == "ttl" or words[-1] == "ttl" or words == ("time", "to", "live")


def _remedy(entity: Entity, field: Field) -> Remedy:
    """Return the edits that declare the field as a number of seconds, and as the TTL."""
    optional = " | None = None" if field.optional else ""
    edits: tuple[Edit, ...] = (SetFieldDeclaration(class_place(entity), field.name, f"{field.name}: int{optional}"),)
    if entity.declaration.ttl != field.name:
        edits += (SetKeyword(entity_place(entity), "ttl", f'"{field.name}"'),)
    effect = "The field then holds seconds since 1970; convert the stored items."
    return Remedy("", (Alternative(edits, effect, needs_decision=True),))
