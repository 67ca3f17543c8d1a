"""Draft from a `schema.json` of the AWS modelling server (awslabs/mcp, dynamodb-mcp-server)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from singletable.importers.draft import (
    Draft,
    DraftClass,
    DraftEntity,
    DraftField,
    DraftIndex,
    DraftKeys,
    DraftPattern,
    DraftTable,
    FieldType,
    NativeKey,
    Position,
    ProjectionKind,
    fields_in,
    identity_note,
    identity_of,
    left_out_index,
)
from singletable.importers.json_document import Problems, parse_document, shown
from singletable.importers.live.index_gaps import gap_notes
from singletable.importers.names import class_name, field_name, index_alias, pattern_name
from singletable.importers.schema_json.schema_json_patterns import PatternReader, PatternSource
from singletable.importers.schema_json.schema_json_rules import check_schema
from singletable.model.table_schema import TABLE

_TYPES: Mapping[str, FieldType] = {
    "string": "str",
    "integer": "int",
    "decimal": "Decimal",
    "boolean": "bool",
    "array": "list[Any]",
    "object": "dict[str, Any]",
    "uuid": "UUID",
}
_TYPE_ATTRIBUTES = ("entity_type", "_type", "item_type", "__type__")
_SLOT = re.compile(r"\{(\w+)(?::([^{}]*))?\}")


def read_schema_json(text: str, name: str) -> Draft:
    """Return the draft of a `schema.json`; raise ImportRefused with every problem and its path."""
    document = parse_document(text, name)
    problems = Problems(name, "schema.json")
    check_schema(document, problems)
    problems.raise_if_any()
    classes: list[str] = []
    by_entity: dict[str, str] = {}
    for table in document["tables"]:
        for entity in table["entities"]:
            by_entity[entity] = class_name(entity, classes)
            classes.append(by_entity[entity])
    tables: list[DraftTable] = []
    transactions = document.get("cross_table_access_patterns") or ()
    for table in document["tables"]:
        table_class = class_name(table["table_config"]["table_name"], classes)
        classes.append(table_class)
        reader = _TableReader(table, table_class, by_entity)
        for each in transactions:
            if each["entities_involved"][0]["table"] == table["table_config"]["table_name"]:
                reader.notes.append(_transaction_note(each))
        tables.append(reader.draft(classes))
    return Draft(f"A model from {name}, a schema.json", tuple(tables))


@dataclass
class _TableReader:
    """Reads one table of the document."""

    table: dict[str, Any]
    class_name: str
    classes: Mapping[str, str]
    notes: list[str] = field(default_factory=list)

    def draft(self, taken: list[str]) -> DraftTable:
        config = self.table["table_config"]
        keys = (config["partition_key"], *([config["sort_key"]] if config.get("sort_key") else []))
        indexes = list(self._indexes())
        stored = [entity["entity_type"] for entity in self.table["entities"].values()]
        sources: list[PatternSource] = []
        for name, entity in self.table["entities"].items():
            is_only = stored.count(entity["entity_type"]) == 1
            draft, fields = self._entity(name, entity, keys, indexes, is_only=is_only)
            aliases = {index.name: index.alias for index in indexes}
            patterns = entity.get("access_patterns") or []
            sources.append(PatternSource(draft, keys, fields, aliases, self.classes, patterns))
        entities = tuple(source.entity for source in sources)
        patterns, shapes = self._patterns(sources, taken)
        attributes = {each.stored_as for entity in entities for each in entity.fields}
        free = [each for each in _TYPE_ATTRIBUTES if each not in attributes and each not in keys]
        used = tuple(index for index in indexes if any(index.alias in entity.keys for entity in entities))
        self.notes += [left_out_index(index, "no entity maps to it") for index in indexes if index not in used]
        self.notes += gap_notes(entities, used, declares_reads=True)
        return DraftTable(
            self.class_name,
            config["table_name"],
            entities,
            keys,
            used,
            patterns,
            free[0] if free else None,
            notes=tuple(dict.fromkeys(self.notes)),
            classes=shapes,
        )

    def _indexes(self) -> Iterator[DraftIndex]:
        aliases: list[str] = []
        for index in self.table.get("gsi_list") or ():
            aliases.append(index_alias(index["name"], aliases))
            projection = cast(ProjectionKind, index.get("projection") or "ALL")
            partition, sort = _texts(index["partition_key"]), _texts(index.get("sort_key"))
            included = tuple(index.get("included_attributes") or ()) if projection == "INCLUDE" else ()
            yield DraftIndex(aliases[-1], index["name"], "GSI", partition, sort, projection, included)

    def _entity(
        self, name: str, entity: dict[str, Any], keys: tuple[str, ...], indexes: list[DraftIndex], *, is_only: bool
    ) -> tuple[DraftEntity, Mapping[str, DraftField]]:
        templates = dict(zip(keys, (entity["pk_template"], entity.get("sk_template") or ""), strict=False))
        fields = _fields(entity["fields"])
        composed = {each: text for each, text in templates.items() if each in fields and text != f"{{{each}}}"}
        for each, text in composed.items():
            del fields[each]
            self.notes.append(
                f"{name}.{each} is not a field of the model, because it is composed from the fields of the key {text}."
            )
        writer = _TemplateWriter(fields, composed, name, self.notes)
        if entity.get("sk_template") and len(keys) == 1:
            self.notes.append(f"{name}: sk_template was left out, because the table has no sort key.")
        partition = writer.position(entity["pk_template"], keys[0])
        sort = tuple(writer.position(entity["sk_template"], each, is_sort=True) for each in keys[1:])
        by_index = {TABLE: DraftKeys((partition,), sort)}
        by_name = {index.name: index for index in indexes}
        optional = {each.name for each in fields.values() if each.optional}
        for mapping in (*(entity.get("gsi_mappings") or ()), *self._unmapped(name, entity, {*fields, *composed})):
            index = by_name[mapping["name"]]
            of_partition, of_sort = _texts(mapping["pk_template"]), _texts(mapping.get("sk_template"))
            if len(of_sort) != len(index.sort):
                self.notes.append(f"{name} is not in the index {index.name}: only one of them has a sort key.")
                continue
            partitions = [writer.position(each, to) for each, to in zip(of_partition, index.partition, strict=True)]
            sorts = [writer.position(each, to, is_sort=True) for each, to in zip(of_sort, index.sort, strict=True)]
            is_sparse = bool(optional & set(fields_in((*partitions, *sorts))))
            by_index[index.alias] = DraftKeys(tuple(partitions), tuple(sorts), is_sparse)
        if not is_only:
            self.notes.append(
                f"{name}: entity_type {shown(entity['entity_type'])} was left out, because another entity has it too."
            )
        own = self.classes[name]
        identity = identity_of(own, [each.name for each in fields.values()], by_index[TABLE])
        if identity is not None:
            self.notes.append(identity_note(own, identity))
        stored = entity["entity_type"] if is_only else None
        return DraftEntity(own, tuple(fields.values()), by_index, stored, identity=identity), fields

    def _unmapped(self, name: str, entity: dict[str, Any], attributes: set[str]) -> Iterator[dict[str, Any]]:
        """Yield a mapping for each index that contains the items because they have all its key attributes."""
        mapped = {mapping["name"] for mapping in entity.get("gsi_mappings") or ()}
        for index in self.table.get("gsi_list") or ():
            names = (*_texts(index["partition_key"]), *_texts(index.get("sort_key")))
            if index["name"] in mapped or not attributes.issuperset(names):
                continue
            self.notes.append(
                f"{name} is also in the index {index['name']}, because its items have {', '.join(names)}."
            )
            yield {
                "name": index["name"],
                "pk_template": [f"{{{each}}}" for each in _texts(index["partition_key"])],
                "sk_template": [f"{{{each}}}" for each in _texts(index.get("sort_key"))],
            }

    def _patterns(
        self, sources: list[PatternSource], taken: list[str]
    ) -> tuple[tuple[DraftPattern, ...], tuple[DraftClass, ...]]:
        found: dict[str, DraftPattern] = {}
        shapes: list[DraftClass] = []
        for source in sources:
            for pattern in source.patterns:
                name = pattern_name(pattern["name"], found)
                reader = PatternReader(source, pattern, name, [each.entity for each in sources], taken)
                drafted = reader.pattern()
                self.notes += [f"{name} ({pattern['description']}): {note}." for note in reader.notes]
                if drafted is not None:
                    found[name] = drafted
                if reader.shape is not None:
                    shapes.append(reader.shape)
                    taken.append(reader.shape.class_name)
        return tuple(found.values()), tuple(shapes)


def _fields(rows: list[dict[str, Any]]) -> dict[str, DraftField]:
    """Return the fields by their names in the document."""
    fields: dict[str, DraftField] = {}
    for each in rows:
        name = field_name(each["name"], [known.name for known in fields.values()])
        kind = _TYPES[each["type"]]
        kind = "list[str]" if kind == "list[Any]" and each.get("item_type") == "string" else kind
        fields[each["name"]] = DraftField(
            name, kind, not each["required"], None if name == each["name"] else each["name"]
        )
    return fields


@dataclass(frozen=True)
class _TemplateWriter:
    """Writes the templates of one entity, with notes on changed formats."""

    fields: Mapping[str, DraftField]
    composed: Mapping[str, str]
    """The templates of key attributes, which other templates can contain."""
    entity: str
    notes: list[str]

    def position(self, template: str, attribute: str, *, is_sort: bool = False) -> Position:
        """Return a template, or the field whose attribute is the key attribute."""
        template = _SLOT.sub(lambda match: self.composed.get(match[1], match[0]), template)
        whole = _SLOT.fullmatch(template)
        if whole is not None and not whole[2]:
            known = self.fields[whole[1]]
            if known.stored_as == attribute and known.type in ("str", "int", "Decimal"):
                return NativeKey(known.name)
        return _SLOT.sub(lambda match: self._slot(match, is_sort=is_sort), template)

    def _slot(self, match: re.Match[str], *, is_sort: bool) -> str:
        known, spec = self.fields[match[1]], match[2] or ""
        is_padded = known.type == "int" and re.fullmatch(r"0\d{1,2}d", spec)
        if is_padded or (known.type == "Decimal" and re.fullmatch(r"0\d{1,2}\.\d{1,2}f", spec)):
            return f"{{{known.name}:{spec}}}"
        if known.type == "Decimal" or (known.type == "int" and (is_sort or spec)):
            slot = f"{{{known.name}:number}}"
            self.notes.append(f"{self.entity}: {match[0]} became {slot}, which sorts by value.")
            return slot
        if spec:
            self.notes.append(
                f"{self.entity}: the format of {match[0]} was left out, because {known.type} has no such format."
            )
        return f"{{{known.name}}}"


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(value) if isinstance(value, list) else (value,) if value else ()


def _transaction_note(pattern: dict[str, Any]) -> str:
    parts = ", ".join(f"{each['action']} {each['entity']} in {each['table']}" for each in pattern["entities_involved"])
    ours = "transaction()" if pattern["operation"] == "TransactWrite" else "get_many(...)"
    return (
        f"{pattern['name']} ({pattern['description']}) was left out, because it is a {pattern['operation']} and not a "
        f"pattern of one entity: {parts}. Within one table, call {ours}."
    )
