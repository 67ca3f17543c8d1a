"""ST109: a frequent pattern on one constant or a few partitions, which a single partition's limits will throttle."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from singletable.model.declaration import PatternDeclaration
from singletable.model.intents import Write
from singletable.model.keys import NativePart, Placement
from singletable.model.template import DerivedSlot
from singletable.planner.estimate import estimate
from singletable.planner.plan import Plan
from singletable.values.limits import PARTITION_READ_UNITS_PER_SECOND_MAX, PARTITION_WRITE_UNITS_PER_SECOND_MAX
from singletable.verify.facts import Facts, on_pattern
from singletable.verify.finding import Finding, Rule

RULE = Rule("ST109", "hot partition", "warning")
FREQUENT_WORDS = ("high", "very high")
FREQUENT_PER_SECOND = 100
FEW_PARTITIONS = 10


def check(facts: Facts) -> Iterator[Finding]:
    """Frequent reads of few partitions, and frequent writes into them."""
    for plan in facts.plans:
        if not frequent(plan.pattern):
            continue
        for placement in _touched(plan):
            partitions = partition_count(placement)
            if partitions is not None and partitions <= FEW_PARTITIONS:
                yield _finding(facts, plan, placement, partitions)


def frequent(pattern: PatternDeclaration) -> bool:
    """Whether a pattern is called often enough for one partition to matter."""
    if pattern.rate is not None:
        return pattern.rate >= FREQUENT_PER_SECOND
    return pattern.options.frequency in FREQUENT_WORDS


def _touched(plan: Plan) -> Iterator[Placement]:
    entity, intent = plan.wanted[0], plan.pattern.intent
    if isinstance(intent, Write):
        moved = {rewrite.index.alias for rewrite in plan.rewrites}
        whole = intent.kind != "update"
        yield from (p for alias, p in entity.placements.items() if whole or alias in moved or p.index.is_table)
    else:
        yield entity.placements[plan.index.alias]


def partition_count(placement: Placement) -> int | None:
    """How many partitions an entity's items can lie in; None when fields of any value decide."""
    counts = [1]
    for part in placement.partition:
        if isinstance(part, NativePart):
            domain = part.codec.domain if part.codec is not None else None
            counts.append(len(domain) if domain else 0)
            continue
        for slot in part.template.slots:
            if isinstance(slot, DerivedSlot):
                return None  # sharded on purpose
            counts.append(len(slot.codec.domain) if slot.codec.domain else 0)
    return prod(counts) or None


def _finding(facts: Facts, plan: Plan, placement: Placement, partitions: int) -> Finding:
    keys = " and ".join(f'{part.attribute} = "{part}"' for part in placement.partition)
    many = "one partition" if partitions == 1 else f"{partitions} partitions"
    message = (
        f"{keys} of {placement.index.label} is {many} for every {plan.wanted[0].label}{_load(facts, plan, partitions)}"
    )
    remedy = (
        'Spread it: derived={"shard": shard("id", of=8)}, {shard} in the partition template, and '
        "@pattern(fanout=8) on the reads."
    )
    return on_pattern(RULE, plan.pattern, message, remedy)


def _load(facts: Facts, plan: Plan, partitions: int) -> str:
    if plan.pattern.rate is None:
        return ""
    cost = estimate(facts.design, plan)
    read = cost.kind == "read"
    most = PARTITION_READ_UNITS_PER_SECOND_MAX if read else PARTITION_WRITE_UNITS_PER_SECOND_MAX
    load = plan.pattern.rate * cost.units / partitions
    return f": about {load:g} {cost.kind} units a second on each, of {most} that a partition gives"
