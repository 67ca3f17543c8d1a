"""Rules for a valid `schema.json` of the AWS modelling server."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from singletable.importers.json_document import Problems, shown, suggestion

FIELD_TYPES = ("string", "integer", "decimal", "boolean", "array", "object", "uuid")
OPERATIONS = (
    *("GetItem", "PutItem", "DeleteItem", "Query", "Scan", "UpdateItem"),
    *("BatchGetItem", "BatchWriteItem"),
)
RETURN_TYPES = ("single_entity", "entity_list", "success_flag", "mixed_data", "void")
RANGE_CONDITIONS = ("begins_with", "between", ">=", "<=", ">", "<")
PROJECTIONS = ("ALL", "KEYS_ONLY", "INCLUDE")
FILTER_OPERATORS = ("=", "<>", "<", "<=", ">", ">=", "between", "in")
FILTER_FUNCTIONS = ("contains", "begins_with", "attribute_exists", "attribute_not_exists", "size")
TRANSACTIONS = {"TransactWrite": ("Put", "Delete", "Update", "ConditionCheck"), "TransactGet": ("Get",)}
POSITIONS_MAX = 4
_PLACEHOLDER = re.compile(r"\{(\w+)(?::[^{}]*)?\}")


def placeholders(template: str) -> list[str]:
    """Return the fields in a template, in order and without repetition."""
    return list(dict.fromkeys(_PLACEHOLDER.findall(template)))


def check_schema(document: Any, problems: Problems) -> None:
    """Add every problem of the document."""
    _Schema(problems).check(problems.mapping(document, ""))


class _Schema:
    """Checks a document, and collects the names to which its parts refer."""

    def __init__(self, problems: Problems) -> None:
        self.problems = problems
        self.entities: dict[str, str] = {}
        """The table of every entity, by entity name."""
        self.tables: set[str] = set()
        self.pattern_ids: set[int] = set()

    def check(self, document: dict[str, Any]) -> None:
        if "tables" not in document:
            self.problems.add("tables", "missing")
            return
        rows = self.problems.rows(document["tables"], "tables", filled=True)
        tables = [(path, self.problems.mapping(table, path)) for path, table in rows]
        for path, table in tables:
            self._names(table, path)
        for path, table in tables:
            _TableRules(self, table, path).check()
        if document.get("cross_table_access_patterns") is not None:
            key = "cross_table_access_patterns"
            for path, pattern in self.problems.rows(document[key], key):
                self._transaction(self.problems.mapping(pattern, path), path)

    def _names(self, table: dict[str, Any], path: str) -> None:
        config = table.get("table_config")
        name = config.get("table_name") if isinstance(config, dict) else None
        if isinstance(name, str) and name in self.tables:
            self.problems.add(f"{path}.table_config.table_name", f"{shown(name)} is the name of another table too")
        elif isinstance(name, str):
            self.tables.add(name)
        entities = table.get("entities")
        for entity in entities if isinstance(entities, dict) else ():
            if entity in self.entities:
                self.problems.add(f"{path}.entities.{entity}", "another table has an entity with this name")
            self.entities.setdefault(entity, str(name))

    def identify(self, pattern: dict[str, Any], path: str) -> None:
        """Check that the number of a pattern is unique."""
        number = pattern.get("pattern_id")
        if "pattern_id" not in pattern:
            self.problems.add(f"{path}.pattern_id", "missing")
        elif not isinstance(number, int) or isinstance(number, bool):
            self.problems.add(f"{path}.pattern_id", f"must be an integer, got {shown(number)}")
        elif number in self.pattern_ids:
            self.problems.add(f"{path}.pattern_id", f"another pattern has the number {number}")
        else:
            self.pattern_ids.add(number)

    def parameters(self, pattern: dict[str, Any], path: str) -> list[dict[str, Any]]:
        """Return the parameters. Each must have a unique name and a type."""
        found: list[dict[str, Any]] = []
        names: set[str] = set()
        for where, row in self.problems.rows(pattern.get("parameters") or [], f"{path}.parameters"):
            parameter = self.problems.mapping(row, where)
            if not isinstance(row, dict):
                continue
            found.append(parameter)
            name = self.problems.text(parameter, "name", where)
            if name in names:
                self.problems.add(f"{where}.name", f"there are two parameters {shown(name)}")
            names.add(name or "")
            self.problems.word(parameter, "type", where, (*FIELD_TYPES, "entity"))
            if parameter.get("type") == "entity":
                entity = self.problems.text(parameter, "entity_type", where)
                if entity is not None and entity not in self.entities:
                    self.problems.add(
                        f"{where}.entity_type", f"there is no entity {shown(entity)}{suggestion(entity, self.entities)}"
                    )
        return found

    def _transaction(self, pattern: dict[str, Any], path: str) -> None:
        self.identify(pattern, path)
        for key in ("name", "description"):
            self.problems.text(pattern, key, path)
        self.problems.word(pattern, "operation", path, tuple(TRANSACTIONS))
        self.problems.word(pattern, "return_type", path, ("boolean", "object", "array"))
        self.parameters(pattern, path)
        operation = pattern.get("operation")
        actions = TRANSACTIONS.get(operation if isinstance(operation, str) else "", sum(TRANSACTIONS.values(), ()))
        involved = self.problems.rows(pattern.get("entities_involved"), f"{path}.entities_involved", filled=True)
        for where, row in involved:
            part = self.problems.mapping(row, where)
            table = self.problems.text(part, "table", where)
            entity = self.problems.text(part, "entity", where)
            self.problems.word(part, "action", where, actions)
            if table is not None and table not in self.tables:
                self.problems.add(f"{where}.table", f"there is no table {shown(table)}{suggestion(table, self.tables)}")
            elif entity is not None and self.entities.get(entity) != table:
                self.problems.add(f"{where}.entity", f"the table {shown(table)} has no entity {shown(entity)}")


class _TableRules:
    """Checks the keys, indexes and entities of one table."""

    def __init__(self, schema: _Schema, table: dict[str, Any], path: str) -> None:
        self.schema = schema
        self.problems = schema.problems
        self.table = table
        self.path = path
        self.indexes: dict[str, dict[str, Any]] = {}
        self.has_sort_key = False

    def check(self) -> None:
        for key in ("table_config", "entities"):
            if key not in self.table:
                self.problems.add(f"{self.path}.{key}", "missing")
        if "table_config" in self.table:
            where = f"{self.path}.table_config"
            config = self.problems.mapping(self.table["table_config"], where)
            for key in ("table_name", "partition_key"):
                self.problems.text(config, key, where)
            self.has_sort_key = self.problems.text(config, "sort_key", where, needed=False) is not None
        for where, row in self.problems.rows(self.table.get("gsi_list") or [], f"{self.path}.gsi_list"):
            self._index(self.problems.mapping(row, where), where)
        if "entities" in self.table:
            where = f"{self.path}.entities"
            for name, row in self.problems.mapping(self.table["entities"], where, filled=True).items():
                entity = self.problems.mapping(row, f"{where}.{name}")
                if isinstance(row, dict):
                    _EntityRules(self, entity, f"{where}.{name}").check()

    def _index(self, index: dict[str, Any], path: str) -> None:
        name = self.problems.text(index, "name", path)
        if name is not None and name in self.indexes:
            self.problems.add(f"{path}.name", f"there are two indexes {shown(name)}")
        elif name is not None:
            self.indexes[name] = index
        if "partition_key" not in index:
            self.problems.add(f"{path}.partition_key", "missing")
        for key in ("partition_key", "sort_key"):
            if index.get(key) is not None or (key in index and key == "partition_key"):
                self.positions(index[key], f"{path}.{key}")
        self.problems.word(index, "projection", path, PROJECTIONS, needed=False)
        included = index.get("included_attributes")
        if index.get("projection") == "INCLUDE":
            rows = self.problems.rows(included, f"{path}.included_attributes", filled=True)
            for where, each in rows:
                if not isinstance(each, str) or not each:
                    self.problems.add(where, f"must be the name of an attribute, got {shown(each)}")
        elif included:
            self.problems.add(
                f"{path}.included_attributes", "only an index with projection INCLUDE has included_attributes"
            )

    def positions(self, value: Any, path: str) -> list[tuple[str, str]]:
        """Return the names or templates of a key: one string, or an array of one to four."""
        if isinstance(value, str):
            if not value:
                self.problems.add(path, "must not be empty")
            return [(path, value)] if value else []
        if not isinstance(value, list):
            self.problems.add(path, f"must be a string or an array of one to four strings, got {shown(value)}")
            return []
        if not 1 <= len(value) <= POSITIONS_MAX:
            self.problems.add(path, f"has {len(value)} elements; a key has one to four")
        found: list[tuple[str, str]] = []
        for number, each in enumerate(value):
            if isinstance(each, str) and each:
                found.append((f"{path}[{number}]", each))
            else:
                self.problems.add(f"{path}[{number}]", f"must be a string, got {shown(each)}")
        return found


class _EntityRules:
    """Checks the fields, templates and patterns of one entity."""

    def __init__(self, table: _TableRules, entity: dict[str, Any], path: str) -> None:
        self.table = table
        self.problems = table.problems
        self.entity = entity
        self.path = path
        self.fields: set[str] = set()
        self.mapped: set[str] = set()

    def check(self) -> None:
        self.problems.text(self.entity, "entity_type", self.path)
        if "fields" not in self.entity:
            self.problems.add(f"{self.path}.fields", "missing")
        else:
            for where, row in self.problems.rows(self.entity["fields"], f"{self.path}.fields", filled=True):
                self._field(self.problems.mapping(row, where), where)
        partition = self.problems.text(self.entity, "pk_template", self.path)
        sort = self.problems.text(self.entity, "sk_template", self.path, needed=False)
        if sort is None and self.table.has_sort_key and not self.entity.get("sk_template"):
            self.problems.add(f"{self.path}.sk_template", "missing, but the table has a sort key")
        for key, template in (("pk_template", partition), ("sk_template", sort)):
            if template is not None:
                self._template(template, f"{self.path}.{key}")
        for where, row in self.problems.rows(self.entity.get("gsi_mappings") or [], f"{self.path}.gsi_mappings"):
            self._mapping(self.problems.mapping(row, where), where)
        names: set[str] = set()
        for where, row in self.problems.rows(self.entity.get("access_patterns") or [], f"{self.path}.access_patterns"):
            pattern = self.problems.mapping(row, where)
            name = pattern.get("name")
            if isinstance(name, str) and name in names:
                self.problems.add(f"{where}.name", f"the entity has two patterns {shown(name)}")
            names.add(str(name))
            if isinstance(row, dict):
                self._pattern(pattern, where)

    def _field(self, field: dict[str, Any], path: str) -> None:
        name = self.problems.text(field, "name", path)
        if name is not None and name in self.fields:
            self.problems.add(f"{path}.name", f"the entity has two fields {shown(name)}")
        self.fields.add(name or "")
        self.problems.word(field, "type", path, FIELD_TYPES)
        if field.get("type") == "array":
            self.problems.word(field, "item_type", path, FIELD_TYPES)
        if "required" not in field:
            self.problems.add(f"{path}.required", "missing")
        elif not isinstance(field["required"], bool):
            self.problems.add(f"{path}.required", f"must be true or false, got {shown(field['required'])}")

    def _template(self, template: str, path: str) -> None:
        if re.search(r"[{}]", _PLACEHOLDER.sub("", template)):
            self.problems.add(path, f"{shown(template)} contains a brace outside a {{field}}")
        for name in placeholders(template):
            if name not in self.fields:
                self.problems.add(path, f"the entity has no field {shown(name)}{suggestion(name, self.fields)}")

    def _mapping(self, mapping: dict[str, Any], path: str) -> None:
        name = self.problems.text(mapping, "name", path)
        if name is not None and name in self.mapped:
            self.problems.add(f"{path}.name", f"the entity has two mappings to {shown(name)}")
        self.mapped.add(name or "")
        index = self.table.indexes.get(name or "")
        if name is not None and index is None:
            self.problems.add(f"{path}.name", f"there is no index {shown(name)}{suggestion(name, self.table.indexes)}")
        if mapping.get("pk_template") is None:
            self.problems.add(f"{path}.pk_template", "missing")
        for key, of in (("pk_template", "partition_key"), ("sk_template", "sort_key")):
            if mapping.get(key) is None:
                continue
            for where, template in self.table.positions(mapping[key], f"{path}.{key}"):
                self._template(template, where)
            if index is not None and index.get(of) is not None:
                self._check_count(mapping[key], index[of], f"{path}.{key}", of)

    def _check_count(self, templates: Any, attributes: Any, path: str, key: str) -> None:
        """Check that there are as many templates as the index has attributes."""
        if isinstance(templates, list) != isinstance(attributes, list):
            what = "an array" if isinstance(attributes, list) else "a string"
            self.problems.add(path, f"must be {what}, like the {key} of the index")
        elif isinstance(templates, list) and len(templates) != len(attributes):
            self.problems.add(path, f"has {len(templates)} templates, but the {key} of the index has {len(attributes)}")

    def _pattern(self, pattern: dict[str, Any], path: str) -> None:
        self.table.schema.identify(pattern, path)
        for key in ("name", "description"):
            self.problems.text(pattern, key, path)
        self.problems.word(pattern, "operation", path, OPERATIONS)
        self.problems.word(pattern, "return_type", path, RETURN_TYPES)
        parameters = self.table.schema.parameters(pattern, path)
        index = self._index_of(pattern, path)
        consistent = pattern.get("consistent_read")
        if consistent is not None and not isinstance(consistent, bool):
            self.problems.add(f"{path}.consistent_read", f"must be true or false, got {shown(consistent)}")
        elif consistent and pattern.get("index_name"):
            self.problems.add(f"{path}.consistent_read", "a global index has no consistent reads")
        filtering = self._filter(pattern, path)
        if pattern.get("range_condition") is not None:
            self.problems.word(pattern, "range_condition", path, RANGE_CONDITIONS)
            if pattern.get("operation") in OPERATIONS and pattern["operation"] != "Query":
                self.problems.add(f"{path}.range_condition", "only a Query has a range_condition")
            given = [each for each in parameters if str(each.get("name")) not in filtering]
            if pattern["range_condition"] in RANGE_CONDITIONS:
                self._check_parameters(pattern, len(given), index, f"{path}.parameters")

    def _index_of(self, pattern: dict[str, Any], path: str) -> dict[str, Any] | None:
        name = self.problems.text(pattern, "index_name", path, needed=False)
        if name is None:
            return None
        index = self.table.indexes.get(name)
        if index is None:
            self.problems.add(
                f"{path}.index_name", f"there is no index {shown(name)}{suggestion(name, self.table.indexes)}"
            )
        elif name not in self.mapped:
            self.problems.add(f"{path}.index_name", f"the entity has no gsi_mappings entry for {shown(name)}")
        return index

    def _check_parameters(self, pattern: dict[str, Any], count: int, index: dict[str, Any] | None, path: str) -> None:
        """Check the number of parameters of a range."""
        least = 2 if pattern["range_condition"] == "between" else 1
        least += len(index["partition_key"]) if index and isinstance(index.get("partition_key"), list) else 1
        most = least
        if index and isinstance(index.get("sort_key"), list):
            most += len(index["sort_key"]) - 1
        for template in self._templates_of(index):  # a template of several fields can have a parameter for each of them
            most += max(len(placeholders(template)) - 1, 0)
        if not least <= count <= most:
            needs = str(least) if least == most else f"{least} to {most}"
            self.problems.add(path, f"{pattern['range_condition']} needs {needs} parameters, got {count}")

    def _templates_of(self, index: dict[str, Any] | None) -> Iterable[str]:
        """Return the templates of the key that the pattern reads, if they are strings."""
        source = self.entity
        if index is not None:
            mappings = self.entity.get("gsi_mappings")
            rows = [each for each in mappings if isinstance(each, dict)] if isinstance(mappings, list) else []
            source = next((each for each in rows if each.get("name") == index.get("name")), {})
        return _texts([source.get("pk_template"), source.get("sk_template")])

    def _filter(self, pattern: dict[str, Any], path: str) -> set[str]:
        """Return the parameters that the filter uses."""
        if pattern.get("filter_expression") is None:
            return set()
        where = f"{path}.filter_expression"
        expression = self.problems.mapping(pattern["filter_expression"], where)
        self.problems.word(expression, "logical_operator", where, ("AND", "OR"), needed=False)
        used: set[str] = set()
        for place, row in self.problems.rows(expression.get("conditions"), f"{where}.conditions", filled=True):
            condition = self.problems.mapping(row, place)
            field = self.problems.text(condition, "field", place)
            if field is not None and field not in self.fields:
                self.problems.add(
                    f"{place}.field", f"the entity has no field {shown(field)}{suggestion(field, self.fields)}"
                )
            self.problems.word(condition, "operator", place, FILTER_OPERATORS, needed=False)
            self.problems.word(condition, "function", place, FILTER_FUNCTIONS, needed=False)
            if condition.get("operator") is None and condition.get("function") is None:
                self.problems.add(place, "has neither an operator nor a function")
            used |= set(_texts([condition.get("param"), condition.get("param2")]))
            several = condition.get("params")
            used |= set(_texts(several if isinstance(several, list) else []))
        return used


def _texts(values: Iterable[Any]) -> Iterable[str]:
    return (value for value in values if isinstance(value, str))
