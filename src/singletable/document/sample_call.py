"""A call of a pattern with arguments out of rows, so that its request can be shown as it is sent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from enum import Enum
from typing import Any

from singletable.client.call_explanation import explain_call
from singletable.errors import SingletableError
from singletable.model.areas import AREA_TYPES, Box, Nearest, Radius
from singletable.model.declaration import ParameterDeclaration
from singletable.model.derived.geocell import GeoCell
from singletable.model.design import Design
from singletable.model.entity import Entity, declaration_of
from singletable.model.ranges import Between, Children, Prefix, Since, Subtree, Until
from singletable.planner.bind import Request
from singletable.planner.plan import Plan
from singletable.sample_rows.rows import Values
from singletable.sample_rows.values import Wanted, initials_of, value_of

Rows = Mapping[str, Sequence[Values]]
"""The fields of rows, by the names of their entities."""

_NEAR_DEGREES, _NEAR_METERS, _NEAREST = 0.005, 500.0, 3
_BEHIND = (Between, Since, Until)


@dataclass(frozen=True)
class SampleCall:
    """A call as a person writes it, and the requests that it becomes."""

    text: str
    requests: tuple[Request, ...]


def sample_call(design: Design, plan: Plan, rows: Rows) -> SampleCall | None:
    """The call of a planned pattern; None where the rows give it no arguments that it takes."""
    try:
        arguments = _arguments(plan, rows)
        bound = plan.pattern.signature.bind(None, **arguments)
        requests = explain_call(design, plan, bound, is_sample=True).requests
    except (SingletableError, ValueError, TypeError, LookupError):  # a class or a function of the user's own
        return None
    said = ", ".join(f"{name}={_written(value)}" for name, value in arguments.items())
    return SampleCall(f"{plan.pattern.name}({said})", requests)


def _arguments(plan: Plan, rows: Rows) -> dict[str, Any]:
    needed = [parameter for parameter in plan.pattern.parameters.values() if parameter.required]
    names = [parameter.name for parameter in needed]
    return {parameter.name: _argument(parameter, plan.wanted, rows, names) for parameter in needed}


def _argument(parameter: ParameterDeclaration, wanted: Sequence[Entity], rows: Rows, names: Sequence[str]) -> Any:
    if declaration_of(parameter.type) is not None:
        return _made(wanted[0], _fullest(rows.get(wanted[0].name, ()), tuple(wanted[0].fields)))
    if parameter.test in AREA_TYPES:
        return _area(parameter.test, wanted[0], rows)
    owner = next((entity for entity in wanted if parameter.name in entity.fields), None)
    known = [row for row in rows.get(owner.name, ()) if row.get(parameter.name) is not None] if owner else []
    if not known:
        return _of_test(parameter, [value_of(parameter.type, _nameless(parameter.name), 0)])
    first = _fullest(known, names)
    if parameter.test in _BEHIND:
        return _of_test(parameter, sorted(row[parameter.name] for row in known))
    return _of_test(parameter, [first[parameter.name]])


def _nameless(name: str) -> Wanted:
    return Wanted("", name, initials_of(name.removesuffix("_id")))


def _fullest(rows: Sequence[Values], names: Sequence[str]) -> Values:
    """The first of the rows that lack least, so that one row gives all arguments."""
    return max(rows, key=lambda row: sum(row.get(name) is not None for name in names))


def _of_test(parameter: ParameterDeclaration, values: Sequence[Any]) -> Any:
    first, last = values[0], values[-1]
    if parameter.test is Between:
        return Between(first, last)
    if parameter.test is Until:
        return Until(last)
    if parameter.test is Prefix:
        return Prefix(first[:1])
    return parameter.test(first) if parameter.test in (Since, Subtree, Children) else first


def _area(test: type, entity: Entity, rows: Rows) -> Radius | Box | Nearest:
    cell = next(each for each in entity.declaration.derived.values() if isinstance(each, GeoCell))
    row = rows[entity.name][0]
    latitude, longitude = (float(row[name]) for name in cell.fields)
    if test is Nearest:
        return Nearest(latitude, longitude, _NEAREST, meters=_NEAR_METERS)
    if test is Radius:
        return Radius(latitude, longitude, _NEAR_METERS)
    edges = (latitude - _NEAR_DEGREES, longitude - _NEAR_DEGREES, latitude + _NEAR_DEGREES, longitude + _NEAR_DEGREES)
    return Box(*(round(edge, 4) for edge in edges))


def _made(entity: Entity, values: Values) -> Any:
    """An object of the user's class, without asking the class: a sample may not be what it would accept."""
    made: Any = object.__new__(entity.cls)
    for name, value in values.items():
        object.__setattr__(made, name, value)
    return made


def _written(value: Any) -> str:
    if isinstance(value, Between):
        return f"{_written(value.low)} to {_written(value.high)}"
    if isinstance(value, Since | Until | Prefix | Subtree | Children):
        (inner,) = (getattr(value, name) for name in value.__dataclass_fields__)
        return f"{type(value).__name__}({_written(inner)})"
    if isinstance(value, Radius | Box | Nearest):
        numbers = ", ".join(f"{getattr(value, name):g}" for name in value.__dataclass_fields__)
        return f"{type(value).__name__}({numbers})"
    if declaration_of(type(value)) is not None:
        return f"{type(value).__name__}(…)"
    return "".join(_plainly(value))


def _plainly(value: Any) -> Iterator[str]:
    if isinstance(value, Enum):
        yield _written(value.value)
    elif isinstance(value, str):
        yield f'"{value}"'
    elif isinstance(value, datetime | date):
        yield value.isoformat()
    elif isinstance(value, tuple):
        yield "/".join(str(each) for each in value)
    else:
        yield str(value)
