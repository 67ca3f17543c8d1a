"""Choose the best plan for each pattern among the indexes, or explain why no index serves the pattern.

The queries that the library itself needs are planned in the same way: they find the copies of an item, or a subtree.
"""

from __future__ import annotations

import inspect

from singletable.lazy_dataclass import replace
from singletable.model.derived_data import Copy
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.intents import AncestorsIntent, CollectionIntent, FeedIntent, ItemWriteIntent, QueryIntent
from singletable.model.parameter_types import Equal, Subtree
from singletable.model.pattern_declaration import ParameterDeclaration, PatternDeclaration, PatternOptions
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


def plan_copies_query(design: Design, copy: Copy, holder: Entity) -> Outcome:
    """Plan the query that finds all copies of one source item."""
    parameters = {ours: ParameterDeclaration(ours, Equal, holder.fields[ours].type, True) for ours in copy.by.values()}
    intent = QueryIntent(holder.cls, None, None, None, False, None, None, False, False)
    declaration = PatternDeclaration(
        f"copies of {copy.source.__name__} in {holder.label}",
        f"every {holder.label} that copies fields of one {copy.source.__name__}",
        holder.location,
        parameters,
        intent,
        PatternOptions(),
        inspect.Signature(),
    )
    outcome = plan(design, declaration)
    if isinstance(outcome, UnsupportedPattern):
        thin = plan(design, replace(declaration, intent=replace(intent, hydrate=True)))
        return outcome if isinstance(thin, UnsupportedPattern) else thin
    return outcome


def copy_indexes(design: Design) -> frozenset[tuple[str, str]]:
    """Return the entity labels and index aliases of the queries that find the copies when their source changes."""
    found = (
        (holder.label, plan_copies_query(design, copy, holder))
        for holder in design.entities
        for copy in holder.declaration.copies
    )
    return frozenset((label, outcome.index.alias) for label, outcome in found if isinstance(outcome, Plan))


def plan_subtree_query(design: Design, entity: Entity, path: str, name: str) -> Outcome:
    """Plan the strongly consistent query that reads every item of an entity at or below a path."""
    kinds = {field: Subtree if field == path else Equal for field in sorted(entity.base.fields)}
    parameters = {
        field: ParameterDeclaration(field, test, entity.fields[field].type, True) for field, test in kinds.items()
    }
    intent = QueryIntent(entity.cls, None, None, None, False, None, None, False, True)
    title = f"every {entity.label} at or below a path"
    declaration = PatternDeclaration(
        name, title, entity.location, parameters, intent, PatternOptions(), inspect.Signature()
    )
    return plan(design, declaration)


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
