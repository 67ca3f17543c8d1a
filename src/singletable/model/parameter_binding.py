"""Parameter binding: the predicates that a pattern applies to the fields of an entity, and type mismatches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
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
from singletable.lazy_dataclass import dataclass
from singletable.model.codecs.choose_codec import choose_codec
from singletable.model.codecs.text_codec import ORDERED_DELIMITER
from singletable.model.derived.geohash_cell import GeohashCell
from singletable.model.entity import Entity
from singletable.model.fields import Field, did_you_mean
from singletable.model.intents import GetIntent, ItemWriteIntent, QueryIntent, WithinIntent
from singletable.model.parameter_types import AREA_TYPES, Children, Equal, Prefix, Present, Subtree
from singletable.model.pattern_declaration import CURSOR, LIMIT, ParameterDeclaration, PatternDeclaration


@dataclass(frozen=True)
class Binding:
    """A predicate on a field (or on latitude and longitude) whose operand is a parameter or a constant."""

    fields: tuple[str, ...]
    test: type
    source: Parameter | Constant

    @property
    def text(self) -> str:
        """The operand, for messages: `{customer_id}`, or the constant."""
        return f"{{{self.source.name}}}" if isinstance(self.source, Parameter) else str(self.source.value)


def bindings_for(pattern: PatternDeclaration, entity: Entity) -> tuple[tuple[Binding, ...], tuple[Problem, ...]]:
    """Return the bindings of a pattern to the fields of an entity, and the problems."""
    bindings: list[Binding] = []
    problems: list[Problem] = []
    intent = pattern.intent
    for parameter in pattern.bound_parameters:
        if isinstance(intent, ItemWriteIntent) and parameter.type is entity.cls:
            continue
        binding = _bind_parameter(pattern, parameter, entity)
        (bindings if isinstance(binding, Binding) else problems).append(binding)  # type: ignore[arg-type]
    if isinstance(intent, GetIntent | QueryIntent):
        for found in _bind_condition(pattern, entity, intent.where):
            (bindings if isinstance(found, Binding) else problems).append(found)  # type: ignore[arg-type]
    problems += _type_problems(pattern, entity)
    if isinstance(intent, WithinIntent):
        problems += _within_problems(pattern)
    return tuple(bindings), tuple(problems)


def _within_problems(pattern: PatternDeclaration) -> Iterator[Problem]:
    """Yield the problems of a `within` pattern."""
    areas = [parameter.name for parameter in pattern.bound_parameters if parameter.test in AREA_TYPES]
    if not areas:
        remedy = "Add a parameter, such as area: Radius."
        yield Problem(
            f"pattern {pattern.name}: within(...) needs an area, but the pattern has no area parameter",
            pattern.location,
            remedy,
        )
    if len(areas) > 1:
        message = f"pattern {pattern.name}: within(...) takes one area, but {' and '.join(areas)} are areas"
        yield Problem(message, pattern.location, "Declare one pattern per area.")
    if paging := [name for name in (LIMIT, CURSOR) if name in pattern.parameters]:
        message = f"pattern {pattern.name}: within(...) returns all results and does not support {' or '.join(paging)}"
        yield Problem(message, pattern.location, "Use Nearest(..., count, meters=...) to limit the number of results.")


def _bind_parameter(pattern: PatternDeclaration, parameter: ParameterDeclaration, entity: Entity) -> Binding | Problem:
    if parameter.test in AREA_TYPES:
        return _bind_area(pattern, parameter, entity)
    field = entity.fields.get(parameter.name)
    if field is None:
        return unknown_parameter(pattern, parameter, {entity.label: entity.fields})
    problem = type_mismatch(parameter, field)
    if problem:
        message = f"pattern {pattern.name}: the parameter {parameter.name!r} is {parameter.type_name}, {problem}"
        return Problem(message.replace(" the field", f" {entity.label}.{field.name}"), pattern.location)
    return Binding((field.name,), parameter.test, Parameter(parameter.name))


def _bind_area(pattern: PatternDeclaration, parameter: ParameterDeclaration, entity: Entity) -> Binding | Problem:
    cells = [derived for derived in entity.declaration.derived.values() if isinstance(derived, GeohashCell)]
    if len({cell.fields for cell in cells}) == 1:
        return Binding(cells[0].fields, parameter.test, Parameter(parameter.name))
    if cells:
        names = ", ".join(name for name, each in entity.declaration.derived.items() if isinstance(each, GeohashCell))
        message = (
            f"pattern {pattern.name}: {parameter.name!r} is an area, but {entity.label} has several locations: {names}"
        )
        return Problem(message, pattern.location, "An entity that is searched by area must have exactly one location.")
    message = f"pattern {pattern.name}: {parameter.name!r} is an area, but {entity.label} has no geohash cell"
    remedy = 'Declare one on the entity: derived={"cell": geohash("latitude", "longitude", precision=6)}.'
    return Problem(message, pattern.location, remedy)


def unknown_parameter(
    pattern: PatternDeclaration, parameter: ParameterDeclaration, known: Mapping[str, Mapping[str, Field]]
) -> Problem:
    """Return the problem for a parameter that is not the name of a field."""
    names = [name for fields in known.values() for name in fields]
    message = f"pattern {pattern.name}: the parameter {parameter.name!r} is not a field of {' or '.join(known)}"
    return Problem(message, pattern.location, did_you_mean(parameter.name, names))


def type_mismatch(parameter: ParameterDeclaration, field: Field) -> str | None:
    """Return why a parameter does not match a field, or None."""
    is_path = field.type == tuple[str, ...]
    if parameter.test in (Subtree, Children) and not is_path:
        return f"which needs a path (tuple[str, ...]), but the field is {field.type_name}"
    if parameter.test is Prefix and field.type is not str:
        return f"which needs a str, but the field is {field.type_name}"
    return None if _types_match(parameter.type, field.type) else f"but the field is {field.type_name}"


def _types_match(given: Any, field: Any) -> bool:
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


def _type_problems(pattern: PatternDeclaration, entity: Entity) -> Iterator[Problem]:
    """Yield a problem for each parameter that the body compares with, or assigns to, a field of another type."""
    intent = pattern.intent
    nodes = (getattr(intent, "where", None), getattr(intent, "filter", None), *getattr(intent, "changes", ()))
    for path, source in (pair for node in nodes for pair in _fields_and_parameters(node)):
        field, parameter = entity.fields.get(str(path.steps[0])), pattern.parameters.get(source.name)
        if field is None or parameter is None or len(path.steps) > 1:
            continue
        if parameter.test is not Equal or not _types_match(parameter.type, field.type):
            message = f"pattern {pattern.name}: the parameter {parameter.name!r} is {parameter.type_name}, "
            yield Problem(f"{message}but {entity.label}.{field.name} is {field.type_name}", pattern.location)


def _fields_and_parameters(node: object) -> Iterator[tuple[Path, Parameter]]:
    """Yield each field that a condition or change combines with a parameter, and the parameter."""
    match node:
        case Compare(_, Path() as path, Parameter() as source) | Change(_, Path() as path, Parameter() as source):
            yield path, source
        case In(Path() as path, options):
            yield from ((path, option) for option in options if isinstance(option, Parameter))
        case And(parts) | Or(parts):
            for part in parts:
                yield from _fields_and_parameters(part)
        case Not(part):
            yield from _fields_and_parameters(part)
        case _:
            return


def _bind_condition(
    pattern: PatternDeclaration, entity: Entity, condition: Condition | None
) -> Iterator[Binding | Problem]:
    if condition is None:
        return
    for part in condition.parts if isinstance(condition, And) else (condition,):
        match part:
            case Compare("=", Path((str(name),)), Constant() | Parameter() as right):
                invalid = _invalid_constant(entity.fields[name], right)
                yield (
                    Problem(f"pattern {pattern.name}: {invalid}", pattern.location)
                    if invalid
                    else Binding((name,), Equal, right)
                )
            case Function("attribute_exists", (Path((str(name),)),)):
                yield Binding((name,), Present, Constant(None))
            case Not(Function("attribute_type", (Path((str(),)), Constant("NULL")))):
                continue  # the second part of an exists() condition, for a field that stores None
            case _:
                yield Problem(
                    f"pattern {pattern.name}: where= of a read supports only == and exists(), combined with &",
                    pattern.location,
                    "For a range, use a parameter type such as Between[...]; for other conditions, use filter=.",
                )


def fixed_values(condition: Condition | None) -> dict[str, Constant | Parameter]:
    """Return the fields that a condition fixes to one value."""
    fixed: dict[str, Constant | Parameter] = {}
    for part in condition.parts if isinstance(condition, And) else (condition,):
        match part:
            case Compare("=", Path((str(name),)), Constant() | Parameter() as right):
                fixed[name] = right
            case _:
                pass
    return fixed


def _invalid_constant(field: Field, source: Constant | Parameter) -> str | None:
    """Return why a constant can never be the value of a field, or None."""
    if isinstance(source, Parameter):
        return None
    try:
        choose_codec(field.type, "", ORDERED_DELIMITER, field.codecs).encode(source.value)
    except KeyRefused as problem:
        return f"{field.name} can never be {source.value!r}: {problem}"
    except ValueError:
        return None  # the type is not supported in keys, which the planner reports
    return None
