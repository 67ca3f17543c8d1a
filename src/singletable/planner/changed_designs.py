"""Change declarations of a design, and check whether the changed design still serves its patterns."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from singletable.errors import DesignError
from singletable.lazy_dataclass import replace
from singletable.model.changed_keys import compile_changed_keys
from singletable.model.design import Design, compile_declarations
from singletable.model.entity import Entity, EntityDeclaration
from singletable.model.pattern_declaration import PatternDeclaration
from singletable.model.table_schema import Keys
from singletable.planner.plan import Outcome, Plan
from singletable.planner.planner import plan


def with_declarations(
    design: Design,
    changed: Mapping[type, EntityDeclaration],
    patterns: list[PatternDeclaration] | None = None,
    **settings: Any,
) -> Design | None:
    """Return the design with changed entities and settings, and the patterns of these entities.

    Return None if it is invalid.
    """
    declarations = [changed.get(entity.cls, entity.declaration) for entity in design.all_entities]
    patterns = patterns_of(design, changed) if patterns is None else patterns
    try:
        return compile_declarations(replace(design.settings, **settings), declarations, patterns)
    except DesignError:
        return None


def with_other_keys(design: Design, changed: Mapping[type, EntityDeclaration]) -> Design | None:
    """Return the design with entities whose keys changed, and the patterns of these entities.

    Return None if it is invalid. The other entities are not compiled again.
    """
    try:
        return compile_changed_keys(design, changed, patterns_of(design, changed))
    except DesignError:
        return None


def can_be_served(
    design: Design, changed: Mapping[type, EntityDeclaration], pattern: PatternDeclaration, classes: Collection[type]
) -> bool:
    """Return False if a design of only these entities, with their changes, does not serve the pattern.

    Other entities can only add overlaps. So if this design does not serve the pattern, the whole design does not serve
    it either, and need not be compiled, which takes longer.
    """
    kept = [each for each in design.all_entities if each.cls in classes]
    declarations = [changed.get(entity.cls, entity.declaration) for entity in kept]
    try:
        return is_served(compile_declarations(design.settings, declarations, [pattern]), pattern)
    except DesignError:  # the entities need other entities, so only the whole design can show it
        return True


def patterns_of(design: Design, classes: Collection[type]) -> list[PatternDeclaration]:
    """Return the patterns that read or write one of these entities. Planning only these patterns saves seconds."""
    places = {place for cls in classes for place in design.patterns_by_class.get(cls, ())}
    return [design.patterns[place] for place in sorted(places)]


def with_keys(entity: Entity, alias: str, keys: Keys) -> EntityDeclaration:
    """Return a copy of an entity's declaration with other keys in the table or an index."""
    return replace(entity.declaration, keys={**entity.declaration.keys, alias: keys})


def is_served(design: Design | None, pattern: PatternDeclaration) -> bool:
    """Return whether a request serves the pattern in the changed design without reading items of other entities."""
    if design is None:
        return False
    outcome = plan(design, pattern)
    return isinstance(outcome, Plan) and outcome.verdict.is_served and not outcome.other_entities


def harms_nothing(
    design: Design,
    changed: Design | None,
    planned: Mapping[str, Outcome] | None = None,
    but: Collection[str] = (),
) -> bool:
    """Return whether the patterns of the changed entities remain served, without reading more other entities.

    `planned` maps the names of patterns to their plans in the unchanged design, if these plans are already known. `but`
    names the patterns that are not checked, because their declarations change too.
    """
    if changed is None:
        return False
    pairs = zip(design.entities, changed.entities, strict=True)
    for pattern in patterns_of(design, {old.cls for old, new in pairs if old.declaration is not new.declaration}):
        if pattern.name in but:
            continue
        before = (planned or {}).get(pattern.name) or plan(design, pattern)
        if isinstance(before, Plan) and before.verdict.is_served:
            after = plan(changed, pattern)
            if not isinstance(after, Plan) or not after.verdict.is_served:
                return False
            if len(after.other_entities) > len(before.other_entities):
                return False
    return True
