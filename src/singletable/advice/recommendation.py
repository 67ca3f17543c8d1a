"""Recommendations to use several tables, and the evidence that the advice rules examine."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from singletable.cost.design_comparison import DesignComparison
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.planner.plan import Outcome, Plan

Weight = Literal["strong", "mild"]


@dataclass(frozen=True)
class Advice:
    """The advice of one rule.

    It is `strong` if a single table does not fit at all, and `mild` if one part does not fit.
    """

    topic: str
    weight: Weight
    reason: str
    evidence: tuple[str, ...]
    """The patterns or entities that the advice concerns."""
    instead: str

    def __str__(self) -> str:
        lines = [f"{self.topic}: {self.reason}", *(f"  {each}" for each in self.evidence), f"  Instead: {self.instead}"]
        return "\n".join(lines)


@dataclass(frozen=True)
class Evidence:
    """A design with its plans, and the cost comparison with one table per entity."""

    design: Design
    outcomes: tuple[Outcome, ...]
    comparison: DesignComparison

    @property
    def plans(self) -> Iterator[Plan]:
        """The plans of the supported patterns."""
        return (outcome for outcome in self.outcomes if isinstance(outcome, Plan))

    @property
    def groups(self) -> tuple[tuple[Entity, ...], ...]:
        """Groups of entities that are read together or kept in sync, directly or through other entities."""
        group_of = {entity.label: {entity.label} for entity in self.design.entities}
        for members in (*self._read_together, *self._synced_together):
            together = set[str]().union(*(group_of[label] for label in members))
            for label in together:
                group_of[label] = together
        by_label = {entity.label: entity for entity in self.design.entities}
        groups = dict.fromkeys(tuple(label for label in by_label if label in group) for group in group_of.values())
        return tuple(tuple(by_label[label] for label in group) for group in groups)

    @property
    def _read_together(self) -> Iterator[set[str]]:
        return ({entity.label for entity in plan.entities} for plan in self.plans)

    @property
    def _synced_together(self) -> Iterator[set[str]]:
        """For each entity: the entity itself, its mirror, the sources of its copies, and the owners of its counters."""
        label_of = {entity.cls: entity.label for entity in self.design.entities}
        for entity in self.design.entities:
            declared = entity.declaration
            others = [declared.mirror_of, *(c.source for c in declared.copies), *(c.owner for c in declared.counted)]
            yield {entity.label, *(label_of[other] for other in others if other in label_of)}
