"""Choose the best plan for each pattern among the indexes, or explain why no index serves the pattern."""

from __future__ import annotations

from singletable.lazy_dataclass import replace
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.intents import AncestorsIntent, CollectionIntent, FeedIntent, ItemWriteIntent
from singletable.model.pattern_declaration import PatternDeclaration
from singletable.planner.mismatches import KeyMissing, Mismatch, NotServed, PartitionUnknown, requirement
from singletable.planner.plan import Candidate, OtherIndex, Outcome, PageCount, Plan, UnsupportedPattern
from singletable.planner.plan_reads import ancestor_candidates, read_candidates


def plan(design: Design, pattern: PatternDeclaration) -> Outcome:
    """Return the plan of a pattern, or the reason why the pattern is not supported."""
    if design.keyless and (missing := [each.label for each in _wanted(design, pattern) if not each.placements]):
        mismatch = KeyMissing(tuple(missing))
        return UnsupportedPattern(pattern, mismatch.sentence(""), False, _wanted(design, pattern), (mismatch,), ())
    candidates = sorted(_candidates(design, pattern), key=lambda candidate: candidate.cost)
    if not candidates:
        reason = "no index contains every member of the collection"
        return UnsupportedPattern(pattern, reason, False, _wanted(design, pattern), (), ())
    best, others = candidates[0], candidates[1:]
    other_indexes = tuple(_other_index(best, other) for other in others)
    if not best.mismatches:
        return replace(best.plan, other_indexes=other_indexes, pages=_pages(design, best.plan))
    reason, scan = _reason(design, best, candidates)
    nearest = best.plan
    return UnsupportedPattern(pattern, reason, scan, nearest.entities, best.mismatches, other_indexes, nearest.index)


def _pages(design: Design, plan: Plan) -> PageCount:
    if plan.operation != "Query" or plan.pattern.is_write:
        return PageCount()
    from singletable.planner.pages import count_pages  # a program that reads one item needs no estimate

    return count_pages(design, plan)


def plan_all(design: Design) -> tuple[Outcome, ...]:
    """Plan every pattern, in order of declaration."""
    return tuple(plan(design, pattern) for pattern in design.patterns)


def _candidates(design: Design, pattern: PatternDeclaration) -> list[Candidate]:
    # A program that reads one item needs only the planner of single reads.
    if isinstance(pattern.intent, FeedIntent):
        from singletable.planner.plan_feeds import feed_candidates

        return list(feed_candidates(design, pattern))
    if isinstance(pattern.intent, CollectionIntent):
        from singletable.planner.plan_collections import collection_candidates

        return list(collection_candidates(design, pattern))
    if isinstance(pattern.intent, ItemWriteIntent):
        from singletable.planner.plan_writes import write_candidates

        return list(write_candidates(design, pattern))
    if isinstance(pattern.intent, AncestorsIntent):
        return list(ancestor_candidates(design, pattern))
    return list(read_candidates(design, pattern))


def _wanted(design: Design, pattern: PatternDeclaration) -> tuple[Entity, ...]:
    if isinstance(pattern.intent, CollectionIntent):
        return tuple(entity for _, entity in design.members(pattern.intent))
    return (design.entity_of(pattern.intent.entity),)


def _other_index(best: Candidate, other: Candidate) -> OtherIndex:
    label, spoken = other.plan.index.label, other.plan.index.display_name
    if other.mismatches:
        return OtherIndex(label, tuple(mismatch.sentence(spoken) for mismatch in other.mismatches))
    if (other.plan.queries or 2) > (best.plan.queries or 2):
        return OtherIndex(label, (f"needs {other.plan.queries or 'several'} Queries",))
    if len(other.plan.other_entities) > len(best.plan.other_entities):
        names = ", ".join(entity.label for entity in other.plan.other_entities)
        return OtherIndex(label, (f"would also read {names}",))
    return OtherIndex(label, (f"also serves the pattern; {best.plan.index.display_name} is preferred",))


def _reason(design: Design, best: Candidate, candidates: list[Candidate]) -> tuple[str, bool]:
    """Return why the best index does not serve the pattern, and whether only a Scan would serve it."""
    scan = all(any(isinstance(o, PartitionUnknown) for o in candidate.mismatches) for candidate in candidates)
    scan = scan and not isinstance(best.plan.pattern.intent, ItemWriteIntent)
    spoken = best.plan.index.display_name
    return "; ".join(_sentence(best, mismatch, spoken) for mismatch in best.mismatches), scan


def _sentence(best: Candidate, mismatch: Mismatch, spoken: str) -> str:
    if isinstance(mismatch, NotServed) and mismatch.behind is None:
        anywhere = {
            name
            for entity in best.plan.entities
            for placement in entity.placements.values()
            for name in placement.exact_fields | placement.truncated_fields
        }
        if not set(mismatch.fields) <= anywhere:
            return f"needs {requirement(mismatch.test, mismatch.fields)}, which no index key supports"
    return mismatch.sentence(spoken)
