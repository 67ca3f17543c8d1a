"""Item forms: the fields of an editor from the types of a model, and the stored values from its texts.

A form works on DynamoDB JSON, so a number keeps all of its 38 digits, and a text that does not fit its type stays in
the form until it is corrected. The path of a control is its name in the HTML form: `f.address.city`, `f.tags.0`.
"""

from __future__ import annotations

import enum
import json
import re
import types
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any, Literal, Union, get_args, get_origin
from uuid import UUID

from singletable.document.item_collections import text_of
from singletable.errors import ArgumentRefused
from singletable.model.entity import Entity
from singletable.model.fields import DefaultFactory, Field, container_of, fields_of, has_fields, name_of, strip
from singletable.model.type_codecs import BUILT_IN
from singletable.planner.stored_items import field_value, stored_value

Value = Mapping[str, Any]
Texts = Mapping[str, str]
ItemControl = Literal["text", "lines", "number", "choice", "json", "group", "list", "map"]

ROOT = "f"
COUNT, KEY, NONE, JSON, GROUP = "#", "@", "?", "!", "&"
"""Suffixes of the names of more inputs: the length of a list, the key of an entry, and marks of None, JSON and maps."""
_ELEMENTS_MAX = 10_000
_LONG_CHARACTERS = 60
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f]")
"""Characters that the fields of a browser change or drop; JSON escapes them."""
_HINTS: Mapping[Any, str] = {
    datetime: "2026-05-08T07:45:10Z",
    date: "2026-05-08",
    bytes: "Base64",
    UUID: "00000000-0000-0000-0000-000000000000",
}
_TYPE_LETTERS: Mapping[type, str] = {str: "S", datetime: "S", date: "S", UUID: "S", bytes: "B"}


@dataclass(frozen=True)
class ItemField:
    """One control of an item form, or a group of them."""

    path: str
    name: str
    type_name: str
    control: ItemControl
    text: str = ""
    options: tuple[str, ...] = ()
    hint: str = ""
    may_be_none: bool = False
    is_none: bool = False
    children: tuple[ItemField, ...] = ()
    key: str | None = None
    """The key of an entry of a dict."""
    note: str = ""
    is_json: bool = False
    """Whether the control shows JSON although the type has another control."""
    locked: str = ""
    """Why the field cannot be edited; empty if it can."""


def entity_fields(entity: Entity, item: Mapping[str, Value], locked: Mapping[str, str]) -> Iterator[ItemField]:
    """Yield the fields of a form for an item of an entity; `locked` has the reasons of fields that are read-only."""
    for name, field in entity.fields.items():
        stored = item.get(entity.attributes[name])
        if name == entity.declaration.ttl and field.type is datetime and stored and "N" in stored:
            stored = {"S": _expiry_text(str(stored["N"]))}
        parts = (part for placement in entity.placements.values() for part in placement.parts)
        fed = dict.fromkeys(part.attribute for part in parts if name in part.fields)
        note = f"feeds {', '.join(fed)}" if fed else ""
        found = _field(_annotated(field), stored, f"{ROOT}.{name}", name)
        yield replace(found, note=note, locked=locked.get(name, ""))


def control_texts(fields: Iterable[ItemField]) -> dict[str, str | None]:
    """Return the text of every control by its path; None for a control whose value is None."""
    found: dict[str, str | None] = {}
    for field in fields:
        found |= control_texts(field.children)
        if field.control not in ("group", "list", "map"):
            found[field.path] = None if field.is_none else field.text
    return found


def new_item(entity: Entity) -> dict[str, Value]:
    """Return the defaults of an entity, as the stored values of a new item."""
    found: dict[str, Value] = {}
    for name, field in entity.fields.items():
        default = field.default
        if isinstance(default, DefaultFactory):
            default = default.make() if default.make is not None else None
        if not field.required and default is not None and name != entity.declaration.ttl:
            stored = field_value(entity, name, default)
            found |= {} if stored is None else {entity.attributes[name]: stored}
    return found


def form_item(entity: Entity, texts: Texts) -> dict[str, Value]:
    """Return the attributes of the fields of an entity from the texts of its form."""
    item: dict[str, Value] = {}
    for name, field in entity.fields.items():
        value = _value(_annotated(field), texts, f"{ROOT}.{name}", name)
        if name == entity.declaration.ttl and field.type is datetime and "S" in value:
            value = {"N": _expiry_seconds(name, str(value["S"]))}
        item[entity.attributes[name]] = value
    return item


def with_shape_change(texts: Texts, operation: str, path: str) -> dict[str, str]:
    """Return the texts of a form after a change of its shape.

    An element is added to a list or dict or removed from it, or a map is set or becomes None.
    """
    changed = dict(texts)
    if operation == "unset":
        return {**texts, path + NONE: "on"}
    if operation == "set":
        return {**{name: text for name, text in texts.items() if name != path + NONE}, path + GROUP: "1"}
    if operation == "add":
        changed[path + COUNT] = str(_count(texts, path) + 1)
        return changed
    parent, _, number = path.rpartition(".")
    length, removed = _count(texts, parent), int(number)
    kept = {name: text for name, text in texts.items() if _element_of(name, parent) is None}
    for name, text in texts.items():
        position = _element_of(name, parent)
        if position is None or position == removed:
            continue
        rest = name[len(f"{parent}.{position}") :]
        kept[f"{parent}.{position - (position > removed)}{rest}"] = text
    kept[parent + COUNT] = str(max(length - 1, 0))
    return kept


def _count(texts: Texts, path: str) -> int:
    text = texts.get(path + COUNT, "0")
    return min(int(text), _ELEMENTS_MAX) if text.isdecimal() else 0


def _element_of(name: str, parent: str) -> int | None:
    """Return the position of the element of a list to which a control belongs; None for other controls."""
    if not name.startswith(f"{parent}."):
        return None
    step = name[len(parent) + 1 :].partition(".")[0].rstrip(COUNT + KEY + NONE + JSON)
    return int(step) if step.isdecimal() else None


def _annotated(field: Field) -> Any:
    return field.type | None if field.may_be_none else field.type


def _field(annotation: Any, stored: Value | None, path: str, name: str) -> ItemField:
    """Return the control of a value; a stored value of another type than the declared one becomes JSON."""
    declared, may_be_none = strip(annotation)
    is_none = stored is not None and "NULL" in stored
    if is_none and may_be_none:
        stored = None
    is_none = is_none or (stored is None and may_be_none)
    control = _control(declared, stored)
    found = ItemField(
        path, name, name_of(declared), control, hint=_hint(declared), may_be_none=may_be_none, is_none=is_none
    )
    if control == "group" and is_none:
        return found  # the class may contain itself
    if control == "group":
        values: Mapping[str, Value] = stored["M"] if stored else {}
        children = tuple(
            _field(_annotated(field), values.get(inner), f"{path}.{inner}", inner)
            for inner, field in fields_of(declared).items()
        )
        return replace(found, children=children)
    if control == "list":
        element, kind = _element(declared), _set_kind(stored)
        members: list[Value] = []
        if stored:
            members = stored["L"] if kind is None else [{kind[0]: each} for each in stored[kind]]
        children = tuple(_field(element, each, f"{path}.{n}", "") for n, each in enumerate(members))
        return replace(found, children=children)
    if control == "map":
        entries = enumerate((stored or {"M": {}})["M"].items())
        element = _element(declared)
        children = tuple(
            replace(_field(element, each, f"{path}.{number}", key), key=key) for number, (key, each) in entries
        )
        return replace(found, children=children)
    if control == "choice":
        return replace(found, text="" if stored is None else _plain_text(stored), options=tuple(_options(declared)))
    if control == "json":
        is_json = _declared_control(declared) != "json"
        return replace(found, text="" if stored is None else json.dumps(stored, ensure_ascii=False), is_json=is_json)
    return replace(found, text="" if stored is None else str(next(iter(stored.values()))))


def _control(declared: Any, stored: Value | None) -> ItemControl:
    """Return the kind of a control; JSON if the stored value does not have the form of the type."""
    control = _declared_control(declared)
    letters = set(stored or ())
    fits: dict[str, set[str]] = {"group": {"M"}, "map": {"M"}, "list": {"L", "SS", "NS", "BS"}, "number": {"N"}}
    expected = fits.get(control, {_TYPE_LETTERS.get(_scalar(declared) or str, "S")})
    if control in ("choice", "json"):
        return control
    if letters and not letters <= expected:
        return "json"
    if control == "map" and stored is not None:
        return "json" if any(_CONTROL.search(key) or "\n" in key for key in stored["M"]) else control
    if control == "text" and stored is not None:
        text = str(next(iter(stored.values())))
        if _CONTROL.search(text):
            return "json"
        return "lines" if "\n" in text or len(text) > _LONG_CHARACTERS else "text"
    return control


def _declared_control(declared: Any) -> ItemControl:
    if get_origin(declared) is Literal or declared is bool:
        return "choice"
    if isinstance(declared, type) and issubclass(declared, enum.Enum):
        return "choice"
    if get_origin(declared) in (Union, types.UnionType):
        return "json"
    kind = container_of(declared)
    if kind is not None:
        return "json" if _element(declared) is None else "map" if kind is dict else "list"
    scalar = _scalar(declared)
    if scalar is not None:
        return "number" if scalar in (int, float, Decimal) else "text"
    return "group" if has_fields(declared) else "json"


def _scalar(declared: Any) -> type | None:
    """Return the scalar type that a type is, or is a subclass of."""
    if not isinstance(declared, type):
        return None
    known = (datetime, date, str, int, float, Decimal, bytes, UUID)
    return next((each for each in known if issubclass(declared, each)), None)


def _element(declared: Any) -> Any:
    """Return the type of the elements of a container; None if the form shows the container as JSON."""
    kind, arguments = container_of(declared), get_args(declared)
    if not arguments or (kind is dict and strip(arguments[0])[0] is not str):
        return None
    if kind is tuple and arguments[-1] is not ...:
        return None
    return arguments[-1] if kind is dict else arguments[0]


def _set_kind(stored: Value | None) -> str | None:
    return next((kind for kind in ("SS", "NS", "BS") if stored and kind in stored), None)


def _hint(declared: Any) -> str:
    scalar = _scalar(declared)
    return _HINTS.get(scalar, "") if scalar is not None else ""


def _choices(declared: Any) -> list[Any]:
    if declared is bool:
        return [True, False]
    return list(get_args(declared)) if get_origin(declared) is Literal else [each.value for each in declared]


def _options(declared: Any) -> Iterator[str]:
    return (_plain_text(stored_value(each, BUILT_IN)) for each in _choices(declared))


def _plain_text(stored: Value) -> str:
    return text_of(dict(stored)) if "BOOL" not in stored else str(stored["BOOL"]).lower()


def _value(annotation: Any, texts: Texts, path: str, name: str) -> Value:
    """Return the stored value of a control; the decoder of the entity checks it."""
    declared, may_be_none = strip(annotation)
    is_given = any(path + suffix in texts for suffix in ("", COUNT, GROUP))
    if may_be_none and (texts.get(path + NONE) or not is_given):  # a new element has no texts
        return {"NULL": True}
    control = _declared_control(declared)
    if control == "group" and not texts.get(path + JSON):
        return _group(declared, texts, path)
    if control in ("list", "map") and not texts.get(path + JSON):
        return _elements(declared, texts, path, name)
    text = texts.get(path, "").replace("\r\n", "\n")
    if texts.get(path + JSON):
        return _json_value(text, name)
    if control == "choice":
        return next(
            (stored_value(each, BUILT_IN) for each in _choices(declared) if _choice_text(each) == text), {"S": text}
        )
    if control == "number":
        return {"N": text.strip()}
    if control != "text":
        return _json_value(text, name)
    scalar = _scalar(declared)
    return {_TYPE_LETTERS.get(scalar or str, "S"): text if scalar is str else text.strip()}


def _choice_text(value: Any) -> str:
    return _plain_text(stored_value(value, BUILT_IN))


def _json_value(text: str, name: str) -> Value:
    if not text.strip():
        return {"NULL": True}
    try:
        found = json.loads(text)
    except ValueError as problem:
        raise ArgumentRefused(f"{name} is not valid JSON: {problem}") from None
    if not isinstance(found, dict) or len(found) != 1:
        raise ArgumentRefused(f'{name} must be one DynamoDB value, such as {{"S": "text"}} or {{"N": "12.5"}}')
    return found


def _group(declared: Any, texts: Texts, path: str) -> Value:
    members = {
        inner: _value(_annotated(field), texts, f"{path}.{inner}", inner)
        for inner, field in fields_of(declared).items()
    }
    return {"M": members}


def _elements(declared: Any, texts: Texts, path: str, name: str) -> Value:
    element, kind = _element(declared), container_of(declared)
    paths = [f"{path}.{number}" for number in range(_count(texts, path))]
    values = [_value(element, texts, each, name) for each in paths]
    if kind is dict:
        keys = [texts.get(each + KEY, "") for each in paths]
        if len(set(keys)) < len(keys):
            raise ArgumentRefused(f"{name} has the same key twice; each key of a dict is unique")
        return {"M": dict(zip(keys, values, strict=True))}
    if kind in (set, frozenset) and values:
        letters = {letter for each in values for letter in each}
        (letter,) = letters if len(letters) == 1 else ("L",)
        if letter in ("S", "N", "B"):
            return {f"{letter}S": list(dict.fromkeys(str(each[letter]) for each in values))}
    return {"L": values}


def _expiry_text(seconds: str) -> str:
    try:
        return datetime.fromtimestamp(int(seconds), UTC).isoformat().replace("+00:00", "Z")
    except (ValueError, OverflowError):
        return seconds


def _expiry_seconds(name: str, text: str) -> str:
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        raise ArgumentRefused(f"{name} must be a time, such as 2026-05-08T07:45:10Z, got {text!r}") from None
    return str(int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()))
