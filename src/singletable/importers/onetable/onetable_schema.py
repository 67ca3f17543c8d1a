"""Draft from a OneTable schema (sensedeep/dynamodb-onetable) in JSON, JavaScript or TypeScript."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import PurePath
from typing import Any

from singletable.errors import ImportRefused
from singletable.importers.draft import Draft, DraftEntity, DraftIndex, DraftTable, ProjectionKind, left_out_index
from singletable.importers.json_document import Problems, parse_document
from singletable.importers.live.index_gaps import gap_notes
from singletable.importers.names import class_name, index_alias, table_name
from singletable.importers.onetable.onetable_model import TYPES, ModelReader, Settings
from singletable.importers.onetable.script_objects import NotALiteral, objects_in
from singletable.importers.proposals import with_proposed_patterns

_DELIMITERS = "#&'()*+,-./:;<=>?@[\\]^_`|~"
_PARAMS = frozenset(
    {"createdField", "hidden", "isoDates", "nulls", "partial", "separator", "timestamps", "typeField", "updatedField"}
    | {"uuid", "value", "warn"}
)
_PROJECTIONS: Mapping[str, ProjectionKind] = {"all": "ALL", "keys": "KEYS_ONLY", "keys_only": "KEYS_ONLY"}


def read_onetable(text: str, name: str) -> Draft:
    """Return the draft of a OneTable schema; raise ImportRefused with every problem and its path."""
    document, *others = _documents(text, name)
    computed = list(_without_computed_parts(document)) if not _is_json(text) else []
    problems = Problems(name, "OneTable schema")
    schema = _checked(document, problems)
    problems.raise_if_any()
    params = schema.get("params") or {}
    notes = [
        f"Another schema of the file ({', '.join(other['models'])}) was left out: put it into its own file."
        for other in others
        if isinstance(other["models"], dict)
    ]
    notes += computed
    if unknown := [key for key in params if key not in _PARAMS]:
        notes.append(f"OneTable has no option {', '.join(unknown)} in params, so it was ignored.")
    indexes = _indexes(schema["indexes"], notes)
    primary = schema["indexes"]["primary"]
    keys = (primary["hash"], *([primary["sort"]] if primary.get("sort") else []))
    settings = _settings(params, schema["models"])
    entities: list[DraftEntity] = []
    for model, fields in schema["models"].items():
        taken = [entity.class_name for entity in entities]
        reader = ModelReader(model, fields, settings, notes)
        if (entity := reader.entity(class_name(model, taken), keys, indexes)) is not None:
            entities.append(entity)
    stem = PurePath(name).stem or "Imported"
    used = tuple(index for index in indexes if any(index.alias in entity.keys for entity in entities))
    notes += [left_out_index(each, "no model has its keys") for each in indexes if each not in used]
    notes += gap_notes(entities, used)
    table = DraftTable(
        class_name(stem, [entity.class_name for entity in entities]),
        table_name(stem),
        tuple(entities),
        keys,
        used,
        (),
        settings.type_field,
        delimiter=settings.delimiter,
        doc=f"{stem}, with patterns proposed from its keys.",
        notes=tuple(dict.fromkeys(notes)),
    )
    return Draft(f"A model from {name}, a OneTable schema", (with_proposed_patterns(table),))


def _is_json(text: str) -> bool:
    return text.lstrip("\ufeff \t\r\n").startswith(("{", "["))


def _without_computed_parts(document: Any) -> Iterator[str]:
    """Replace the parts that a script computes, such as a property from a call, and yield a note on each."""
    models = document.get("models") if isinstance(document, dict) else None
    for model, fields in models.items() if isinstance(models, dict) else ():
        for name, field in fields.items() if isinstance(fields, dict) else ():
            if field is None:
                fields[name] = {"type": "string"}
                yield (
                    f"{model}.{name}: the script computes this property, so its type is unknown. The model declares it "
                    "as text. Correct its type."
                )
            elif isinstance(field, dict) and isinstance(field.get("enum"), str):
                values = field.pop("enum")
                yield f"{model}.{name}: the values {values} of its enum are in another file, and were left out."


def _documents(text: str, name: str) -> list[Any]:
    """Return the schemas of a file, at least one. Raise ImportRefused if it contains none."""
    if _is_json(text):
        return [parse_document(text, name)]
    schemas: list[Any] = []
    problem: NotALiteral | None = None
    for found in objects_in(text):
        if isinstance(found, NotALiteral):
            problem = problem or found
        elif (schema := _schema_in(found)) is not None:
            schemas.append(schema)
    if schemas:
        return schemas
    if problem is not None:
        line = text.count("\n", 0, problem.position) + 1
        raise ImportRefused(f"{name}:{line}: {problem}; export the schema with JSON.stringify and import the JSON")
    raise ImportRefused(
        f"{name}: not a OneTable schema: the file is not JSON, and not a script with an object that has indexes and "
        "models"
    )


def _schema_in(found: dict[str, Any]) -> dict[str, Any] | None:
    """Return the object if it is a schema.

    Otherwise return the schema in the arguments of `new Table({..., schema: {...}})`.
    """
    if "models" in found:
        return found
    schema = found.get("schema")
    return schema if isinstance(schema, dict) and "models" in schema else None


def _checked(document: Any, problems: Problems) -> dict[str, Any]:
    schema = problems.mapping(document, "")
    for key in ("indexes", "models"):
        if key not in schema:
            problems.add(key, "missing")
    indexes = problems.mapping(schema.get("indexes", {}), "indexes")
    if "indexes" in schema and "primary" not in indexes:
        problems.add("indexes.primary", "missing")
    for name, row in indexes.items():
        _check_index(row, f"indexes.{name}", problems)
    models = problems.mapping(schema.get("models", {}), "models", filled="models" in schema)
    for name, row in models.items():
        fields = problems.mapping(row, f"models.{name}", filled=True)
        for field, definition in fields.items():
            _check_field(definition, f"models.{name}.{field}", problems)
    if schema.get("params") is not None:
        params = problems.mapping(schema["params"], "params")
        for key in ("typeField", "separator", "createdField", "updatedField"):
            problems.text(params, key, "params", needed=False)
    return schema


def _check_index(row: Any, path: str, problems: Problems) -> None:
    index = problems.mapping(row, path)
    if not isinstance(row, dict):
        return
    is_local = index.get("type") == "local"
    problems.text(index, "hash", path, needed=not is_local)
    problems.text(index, "sort", path, needed=is_local)
    projected = index.get("project", index.get("projection"))
    if isinstance(projected, list):
        for where, each in problems.rows(projected, f"{path}.project"):
            if not isinstance(each, str) or not each:
                problems.add(where, "must be the name of an attribute")
    elif projected is not None and str(projected).lower() not in _PROJECTIONS:
        problems.add(f"{path}.project", "must be all, keys or an array of attributes")


def _check_field(row: Any, path: str, problems: Problems) -> None:
    field = problems.mapping(row, path)
    if field.get("type") is not None and problems.text(field, "type", path) is not None:
        kind = field["type"].lower()
        if kind not in TYPES:
            problems.add(f"{path}.type", f"unknown type {field['type']!r}; use one of {', '.join(TYPES)}")
    if field.get("value") is not None and not isinstance(field["value"], (str, bool)):
        problems.add(f"{path}.value", "must be a template, such as 'USER#${id}'")
    if isinstance(field.get("map"), list):
        problems.add(f"{path}.map", "must be the name of an attribute")
    else:
        problems.text(field, "map", path, needed=False)
    if field.get("enum") is not None:
        problems.rows(field["enum"], f"{path}.enum", filled=True)
    if field.get("items") is not None:
        problems.mapping(field["items"], f"{path}.items")


def _indexes(indexes: Mapping[str, Any], notes: list[str]) -> list[DraftIndex]:
    found: list[DraftIndex] = []
    for name, index in indexes.items():
        if name == "primary":
            continue
        alias = index_alias(name, [each.alias for each in found])
        projected = index.get("project", index.get("projection"))
        projected = "all" if projected is None else projected
        included = tuple(projected) if isinstance(projected, list) else ()
        keys = {index.get("hash"), index.get("sort"), *indexes["primary"].values()}
        if listed := [each for each in included if each in keys]:
            notes.append(f"{name} lists the keys {', '.join(listed)} in project, although every index contains them.")
        included = tuple(each for each in dict.fromkeys(included) if each not in keys)
        kind: ProjectionKind = "INCLUDE" if included else "KEYS_ONLY"
        if not isinstance(projected, list):
            kind = _PROJECTIONS[str(projected).lower()]
        sort = (index["sort"],) if index.get("sort") else ()
        if index.get("type") == "local":
            found.append(DraftIndex(alias, name, "LSI", (indexes["primary"]["hash"],), sort, kind, included))
        else:
            found.append(DraftIndex(alias, name, "GSI", (index["hash"],), sort, kind, included))
    if any(index.kind == "LSI" for index in found) and not indexes["primary"].get("sort"):
        notes.append("Local indexes were left out, because the table has no sort key.")
        found = [index for index in found if index.kind == "GSI"]
    return found


def _separator(models: Mapping[str, Any]) -> str:
    """Return the most frequent separator of templates. Return `#` if any template contains it."""
    values = [
        field["value"] for model in models.values() for field in model.values() if isinstance(field.get("value"), str)
    ]
    between = Counter(re.findall(r"\}([^\w\s#{}$])\$\{", " ".join(values)))
    return between.most_common(1)[0][0] if between and not any("#" in value for value in values) else "#"


def _settings(params: Mapping[str, Any], models: Mapping[str, Any]) -> Settings:
    separator = params.get("separator") or _separator(models)
    stamps = params.get("timestamps")
    stamped: list[str] = []
    if stamps in (True, "create"):
        stamped.append(params.get("createdField") or "created")
    if stamps in (True, "update"):
        stamped.append(params.get("updatedField") or "updated")
    return Settings(
        type_field=params.get("typeField") or "_type",
        delimiter=separator if len(separator) == 1 and separator in _DELIMITERS else "#",
        has_iso_dates=bool(params.get("isoDates")),
        stamped=tuple(stamped),
    )
