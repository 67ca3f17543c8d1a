"""The conversion of a pattern table into a draft: entities, indexes and patterns, with notes on everything else."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

from singletable.importers import names as python_names
from singletable.importers.draft import (
    Draft,
    DraftEntity,
    DraftField,
    DraftIndex,
    DraftKeys,
    DraftPattern,
    DraftTable,
    NativeKey,
    Position,
)
from singletable.importers.pattern_table.key_cells import KeyValue
from singletable.importers.pattern_table.pattern_rows import pattern_rows
from singletable.importers.pattern_table.row_access import access_of
from singletable.importers.pattern_table.row_entities import (
    InferredEntity,
    InferredIndex,
    InferredTable,
    infer_table,
    type_of,
)
from singletable.importers.pattern_table.row_patterns import row_patterns
from singletable.model.table_schema import TABLE


def read_pattern_table(text: str, name: str) -> Draft:
    """Return the model of a pattern table; raise ImportRefused if the file contains none."""
    rows, heading = pattern_rows(text, name)
    accesses = [access_of(row) for row in rows]
    inferred = infer_table(accesses)
    made = row_patterns(accesses, inferred)
    entities = tuple(_entity(each, inferred, made.patterns) for each in inferred.entities)
    stem = "PatternTable" if name == "standard input" else PurePath(name).stem
    taken = [each.class_name for each in entities]
    class_name = python_names.class_name(stem, ())
    if class_name in taken:
        class_name = python_names.class_name(f"{stem} table", taken)
    table = DraftTable(
        class_name,
        python_names.table_name(class_name),
        entities,
        keys=inferred.keys,
        indexes=tuple(_index(each, inferred) for each in inferred.indexes.values() if _is_used(each, inferred)),
        patterns=tuple(made.patterns),
        notes=tuple(dict.fromkeys((*inferred.notes, *made.notes))),
    )
    return Draft(heading or f"The pattern table {stem}", (table,))


def _is_used(index: InferredIndex, table: InferredTable) -> bool:
    return index.is_inverse or any(index.alias in entity.index_keys for entity in table.entities)


def _index(index: InferredIndex, table: InferredTable) -> DraftIndex:
    partition, *sort = table.keys
    if index.is_inverse:
        return DraftIndex(index.alias, index.name, "GSI", tuple(sort), (partition,), is_inverse=True)
    sort_key = (index.sort,) if index.sort else ()
    if index.is_local:
        return DraftIndex(index.alias, index.name, "LSI", (partition,), sort_key)
    return DraftIndex(index.alias, index.name, "GSI", (index.partition,), sort_key)


def _entity(entity: InferredEntity, table: InferredTable, patterns: Sequence[DraftPattern]) -> DraftEntity:
    keys: dict[str, DraftKeys] = {}
    if entity.partition is not None:
        stored = (
            _position(entity, value, table.keys[at])
            for at, value in enumerate((entity.partition, entity.sort))
            if value
        )
        partition, *sort = stored
        keys[TABLE] = DraftKeys((partition,), tuple(sort))
        for index in table.indexes.values():
            if index.alias in entity.index_keys:
                keys[index.alias] = _index_keys(entity, index)
    added = {change.path.steps[0] for each in patterns for change in each.changes if change.action == "ADD"}
    fields = tuple(
        DraftField(name, "int" if name in added else type_of(name), attribute=entity.attributes.get(name))
        for name in entity.fields
    )
    doc = f"{entity.class_name}, as the pattern table describes it."
    return DraftEntity(entity.class_name, fields, keys, doc=doc)


def _index_keys(entity: InferredEntity, index: InferredIndex) -> DraftKeys:
    partition, sort = entity.index_keys[index.alias]
    sorts = (_position(entity, sort, index.sort or ""),) if sort else ()
    if index.is_local:
        return DraftKeys(sorts)
    return DraftKeys((_position(entity, partition, index.partition),), sorts)


def _position(entity: InferredEntity, value: KeyValue, attribute: str) -> Position:
    """Return the template of a key, or the field itself if its attribute is the key attribute."""
    if value.is_one_slot and entity.attributes.get(value.fields[0], value.fields[0]) == attribute:
        return NativeKey(value.fields[0])
    return value.template
