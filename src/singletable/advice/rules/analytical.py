"""Advice about patterns that read all items. No key can make such a pattern cheap."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.advice.recommendation import Advice, Evidence
from singletable.model.intents import ItemWriteIntent
from singletable.planner.plan import Plan, UnsupportedPattern


def advise(evidence: Evidence) -> Iterator[Advice]:
    """Yield advice about Scans and unlimited lists of all items of an entity."""
    scans = [outcome for outcome in evidence.outcomes if isinstance(outcome, UnsupportedPattern) and outcome.needs_scan]
    lists = [plan for plan in evidence.plans if _lists_everything(plan)]
    if not scans and not lists:
        return
    reads = sum(1 for pattern in evidence.design.patterns if not isinstance(pattern.intent, ItemWriteIntent))
    seen = [f"{each.pattern.name} needs a Scan: {each.reason}" for each in scans]
    seen += [f"{each.pattern.name} reads every {each.entities[0].label}, page by page" for each in lists]
    yield Advice(
        "analytical reads",
        "strong" if 2 * len(seen) > reads else "mild",
        f"{len(seen)} of {reads} reads go through all items, and you pay for all items in every call",
        tuple(seen),
        "export the table (to S3 with point-in-time recovery, or as Parquet) and query it with Athena or a data "
        "warehouse; keep counts and sums that you display in separate items (`counted=`)",
    )


def _lists_everything(plan: Plan) -> bool:
    """Return whether an unlimited page is read from the one partition that contains all items of an entity.

    If the partition key contains a constant, such as a status, it selects a part of the items, which may be small by
    design.
    """
    if plan.operation != "Query" or plan.limit is not None or plan.members or plan.fan_outs:
        return False
    if plan.pattern.bound_parameters:
        return False
    return not any(part.fields for part in plan.entities[0].placements[plan.index.alias].partition)
