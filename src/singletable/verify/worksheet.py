"""The worksheet of a design: one row per access pattern, from its description to its request and cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from singletable.expressions.printer import readable_condition
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.intents import ItemWriteIntent
from singletable.model.key_template import LiteralText
from singletable.model.keys import KeyPart, NativePart
from singletable.model.parameter_types import (
    Between,
    Box,
    Children,
    Equal,
    Nearest,
    Prefix,
    Radius,
    Since,
    Subtree,
    Until,
)
from singletable.model.pattern_declaration import PatternDeclaration
from singletable.planner.estimate import Estimate, estimate
from singletable.planner.formatting import GUESS_MARK, format_bytes, format_count
from singletable.planner.plan import Outcome, Plan

_RANGE_WORDS = {
    Between: "{0} between two values",
    Since: "{0} since",
    Until: "{0} until",
    Prefix: "{0} begins with",
    Subtree: "subtree of {0}",
    Children: "children of {0}",
    Radius: "{0} within a radius",
    Box: "{0} within a box",
    Nearest: "{0} nearest to a point",
}


@dataclass(frozen=True)
class PatternRow:
    """One row of the worksheet."""

    number: int
    pattern: str
    title: str
    entry: str
    filters: str
    frequency: str
    budget: str
    entities: str
    verdict: str
    sort: str = ""
    expected: str = ""
    operation: str = ""
    index: str = ""
    key_condition: str = ""
    limit: str = ""
    cost: str = ""
    pages: int | None = None
    """The pages of each Query. None if it is unbounded, or if the pattern is not supported."""
    reason: str = ""


def worksheet(design: Design, outcomes: tuple[Outcome, ...]) -> tuple[PatternRow, ...]:
    """Return one row per pattern, in order of declaration."""
    entries = _single_entities(design)
    return tuple(_row(design, entries, number, outcome) for number, outcome in enumerate(outcomes, 1))


def _row(design: Design, entries: Mapping[Outline, str], number: int, outcome: Outcome) -> PatternRow:
    pattern = outcome.pattern
    budget = pattern.options.budget_ms
    row = PatternRow(
        number=number,
        pattern=pattern.name,
        title=pattern.title,
        entry=_entry(entries, outcome),
        filters=_filters(pattern),
        frequency=_frequency(pattern),
        budget=f"< {budget:g} ms" if budget is not None else "",
        entities=", ".join(entity.label for entity in outcome.entities),
        verdict=outcome.verdict_text(),
    )
    if not isinstance(outcome, Plan):
        return replace(row, reason=outcome.reason)
    cost = estimate(design, outcome)
    foreign = "".join(f", ({entity.label})" for entity in outcome.other_entities)
    return replace(
        row,
        entities=row.entities + foreign,
        sort=outcome.order,
        operation=outcome.operation,
        index=outcome.index.label,
        key_condition=outcome.key_condition(),
        limit=outcome.limit.show() if outcome.limit is not None else "",
        expected=_expected(cost),
        cost=str(cost),
        pages=outcome.pages.count,
    )


def _expected(cost: Estimate) -> str:
    """Return the number of items and bytes that a call reads or writes."""
    items = f"{GUESS_MARK if cost.guesses_items else ''}{format_count(cost.items, 'item')}"
    return f"{items}, {GUESS_MARK if cost.guesses_bytes else ''}{format_bytes(cost.bytes)}"


def _frequency(pattern: PatternDeclaration) -> str:
    word = pattern.options.frequency if isinstance(pattern.options.frequency, str) else None
    rate = f"{pattern.rate:.15g}/s" if pattern.rate is not None else None
    return ", ".join(text for text in (word, rate) if text)


def _filters(pattern: PatternDeclaration) -> str:
    """Describe ranges, filters and limits."""
    words = [
        _RANGE_WORDS[parameter.test].format(parameter.name)
        for parameter in pattern.bound_parameters
        if parameter.test is not Equal
    ]
    intent = pattern.intent
    if (condition := getattr(intent, "where", None)) is not None:
        words.append(("if " if isinstance(intent, ItemWriteIntent) else "") + readable_condition(condition))
    if (condition := getattr(intent, "filter", None)) is not None:
        words.append(f"filter {readable_condition(condition)}")
    limit = getattr(intent, "limit", None)
    return "; ".join([*words, *([f"first {limit}"] if isinstance(limit, int) else [])])


def _entry(entries: Mapping[Outline, str], outcome: Outcome) -> str:
    """Return the declared entry entity, or else the entity that has a single item in the partition that is read."""
    declared = outcome.pattern.options.entry
    if declared is not None:
        return declared if isinstance(declared, str) else declared.__name__
    first = outcome.entities[0]
    if isinstance(outcome, Plan) and not outcome.pattern.is_write:
        return entries.get(_outline(first.placements[outcome.index.alias].partition), first.label)
    return first.label


def _single_entities(design: Design) -> dict[Outline, str]:
    """Return the first entity with a single item per partition, by the literal text of the partition key."""
    singles = [entity for entity in design.entities if _is_single(entity)]
    return {_outline(entity.base.partition): entity.label for entity in reversed(singles)}


def _is_single(entity: Entity) -> bool:
    """Return whether a partition has one item of the entity: its sort key is fixed, or repeats the partition key."""
    return entity.base.exact_fields <= frozenset[str]().union(*(p.exact_fields for p in entity.base.partition))


Outline = tuple[str, ...]
"""The literal text of each part of a partition key, with every field as `{}`."""


def _outline(parts: tuple[KeyPart, ...]) -> Outline:
    return tuple(
        part.attribute
        if isinstance(part, NativePart)
        else "".join(piece.text if isinstance(piece, LiteralText) else "{}" for piece in part.template.parts)
        for part in parts
    )
