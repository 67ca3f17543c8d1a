"""Compile other keys for some entities of a design, without compiling the other entities again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field

from singletable.errors import Problem
from singletable.lazy_dataclass import dataclass, replace
from singletable.model.derived_data_checks import derived_data_problems
from singletable.model.design import Design, compile_declarations
from singletable.model.entity import Entity, EntityDeclaration
from singletable.model.entity_placement import place_entities
from singletable.model.pattern_declaration import PatternDeclaration
from singletable.model.regular_language import Language
from singletable.model.table_schema import GSI, Index
from singletable.model.unique_markers import marker_problems


@dataclass(frozen=True)
class ChangedDesign(Design):
    """A design that differs from a compiled design only in the keys of some entities.

    The compiled design already has an index of all key prefixes, so this design searches there for the other entities.
    """

    original: Design = field(kw_only=True)
    part: Design = field(kw_only=True)
    """A design of only the changed entities."""

    def with_common_prefixes(self, index: Index, languages: Mapping[str, Language]) -> Sequence[Entity]:
        """Return the entities whose keys in an index start with the same fixed text as texts of these languages."""
        positions, changed = self.original.positions, self.part.positions
        found = [each for each in self.original.with_common_prefixes(index, languages) if each.cls not in changed]
        found += self.part.with_common_prefixes(index, languages)
        return sorted(found, key=lambda entity: positions[entity.cls])


def compile_changed_keys(
    design: Design, changed: Mapping[type, EntityDeclaration], patterns: Iterable[PatternDeclaration]
) -> Design:
    """Return the design with these declarations, which differ only in their keys, and with these patterns.

    Raise DesignError if the changed design is invalid.
    """
    patterns = tuple(patterns)
    compiled = _compile_alone(design, changed, patterns)
    if compiled is not None:
        return compiled
    declarations = [changed.get(entity.cls, entity.declaration) for entity in design.all_entities]
    return compile_declarations(design.settings, declarations, patterns)


def _compile_alone(
    design: Design, changed: Mapping[type, EntityDeclaration], patterns: tuple[PatternDeclaration, ...]
) -> Design | None:
    """Compile only the changed entities. Return None if they need the other entities, or if there is a problem."""
    if not changed.keys() <= design.positions.keys():
        return None  # an entity without a key has no placements
    if any(each.keys.keys() != design.entity_of(cls).declaration.keys.keys() for cls, each in changed.items()):
        return None  # another set of indexes can add, remove or reorder the indexes of the table
    declarations = [changed[cls] for cls in sorted(changed, key=design.positions.__getitem__)]
    aliases = {alias for declaration in declarations for alias in declaration.keys}
    # An index that contains none of the changed entities would have no key attributes.
    declared = tuple(
        index
        for index in design.settings.indexes
        if index.alias in aliases or (isinstance(index, GSI) and index.is_inverse)
    )
    indexes, entities, problems = place_entities(replace(design.settings, indexes=declared), declarations)
    # Other entities can determine the names, the number and the types of the key attributes.
    if problems or any(design.indexes.get(alias) != index for alias, index in indexes.items()):
        return None
    compiled = tuple(_with_order_of(design, entity) for entity in entities)
    part = Design(design.settings, compiled, design.indexes, ())
    merged = tuple(part.entity_of(each.cls) if each.cls in part.positions else each for each in design.entities)
    result = ChangedDesign(
        design.settings, merged, design.indexes, patterns, design.keyless, original=design, part=part
    )
    return None if _related_problems(result) else result


def _with_order_of(design: Design, entity: Entity) -> Entity:
    """Return the entity with its placements in the order of the design's indexes, in which the planner tries them."""
    return replace(
        entity, placements={alias: entity.placements[alias] for alias in design.indexes if alias in entity.placements}
    )


def _related_problems(design: ChangedDesign) -> list[Problem]:
    """Return the problems of changed keys with unique markers and derived data. Other checks do not read keys."""
    classes = design.part.positions.keys()
    related = [
        entity
        for entity in design.entities
        if entity.cls in classes or not classes.isdisjoint(_sources(entity.declaration))
    ]
    problems = [problem for entity in related for problem in derived_data_problems(design.entities, entity)]
    marked = [entity for entity in design.entities if entity.uniques]
    return problems + list(marker_problems(marked, design.part.entities))


def _sources(declaration: EntityDeclaration) -> list[type]:
    """Return the sources of the copies and mirrors of this entity, and the owners of its counters."""
    mirrored = [declaration.mirror_of] if declaration.mirror_of is not None else []
    return [
        *(copy.source for copy in declaration.copies),
        *(count.owner for count in declaration.counted),
        *mirrored,
    ]
