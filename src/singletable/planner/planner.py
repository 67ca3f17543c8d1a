"""Chooses, for each pattern, the best plan among the indexes, or says why there is none."""

from __future__ import annotations

from dataclasses import replace

from singletable.model.declaration import PatternDeclaration
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.intents import Ancestors, Collection, Write
from singletable.planner.ancestors import ancestor_candidates
from singletable.planner.collections import collection_candidates
from singletable.planner.obstacles import NotServed, Obstacle, PartitionUnknown, written_need
from singletable.planner.plan import Candidate, Outcome, PassedOver, Refusal
from singletable.planner.reads import read_candidates
from singletable.planner.writes import write_candidates


def plan(design: Design, pattern: PatternDeclaration) -> Outcome:
    """The plan of a pattern, or its refusal."""
    candidates = sorted(_candidates(design, pattern), key=lambda candidate: candidate.cost)
    if not candidates:
        reason = "no index holds every member of the collection"
        return Refusal(pattern, reason, False, _wanted(design, pattern), (), ())
    best, others = candidates[0], candidates[1:]
    passed_over = tuple(_passed_over(best, other) for other in others)
    if not best.obstacles:
        return replace(best.plan, passed_over=passed_over)
    everything = (_passed_over(best, best), *passed_over)
    reason, scan = _reason(design, best, candidates)
    return Refusal(pattern, reason, scan, best.plan.wanted, best.obstacles, everything)


def plan_all(design: Design) -> tuple[Outcome, ...]:
    """Every pattern's plan or refusal, in order of declaration."""
    return tuple(plan(design, pattern) for pattern in design.patterns)


def _candidates(design: Design, pattern: PatternDeclaration) -> list[Candidate]:
    if isinstance(pattern.intent, Collection):
        return list(collection_candidates(design, pattern))
    if isinstance(pattern.intent, Write):
        return list(write_candidates(design, pattern))
    if isinstance(pattern.intent, Ancestors):
        return list(ancestor_candidates(design, pattern))
    return list(read_candidates(design, pattern))


def _wanted(design: Design, pattern: PatternDeclaration) -> tuple[Entity, ...]:
    if isinstance(pattern.intent, Collection):
        return tuple(entity for _, entity in design.members(pattern.intent))
    return (design.entity_of(pattern.intent.entity),)


def _passed_over(best: Candidate, other: Candidate) -> PassedOver:
    label, spoken = other.plan.index.label, other.plan.index.spoken
    if other.obstacles:
        return PassedOver(label, tuple(obstacle.sentence(spoken) for obstacle in other.obstacles))
    if (other.plan.queries or 2) > (best.plan.queries or 2):
        return PassedOver(label, (f"takes {other.plan.queries or 'several'} Queries",))
    if len(other.plan.foreign) > len(best.plan.foreign):
        names = ", ".join(entity.label for entity in other.plan.foreign)
        return PassedOver(label, (f"would also read {names}",))
    return PassedOver(label, (f"serves it too; {best.plan.index.spoken} comes first",))


def _reason(design: Design, best: Candidate, candidates: list[Candidate]) -> tuple[str, bool]:
    """The smallest reason: of the index that comes nearest, the obstacles that stand in its way."""
    scan = all(any(isinstance(o, PartitionUnknown) for o in candidate.obstacles) for candidate in candidates)
    scan = scan and not isinstance(best.plan.pattern.intent, Write)
    spoken = best.plan.index.spoken
    return "; ".join(_sentence(best, obstacle, spoken) for obstacle in best.obstacles), scan


def _sentence(best: Candidate, obstacle: Obstacle, spoken: str) -> str:
    if isinstance(obstacle, NotServed) and obstacle.behind is None:
        anywhere = {name for entity in best.plan.wanted for p in entity.placements.values() for name in p.exact_fields}
        if not set(obstacle.fields) <= anywhere:
            return f"needs {written_need(obstacle.test, obstacle.fields)}, which no index has"
    return obstacle.sentence(spoken)
