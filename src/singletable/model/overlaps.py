"""Attributes that two parts of a design both lay claim to: fields and keys, keys of two indexes, items in an index."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from singletable.errors import Problem
from singletable.model.entity import Entity
from singletable.model.index import Index
from singletable.model.keys import KeyPart, NativePart, native_type
from singletable.model.settings import TableSettings


def index_problems(settings: TableSettings, indexes: Mapping[str, Index]) -> Iterator[Problem]:
    """Indexes of one name, keys of one attribute twice, and local indexes where there can be none."""
    names = [index.name for index in indexes.values() if not index.is_table]
    aliases = [index.alias for index in settings.indexes]
    for name in sorted({name for each in (names, aliases) for name in each if each.count(name) > 1}):
        message = f"{settings.name}: two indexes are called {name}"
        yield Problem(message, settings.location, "Give one of them another alias or name=.")
    for index in indexes.values():
        if len(set(index.key_attributes)) < len(index.key_attributes):
            message = (
                f"{settings.name}: the key of {index.label} names an attribute twice: {', '.join(index.key_attributes)}"
            )
            yield Problem(message, settings.location)
        if index.kind == "LSI" and not indexes["key"].sort:
            message = f"{settings.name}: {index.label} is a local index, and the table has no sort key"
            yield Problem(message, settings.location, "Give every entity a sort key, or make it a global index.")


def attribute_problems(settings: TableSettings, entity: Entity, indexes: Mapping[str, Index]) -> Iterator[Problem]:
    """Attributes of an item that would be written twice, and indexes that it is in without being told."""
    yield from _written_over(settings, entity)
    yield from _written_twice(entity)
    for index in indexes.values():
        if index.alias not in entity.placements:
            yield from _entered_unawares(settings, entity, index)


def _written_over(settings: TableSettings, entity: Entity) -> Iterator[Problem]:
    """One attribute holds one value: a key or a mark of the table would replace the field's."""
    fields = {stored: name for name, stored in entity.attributes.items()}
    marks = [settings.type_attribute] if settings.type_attribute else []
    marks += [settings.schema_version_attribute] if entity.declaration.schema_version is not None else []
    claims = {part.attribute: f'the key "{part}"' for part in _parts(entity) if not isinstance(part, NativePart)}
    claims |= dict.fromkeys(marks, "a mark of the table")
    for attribute, what in claims.items():
        if attribute in fields:
            message = f"{entity.label}: {fields[attribute]} is stored as {attribute!r}, and so is {what}"
            remedy = f'Store the field under another name: attributes={{"{fields[attribute]}": "..."}}.'
            yield Problem(message, entity.location, remedy)


def _written_twice(entity: Entity) -> Iterator[Problem]:
    """Indexes may share a key attribute, but an item has one value of it."""
    seen: dict[str, KeyPart] = {}
    for part in _parts(entity):
        other = seen.setdefault(part.attribute, part)
        if other != part:
            message = f'{entity.label}: {part.attribute} is "{other}" in one index and "{part}" in another'
            yield Problem(message, entity.location, "Give both the same template, or the index attributes of its own.")


def _entered_unawares(settings: TableSettings, entity: Entity, index: Index) -> Iterator[Problem]:
    """DynamoDB puts an item into every index whose key attributes it has, and refuses one of the wrong type."""
    fields = {entity.attributes[name]: field for name, field in entity.fields.items()}
    types = {attribute.name: attribute.type for attribute in (*index.partition, *index.sort)}
    own = {part.attribute for part in _parts(entity)}
    for attribute in types.keys() & fields.keys() - own:
        if native_type(fields[attribute].type) != types[attribute]:
            message = (
                f"{entity.label}: {attribute} is a key of {index.label} of type {types[attribute]}, and the field is "
            )
            remedy = "DynamoDB refuses such an item; store the field under another name."
            yield Problem(f"{message}{fields[attribute].type_name}", entity.location, remedy)
            return
    if types and types.keys() <= own | fields.keys():
        message = f"{entity.label}: its items are in {index.label} too, since they have {', '.join(types)}"
        remedy = f"Give it {index.alias}=..., or store its fields under other names."
        if types.keys() <= {part.attribute for part in entity.base.parts}:
            remedy = f'Declare it as inverse("{index.alias}"): every item is in it, with its keys swapped.'
        yield Problem(message, entity.location, remedy)


def _parts(entity: Entity) -> Iterator[KeyPart]:
    for placement in entity.placements.values():
        yield from placement.parts
