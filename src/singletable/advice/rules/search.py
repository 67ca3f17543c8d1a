"""Filters that look for text inside of fields, which is a search engine's work."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.advice.advice import Advice
from singletable.advice.evidence import Evidence
from singletable.expressions.tree import And, Condition, Function, Not, Or


def advise(evidence: Evidence) -> Iterator[Advice]:
    """Patterns whose filter uses `contains`."""
    searching = [plan.pattern.name for plan in evidence.plans if plan.filter is not None and _searches(plan.filter)]
    if searching:
        yield Advice(
            "search",
            "mild",
            "a filter that looks inside of texts reads, and is billed for, everything that it throws away",
            (", ".join(searching),),
            "a search engine that follows the table's stream (OpenSearch), or tokens in an index of their own",
        )


def _searches(condition: Condition) -> bool:
    match condition:
        case And(parts) | Or(parts):
            return any(_searches(part) for part in parts)
        case Not(part):
            return _searches(part)
        case Function(name):
            return name == "contains"
        case _:
            return False
