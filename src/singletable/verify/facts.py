"""What every rule looks at: the design, and the outcome of planning each of its patterns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from singletable.model.declaration import PatternDeclaration
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.planner.obstacles import NotProjected, NotStrong, Unordered, WrongOrder
from singletable.planner.plan import Outcome, Plan, Refusal
from singletable.planner.planner import plan_all
from singletable.verify.finding import Finding, Rule, Severity

_TOLD_SHARPLY = (NotProjected, NotStrong, WrongOrder, Unordered)
"""Obstacles that have a rule of their own; where several meet, the first one's rule speaks for all."""


@dataclass(frozen=True)
class Facts:
    """A design with the plans of all its patterns."""

    design: Design
    outcomes: tuple[Outcome, ...]

    @property
    def plans(self) -> Iterator[Plan]:
        """The patterns that are served."""
        return (outcome for outcome in self.outcomes if isinstance(outcome, Plan))

    @property
    def refusals(self) -> Iterator[Refusal]:
        """The patterns that are not."""
        return (outcome for outcome in self.outcomes if isinstance(outcome, Refusal))


def told_by(refusal: Refusal) -> type | None:
    """The obstacle whose own rule tells a refusal; None when it is a Scan or an index is missing (ST001, ST002)."""
    kinds = {type(obstacle) for obstacle in refusal.obstacles}
    if refusal.needs_scan or not kinds <= set(_TOLD_SHARPLY):
        return None
    return next((kind for kind in _TOLD_SHARPLY if kind in kinds), None)


def facts_of(design: Design) -> Facts:
    """Plan every pattern of a design."""
    return Facts(design, plan_all(design))


def on_pattern(
    rule: Rule, pattern: PatternDeclaration, message: str, remedy: str, *details: str, severity: Severity | None = None
) -> Finding:
    """A finding about a pattern."""
    text = f"{pattern.name}: {message}"
    return Finding(rule, pattern.name, text, pattern.location, remedy, details, severity or rule.severity)


def on_entity(rule: Rule, entity: Entity, message: str, remedy: str, *details: str) -> Finding:
    """A finding about an entity."""
    text = f"{entity.label}: {message}"
    return Finding(rule, entity.label, text, entity.location, remedy, details, rule.severity)


def on_table(rule: Rule, design: Design, message: str, remedy: str, *details: str) -> Finding:
    """A finding about the table as a whole."""
    return Finding(rule, design.name, message, design.settings.location, remedy, details, rule.severity)
