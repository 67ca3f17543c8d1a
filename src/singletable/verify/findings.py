"""Findings of the design rules, the planned design that all rules check, and functions that create findings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from singletable.errors import Location
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.pattern_declaration import PatternDeclaration
from singletable.planner.mismatches import KeyMissing, NotProjected, StrongReadOnGsi, Unordered, WrongOrder
from singletable.planner.plan import Outcome, Plan, UnsupportedPattern
from singletable.planner.planner import plan_all
from singletable.planner.remedy import Remedy, as_remedy

Severity = Literal["error", "warning"]


@dataclass(frozen=True)
class Rule:
    """A rule's code, title and default severity."""

    code: str
    title: str
    severity: Severity


@dataclass(frozen=True)
class Finding:
    """A violation of a rule. The `subject` is the pattern, entity or table in which `accept=` can accept it."""

    rule: Rule
    subject: str
    message: str
    location: Location
    remedy: Remedy
    details: tuple[str, ...] = ()
    severity: Severity = "warning"
    accepted: str | None = None
    other_indexes: tuple[str, ...] = ()
    """Why the other indexes do not serve the pattern either. The message is about the nearest index."""

    @property
    def code(self) -> str:
        """The rule's code, such as ST101."""
        return self.rule.code

    @property
    def fails(self) -> bool:
        """Whether this finding makes `check` fail."""
        return self.severity == "error" and self.accepted is None

    def __str__(self) -> str:
        lines = [f"{self.code} {self.rule.title}: {self.message}", *(f"  {detail}" for detail in self.details)]
        ends = (f"accepted: {self.accepted}",) if self.accepted is not None else self.remedy.lines
        return "\n".join([*lines, *(f"  {line}" for line in ends)])


_MISMATCHES_WITH_RULES = (KeyMissing, NotProjected, StrongReadOnGsi, WrongOrder, Unordered)
"""Mismatches that have their own rule. If a pattern has several of them, only the first in this order is reported."""


@dataclass(frozen=True)
class PlannedDesign:
    """A design with the plans of all its patterns: the input of every rule."""

    design: Design
    outcomes: tuple[Outcome, ...]

    @property
    def plans(self) -> Iterator[Plan]:
        """The plans of the supported patterns."""
        return (outcome for outcome in self.outcomes if isinstance(outcome, Plan))

    @property
    def unsupported(self) -> Iterator[UnsupportedPattern]:
        """The patterns that are not supported."""
        return (outcome for outcome in self.outcomes if isinstance(outcome, UnsupportedPattern))


def reported_mismatch(pattern: UnsupportedPattern) -> type | None:
    """Return the mismatch that is reported by its own rule. Return None if ST001 or ST002 reports the pattern."""
    kinds = {type(mismatch) for mismatch in pattern.mismatches}
    if pattern.needs_scan or not kinds <= set(_MISMATCHES_WITH_RULES):
        return None
    return next((kind for kind in _MISMATCHES_WITH_RULES if kind in kinds), None)


def plan_design(design: Design) -> PlannedDesign:
    """Plan every pattern of a design."""
    return PlannedDesign(design, plan_all(design))


def pattern_finding(
    rule: Rule,
    pattern: PatternDeclaration,
    message: str,
    remedy: Remedy | str,
    *details: str,
    severity: Severity | None = None,
) -> Finding:
    """Return a finding about a pattern."""
    text = f"{pattern.name}: {message}"
    return Finding(rule, pattern.name, text, pattern.location, as_remedy(remedy), details, severity or rule.severity)


def unsupported_finding(rule: Rule, unsupported: UnsupportedPattern, remedy: Remedy | str) -> Finding:
    """Return a finding about a pattern that no index serves. It describes the nearest index, and the other indexes."""
    others = tuple(f"{other.index}: {'; '.join(other.reasons)}" for other in unsupported.other_indexes)
    return replace(pattern_finding(rule, unsupported.pattern, unsupported.reason, remedy), other_indexes=others)


def entity_finding(rule: Rule, entity: Entity, message: str, remedy: Remedy | str, *details: str) -> Finding:
    """Return a finding about an entity."""
    text = f"{entity.label}: {message}"
    return Finding(rule, entity.label, text, entity.location, as_remedy(remedy), details, rule.severity)


def table_finding(rule: Rule, design: Design, message: str, remedy: Remedy | str, *details: str) -> Finding:
    """Return a finding about the table."""
    return Finding(rule, design.name, message, design.settings.location, as_remedy(remedy), details, rule.severity)
