"""One model of a OneTable schema as an entity: its properties as fields, and its value templates as keys."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from math import isfinite
from typing import Any

from singletable.importers.draft import (
    DraftEntity,
    DraftField,
    DraftIndex,
    DraftKeys,
    FieldType,
    NativeKey,
    Position,
    fields_in,
    identity_note,
    identity_of,
)
from singletable.importers.json_document import shown
from singletable.importers.names import field_name
from singletable.model.table_schema import TABLE

TYPES: Mapping[str, FieldType] = {
    "string": "str",
    "number": "Decimal",
    "boolean": "bool",
    "date": "datetime",
    "object": "dict[str, Any]",
    "array": "list[Any]",
    "set": "set[str]",
    "binary": "bytes",
    "buffer": "bytes",
    "arraybuffer": "bytes",
}
_KEY_NAME = re.compile(r"\d(?:pk|sk)$|\d_(?:pk|sk)$", re.IGNORECASE)
_MILLISECONDS = "JavaScript times have milliseconds, so the key contains the whole time"
FIELD_OPTIONS = frozenset(
    {"crypt", "default", "description", "encode", "enum", "filter", "fixed", "format", "generate", "hidden", "isoDates"}
    | {"items", "map", "name", "nulls", "partial", "reference", "required", "schema", "scope", "separator", "timestamp"}
    | {"transform", "ttl", "type", "unique", "update", "upsert", "uuid", "validate", "value", "warn"}
)
_REFERENCE = re.compile(r"\$\{([^{}]*)\}|(?<!\$)\{([^{}]*)\}|\$\{|[{}]")


@dataclass(frozen=True)
class Settings:
    """Settings of a schema that apply to all models."""

    type_field: str
    delimiter: str
    has_iso_dates: bool
    stamped: tuple[str, ...]
    """The fields that contain the times of the creation and of the last change."""


def _default(value: Any, field: DraftField) -> Any:
    """Return the default of a field if it has the field's type. Otherwise return None."""
    if field.type == "Decimal" and type(value) in (int, float) and isfinite(value):
        return Decimal(str(value))
    if field.type == "str" and isinstance(value, str):
        return value if not field.choices or value in field.choices else None
    if field.type == "bool" and isinstance(value, bool):
        return value
    is_empty = value == ([] if field.type in ("list[Any]", "list[str]") else {}) and not isinstance(value, str)
    return value if is_empty and field.type in ("list[Any]", "list[str]", "dict[str, Any]") else None


def _whole(field: DraftField) -> DraftField:
    """Return a number field as an int field. A default that is not an integer is omitted."""
    is_kept = field.has_default and field.default == int(field.default)
    return replace(field, type="int", has_default=is_kept, default=int(field.default) if is_kept else None)


class _NoTemplate(Exception):
    """The reason why a value template cannot become a key."""


class ModelReader:
    """Reads one model. `notes` lists the parts of the source that the entity does not contain."""

    def __init__(self, name: str, model: Mapping[str, Mapping[str, Any]], settings: Settings, notes: list[str]) -> None:
        self.name = name
        self.model = model
        self.settings = settings
        self.notes = notes
        self.fields: dict[str, DraftField] = {}
        """Fields by property name."""
        self.keys: tuple[str, ...] = ()
        """The key attributes of the table."""

    def entity(self, class_name: str, keys: tuple[str, ...], indexes: Sequence[DraftIndex]) -> DraftEntity | None:
        """Return the entity. If its key is not possible, return None and a note."""
        self.keys = keys
        key_attributes = {*keys, *(name for index in indexes for name in (*index.partition, *index.sort))}
        for name, definition in self.model.items():
            if name != self.settings.type_field and not self._is_composed(name, definition, key_attributes):
                self._add(name, definition)
        for name in self.settings.stamped:
            if name not in self.fields:
                self._add(name, {"type": "date"})
        try:
            positions = tuple(self._position(attribute, sorts=place > 0) for place, attribute in enumerate(keys))
        except _NoTemplate as reason:
            names = ", ".join(self.model)
            self.notes.append(f"The model {self.name} ({names}) was left out, because {reason}.")
            return None
        for name in fields_in(positions):
            self._require(name)
        placed = {TABLE: DraftKeys(positions[:1], positions[1:])}
        for index in indexes:
            made = self._placed(index)
            if made is not None:
                placed[index.alias] = made
        if any(each.type == "datetime" for each in self.fields.values()):
            form = "ISO text" if self.settings.has_iso_dates else "milliseconds"
            self.notes.append(f"OneTable stores dates as {form}; the model stores them as ISO text with microseconds.")
        self._note_escaping(placed)
        ttl = self._ttl()
        identity = identity_of(class_name, [each.name for each in self.fields.values()], placed[TABLE])
        if identity is not None:
            self.notes.append(identity_note(class_name, identity))
        drafted = DraftEntity(class_name, tuple(self.fields.values()), placed, self.name, ttl=ttl, identity=identity)
        if any(isinstance(each, str) and ":milliseconds}" in each for each in positions):
            self.notes.append(f'{self.name}: accept={{"ST102": ...}} was added, because {_MILLISECONDS}.')
            return replace(drafted, accept={"ST102": f"imported: {_MILLISECONDS}"})
        return drafted

    def _is_composed(self, name: str, definition: Mapping[str, Any], key_attributes: set[str]) -> bool:
        return isinstance(definition.get("value"), str) and self._attribute(name, definition) in key_attributes

    def _attribute(self, name: str, definition: Mapping[str, Any]) -> str:
        mapped = definition.get("map")
        return mapped if isinstance(mapped, str) and "." not in mapped else name

    def _add(self, name: str, definition: Mapping[str, Any]) -> None:
        kind = TYPES[str(definition.get("type") or "string").lower()]
        items = definition.get("items")
        if kind == "list[Any]" and isinstance(items, Mapping) and str(items.get("type")).lower() == "string":
            kind = "list[str]"
        enum = definition.get("enum")
        choices = tuple(enum) if kind == "str" and enum and all(isinstance(each, str) for each in enum) else ()
        python = field_name(name, [known.name for known in self.fields.values()])
        attribute = self._attribute(name, definition)
        is_there = any(definition.get(key) not in (None, False) for key in ("required", "default", "generate", "uuid"))
        is_there = is_there or definition.get("generate", False) is None  # a function that the reader skipped
        made = DraftField(
            python, kind, not is_there, None if attribute == python else attribute, tuple(dict.fromkeys(choices))
        )
        default = _default(definition.get("default"), made)
        self.fields[name] = made if default is None else replace(made, has_default=True, default=default)
        self._note(name, definition, choices)

    def _note(self, name: str, definition: Mapping[str, Any], choices: tuple[str, ...]) -> None:
        """Add notes on the options of a property that a field does not support."""
        where = f"{self.name}.{name}"
        if unknown := [key for key in definition if key not in FIELD_OPTIONS]:
            self.notes.append(f"OneTable has no option {', '.join(unknown)} of {where}, so it was ignored.")
        if definition.get("default", False) is None:
            self.notes.append(f"{where}: the default is computed and was left out; add it to the field.")
        if definition.get("default") is not None and not self.fields[name].has_default:
            self.notes.append(f"{where}: the default {shown(definition['default'])} was left out; add it to the field.")
        if isinstance(definition.get("schema"), Mapping):
            names = ", ".join(map(str, definition["schema"]))
            self.notes.append(f"{where}: the types of {names} inside it were left out.")
        if definition.get("unique") and self._is_whole_key(name):
            self.notes.append(f"{where} is unique in OneTable, but it is the key already, so unique= is not needed.")
        elif definition.get("unique"):
            self.notes.append(f'{where} is unique: add unique=["{self.fields[name].name}"] to keep it unique.')
        if definition.get("enum") and not choices:
            self.notes.append(f"{where}: the values {shown(definition['enum'])} of its enum were left out.")
        if isinstance(definition.get("map"), str) and "." in definition["map"]:
            self.notes.append(
                f"{where} is mapped to {definition['map']} in OneTable; the model stores it in its own attribute."
            )
        if definition.get("encode") is not None or definition.get("crypt"):
            self.notes.append(f"{where} is encoded or encrypted in OneTable; the model stores it unchanged.")
        if definition.get("value") is not None:
            unused = "No index has this key. " if _KEY_NAME.search(name) else ""
            self.notes.append(
                f"{where} is computed in OneTable ({shown(definition['value'])}). {unused}It is a plain field in the "
                "model."
            )

    def _is_whole_key(self, name: str) -> bool:
        """Return whether no other property is in the key of the table."""
        values = [each.get("value") for other, each in self.model.items() if self._attribute(other, each) in self.keys]
        texts = [value for value in values if isinstance(value, str)]
        used = {found[0].partition(":")[0] for value in texts for found in re.findall(r"\$\{(\w+(:[^}]*)?)\}", value)}
        return used - {self.settings.type_field} == {name}

    def _note_escaping(self, placed: Mapping[str, DraftKeys]) -> None:
        """Add a note on text that keys of the model escape. Generated ids need no escaping."""
        positions = (each for keys in placed.values() for each in (*keys.partition, *keys.sort))
        in_keys = set(fields_in(tuple(each for each in positions if isinstance(each, str))))
        free = [
            known.name
            for name, known in self.fields.items()
            if known.name in in_keys and known.type == "str" and not known.choices and not self._is_generated(name)
        ]
        if not free:
            return
        delimiter = "" if self.settings.delimiter == "#" else f" {self.settings.delimiter}"
        self.notes.append(
            f"{self.name}: keys of the model escape text (a space becomes %20), those of OneTable do not. Existing "
            f'items with spaces or one of ! " # $ %{delimiter} in {", ".join(free)} are not found: write '
            f"{{{free[0]}:raw}} in the key, and accept ST107 with a reason."
        )

    def _is_generated(self, name: str) -> bool:
        definition = self.model.get(name, {})
        return any(definition.get(key) not in (None, False) for key in ("generate", "uuid"))

    def _ttl(self) -> str | None:
        for name, known in list(self.fields.items()):
            if self.model.get(name, {}).get("ttl") and known.type in ("Decimal", "int", "datetime"):
                self.fields[name] = known if known.type == "datetime" else _whole(known)
                return known.name
        return None

    def _placed(self, index: DraftIndex) -> DraftKeys | None:
        attributes = (*index.partition, *index.sort) if index.kind == "GSI" else index.sort
        if not all(self._holds(attribute) for attribute in attributes):
            self._note_unused_keys(index, attributes)
            return None
        try:
            positions = tuple(self._position(each, sorts=each in index.sort) for each in attributes)
        except _NoTemplate as reason:
            self.notes.append(f"{self.name} is not in the index {index.name}: {reason}.")
            return None
        for name in self.settings.stamped:  # OneTable writes these times, so every item has them
            if self.fields[name].name in fields_in(positions):
                self._require(self.fields[name].name)
        optional = {each.name for each in self.fields.values() if each.optional}
        is_sparse = bool(optional & set(fields_in(positions)))
        if missing := [name for name in fields_in(positions) if name in optional]:
            names = " or ".join(missing)
            what = f"Items without {names} are not in the index {index.name}, so reads of it do not return them"
            self.notes.append(f"{self.name}: {what}. If that is a mistake, make {names} required.")
            if index.kind == "GSI" and not fields_in(positions[:1]):
                self.notes.append(
                    f"{self.name}: all items in the index {index.name} are in one partition, {positions[0]}. A "
                    "partition serves at most 1,000 write units per second."
                )
        if index.kind == "LSI":
            return DraftKeys(positions, (), is_sparse)
        return DraftKeys(positions[:1], positions[1:], is_sparse)

    def _note_unused_keys(self, index: DraftIndex, attributes: Sequence[str]) -> None:
        """Add a note on composed keys of an index that does not contain the items, because another key is missing."""
        key_attributes = set(attributes)
        for name, definition in self.model.items():
            is_base = self._attribute(name, definition) in self.keys
            if not is_base and self._is_composed(name, definition, key_attributes):
                missing = ", ".join(each for each in attributes if not self._holds(each))
                self.notes.append(
                    f"{self.name}.{self._attribute(name, definition)} was left out, because it is a key of the index "
                    f"{index.name}, and the model has no {missing}."
                )

    def _holds(self, attribute: str) -> bool:
        return any(self._attribute(name, definition) == attribute for name, definition in self.model.items())

    def _position(self, attribute: str, *, sorts: bool) -> Position:
        for name, definition in self.model.items():
            if self._attribute(name, definition) != attribute:
                continue
            if name in self.fields:
                return NativeKey(self.fields[name].name)
            if isinstance(definition.get("value"), str):
                return self._template(definition["value"], sorts=sorts)
        if attribute == self.settings.type_field:
            return self.name
        raise _NoTemplate(f"it has no property for the key {attribute}")

    def _template(self, value: str, *, sorts: bool) -> str:
        if not value:
            raise _NoTemplate("its value template is empty")
        return _REFERENCE.sub(lambda match: self._reference(match, value, sorts=sorts), value)

    def _reference(self, match: re.Match[str], value: str, *, sorts: bool) -> str:
        inner = match[1] if match[1] is not None else match[2]
        if inner is None:
            raise _NoTemplate(f"{shown(value)} contains a brace outside a ${{field}}")
        name, _, padding = inner.partition(":")
        if match[1] is None:
            if name not in self.fields:
                raise _NoTemplate(f"{shown(value)} contains {match[0]} as text, but braces are for fields")
            self.notes.append(f"{self.name}: {match[0]} in {shown(value)} was read as ${match[0]}.")
        if name == self.settings.type_field:
            return self.name
        if name not in self.fields:
            if re.search(r"\W", name) or not name:
                raise _NoTemplate(f"{shown(value)} uses {shown(name)}, which is part of another field")
            if name in self.model:
                raise _NoTemplate(f"{shown(value)} uses {name}, which is a template itself")
            self.notes.append(
                f"{self.name}: {shown(value)} uses {name}, which is not a property; it was added as a str field."
            )
            self._add(name, {"type": "string"})
        return self._written(name, padding, sorts=sorts)

    def _written(self, name: str, padding: str, *, sorts: bool) -> str:
        known = self.fields[name]
        width, _, fill = padding.partition(":")
        if known.type in ("Decimal", "int") and width.isdecimal() and fill in ("", "0") and 1 < int(width) <= 38:
            self.fields[name] = known if known.type == "int" else _whole(known)
            return f"{{{known.name}:0{int(width)}d}}"
        if padding:
            self.notes.append(f"{self.name}: the padding of {name} in a template was left out.")
        if known.type == "Decimal":
            if sorts:
                self.notes.append(f"{self.name}: {name} became {{{known.name}:number}} in keys, which sorts by value.")
            return f"{{{known.name}:number}}"
        return f"{{{known.name}:milliseconds}}" if known.type == "datetime" else f"{{{known.name}}}"

    def _require(self, python: str) -> None:
        """Make a field of the key required."""
        for name, known in list(self.fields.items()):
            if known.name == python:
                if known.optional and name in self.model:
                    where = f"{self.name}.{name}"
                    self.notes.append(f"{where} is not required in OneTable; it became required, because of the key.")
                self.fields[name] = replace(known, optional=False)
