"""Pattern forms: the form fields for the signature of a pattern, and the arguments from the values of the form."""

from __future__ import annotations

import enum
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from inspect import Parameter
from typing import Any, Literal, get_args, get_origin
from uuid import UUID

from singletable.model.entity import Entity, declaration_of
from singletable.model.fields import Field, container_of, fields_of, has_fields
from singletable.model.parameter_types import Between, Box, Children, Nearest, Prefix, Radius, Since, Subtree, Until
from singletable.model.pattern_declaration import CURSOR, LIMIT, ParameterDeclaration, PatternDeclaration
from singletable.planner.plan import Outcome
from singletable.studio.item_places import argument_text

Control = Literal["text", "number", "choice", "range", "json"]
LOW, HIGH = ".low", ".high"
_HINTS: Mapping[Any, str] = {
    datetime: "2026-05-08 07:45:10",
    date: "2026-05-08",
    bool: "true or false",
    bytes: "hexadecimal",
    Radius: "latitude,longitude,meters",
    Box: "south,west,north,east",
    Nearest: "latitude,longitude,count,meters",
    tuple[str, ...]: "a/b/c",
}

_EXAMPLES: Mapping[Any, Any] = {
    datetime: "2026-05-08T07:45:10Z",
    date: "2026-05-08",
    UUID: "00000000-0000-0000-0000-000000000000",
    bool: False,
    int: 0,
    float: 0,
    Decimal: 0,
}


@dataclass(frozen=True)
class FormField:
    """One field of the form of a pattern."""

    name: str
    type_name: str
    control: Control
    required: bool
    value: str = ""
    high: str = ""
    """The upper end of a range. `value` is the lower end."""
    options: tuple[str, ...] = ()
    hint: str = ""
    default: str = ""


def form_fields(outcome: Outcome, given: Mapping[str, str]) -> tuple[FormField, ...]:
    """Return the fields of the form of a pattern, filled in with the given texts."""
    pattern = outcome.pattern
    return tuple(_field(pattern, parameter, given, outcome.entities) for parameter in pattern.parameters.values())


def _field(
    pattern: PatternDeclaration,
    parameter: ParameterDeclaration,
    given: Mapping[str, str],
    entities: tuple[Entity, ...],
) -> FormField:
    name, kind = parameter.name, parameter.type
    default = pattern.signature.parameters[name].default
    shown = "" if default in (Parameter.empty, None) else argument_text(default)
    value = given.get(name, shown)
    control, options = _control(parameter)
    high = given.get(f"{name}{HIGH}", "")
    if control == "range":
        low, dots, end = value.partition("..")
        value, high = given.get(f"{name}{LOW}", low), high or (end if dots else "")
    if control == "json" and not value:
        value = _object_template(entities)
    hint = _HINTS.get(kind, _HINTS.get(parameter.test, "")) if _hashable(kind) else ""
    if parameter.test is Prefix:
        hint = "the first characters"
    if name == CURSOR:
        hint = "start after this page"
    type_name = "" if options else parameter.type_name  # the options are the type
    return FormField(name, type_name, control, parameter.required, value, high, options, hint, shown)


def _hashable(kind: Any) -> bool:
    try:
        hash(kind)
    except TypeError:
        return False
    return True


def _control(parameter: ParameterDeclaration) -> tuple[Control, tuple[str, ...]]:
    kind = parameter.type
    if declaration_of(kind) is not None:
        return "json", ()
    if parameter.test is Between:
        return "range", ()
    if parameter.test in (Since, Until, Prefix, Subtree, Children):
        return "text", ()
    if get_origin(kind) is Literal:
        return "choice", tuple(str(option) for option in get_args(kind))
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return "choice", tuple(str(member.value) for member in kind)
    if kind is bool:
        return "choice", ("true", "false")
    return ("number" if parameter.name == LIMIT else "text"), ()


def _object_template(entities: tuple[Entity, ...]) -> str:
    """Return a JSON object with every field of the entity, for the user to fill in."""
    if not entities:
        return "{}"
    return json.dumps(_fields_template(entities[0].fields), indent=2, ensure_ascii=False)


def _fields_template(fields: Mapping[str, Field]) -> dict[str, Any]:
    return {name: None if field.may_be_none else _value_template(field.type) for name, field in fields.items()}


def _value_template(declared: Any) -> Any:
    """Return a value that shows how a type is written in JSON."""
    container = container_of(declared)
    if container is not None:
        return {} if container is dict else []
    if get_origin(declared) is Literal:
        return get_args(declared)[0]
    if isinstance(declared, type) and issubclass(declared, enum.Enum):
        return next(iter(declared)).value
    if has_fields(declared):
        return _fields_template(fields_of(declared))
    return _EXAMPLES.get(declared, "")


def argument_texts(pattern: PatternDeclaration, given: Mapping[str, str]) -> list[str]:
    """Return the values of a form as `NAME=VALUE` texts. Omit empty fields, except required strings."""
    return list(_argument_texts(pattern, given))


def _argument_texts(pattern: PatternDeclaration, given: Mapping[str, str]) -> Iterator[str]:
    for parameter in pattern.parameters.values():
        name = parameter.name
        text = given.get(name, "")
        if parameter.type is not str or name == CURSOR or not text.strip():  # in other strings, spaces count
            text = text.strip()
        if parameter.test is Between and (f"{name}{LOW}" in given or f"{name}{HIGH}" in given):
            low, high = given.get(f"{name}{LOW}", "").strip(), given.get(f"{name}{HIGH}", "").strip()
            text = f"{low}..{high}" if low or high else ""
        if parameter.test is Since and text and ".." not in text:
            text += ".."
        if text or (parameter.required and parameter.type is str and name in given):
            yield f"{name}={text}"
