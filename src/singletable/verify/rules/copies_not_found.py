"""ST116: items that repeat another entity's values, and cannot be found when those change."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.planner.holders import plan_holders
from singletable.planner.plan import Refusal
from singletable.verify.facts import Facts, on_entity
from singletable.verify.finding import Finding, Rule

RULE = Rule("ST116", "copies not found", "error")


def check(facts: Facts) -> Iterator[Finding]:
    """Entities that no index leads to from the entity that they repeat."""
    for holder in facts.design.entities:
        for copy in holder.declaration.copies:
            outcome = plan_holders(facts.design, copy, holder)
            if isinstance(outcome, Refusal):
                by = " and ".join(copy.by.values())
                source = copy.source.__name__
                message = (
                    f"it repeats {', '.join(copy.fields)} of {source}, but cannot be found by {by}: {outcome.reason}"
                )
                remedy = f"Give {holder.label} a key or an index whose partition is made of {by}."
                yield on_entity(RULE, holder, message, remedy)
