"""Checks of indexes: duplicate names, conflicting attributes, undeclared entries and inverse indexes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from singletable.errors import Problem
from singletable.model.entity import Entity, EntityDeclaration
from singletable.model.keys import KeyPart, NativePart, native_type
from singletable.model.table_schema import GSI, TABLE, Index, TableSettings


def index_problems(settings: TableSettings, indexes: Mapping[str, Index]) -> Iterator[Problem]:
    """Yield problems of duplicate index names, repeated key attributes, and local indexes that need a sort key."""
    names = [index.name for index in indexes.values() if not index.is_table]
    aliases = [index.alias for index in settings.indexes]
    for name in sorted({name for each in (names, aliases) for name in each if each.count(name) > 1}):
        message = f"{settings.name}: two indexes have the name {name}"
        yield Problem(message, settings.location, "Change the alias or name= of one index.")
    for index in indexes.values():
        if len(set(index.key_attributes)) < len(index.key_attributes):
            message = (
                f"{settings.name}: the key of {index.label} names an attribute twice: {', '.join(index.key_attributes)}"
            )
            yield Problem(message, settings.location)
        if index.kind == "LSI" and not indexes["key"].sort:
            message = f"{settings.name}: {index.label} is a local index, but the table has no sort key"
            yield Problem(message, settings.location, "Add a sort key to every entity, or use a global index.")


def attribute_problems(settings: TableSettings, entity: Entity, indexes: Mapping[str, Index]) -> Iterator[Problem]:
    """Yield problems of attributes that an item would write twice, and of indexes that it would enter by accident."""
    yield from _overwritten_fields(settings, entity)
    yield from _conflicting_keys(entity)
    for index in indexes.values():
        if index.alias not in entity.placements:
            yield from _unintended_entries(settings, entity, index)


def _overwritten_fields(settings: TableSettings, entity: Entity) -> Iterator[Problem]:
    """Yield a problem for each field that has the attribute of a key or a system attribute of the table."""
    fields = {stored: name for name, stored in entity.attributes.items()}
    system = [settings.type_attribute] if settings.type_attribute else []
    system += [settings.schema_version_attribute] if entity.declaration.schema_version is not None else []
    claims = {part.attribute: f'the key "{part}"' for part in _parts(entity) if not isinstance(part, NativePart)}
    claims |= dict.fromkeys(system, "a system attribute of the table")
    for attribute, what in claims.items():
        if attribute in fields:
            message = (
                f"{entity.label}: {fields[attribute]} is stored as {attribute!r}, which is also the attribute of {what}"
            )
            remedy = f'Store the field under another name: attributes={{"{fields[attribute]}": "..."}}.'
            yield Problem(message, entity.location, remedy)


def _conflicting_keys(entity: Entity) -> Iterator[Problem]:
    """Yield a problem for each key attribute that has different templates in two indexes."""
    seen: dict[str, KeyPart] = {}
    for part in _parts(entity):
        other = seen.setdefault(part.attribute, part)
        if other != part:
            message = f'{entity.label}: {part.attribute} is "{other}" in one index and "{part}" in another'
            yield Problem(
                message, entity.location, "Use the same template in both, or give the index its own attributes."
            )


def _unintended_entries(settings: TableSettings, entity: Entity, index: Index) -> Iterator[Problem]:
    """Yield a problem if a field is a key of an index in which the entity declares no keys.

    DynamoDB then adds the items to the index, or rejects them if the field has another type than the key.
    """
    fields = {entity.attributes[name]: field for name, field in entity.fields.items()}
    types = {attribute.name: attribute.type for attribute in (*index.partition, *index.sort)}
    own = {part.attribute for part in _parts(entity)}
    for attribute in types.keys() & fields.keys() - own:
        if native_type(fields[attribute].type) != types[attribute]:
            message = (
                f"{entity.label}: {attribute} is a key of {index.label} of type {types[attribute]}, but the field is "
            )
            remedy = "DynamoDB rejects such an item. Store the field under another attribute name."
            yield Problem(f"{message}{fields[attribute].type_name}", entity.location, remedy)
            return
    if types and types.keys() <= own | fields.keys():
        message = (
            f"{entity.label}: its items are also in {index.label}, because they have its key attributes: "
            f"{', '.join(types)}"
        )
        remedy = f"Declare {index.alias}=... for the entity, or store the fields under other attribute names."
        if types.keys() <= {part.attribute for part in entity.base.parts}:
            remedy = f'Declare the index as inverse("{index.alias}"): it contains every item, with swapped keys.'
        yield Problem(message, entity.location, remedy)


def _parts(entity: Entity) -> Iterator[KeyPart]:
    for placement in entity.placements.values():
        yield from placement.parts


def misnamed_inverse(settings: TableSettings) -> Iterator[Problem]:
    """Yield a problem if an inverse index uses the alias of the base table."""
    if any(isinstance(each, GSI) and each.is_inverse and each.alias == TABLE for each in settings.indexes):
        message = f"{settings.name}: {TABLE!r} is the alias of the table and cannot be an index"
        yield Problem(message, settings.location, 'Use another alias: inverse("gsi1").')


def inverse_problems(
    settings: TableSettings, declared: GSI, table: Index, declarations: Sequence[EntityDeclaration]
) -> Iterator[Problem]:
    """Yield a problem if the table has no sort key, and for entities that declare keys in the inverse index."""
    alias = declared.alias
    if not table.sort:
        message = f"{settings.name}: {alias} is an inverse index, but the table has no sort key"
        yield Problem(message, settings.location, "Add a sort key to every entity, or remove the index.")
    for declaration in declarations:
        if alias in declaration.keys:
            message = (
                f"{declaration.cls.__name__}: {alias}={declaration.keys[alias]!r} is declared, but {alias} is an "
                "inverse index, which swaps the keys that key= declares"
            )
            remedy = f"Remove {alias}=; every item of the table is in {alias} automatically."
            yield Problem(message, declaration.location, remedy)
