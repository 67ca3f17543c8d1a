"""Values of field types, parsed from texts and from JSON."""

from __future__ import annotations

import enum
import json
from collections.abc import Mapping
from datetime import UTC, date, datetime
from decimal import Decimal, InvalidOperation
from typing import Any, Literal, get_args, get_origin
from uuid import UUID

from singletable.model.entity import declaration_of
from singletable.model.fields import container_of, element_of, fields_of, has_fields, name_of, strip
from singletable.model.type_codecs import BUILT_IN, TypeCodecs


def parse(kind: Any, text: str, codecs: TypeCodecs = BUILT_IN) -> Any:
    """Parse a value of a field type."""
    if (codec := codecs.of_type(kind)) is not None:
        return codec.of(parse(codec.stored, text, codecs))
    if get_origin(kind) is Literal:
        return _one_of({str(option): option for option in get_args(kind)}, text)
    if kind == tuple[str, ...]:
        return tuple(part for part in text.split("/") if part)
    if declaration_of(kind) is not None:
        return _entity(kind, json.loads(text, parse_float=Decimal))
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        members = list(kind)
        names = {member.name: member for member in members} | {str(member.value): member for member in members}
        return names[text] if text in names else _one_of({str(member.value): member for member in members}, text)
    return _plain(kind, text)


def _one_of(options: Mapping[str, Any], text: str) -> Any:
    if text not in options:
        raise ValueError(f"use one of {', '.join(options)}")
    return options[text]


def _plain(kind: Any, text: str) -> Any:
    match kind:
        case _ if kind is bool:
            return _one_of({"true": True, "false": False}, text.lower())
        case _ if kind is datetime:
            moment = datetime.fromisoformat(text)
            return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        case _ if kind is date:
            return date.fromisoformat(text)
        case _ if kind is bytes:
            return bytes.fromhex(text)
        case _ if kind is Decimal:
            try:
                return Decimal(text)
            except InvalidOperation:
                raise ValueError("write a number, such as 12.50") from None
        case _ if kind in (int, float):
            try:
                return kind(text)
            except ValueError:
                raise ValueError(f"write a {'whole ' * (kind is int)}number") from None
        case _ if kind in (str, UUID):
            return kind(text)
        case _:
            raise ValueError(f"{name_of(kind)} cannot be passed on the command line")


def _entity(cls: type, values: object) -> Any:
    declaration = declaration_of(cls)
    assert declaration is not None, "only entities are read from JSON"
    return _object(cls, values, declaration.fields, declaration.codecs)


def _object(cls: type, values: object, fields: Mapping[str, Any], codecs: TypeCodecs) -> Any:
    if not isinstance(values, dict):
        raise ValueError('write a JSON object: {"' + next(iter(fields)) + '": ...}')
    if unknown := [name for name in values if name not in fields]:
        raise ValueError(f"unknown field {', '.join(unknown)}; the fields are {', '.join(fields)}")
    return cls(**{name: _member(name, fields[name].type, value, codecs) for name, value in values.items()})


def _member(name: str, kind: Any, value: Any, codecs: TypeCodecs) -> Any:
    """Return the value of a field from its JSON; an error names the field."""
    try:
        return _from_json(kind, value, codecs)
    except (ValueError, TypeError) as problem:
        raise ValueError(f"{name}: {problem}") from problem


def _from_json(kind: Any, value: Any, codecs: TypeCodecs) -> Any:
    declared, _ = strip(kind)
    element = element_of(declared)
    if isinstance(value, dict):
        if codecs.of_type(declared) is None and has_fields(declared):
            return _object(declared, value, fields_of(declared), codecs)
        return value if element is None else {name: _from_json(element, each, codecs) for name, each in value.items()}
    if isinstance(value, list):
        members = value if element is None else [_from_json(element, each, codecs) for each in value]
        container = container_of(declared)
        return container(members) if container in (tuple, set, frozenset) else members
    if value is None or declared in (Any, object):
        return value
    return parse(declared, _text_of(value), codecs)


def _text_of(value: Any) -> str:
    return value if isinstance(value, str) else str(value) if isinstance(value, Decimal) else json.dumps(value)
