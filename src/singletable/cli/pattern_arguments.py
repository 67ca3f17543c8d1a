"""The arguments of a pattern on the command line, parsed by the types of its parameters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from singletable.cli.argument_values import parse
from singletable.errors import ArgumentRefused
from singletable.model.collection_shape import members_of
from singletable.model.entity import declaration_of
from singletable.model.intents import CollectionIntent, Intent
from singletable.model.parameter_types import (
    AREA_TYPES,
    Between,
    Box,
    Children,
    Nearest,
    Prefix,
    Radius,
    Since,
    Subtree,
    Until,
)
from singletable.model.pattern_declaration import ParameterDeclaration, PatternDeclaration
from singletable.model.type_codecs import TypeCodecs

_RANGE = ".."
_AREAS: Mapping[type, str] = {
    Radius: "LAT,LNG,METERS",
    Box: "SOUTH,WEST,NORTH,EAST",
    Nearest: "LAT,LNG,COUNT,METERS",
}


def read_arguments(pattern: PatternDeclaration, given: list[str]) -> dict[str, Any]:
    """Return the arguments by name. Raise ArgumentRefused with the problem and the expected syntax."""
    texts = _by_name(pattern, given)
    missing = [p.name for p in pattern.parameters.values() if p.required and p.name not in texts]
    if missing:
        raise ArgumentRefused(f"{pattern.name}: missing {', '.join(missing)}; arguments: {_usage(pattern)}")
    codecs = _codecs_of(pattern)
    return {name: _read(pattern.parameters[name], text, codecs) for name, text in texts.items()}


def _codecs_of(pattern: PatternDeclaration) -> TypeCodecs:
    """Return the codecs of the entities of a pattern."""
    declared = [each for each in map(declaration_of, _classes_of(pattern.intent)) if each is not None]
    codecs = {codec.type: codec for each in reversed(declared) for codec in each.codecs.declared}
    return TypeCodecs(codecs.values())


def _classes_of(intent: Intent) -> tuple[type, ...]:
    if isinstance(intent, CollectionIntent):
        return tuple(each.entity for each in members_of(intent.shape))
    return (intent.entity,)


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
            raise ArgumentRefused(f"{name} is passed twice")
        texts[name] = text
    return texts


def _usage(pattern: PatternDeclaration) -> str:
    return " ".join(f"{p.name}={p.type_name}" for p in pattern.parameters.values())


def _read(parameter: ParameterDeclaration, text: str, codecs: TypeCodecs) -> Any:
    try:
        return _value(parameter, text, codecs)
    except (ValueError, TypeError) as problem:
        given = parameter.name if declaration_of(parameter.type) is not None else f"{parameter.name}={text!r}"
        raise ArgumentRefused(f"{given} is not a valid {parameter.type_name}: {problem}") from problem


def _value(parameter: ParameterDeclaration, text: str, codecs: TypeCodecs) -> Any:
    kind, test = parameter.type, parameter.test
    low, dots, high = text.partition(_RANGE)
    if test is Between:
        if not (low and high):
            raise ValueError("write LOW..HIGH")
        return Between(parse(kind, low, codecs), parse(kind, high, codecs))
    if test is Since:
        if high:
            raise ValueError("a Since range has no end; write LOW..")
        return Since(parse(kind, low, codecs))
    if test is Until:
        if dots and low:
            raise ValueError("an Until range has no start; write ..HIGH")
        return Until(parse(kind, high if dots else low, codecs))
    if test in AREA_TYPES:
        return _area(test, text.split(","))
    value = parse(kind, text, codecs)
    return test(value) if test in (Prefix, Subtree, Children) else value


def _area(test: type, parts: list[str]) -> Radius | Box | Nearest:
    syntax = _AREAS[test]
    if len(parts) != len(syntax.split(",")):
        raise ValueError(f"write {syntax}")
    if test is Nearest:
        latitude, longitude, count, meters = parts
        return Nearest(float(latitude), float(longitude), int(count), meters=float(meters))
    numbers = [float(part) for part in parts]
    return Box(*numbers) if test is Box else Radius(*numbers)
