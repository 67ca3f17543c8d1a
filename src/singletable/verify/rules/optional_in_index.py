"""ST106: a key contains an optional field, so items are silently missing from the index."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.model.entity import Entity
from singletable.model.table_schema import Sparse
from singletable.planner.formatting import format_list
from singletable.planner.key_source import keys_edits
from singletable.planner.remedy import Alternative, Remedy, SetFieldDeclaration, class_place
from singletable.verify.findings import Finding, PlannedDesign, Rule, entity_finding

RULE = Rule("ST106", "optional field in a key", "error")
_DEFAULTS = {str: '"NONE"', int: "0", float: "0.0", bool: "False"}


def check(planned: PlannedDesign) -> Iterator[Finding]:
    """Find keys with a field that can be None, in an index that is not declared sparse."""
    for entity in planned.design.entities:
        for alias, placement in entity.placements.items():
            optional = sorted(name for name in placement.fields if entity.fields[name].optional)
            if not optional or placement.index.is_inverse or (placement.sparse and not placement.index.is_table):
                continue
            names = ", ".join(optional)
            if placement.index.is_table:
                message = f"{names} can be None, but an item without it has no key and cannot be stored"
                yield entity_finding(RULE, entity, message, _in_table(entity, optional))
            else:
                message = f"{names} can be None, and items without it are missing from {placement.index.label}"
                yield entity_finding(RULE, entity, message, _in_index(entity, alias, placement.index.label, optional))


def _in_table(entity: Entity, optional: list[str]) -> Remedy:
    """Return the choice between required fields and fields with a default."""
    place, fields = class_place(entity), [entity.fields[name] for name in optional]
    required = tuple(SetFieldDeclaration(place, field.name, f"{field.name}: {field.type_name}") for field in fields)
    given = "Every new item then needs a value."
    return Remedy("", (Alternative(required, given), *_with_default(entity, optional, "Items")))


def _in_index(entity: Entity, alias: str, index: str, optional: list[str]) -> Remedy:
    """Return the choice between a sparse index and a default value."""
    names = format_list(optional)
    keys = entity.declaration.keys[alias]
    sparse = Sparse(keys if isinstance(keys, tuple) else (keys,))
    hidden = f"{index} then does not contain the items that have no {names}, and its reads do not return them."
    first = Alternative(keys_edits(entity, alias, sparse), hidden)
    return Remedy("", (first, *_with_default(entity, optional, f"{index} then contains every new item, and the items")))


def _with_default(entity: Entity, optional: list[str], what: str) -> tuple[Alternative, ...]:
    defaults = {name: _DEFAULTS.get(entity.fields[name].type) for name in optional}
    if None in defaults.values():
        return ()
    place = class_place(entity)
    edits = tuple(
        SetFieldDeclaration(place, name, f"{name}: {entity.fields[name].type_name} = {value}")
        for name, value in defaults.items()
    )
    shown = " and ".join(f"{name} {value}" for name, value in defaults.items())
    effect = f"{what} without a value have the key {shown}, and nothing shows that they have no value."
    return (Alternative(edits, effect, needs_decision=True),)
