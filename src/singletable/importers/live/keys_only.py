"""Draft of a table without items: one entity whose fields are the key attributes."""

from __future__ import annotations

from singletable.importers.draft import (
    DraftEntity,
    DraftField,
    DraftIndex,
    DraftKeys,
    DraftTable,
    NativeKey,
    identity_note,
    identity_of,
)
from singletable.importers.live.entity_groups import item_name
from singletable.importers.live.item_fields import ATTRIBUTE_TYPES
from singletable.importers.live.sampled_table import SampledTable
from singletable.importers.names import class_name, field_name
from singletable.model.table_schema import TABLE


def table_of_keys(table: SampledTable) -> DraftTable:
    """Return the table with one entity that is in every index."""
    entity = _entity(table)
    has_others = bool(table.key_types.keys() - table.key_attributes)
    what = "the declared attributes" if has_others else "only the key attributes"
    notes = [
        f"There are no items to infer entities from: {entity.class_name} contains {what}. Replace it "
        "with your entities, their key templates and their other fields."
    ]
    if entity.identity is not None:
        notes.append(identity_note(entity.class_name, entity.identity))
    return DraftTable(
        class_name(table.name, [entity.class_name]),
        table.name,
        (entity,),
        table.keys,
        table.indexes,
        type_attribute=None,
        ttl_attribute=table.ttl_attribute,
        doc=f"{table.name}, without sample items.",
        notes=tuple(notes),
    )


def _entity(table: SampledTable) -> DraftEntity:
    """Return the entity. The attributes of indexes are optional."""
    fields: dict[str, DraftField] = {}
    in_indexes = [each for index in table.indexes for each in index_attributes(index)]
    attributes = (*table.keys, *in_indexes, *table.key_types)
    for attribute in dict.fromkeys(attributes):
        name = field_name(attribute, [each.name for each in fields.values()])
        kind = ATTRIBUTE_TYPES.get(table.key_types.get(attribute, "S"), "str")
        fields[attribute] = DraftField(
            name, kind, attribute not in table.keys, None if name == attribute else attribute
        )
    natives = {attribute: NativeKey(each.name) for attribute, each in fields.items()}
    keys = {TABLE: DraftKeys((natives[table.keys[0]],), tuple(natives[each] for each in table.keys[1:]))}
    for index in table.indexes:
        positions = tuple(natives[each] for each in index_attributes(index))
        count = 1 if index.kind == "LSI" else len(index.partition)
        is_sparse = any(fields[each].optional for each in index_attributes(index))
        keys[index.alias] = DraftKeys(positions[:count], positions[count:], is_sparse)
    name = class_name(item_name(table.name))
    identity = identity_of(name, [each.name for each in fields.values()], keys[TABLE])
    return DraftEntity(name, tuple(fields.values()), keys, doc=f"{name}, without sample items.", identity=identity)


def index_attributes(index: DraftIndex) -> tuple[str, ...]:
    """Return the attributes that an entity declares for an index. A local index has the partition key of the table."""
    return index.sort if index.kind == "LSI" else (*index.partition, *index.sort)
