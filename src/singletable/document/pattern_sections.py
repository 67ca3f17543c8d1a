"""The worksheet, and one section per access pattern with a sample call, its requests and its proof."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from enum import Enum
from typing import Any

from singletable.client.pattern import explain_call
from singletable.document.blocks import (
    Badge,
    Block,
    Bullets,
    Code,
    Fold,
    Link,
    Listing,
    Paragraph,
    Section,
    Tone,
    Words,
    table,
    words,
)
from singletable.document.item_collections import Item
from singletable.document.picture_selection import draw_read
from singletable.errors import SingletableError
from singletable.model.derived.geohash_cell import GeohashCell
from singletable.model.design import Design
from singletable.model.entity import Entity, declaration_of
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
from singletable.model.pattern_declaration import ParameterDeclaration
from singletable.planner.explanation import proof
from singletable.planner.plan import Outcome, Plan, UnsupportedPattern, Verdict
from singletable.planner.planned_requests import Request
from singletable.planner.remedies import remedy
from singletable.sample_rows.generate_rows import Values
from singletable.sample_rows.sample_values import SampleField, initials_of, value_of
from singletable.verify.design_check import CheckReport
from singletable.verify.worksheet import PatternRow, worksheet

Rows = Mapping[str, Sequence[Values]]
"""Rows by entity name."""

_TONES: Mapping[Verdict, Tone] = {
    Verdict.ONE_REQUEST: "good",
    Verdict.DECLARED_FANOUT: "good",
    Verdict.SEVERAL_PAGES: "warning",
    Verdict.UNBOUNDED: "warning",
    Verdict.UNDECLARED_FANOUT: "bad",
    Verdict.UNSUPPORTED: "bad",
}
_REQUESTS_SHOWN = 2
# A typed value, which json.dumps writes on three lines.
_ONE_VALUE = re.compile(r'\{\n +("(?:S|N|B|BOOL|NULL)": [^\n{\[]+)\n +\}')
_NEAR_DEGREES, _NEAR_METERS, _NEAREST = 0.005, 500.0, 3
_RANGES = (Between, Since, Until)


@dataclass(frozen=True)
class SampleCall:
    """A call, as you write it in code, and its requests."""

    text: str
    requests: tuple[Request, ...]


def sample_call(design: Design, plan: Plan, rows: Rows) -> SampleCall | None:
    """Return a sample call of a pattern. Return None if the rows do not contain valid arguments."""
    try:
        arguments = _arguments(plan, rows)
        bound = plan.pattern.signature.bind(None, **arguments)
        requests = explain_call(design, plan, bound, is_sample=True).requests
    except (SingletableError, ValueError, TypeError, LookupError):  # a class or function of the user raised it
        return None
    arguments_text = ", ".join(f"{name}={_value_text(value)}" for name, value in arguments.items())
    return SampleCall(f"{plan.pattern.name}({arguments_text})", requests)


def _arguments(plan: Plan, rows: Rows) -> dict[str, Any]:
    needed = [parameter for parameter in plan.pattern.parameters.values() if parameter.required]
    names = [parameter.name for parameter in needed]
    return {parameter.name: _argument(parameter, plan.entities, rows, names) for parameter in needed}


def _argument(parameter: ParameterDeclaration, wanted: Sequence[Entity], rows: Rows, names: Sequence[str]) -> Any:
    if declaration_of(parameter.type) is not None:
        return _sample_object(wanted[0], _fullest(rows.get(wanted[0].name, ()), tuple(wanted[0].fields)))
    if parameter.test in AREA_TYPES:
        return _area(parameter.test, wanted[0], rows)
    owner = next((entity for entity in wanted if parameter.name in entity.fields), None)
    known = [row for row in rows.get(owner.name, ()) if row.get(parameter.name) is not None] if owner else []
    if not known:
        return _range_of(parameter, [value_of(parameter.type, _sample_field(parameter.name), 0)])
    first = _fullest(known, names)
    if parameter.test in _RANGES:
        return _range_of(parameter, sorted(row[parameter.name] for row in known))
    return _range_of(parameter, [first[parameter.name]])


def _sample_field(name: str) -> SampleField:
    return SampleField("", name, initials_of(name.removesuffix("_id")))


def _fullest(rows: Sequence[Values], names: Sequence[str]) -> Values:
    """Return the row with the most values for these fields."""
    return max(rows, key=lambda row: sum(row.get(name) is not None for name in names))


def _range_of(parameter: ParameterDeclaration, values: Sequence[Any]) -> Any:
    first, last = values[0], values[-1]
    if parameter.test is Between:
        return Between(first, last)
    if parameter.test is Until:
        return Until(last)
    if parameter.test is Prefix:
        return Prefix(first[:1])
    return parameter.test(first) if parameter.test in (Since, Subtree, Children) else first


def _area(test: type, entity: Entity, rows: Rows) -> Radius | Box | Nearest:
    cell = next(each for each in entity.declaration.derived.values() if isinstance(each, GeohashCell))
    row = rows[entity.name][0]
    latitude, longitude = (float(row[name]) for name in cell.fields)
    if test is Nearest:
        return Nearest(latitude, longitude, _NEAREST, meters=_NEAR_METERS)
    if test is Radius:
        return Radius(latitude, longitude, _NEAR_METERS)
    edges = (latitude - _NEAR_DEGREES, longitude - _NEAR_DEGREES, latitude + _NEAR_DEGREES, longitude + _NEAR_DEGREES)
    return Box(*(round(edge, 4) for edge in edges))


def _sample_object(entity: Entity, values: Values) -> Any:
    """Return an object of the user's class without running its constructor, which could reject sample values."""
    made: Any = object.__new__(entity.cls)
    for name, value in values.items():
        object.__setattr__(made, name, value)
    return made


def _value_text(value: Any) -> str:
    if isinstance(value, Between):
        return f"{_value_text(value.low)} to {_value_text(value.high)}"
    if isinstance(value, Since | Until | Prefix | Subtree | Children):
        (inner,) = (getattr(value, name) for name in value.__dataclass_fields__)
        return f"{type(value).__name__}({_value_text(inner)})"
    if isinstance(value, Radius | Box | Nearest):
        numbers = ", ".join(f"{getattr(value, name):g}" for name in value.__dataclass_fields__)
        return f"{type(value).__name__}({numbers})"
    if declaration_of(type(value)) is not None:
        return f"{type(value).__name__}(…)"
    return "".join(_scalar_text(value))


def _scalar_text(value: Any) -> Iterator[str]:
    if isinstance(value, Enum):
        yield _value_text(value.value)
    elif isinstance(value, str):
        yield f'"{value}"'
    elif isinstance(value, datetime | date):
        yield value.isoformat()
    elif isinstance(value, tuple):
        yield "/".join(str(each) for each in value)
    else:
        yield str(value)


def anchor_of(design: Design, pattern: str) -> str:
    """Return the anchor of the section of a pattern."""
    return f"{design.name}.{pattern}".lower()


def worksheet_section(report: CheckReport, anchor: str) -> Section:
    """Return the worksheet: the access patterns, and the request that serves each pattern."""
    design = report.design
    rows = worksheet(design, report.outcomes)
    requirements = table(
        ("#", "access pattern", "entry entity", "filters / range", "sort direction", "frequency", "latency budget",
         "expected"),
        [
            (str(row.number), words(f"{row.title} ", _link(design, row)), row.entry, row.filters, row.sort,
             row.frequency, row.budget, row.expected)
            for row in rows
        ],
        "filters / range", "sort direction", "frequency", "latency budget", "expected",
    )  # fmt: skip
    requests = table(
        ("#", "pattern", "operation", "index", "key condition", "limit", "entities", "cost", "verdict"),
        [
            (str(row.number), _link(design, row), row.operation, row.index,
             Code(row.key_condition) if row.key_condition else "", row.limit, row.entities, row.cost,
             _badge(outcome))
            for row, outcome in zip(rows, report.outcomes, strict=True)
        ],
        "limit",
    )  # fmt: skip
    return Section(
        "Worksheet",
        anchor,
        (requirements, Paragraph(words("The request that serves each pattern:")), requests),
    )


def pattern_section(report: CheckReport, items: Sequence[Item], rows: Rows, anchor: str) -> Section:
    """Return one subsection per pattern: its requests, its proof, and the items that it reads."""
    numbered = enumerate(report.outcomes, 1)
    sections = tuple(_pattern(report.design, number, outcome, items, rows) for number, outcome in numbered)
    return Section("Access patterns", anchor, (), sections)


def _pattern(design: Design, number: int, outcome: Outcome, items: Sequence[Item], rows: Rows) -> Section:
    pattern = outcome.pattern
    anchor = anchor_of(design, pattern.name)
    title = f"{number}. {pattern.title}"
    if isinstance(outcome, UnsupportedPattern):
        blocks: list[Block] = [
            Paragraph(words(Code(pattern.name), " ", _badge(outcome))),
            Bullets((words(outcome.reason), words(str(remedy(design, outcome))))),
        ]
        return Section(title, anchor, (*blocks, *_other_indexes(outcome)))
    call = sample_call(design, outcome, rows)
    title_code = Code(call.text if call is not None else pattern.name)
    blocks = [Paragraph(words(title_code, " ", _badge(outcome)))]
    if call is not None and not pattern.is_write:
        selected = draw_read(design, items, call.requests, anchor, pattern.title, call.text)
        if selected is not None:
            blocks.append(selected.picture)
            blocks += [Paragraph(words(selected.omitted))] * bool(selected.omitted)
    # The badge already shows the verdict.
    lines = [line for line in proof(design, outcome) if not line.startswith("verdict:")]
    blocks.append(Bullets(tuple(_proof_line(line) for line in lines)))
    if call is not None:
        blocks.append(_requests(call))
    return Section(title, anchor, (*blocks, *_other_indexes(outcome)))


def _proof_line(line: str) -> Words:
    """Return a line of the proof, with the key condition formatted as code."""
    head, colon, rest = line.partition(": ")
    return words(f"{head}: ", Code(rest)) if colon and " = " in rest and " on " in head else words(line)


def _requests(call: SampleCall) -> Fold:
    shown = call.requests[:_REQUESTS_SHOWN]
    blocks: list[Block] = [Listing(_request_json(request), "json") for request in shown]
    left = len(call.requests) - len(shown)
    if left:
        blocks.append(Paragraph(words(f"and {left:,} more like {'it' if left == 1 else 'these'}.")))
    operations = ", ".join(dict.fromkeys(request.operation for request in call.requests))
    what = "The request" if len(call.requests) == 1 else f"The {len(call.requests):,} requests"
    return Fold(f"{what}: {operations}", tuple(blocks))


def _request_json(request: Request) -> str:
    written = json.dumps(request.parameters, indent=2, ensure_ascii=False)
    return _ONE_VALUE.sub(r"{ \1 }", written)


def _other_indexes(outcome: Outcome) -> tuple[Block, ...]:
    if not outcome.other_indexes:
        return ()
    reasons = tuple(words(Code(each.index), f": {'; '.join(each.reasons)}") for each in outcome.other_indexes)
    return (Fold("Why not another index", (Bullets(reasons),)),)


def _badge(outcome: Outcome) -> Badge:
    return Badge(outcome.verdict_text(), _TONES[outcome.verdict])


def _link(design: Design, row: PatternRow) -> Link:
    return Link(row.pattern, anchor_of(design, row.pattern))
