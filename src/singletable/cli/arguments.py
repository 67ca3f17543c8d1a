"""Arguments of a pattern as one writes them in a shell, read by the types of its parameters."""

from __future__ import annotations

import enum
import json
from collections.abc import Mapping
from datetime import UTC, date, datetime
from decimal import Decimal, InvalidOperation
from typing import Any, Literal, get_args, get_origin
from uuid import UUID

from singletable.errors import ArgumentRefused
from singletable.model.declaration import ParameterDeclaration, PatternDeclaration
from singletable.model.entity import declaration_of
from singletable.model.fields import name_of
from singletable.model.ranges import Between, Children, Prefix, Radius, Since, Subtree, Until

_RANGE = ".."


def read_arguments(pattern: PatternDeclaration, given: list[str]) -> dict[str, Any]:
    """The arguments by name; raises ArgumentRefused with what is wrong and how it is written."""
    texts = _by_name(pattern, given)
    missing = [p.name for p in pattern.parameters.values() if p.required and p.name not in texts]
    if missing:
        raise ArgumentRefused(f"{pattern.name} also needs {', '.join(missing)}: {_usage(pattern)}")
    return {name: _read(pattern.parameters[name], text) for name, text in texts.items()}


def _by_name(pattern: PatternDeclaration, given: list[str]) -> dict[str, str]:
    names = list(pattern.parameters)
    texts: dict[str, str] = {}
    for position, argument in enumerate(given):
        name, equals, text = argument.partition("=")
        if not equals or name not in pattern.parameters:
            if position >= len(names):
                raise ArgumentRefused(f"{pattern.name} takes {len(names)} arguments: {_usage(pattern)}")
            name, text = names[position], argument
        if name in texts:
            raise ArgumentRefused(f"{name} is given twice")
        texts[name] = text
    return texts


def _usage(pattern: PatternDeclaration) -> str:
    return " ".join(f"{p.name}={p.type_name}" for p in pattern.parameters.values())


def _read(parameter: ParameterDeclaration, text: str) -> Any:
    try:
        return _value(parameter, text)
    except (ValueError, InvalidOperation, TypeError, KeyError) as problem:
        raise ArgumentRefused(f"{parameter.name}={text!r} is no {parameter.type_name}: {problem}") from problem


def _value(parameter: ParameterDeclaration, text: str) -> Any:
    kind, test = parameter.type, parameter.test
    low, dots, high = text.partition(_RANGE)
    if test is Between:
        if not dots:
            raise ValueError("write LOW..HIGH")
        return Between(parse(kind, low), parse(kind, high))
    if test is Since:
        return Since(parse(kind, low))
    if test is Until:
        return Until(parse(kind, high if dots else low))
    if test is Radius:
        latitude, longitude, meters = (float(part) for part in text.split(","))
        return Radius(latitude, longitude, meters)
    value = parse(kind, text)
    return test(value) if test in (Prefix, Subtree, Children) else value


def parse(kind: Any, text: str) -> Any:
    """A value of a field's type from its text."""
    if get_origin(kind) is Literal:
        if text not in get_args(kind):
            raise ValueError(f"it is one of {', '.join(map(str, get_args(kind)))}")
        return text
    if kind == tuple[str, ...]:
        return tuple(part for part in text.split("/") if part)
    if declaration_of(kind) is not None:
        return _entity(kind, json.loads(text))
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return next((member for member in kind if text in (str(member.value), member.name)), None) or kind(text)
    return _plain(kind, text)


def _plain(kind: Any, text: str) -> Any:
    match kind:
        case _ if kind is bool:
            return {"true": True, "false": False}[text.lower()]
        case _ if kind is datetime:
            moment = datetime.fromisoformat(text)
            return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        case _ if kind is date:
            return date.fromisoformat(text)
        case _ if kind is bytes:
            return bytes.fromhex(text)
        case _ if kind in (str, int, float, Decimal, UUID):
            return kind(text)
        case _:
            raise ValueError(f"a {name_of(kind)} cannot be written in a shell")


def _entity(cls: type, values: Mapping[str, Any]) -> Any:
    declaration = declaration_of(cls)
    assert declaration is not None, "only entities are read from JSON"
    fields = declaration.fields
    return cls(**{name: _field(fields[name].type, value) for name, value in values.items()})


def _field(kind: Any, value: Any) -> Any:
    return parse(kind, value if isinstance(value, str) else json.dumps(value)) if value is not None else None
