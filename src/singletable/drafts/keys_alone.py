"""A draft out of nothing but the keys of a table and its indexes: what is known of a table without items."""

from __future__ import annotations

from collections.abc import Mapping

from singletable.drafts.draft import DraftEntity, DraftField, DraftIndex, DraftKeys, DraftTable, FieldType, NativeKey
from singletable.drafts.identifiers import class_identifier, field_identifier
from singletable.drafts.proposals import identity_of
from singletable.drafts.seen_items import SeenTable
from singletable.model.table_schema import TABLE

_TYPES: Mapping[str, FieldType] = {"S": "str", "N": "Decimal", "B": "bytes"}
NOTE = "No items were seen"
"""How the note begins that says what the draft is not."""


def table_of_keys(table: SeenTable, indexes: tuple[DraftIndex, ...]) -> DraftTable:
    """The table with one entity that is in every index, so that what is there already can be opened by the model."""
    entity = _entity(table, indexes)
    note = (
        f"{NOTE}, so that nothing is known of them: {entity.class_name} has the keys and nothing else. Say in its "
        "place which entities there are, what their keys are made of, and which other fields they have."
    )
    return DraftTable(
        class_identifier(table.name, [entity.class_name]),
        table.name,
        (entity,),
        table.keys,
        indexes,
        type_attribute=None,
        ttl_attribute=table.ttl_attribute,
        doc=f"{table.name}, of which no items were seen.",
        notes=(note,),
    )


def _entity(table: SeenTable, indexes: tuple[DraftIndex, ...]) -> DraftEntity:
    """Its fields are the key attributes; an item may lack those that are of an index alone."""
    fields: dict[str, DraftField] = {}
    for attribute in dict.fromkeys((*table.keys, *(each for index in indexes for each in _names(index)))):
        name = field_identifier(attribute, [each.name for each in fields.values()])
        kind = _TYPES.get(table.key_types.get(attribute, "S"), "str")
        fields[attribute] = DraftField(
            name, kind, attribute not in table.keys, None if name == attribute else attribute
        )
    natives = {attribute: NativeKey(each.name) for attribute, each in fields.items()}
    keys = {TABLE: DraftKeys((natives[table.keys[0]],), tuple(natives[each] for each in table.keys[1:]))}
    for index in indexes:
        placed = tuple(natives[each] for each in _names(index))
        many = 1 if index.kind == "LSI" else len(index.partition)
        is_sparse = any(fields[each].optional for each in _names(index))
        keys[index.alias] = DraftKeys(placed[:many], placed[many:], is_sparse)
    name = class_identifier(f"{table.name} item")
    identity = identity_of(name, [each.name for each in fields.values()], keys[TABLE])
    return DraftEntity(name, tuple(fields.values()), keys, doc=f"{name}, by its keys alone.", identity=identity)


def _names(index: DraftIndex) -> tuple[str, ...]:
    """The attributes that an entity gives for an index; a local one has the partition of the table."""
    return index.sort if index.kind == "LSI" else (*index.partition, *index.sort)
