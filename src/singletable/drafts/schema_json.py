"""A draft out of the `schema.json` of the AWS modelling server (awslabs/mcp, dynamodb-mcp-server)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from singletable.drafts.document import Problems, parsed, shown
from singletable.drafts.draft import (
    Draft,
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
)
from singletable.drafts.naming import name_of_class, name_of_field, name_of_index, name_of_pattern
from singletable.drafts.proposals import fields_in, identity_of
from singletable.drafts.schema_json_patterns import PatternSource, drafted_pattern
from singletable.drafts.schema_json_rules import check_schema
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
_IN_TEXT = re.compile(r"\{(\w+)(?::([^{}]*))?\}")
_NATIVE_TYPES = ("str", "int", "Decimal")


def read_schema_json(text: str, name: str) -> Draft:
    """The draft that a `schema.json` is; raises ImportRefused with all of its problems, each with its path."""
    document = parsed(text, name)
    problems = Problems(name, "schema.json")
    check_schema(document, problems)
    problems.refuse()
    classes: list[str] = []
    entity_classes: dict[str, str] = {}
    for table in document["tables"]:
        for entity in table["entities"]:
            entity_classes[entity] = name_of_class(entity, classes)
            classes.append(entity_classes[entity])
    tables: list[DraftTable] = []
    for table in document["tables"]:
        class_name = name_of_class(table["table_config"]["table_name"], classes)
        classes.append(class_name)
        transactions = [
            each
            for each in document.get("cross_table_access_patterns") or ()
            if each["entities_involved"][0]["table"] == table["table_config"]["table_name"]
        ]
        tables.append(_Table(table, class_name, entity_classes, transactions).drafted(classes))
    return Draft(f"A model from {name}, a schema.json", tuple(tables))


@dataclass
class _Table:
    """One table of the document, while it is read."""

    table: dict[str, Any]
    class_name: str
    classes: Mapping[str, str]
    transactions: list[dict[str, Any]]
    notes: list[str] = field(default_factory=list)

    def drafted(self, taken: list[str]) -> DraftTable:
        config = self.table["table_config"]
        keys = (config["partition_key"], *([config["sort_key"]] if config.get("sort_key") else []))
        indexes = self._indexes()
        stored = [entity["entity_type"] for entity in self.table["entities"].values()]
        sources: list[PatternSource] = []
        entities: list[DraftEntity] = []
        for name, entity in self.table["entities"].items():
            drafted, names = self._entity(name, entity, keys, indexes, stored.count(entity["entity_type"]) == 1)
            entities.append(drafted)
            aliases = {index.name: index.alias for index in indexes}
            sources.append(PatternSource(drafted, names, aliases, self.classes, entity.get("access_patterns") or []))
        patterns = self._patterns(sources, entities, taken)
        self.notes += [_of_transaction(each) for each in self.transactions]
        used = tuple(index for index in indexes if any(index.alias in entity.keys for entity in entities))
        attributes = {each.attribute or each.name for entity in entities for each in entity.fields}
        free = [each for each in _TYPE_ATTRIBUTES if each not in attributes and each not in keys]
        return DraftTable(
            self.class_name,
            config["table_name"],
            tuple(entities),
            keys,
            used,
            patterns,
            free[0] if free else None,
            notes=tuple(dict.fromkeys(self.notes)),
        )

    def _indexes(self) -> list[DraftIndex]:
        found: list[DraftIndex] = []
        for index in self.table.get("gsi_list") or ():
            alias = name_of_index(index["name"], [each.alias for each in found])
            projection = cast(ProjectionKind, index.get("projection") or "ALL")
            partition, sort = _many(index["partition_key"]), _many(index.get("sort_key"))
            included = tuple(index.get("included_attributes") or ()) if projection == "INCLUDE" else ()
            found.append(DraftIndex(alias, index["name"], "GSI", partition, sort, projection, included))
        return found

    def _entity(
        self, name: str, entity: dict[str, Any], keys: tuple[str, ...], indexes: list[DraftIndex], is_only: bool
    ) -> tuple[DraftEntity, Mapping[str, DraftField]]:
        fields: dict[str, DraftField] = {}
        for each in entity["fields"]:
            python = name_of_field(each["name"], [known.name for known in fields.values()])
            kind = _TYPES[each["type"]]
            if kind == "list[Any]" and each.get("item_type") == "string":
                kind = "list[str]"
            fields[each["name"]] = DraftField(
                python, kind, not each["required"], None if python == each["name"] else each["name"]
            )
        writer = _Positions(fields, name, self.notes)
        if entity.get("sk_template") and len(keys) == 1:
            self.notes.append(f"{name}: its sk_template was left out, since the table has no sort key.")
        partition = writer.position(entity["pk_template"], keys[0])
        sort = tuple(writer.position(entity["sk_template"], each, sorts=True) for each in keys[1:])
        placed = {TABLE: DraftKeys((partition,), sort)}
        by_name = {index.name: index for index in indexes}
        optional = {each.name for each in fields.values() if each.optional}
        for mapping in entity.get("gsi_mappings") or ():
            index = by_name[mapping["name"]]
            parting, sorting = _many(mapping["pk_template"]), _many(mapping.get("sk_template"))
            if len(sorting) != len(index.sort):
                self.notes.append(f"{name} is not in {index.name}: only one of them has a sort key.")
                continue
            made = DraftKeys(
                tuple(writer.position(each, to) for each, to in zip(parting, index.partition, strict=True)),
                tuple(writer.position(each, to, sorts=True) for each, to in zip(sorting, index.sort, strict=True)),
            )
            is_sparse = bool(optional & set(fields_in((*made.partition, *made.sort))))
            placed[index.alias] = DraftKeys(made.partition, made.sort, is_sparse)
        if not is_only:
            self.notes.append(f"{name}: another entity has the entity_type {shown(entity['entity_type'])}, too.")
        stored = entity["entity_type"] if is_only else None
        identity = identity_of(self.classes[name], [each.name for each in fields.values()], placed[TABLE])
        return DraftEntity(self.classes[name], tuple(fields.values()), placed, stored, identity=identity), fields

    def _patterns(
        self, sources: list[PatternSource], entities: list[DraftEntity], taken: list[str]
    ) -> tuple[DraftPattern, ...]:
        found: dict[str, DraftPattern] = {}
        for source in sources:
            for pattern in source.patterns:
                name = name_of_pattern(pattern["name"], found)
                if pattern["return_type"] == "mixed_data" and name_of_class(name, ()) in taken:
                    name = name_of_pattern(f"{name}_collection", found)
                drafted = drafted_pattern(source, pattern, name, entities, self.notes)
                if drafted is not None:
                    found[name] = drafted
        return tuple(found.values())


@dataclass(frozen=True)
class _Positions:
    """Writes templates as ours are, and says what had to be written otherwise."""

    fields: Mapping[str, DraftField]
    entity: str
    notes: list[str]

    def position(self, template: str, attribute: str, *, sorts: bool = False) -> Position:
        """A template, or the field's own attribute where the key is just that."""
        whole = _IN_TEXT.fullmatch(template)
        if whole is not None and not whole[2]:
            known = self.fields[whole[1]]
            if (known.attribute or known.name) == attribute and known.type in _NATIVE_TYPES:
                return NativeKey(known.name)
        return _IN_TEXT.sub(lambda match: self._placeholder(match, sorts=sorts), template)

    def _placeholder(self, match: re.Match[str], *, sorts: bool) -> str:
        known, spec = self.fields[match[1]], match[2] or ""
        if known.type == "int" and re.fullmatch(r"0\d{1,2}d", spec):
            return f"{{{known.name}:{spec}}}"
        if known.type == "Decimal" and re.fullmatch(r"0\d{1,2}\.\d{1,2}f", spec):
            return f"{{{known.name}:{spec}}}"
        if known.type == "Decimal" or (known.type == "int" and (sorts or spec)):
            self.notes.append(f"{self.entity}: {match[0]} is written as {{{known.name}:number}}, which sorts by value.")
            return f"{{{known.name}:number}}"
        if spec:
            self.notes.append(f"{self.entity}: the format of {match[0]} was left out.")
        return f"{{{known.name}}}"


def _many(value: Any) -> tuple[str, ...]:
    return tuple(value) if isinstance(value, list) else (value,) if value else ()


def _of_transaction(pattern: dict[str, Any]) -> str:
    parts = ", ".join(f"{each['action']} {each['entity']} in {each['table']}" for each in pattern["entities_involved"])
    ours = "transaction()" if pattern["operation"] == "TransactWrite" else "get_many(...)"
    return (
        f"{pattern['name']} ({pattern['description']}) is no pattern of one table: a {pattern['operation']} of {parts}."
        f" Within one table, {ours} does this."
    )
