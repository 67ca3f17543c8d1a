"""ST119: the items of an entity differ only in a time or a score, so two writes can have the same key."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.field_roles import (
    EVENT_WORDS,
    follows_clock,
    is_identifier,
    is_instant,
    is_score,
    own_identifier,
    value_count,
    words_of,
)
from singletable.model.fields import NUMBER_TYPES, Field
from singletable.model.key_template import FieldSlot
from singletable.model.keys import KeyPart, NativePart
from singletable.model.table_schema import TABLE, Keys
from singletable.planner.formatting import format_list
from singletable.planner.key_changes import key_change
from singletable.planner.key_source import keys_source
from singletable.planner.remedy import Alternative, Remedy, SetKeyword, entity_place
from singletable.verify.findings import Finding, PlannedDesign, Rule, entity_finding

RULE = Rule("ST119", "key unique only by a time or score", "warning")


def check(planned: PlannedDesign) -> Iterator[Finding]:
    """Find entities whose primary key has a time or score in the place of an id."""
    entities = planned.design.entities
    for entity in entities:
        # If a table has only one entity, the name of the table is often more exact, such as DeviceStateLog.
        names = f"{entity.label}_{planned.design.name}" if len(entities) == 1 else entity.label
        words = frozenset(word.removesuffix("s") for word in words_of(names))
        if not _is_identified(entity, words) and (shared := _shared_fields(entity, words)):
            yield _finding(planned.design, entity, shared)


def _is_identified(entity: Entity, words: frozenset[str]) -> bool:
    """Return whether the entity declares an identity or has an id. If its key lacks the id, ST102 reports it."""
    if entity.declaration.identity is not None or entity.identity is None:
        return entity.declaration.identity is not None
    # In a log of devices, device_id identifies the device, but the partition has many entries.
    partition = {field.name for field in _slot_fields(entity, entity.base.partition)}
    return not (EVENT_WORDS & words and partition.issuperset(entity.identity))


def _shared_fields(entity: Entity, words: frozenset[str]) -> list[Field]:
    """Return the times and scores, if nothing else distinguishes the items of a partition."""
    named = _slot_fields(entity, entity.base.parts)
    partition = _slot_fields(entity, entity.base.partition)
    inside = [field for field in _slot_fields(entity, entity.base.sort) if field not in partition] or partition
    shared = [field for field in inside if is_score(field) or follows_clock(field)]
    outside = [field for field in entity.fields.values() if field not in named]
    # A key with another id can mean one item per user, course and day. Of events, such as transactions, there are many.
    is_pair = any(is_identifier(field) for field in inside) and not EVENT_WORDS & words
    if not shared or (own_identifier(entity.label, outside) is not None and not is_pair):
        return shared
    if any(field not in shared and value_count(field) is None for field in inside):
        return []
    # With a date in the key, an entity can have one item per day, such as a daily total.
    if any(is_instant(field) or is_score(field) for field in shared) or any(is_identifier(field) for field in outside):
        return shared
    return shared if EVENT_WORDS & words else []


def _slot_fields(entity: Entity, parts: tuple[KeyPart, ...]) -> list[Field]:
    """Return the fields that the keys contain. Derived values do not identify an item and are omitted."""
    names: list[str] = []
    for part in parts:
        slots = () if isinstance(part, NativePart) else part.template.slots
        names += [part.field.name] if isinstance(part, NativePart) else []
        names += [slot.name for slot in slots if isinstance(slot, FieldSlot)]
    return [entity.fields[name] for name in dict.fromkeys(names)]


def _finding(design: Design, entity: Entity, shared: list[Field]) -> Finding:
    shown = ", ".join(f'"{part}"' for part in entity.base.parts)
    fields = [field.name for field in _slot_fields(entity, entity.base.parts)]
    same = format_list(fields)
    message = f"two items with the same {same} have the same key {shown}, and the second write overwrites the first"
    names = " or ".join(dict.fromkeys(field.name for field in shared))
    identity = SetKeyword(entity_place(entity), "identity", keys_source(tuple(fields)))
    stated = Alternative((identity,), f"This declares that {names} is unique by design.", needs_decision=True)
    name, attributes, keys = _longer_key(entity)
    longer = None if name not in entity.fields else key_change(design, [(entity, {TABLE: keys})], attributes)
    if longer is not None:
        return entity_finding(RULE, entity, message, Remedy("", (Alternative(longer), stated)))
    new = "" if name in entity.fields else f"Add the field {name}: str. "
    explanation = f"{new}Declare key={keys_source(keys)}, so that {name} makes the key unique."
    return entity_finding(RULE, entity, message, Remedy(explanation, (stated,)))


def _longer_key(entity: Entity) -> tuple[str, tuple[str, ...] | None, Keys]:
    """Return the name of an id, the changed names of the key attributes, and the key with the id at its end."""
    named = _slot_fields(entity, entity.base.parts)
    outside = [field for field in entity.fields.values() if field not in named and not field.optional]
    found = own_identifier(entity.label, outside) or next((f for f in outside if is_identifier(f)), None)
    name = found.name if found is not None else _new_identifier(entity)
    last = entity.base.parts[-1]
    text, delimiter = _text(last), _delimiter(entity)
    longer = f"{text}{'' if text.endswith(delimiter) else delimiter}{{{name}}}"
    declared = entity.declaration.keys[TABLE]
    keys = (*declared[:-1], longer) if isinstance(declared, tuple) else longer
    if not isinstance(last, NativePart):
        return name, None, keys
    # The attribute of a field can contain only this field, so the template needs another attribute.
    attributes = [part.attribute for part in entity.base.parts]
    return name, (*attributes[:-1], f"{attributes[-1]}_key"), keys


def _new_identifier(entity: Entity) -> str:
    """Return a name for an id that the entity lacks. A field named `id` already has another meaning."""
    own = "_".join((*words_of(entity.label)[-1:], "id"))
    return next(name for name in ("id", own, f"own_{own}") if name not in entity.fields)


def _text(part: KeyPart) -> str:
    """Return the template of a key attribute. A native attribute becomes a template with the same order."""
    if not isinstance(part, NativePart):
        return str(part)
    return f"{{{part.field.name}{':number' if part.field.type in NUMBER_TYPES else ''}}}"


def _delimiter(entity: Entity) -> str:
    parts = (part for part in entity.base.parts if not isinstance(part, NativePart))
    return next((part.template.delimiter for part in parts), "#")
