"""Notes on references between entities: references that no key contains, and fields that repeat another entity."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from singletable.importers.draft import Draft, DraftEntity, fields_in
from singletable.importers.names import singular
from singletable.model.field_roles import words_of
from singletable.model.table_schema import TABLE

_PEOPLE = frozenset({"user", "member", "customer", "account", "player", "employee", "student", "patient"})
_ROLES = frozenset(
    {"user", "customer", "member", "supplier", "seller", "buyer", "owner", "vendor", "patient", "employee"}
)
"""Fields with these names identify a person or a company, even without `_id`."""
_ACTORS = frozenset(
    {("created", "by"), ("assigned", "to"), ("assignee",), ("assigned", "to", "id"), ("assignee", "id")}
)
_LONG = 5
"""The minimum length of a last word that can name the whole entity in an id, as in `session_id` for PhoneSession."""
_REPEATED = (("username",), ("email",), ("nickname",))
_GENERIC = frozenset({"item", "record", "entity", "details", "profile", "data"})
"""Last words of entity names that an id usually omits: `user_id` refers to UserDetails."""


def with_reference_notes(draft: Draft) -> Draft:
    """Return the draft with a note per table on fields that name another entity and are in no partition key."""
    names = {_stem(entity.class_name) for table in draft.tables for entity in table.entities}
    everything = [entity for table in draft.tables for entity in table.entities if entity.keys]
    tables = []
    for table in draft.tables:
        keyed = [entity for entity in table.entities if entity.keys]
        # An inverse index has the sort key of the table as its partition key.
        is_inverted = any(index.partition == table.keys[1:2] for index in table.indexes)
        found = [shown for entity in keyed for shown in _unread(entity, names, is_inverted=is_inverted)]
        note = (
            f"No partition key contains these references, so the items with one of them can only be found by a Scan or "
            f"a filter: {', '.join(found)}. If you need such a read, add an index key."
        )
        copies = [shown for entity in keyed for shown in _copies(entity, everything)]
        copied = (
            f"These fields repeat a field of another entity, and nothing keeps them in sync: {', '.join(copies)}. If "
            "the value can change, declare copies=."
        )
        notes = (*table.notes, *([note] if found else []), *([copied] if copies else []))
        tables.append(replace(table, notes=notes))
    return replace(draft, tables=tuple(tables))


def _copies(entity: DraftEntity, others: Sequence[DraftEntity]) -> Iterator[str]:
    """Yield the fields of an entity that contain the name of another entity to which it refers."""
    own = {field.name for field in entity.fields}
    in_keys = {name for keys in entity.keys.values() for name in fields_in((*keys.partition, *keys.sort))}
    for name in (field.name for field in entity.fields if field.name not in in_keys):
        words = words_of(name)
        for other in others:
            ids = fields_in(other.keys[TABLE].partition) if other.keys else []
            theirs = {field.name for field in other.fields}
            if other is entity or _varies(other) or not ids:
                continue
            is_of_other = len(words) == 2 and words[0] in (_stem(other.class_name), *words_of(other.class_name)[-1:])
            is_named = words[-1:] in (("name",), ("title",)) and is_of_other and words[-1] in theirs
            is_same = name in theirs and words[-1:] in _REPEATED and len(ids) == 1 and ids[0] in own
            if (is_named and {ids[-1], f"{words[0]}_id"} & own) or is_same:
                yield f"{entity.class_name}.{name} ({other.class_name})"


def _varies(entity: DraftEntity) -> bool:
    keys = entity.keys[TABLE]
    return bool(set(fields_in(keys.sort)) - set(fields_in(keys.partition)))


def _unread(entity: DraftEntity, names: set[str], *, is_inverted: bool) -> Iterator[str]:
    """Yield the fields of an entity that name another entity, and that no partition key contains."""
    partitions = {name for keys in entity.keys.values() for name in fields_in(keys.partition)}
    # Behind a constant partition key, the sort key selects the items.
    partitions |= {
        name for keys in entity.keys.values() if not fields_in(keys.partition) for name in fields_in(keys.sort)[:1]
    }
    partitions |= {name for field in entity.derived.values() for name in field.fields}
    own = _stem(entity.class_name)
    in_table = set(fields_in(entity.keys[TABLE].sort)[-1:])
    in_table = in_table if not is_inverted and len(fields_in(entity.keys[TABLE].sort)) == 1 else set()
    partitions |= set(fields_in(entity.keys[TABLE].sort)) - in_table
    for field in entity.fields:
        words = words_of(field.name)
        is_role = (len(words) == 1 and words[0] in _ROLES) or words in _ACTORS
        if is_role and field.type == "str" and field.name not in partitions:
            if _stem(entity.class_name) != words[0]:
                yield f"{entity.class_name}.{field.name}"
            continue
        stem = "".join(words[:-1])
        if len(words) < 2 or words[-1] != "id" or field.name in partitions or own.endswith(stem):
            continue
        # A pair of ids, such as a member of an organization, is usually read from both sides.
        is_name = stem in names or any(len(stem) >= _LONG and name.endswith(stem) for name in names)
        is_name = is_name or words[-2] in _ROLES or (len(words) > 2 and words[-2] in names)  # current_driver_id
        if (is_name or words[0] in _PEOPLE) if field.name in in_table else is_name:
            yield f"{entity.class_name}.{field.name}"


def _stem(class_name: str) -> str:
    words = list(words_of(class_name))
    kept = words[:-1] if len(words) > 1 and words[-1] in _GENERIC else words
    return singular("".join(kept))
