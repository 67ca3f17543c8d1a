"""Run every advice rule on a design."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from singletable.advice.recommendation import Advice, Evidence
from singletable.advice.rules import access_rules, analytical, never_together, search, unknown_patterns
from singletable.cost.call_costs import call_costs
from singletable.cost.design_comparison import compare
from singletable.cost.prices import STANDARD, prices_of
from singletable.model.design import Design
from singletable.planner.item_sizes import ItemSizes
from singletable.planner.plan import Outcome

REGION = "us-east-1"
"""The region for prices. Any region works, because the advice depends only on the ratio of two costs."""


class AdviceRule(Protocol):
    """The type of an advice rule: a module with a function `advise`."""

    def advise(self, evidence: Evidence) -> Iterator[Advice]:
        """Yield the advice of the rule."""
        ...


RULES: tuple[AdviceRule, ...] = (never_together, unknown_patterns, analytical, access_rules, search)


def advise(design: Design, outcomes: Sequence[Outcome]) -> tuple[Advice, ...]:
    """Return the advice of all rules, strong advice first."""
    sizes = ItemSizes(design)
    comparison = compare(design, call_costs(design, sizes), sizes, prices_of(REGION), STANDARD, 1.0)
    evidence = Evidence(design, tuple(outcomes), comparison)
    found = [advice for rule in RULES for advice in rule.advise(evidence)]
    return tuple(sorted(found, key=lambda advice: advice.weight != "strong"))
