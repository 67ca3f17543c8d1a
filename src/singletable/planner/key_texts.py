"""Texts of proposed keys: the literal before a field, and the slot of a field in a partition or sort key."""

from __future__ import annotations

import re
from decimal import Decimal

from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.table_schema import Keys, Position, Sparse


def key_words(label: str) -> str:
    """Return a class name in the style of keys: `ORDER_ITEM` for `OrderItem`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", label).upper()


def field_owner(design: Design, entity: Entity, name: str) -> str:
    """Return the prefix of a field: the entity that it identifies or refers to, or else its own name."""
    if (name,) == entity.identity:
        return key_words(entity.label)
    for other in design.all_entities:
        for own in other.identity or ():
            is_reference = name in (f"{key_words(other.label).lower()}_{own}", own) and name != "id"
            if len(other.identity or ()) == 1 and is_reference:
                return key_words(other.label)
    return name.upper().removesuffix("_ID") or name.upper()


def reference_field(other: Entity, identity: str, entity: Entity) -> str | None:
    """Return the field of an entity that identifies an item of another entity: a declared one, or one with its name."""
    declared = [name for name, each in entity.declaration.references.items() if each.source is other.cls]
    name = f"{key_words(other.label).lower()}_{identity}"
    return declared[0] if len(declared) == 1 else name if name in entity.fields else None


def slot(name: str) -> str:
    """Return the slot of a field in a template."""
    return f"{{{name}}}"


def sorted_slot(entity: Entity, name: str) -> str:
    """Return the slot of a field or a derived value in a sort key. Numbers need a format that sorts by value."""
    is_number = name in entity.fields and entity.fields[name].type in (int, float, Decimal)
    return f"{{{name}:number}}" if is_number else slot(name)


def index_keys(entity: Entity, templates: tuple[Position, ...]) -> Keys:
    """Return the keys of an index.

    They are declared as `sparse(...)` if one of their fields can be missing, because the index omits items without it.
    """
    names = re.findall(r"\{(\w+)[^{}]*\}", str(templates))
    derived = entity.declaration.derived
    fields = [field for name in names for field in (derived[name].fields if name in derived else (name,))]
    is_sparse = any(entity.fields[name].optional for name in fields if name in entity.fields)
    return Sparse(templates) if is_sparse else templates
