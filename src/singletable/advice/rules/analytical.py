"""Patterns that go through everything there is, which a key cannot help."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.advice.advice import Advice
from singletable.advice.evidence import Evidence
from singletable.model.intents import Write
from singletable.planner.plan import Plan, Refusal


def advise(evidence: Evidence) -> Iterator[Advice]:
    """Scans, and lists of all the items of an entity that nothing limits."""
    scans = [outcome for outcome in evidence.outcomes if isinstance(outcome, Refusal) and outcome.needs_scan]
    lists = [plan for plan in evidence.plans if _lists_everything(plan)]
    if not scans and not lists:
        return
    reads = sum(1 for pattern in evidence.design.patterns if not isinstance(pattern.intent, Write))
    seen = [f"{each.pattern.name} needs a Scan: {each.reason}" for each in scans]
    seen += [f"{each.pattern.name} reads every {each.wanted[0].label}, page after page" for each in lists]
    yield Advice(
        "analytical reads",
        "strong" if 2 * len(seen) > reads else "mild",
        f"{len(seen)} of {reads} reads go through everything there is, and are billed for all of it each time",
        tuple(seen),
        "export the table (to S3 with point-in-time recovery on, or as Parquet) and ask Athena or a warehouse; keep "
        "counts and sums that a page shows in items of their own (`counted=`)",
    )


def _lists_everything(plan: Plan) -> bool:
    """Whether a page without a limit is read from the one partition that holds all items of an entity.

    A constant in a partition's key, such as a status, picks a part of them, which may be small on purpose.
    """
    if plan.operation != "Query" or plan.limit is not None or plan.members or plan.spreads:
        return False
    if plan.pattern.bound_parameters:
        return False
    return not any(part.fields for part in plan.wanted[0].placements[plan.index.alias].partition)
