"""Asks every rule what in a model speaks against a single table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from singletable.advice.advice import Advice
from singletable.advice.evidence import Evidence
from singletable.advice.rules import access_rules, analytical, never_together, search, unknown_patterns
from singletable.cost.calls import call_costs
from singletable.cost.compare import compare
from singletable.cost.prices import STANDARD, prices_of
from singletable.model.design import Design
from singletable.planner.item_sizes import Sizes
from singletable.planner.plan import Outcome

REGION = "us-east-1"
"""Whose prices the comparison is made with; it is the ratio that matters."""


class AdviceRule(Protocol):
    """A rule's module."""

    def advise(self, evidence: Evidence) -> Iterator[Advice]:
        """Everything that the rule has to say."""
        ...


RULES: tuple[AdviceRule, ...] = (never_together, unknown_patterns, analytical, access_rules, search)


def advise(design: Design, outcomes: Sequence[Outcome]) -> tuple[Advice, ...]:
    """What every rule says, what is strong first."""
    sizes = Sizes(design)
    comparison = compare(design, call_costs(design, sizes), sizes, prices_of(REGION), STANDARD, 1.0)
    evidence = Evidence(design, tuple(outcomes), comparison)
    found = [advice for rule in RULES for advice in rule.advise(evidence)]
    return tuple(sorted(found, key=lambda advice: advice.weight != "strong"))
