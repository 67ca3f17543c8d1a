"""Projections of new indexes: the attributes that the reads of an index need, and the price of fewer attributes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from singletable.expressions.tree import paths
from singletable.model.design import Design, compile_declarations
from singletable.model.entity import Entity
from singletable.model.intents import QueryIntent
from singletable.model.keys import Placement
from singletable.model.pattern_declaration import PatternDeclaration
from singletable.model.table_schema import ALL, GSI, KEYS_ONLY, LSI, IndexProjection, include, is_local
from singletable.planner.key_source import quoted
from singletable.planner.plan import Outcome, Plan
from singletable.planner.plan_reads import missing_fields
from singletable.planner.planner import plan
from singletable.planner.remedy import AddElement, Edit, import_from_package, table_place
from singletable.values.limits import INCLUDED_ATTRIBUTES_MAX


def chosen_projections(
    design: Design, aliases: Sequence[str], outcomes: Sequence[Outcome]
) -> dict[str, IndexProjection]:
    """Return the projection of each index whose reads need only some attributes.

    Other indexes project all attributes.
    """
    found: dict[str, IndexProjection] = {}
    included = 0
    for alias in aliases:
        needed = _needed_attributes(design, alias, outcomes)
        if needed is None or included + len(needed) > INCLUDED_ATTRIBUTES_MAX:
            continue
        chosen = include(*needed) if needed else KEYS_ONLY
        changed = with_projections(design, {**found, alias: chosen})
        if _serves_as_before(plan_affected(changed, alias, outcomes), outcomes):
            found[alias] = chosen
            included += len(needed)
    return found


def _needed_attributes(design: Design, alias: str, outcomes: Sequence[Outcome]) -> tuple[str, ...] | None:
    """Return the attributes besides the keys that the reads of an index need.

    Return None if the reads need all attributes.
    """
    reads = [each for each in outcomes if isinstance(each, Plan) and each.index.alias == alias]
    if not reads or any(not isinstance(each.pattern.intent, QueryIntent) for each in reads):
        return None
    needed: dict[str, None] = {}
    for each in reads:
        (entity,) = each.entities
        thin = _thin(entity, alias)
        fields = missing_fields(entity, thin, each.view, (trim for trims in each.trims for trim in trims))
        fields += tuple(str(path.steps[0]) for path in paths(each.filter))
        in_keys = entity.base.exact_fields | thin.exact_fields
        needed |= dict.fromkeys(entity.attributes[name] for name in fields if name not in in_keys)
    return tuple(sorted(needed)) if _omits_any(design, alias, frozenset(needed)) else None


def _thin(entity: Entity, alias: str) -> Placement:
    placement = entity.placements[alias]
    return replace(placement, index=replace(placement.index, projection=KEYS_ONLY))


def _omits_any(design: Design, alias: str, needed: frozenset[str]) -> bool:
    """Return whether an index without the other attributes is smaller than an index with all attributes."""
    return any(
        entity.attributes[name] not in needed
        for entity in design.entities
        if alias in entity.placements
        for name in entity.fields
        if name not in entity.base.exact_fields | entity.placements[alias].exact_fields
    )


def without_projections(design: Design, projections: Mapping[str, IndexProjection]) -> Design:
    """Return the design in which these indexes project all attributes."""
    kept = tuple(each for each in design.settings.indexes if each.alias not in projections)
    declarations = [each.declaration for each in design.all_entities]
    return compile_declarations(replace(design.settings, indexes=kept), declarations, design.patterns)


def with_projections(
    design: Design, projections: Mapping[str, IndexProjection], patterns: Sequence[PatternDeclaration] | None = None
) -> Design:
    """Return the design with these projections of its indexes, which have no declaration yet."""
    declared = [_declared(alias, projection) for alias, projection in projections.items()]
    settings = replace(design.settings, indexes=(*design.settings.indexes, *declared))
    declarations = [each.declaration for each in design.all_entities]
    return compile_declarations(settings, declarations, design.patterns if patterns is None else patterns)


def _declared(alias: str, projection: IndexProjection) -> GSI | LSI:
    return LSI(alias, projection=projection) if is_local(alias) else GSI(alias, projection=projection)


def affected_patterns(alias: str, outcomes: Sequence[Outcome]) -> frozenset[str]:
    """Return the patterns whose cost depends on the projection of an index: its reads, and all writes."""
    plans = (each for each in outcomes if isinstance(each, Plan))
    return frozenset(each.pattern.name for each in plans if each.index.alias == alias or each.pattern.is_write)


def plan_affected(design: Design, alias: str, outcomes: Sequence[Outcome]) -> tuple[Outcome, ...]:
    """Plan the patterns whose cost depends on the projection of an index, in a design with another projection."""
    names = affected_patterns(alias, outcomes)
    return tuple(plan(design, each) for each in design.patterns if each.name in names)


def _serves_as_before(planned: Sequence[Outcome], outcomes: Sequence[Outcome]) -> bool:
    before = {each.pattern.name: each for each in outcomes if isinstance(each, Plan)}
    return all(
        isinstance(after, Plan)
        and after.is_as_declared >= before[after.pattern.name].is_as_declared
        and after.index.alias == before[after.pattern.name].index.alias
        for after in planned
    )


def projection_edits(design: Design, projections: Mapping[str, IndexProjection]) -> Iterator[Edit]:
    """Yield the edits that declare the projections in the class statement of the table."""
    place = table_place(design)
    for alias, projection in projections.items():
        kind = "LSI" if is_local(alias) else "GSI"
        names = ", ".join(map(quoted, projection.attributes))
        source, function = (f"include({names})", "include") if names else ("KEYS_ONLY", "KEYS_ONLY")
        yield AddElement(place, "indexes", f"{kind}({quoted(alias)}, projection={source})")
        yield from (import_from_package(place, name) for name in (kind, function))


@dataclass(frozen=True)
class ThinIndex:
    """An index with only its keys, in a design whose patterns then fetch the items with BatchGetItem."""

    alias: str
    after: Design
    affected: tuple[Outcome, ...]
    """The plans of the patterns whose cost depends on the projection."""


def thin_indexes(design: Design, aliases: Sequence[str], outcomes: Sequence[Outcome]) -> Iterator[ThinIndex]:
    """Yield each index that can have only its keys, if queries of whole items fetch them from the table."""
    for alias in aliases:
        if is_local(alias) or design.indexes[alias].projection != ALL:
            continue
        reads = [each for each in outcomes if isinstance(each, Plan) and each.index.alias == alias]
        names = {each.pattern.name for each in reads if isinstance(each.pattern.intent, QueryIntent)}
        if not reads or len(names) < len(reads):
            continue
        patterns = [_hydrated(each) if each.name in names else each for each in design.patterns]
        after = with_projections(design, {alias: KEYS_ONLY}, patterns)
        affected = plan_affected(after, alias, outcomes)
        if _serves_as_before(affected, outcomes):
            yield ThinIndex(alias, after, affected)


def _hydrated(pattern: PatternDeclaration) -> PatternDeclaration:
    assert isinstance(pattern.intent, QueryIntent), "selected by the caller"
    return replace(pattern, intent=replace(pattern.intent, hydrate=pattern.intent.view is None))
