"""Advice about filters that search for text inside fields. A search engine does this better."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.advice.recommendation import Advice, Evidence
from singletable.expressions.tree import And, Condition, Function, Not, Or


def advise(evidence: Evidence) -> Iterator[Advice]:
    """Yield advice about patterns whose filter uses `contains`."""
    searching = [plan.pattern.name for plan in evidence.plans if plan.filter is not None and _searches(plan.filter)]
    if searching:
        yield Advice(
            "search",
            "mild",
            "a filter that searches inside text reads every item, and you also pay for the items that it discards",
            (", ".join(searching),),
            "a search engine that receives the changes from the table's stream, such as OpenSearch, or search tokens "
            "in a separate index",
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
