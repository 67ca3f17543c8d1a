"""What every rule of advice looks at: the design, its plans, and the price of both ways."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from singletable.cost.compare import Comparison
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.planner.plan import Outcome, Plan


@dataclass(frozen=True)
class Evidence:
    """A design with the plans of its patterns, and the same patterns with a table for each entity."""

    design: Design
    outcomes: tuple[Outcome, ...]
    comparison: Comparison

    @property
    def plans(self) -> Iterator[Plan]:
        """The patterns that are served."""
        return (outcome for outcome in self.outcomes if isinstance(outcome, Plan))

    @property
    def groups(self) -> tuple[tuple[Entity, ...], ...]:
        """The entities in groups whose members are read or kept right together, directly or in a chain."""
        group_of = {entity.label: {entity.label} for entity in self.design.entities}
        for members in (*self._read_together, *self._kept_together):
            together = set[str]().union(*(group_of[label] for label in members))
            for label in together:
                group_of[label] = together
        by_label = {entity.label: entity for entity in self.design.entities}
        groups = dict.fromkeys(tuple(label for label in by_label if label in group) for group in group_of.values())
        return tuple(tuple(by_label[label] for label in group) for group in groups)

    @property
    def _read_together(self) -> Iterator[set[str]]:
        return ({entity.label for entity in plan.wanted} for plan in self.plans)

    @property
    def _kept_together(self) -> Iterator[set[str]]:
        """An entity with what it mirrors, copies from and is counted by, which one write changes in one table."""
        label_of = {entity.cls: entity.label for entity in self.design.entities}
        for entity in self.design.entities:
            declared = entity.declaration
            others = [declared.mirror_of, *(c.source for c in declared.copies), *(c.owner for c in declared.counted)]
            yield {entity.label, *(label_of[other] for other in others if other in label_of)}
