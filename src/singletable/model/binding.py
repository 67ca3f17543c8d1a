"""What a pattern's parameters and constants say of an entity's fields."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal, get_args, get_origin

from singletable.errors import KeyRefused, Problem
from singletable.expressions.tree import (
    And,
    Change,
    Compare,
    Condition,
    Constant,
    Function,
    In,
    Not,
    Or,
    Parameter,
    Path,
)
from singletable.model.areas import AREA_TYPES
from singletable.model.codecs.choose import choose_codec
from singletable.model.codecs.text import ORDERED_DELIMITER
from singletable.model.declaration import CURSOR, LIMIT, ParameterDeclaration, PatternDeclaration
from singletable.model.derived.geocell import GeoCell
from singletable.model.entity import Entity
from singletable.model.fields import Field
from singletable.model.intents import Get, Query, Within, Write
from singletable.model.ranges import Children, Equal, Prefix, Present, Subtree
from singletable.model.suggestion import did_you_mean


@dataclass(frozen=True)
class Binding:
    """A test on fields (one, or the two of a place on a map) whose operand is a parameter or a constant."""

    fields: tuple[str, ...]
    test: type
    source: Parameter | Constant

    @property
    def written(self) -> str:
        """The operand as messages name it: `{customer_id}`, or the constant itself."""
        return f"{{{self.source.name}}}" if isinstance(self.source, Parameter) else str(self.source.value)


def bindings_for(pattern: PatternDeclaration, entity: Entity) -> tuple[tuple[Binding, ...], tuple[Problem, ...]]:
    """What a pattern over one entity knows of its fields, and the parameters that do not fit."""
    bindings: list[Binding] = []
    problems: list[Problem] = []
    intent = pattern.intent
    for parameter in pattern.bound_parameters:
        if isinstance(intent, Write) and parameter.type is entity.cls:
            continue
        binding = _of_parameter(pattern, parameter, entity)
        (bindings if isinstance(binding, Binding) else problems).append(binding)  # type: ignore[arg-type]
    if isinstance(intent, Get | Query):
        for found in _of_condition(pattern, entity, intent.where):
            (bindings if isinstance(found, Binding) else problems).append(found)  # type: ignore[arg-type]
    problems += _used(pattern, entity)
    if isinstance(intent, Within):
        problems += _of_within(pattern)
    return tuple(bindings), tuple(problems)


def _of_within(pattern: PatternDeclaration) -> Iterator[Problem]:
    """What a read within an area lacks, or has too much of."""
    areas = [parameter.name for parameter in pattern.bound_parameters if parameter.test in AREA_TYPES]
    if not areas:
        remedy = "Give it a parameter such as area: Radius."
        yield Problem(
            f"pattern {pattern.name}: reads within an area, but no parameter gives one", pattern.location, remedy
        )
    if len(areas) > 1:
        message = f"pattern {pattern.name}: reads within one area, but {' and '.join(areas)} are areas"
        yield Problem(message, pattern.location, "Declare a pattern for each.")
    if paging := [name for name in (LIMIT, CURSOR) if name in pattern.parameters]:
        message = f"pattern {pattern.name}: an area is answered whole, without {' or '.join(paging)}"
        yield Problem(message, pattern.location, "Nearest(..., count, meters=...) asks for so many places.")


def _of_parameter(pattern: PatternDeclaration, parameter: ParameterDeclaration, entity: Entity) -> Binding | Problem:
    if parameter.test in AREA_TYPES:
        return _of_area(pattern, parameter, entity)
    field = entity.fields.get(parameter.name)
    if field is None:
        return unknown_parameter(pattern, parameter, {entity.label: entity.fields})
    problem = disagreement(parameter, field)
    if problem:
        message = f"pattern {pattern.name}: the parameter {parameter.name!r} is {parameter.type_name}, {problem}"
        return Problem(message.replace(" the field", f" {entity.label}.{field.name}"), pattern.location)
    return Binding((field.name,), parameter.test, Parameter(parameter.name))


def _of_area(pattern: PatternDeclaration, parameter: ParameterDeclaration, entity: Entity) -> Binding | Problem:
    cells = [derived for derived in entity.declaration.derived.values() if isinstance(derived, GeoCell)]
    if len({cell.fields for cell in cells}) == 1:
        return Binding(cells[0].fields, parameter.test, Parameter(parameter.name))
    if cells:
        names = ", ".join(name for name, each in entity.declaration.derived.items() if isinstance(each, GeoCell))
        message = (
            f"pattern {pattern.name}: {parameter.name!r} is an area, but {entity.label} has several places: {names}"
        )
        return Problem(message, pattern.location, "An area can be asked of an entity with one place.")
    message = f"pattern {pattern.name}: {parameter.name!r} is an area, but {entity.label} has no geohash cell"
    remedy = 'Declare one on the entity: derived={"cell": geohash("latitude", "longitude", precision=6)}.'
    return Problem(message, pattern.location, remedy)


def unknown_parameter(
    pattern: PatternDeclaration, parameter: ParameterDeclaration, known: Mapping[str, Mapping[str, Field]]
) -> Problem:
    """The problem of a parameter that no field has the name of."""
    names = [name for fields in known.values() for name in fields]
    message = f"pattern {pattern.name}: the parameter {parameter.name!r} is no field of {' or '.join(known)}"
    return Problem(message, pattern.location, did_you_mean(parameter.name, names))


def disagreement(parameter: ParameterDeclaration, field: Field) -> str | None:
    """Why a parameter cannot be a test on a field, or None."""
    is_path = field.type == tuple[str, ...]
    if parameter.test in (Subtree, Children) and not is_path:
        return f"which takes a path (tuple[str, ...]); the field is {field.type_name}"
    if parameter.test is Prefix and field.type is not str:
        return f"which takes text; the field is {field.type_name}"
    return None if _agrees(parameter.type, field.type) else f"but the field is {field.type_name}"


def _agrees(given: Any, field: Any) -> bool:
    if given == field:
        return True
    if get_origin(given) is Literal:
        options = get_args(field) if get_origin(field) is Literal else None
        return all(value in options if options else _is_of(value, field) for value in get_args(given))
    if get_origin(field) is Literal:
        return given is str
    return given is int and field in (float, Decimal)


def _is_of(value: Any, field: Any) -> bool:
    return isinstance(field, type) and get_origin(field) is None and type(value) is field


def _used(pattern: PatternDeclaration, entity: Entity) -> Iterator[Problem]:
    """Parameters that the body compares with a field, or stores in one, of another type."""
    intent = pattern.intent
    nodes = (getattr(intent, "where", None), getattr(intent, "filter", None), *getattr(intent, "changes", ()))
    for path, source in (pair for node in nodes for pair in _pairs(node)):
        field, parameter = entity.fields.get(str(path.steps[0])), pattern.parameters.get(source.name)
        if field is None or parameter is None or len(path.steps) > 1:
            continue
        if parameter.test is not Equal or not _agrees(parameter.type, field.type):
            message = f"pattern {pattern.name}: the parameter {parameter.name!r} is {parameter.type_name}, "
            yield Problem(f"{message}but {entity.label}.{field.name} is {field.type_name}", pattern.location)


def _pairs(node: object) -> Iterator[tuple[Path, Parameter]]:
    match node:
        case Compare(_, Path() as path, Parameter() as source) | Change(_, Path() as path, Parameter() as source):
            yield path, source
        case In(Path() as path, options):
            yield from ((path, option) for option in options if isinstance(option, Parameter))
        case And(parts) | Or(parts):
            for part in parts:
                yield from _pairs(part)
        case Not(part):
            yield from _pairs(part)
        case _:
            return


def _of_condition(
    pattern: PatternDeclaration, entity: Entity, condition: Condition | None
) -> Iterator[Binding | Problem]:
    if condition is None:
        return
    for part in condition.parts if isinstance(condition, And) else (condition,):
        match part:
            case Compare("=", Path((str(name),)), Constant() | Parameter() as right):
                refused = _refused_constant(entity.fields[name], right)
                yield (
                    Problem(f"pattern {pattern.name}: {refused}", pattern.location)
                    if refused
                    else Binding((name,), Equal, right)
                )
            case Function("attribute_exists", (Path((str(name),)),)):
                yield Binding((name,), Present, Constant(None))
            case Not(Function("attribute_type", (Path((str(),)), Constant("NULL")))):
                continue  # the other half of exists(), for a field whose None is stored
            case _:
                yield Problem(
                    f"pattern {pattern.name}: where= of a read takes equalities and exists() of fields, joined by &",
                    pattern.location,
                    "A range is a parameter type (Between[...], Since[...]); any other test is a filter=.",
                )


def held_values(condition: Condition | None) -> dict[str, Constant | Parameter]:
    """The fields that a condition holds to one value each."""
    held: dict[str, Constant | Parameter] = {}
    for part in condition.parts if isinstance(condition, And) else (condition,):
        match part:
            case Compare("=", Path((str(name),)), Constant() | Parameter() as right):
                held[name] = right
            case _:
                pass
    return held


def _refused_constant(field: Field, source: Constant | Parameter) -> str | None:
    """Why a constant can never be the value of a field, such as a word that its Literal does not have."""
    if isinstance(source, Parameter):
        return None
    try:
        choose_codec(field.type, "", ORDERED_DELIMITER).encode(source.value)
    except KeyRefused as problem:
        return f"{field.name} can never be {source.value!r}: {problem}"
    except ValueError:
        return None  # a type that no key can hold; the planner says so
    return None
