"""The compiled design of a table: its indexes, entities and access patterns, checked for errors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import cached_property

from singletable.errors import DesignError, Location, Problem
from singletable.lazy_dataclass import dataclass, replace
from singletable.model.collection_shape import InvalidShape, ShapeMember, members_of
from singletable.model.derived_data_checks import derived_data_problems, with_conditions
from singletable.model.entity import Entity, EntityDeclaration, declaration_of
from singletable.model.entity_placement import place_entities
from singletable.model.intents import CollectionIntent, WithinIntent
from singletable.model.parameter_binding import bindings_for, type_mismatch, unknown_parameter
from singletable.model.parameter_types import AREA_TYPES
from singletable.model.pattern_declaration import PatternDeclaration
from singletable.model.references import unknown_references
from singletable.model.regular_language import ANYTHING, Language, PrefixIndex, overlap
from singletable.model.schema_upgrades import upgrade_problems
from singletable.model.table_schema import TABLE, Index, TableSettings
from singletable.model.unique_markers import marker_problems

# Each delimiter can be escaped with two hexadecimal digits. No delimiter occurs in an escape sequence (%XX).
DELIMITERS = "#&'()*+,-./:;<=>?@[\\]^_`|~"


@dataclass(frozen=True)
class Design:
    """A compiled table: settings, entities, indexes and patterns."""

    settings: TableSettings
    entities: tuple[Entity, ...]
    indexes: Mapping[str, Index]
    patterns: tuple[PatternDeclaration, ...]
    keyless: tuple[Entity, ...] = ()
    """The entities without `key=`. They have no placements, and `entities` does not contain them."""

    @property
    def name(self) -> str:
        """The name of the table."""
        return self.settings.name

    @property
    def table(self) -> Index:
        """The base table, as an index."""
        return self.indexes[TABLE]

    @property
    def ttl_attribute(self) -> str | None:
        """The TTL attribute of the table: its setting, or the attribute of a TTL field.

        None if the table has neither.
        """
        if self.settings.ttl_attribute:
            return self.settings.ttl_attribute
        fields = ((e, e.declaration.ttl) for e in self.all_entities)
        return next((entity.attributes[name] for entity, name in fields if name), None)

    @property
    def all_entities(self) -> tuple[Entity, ...]:
        """The entities with keys, then those without."""
        return (*self.entities, *self.keyless)

    def require_keys(self, purpose: str) -> None:
        """Raise DesignError if an entity has no key yet.

        `purpose` names the operation that needs the keys, such as `open()`.
        """
        if self.keyless:
            names = ", ".join(entity.label for entity in self.keyless)
            has = "has" if len(self.keyless) == 1 else "have"
            message = f"{self.name}: {purpose} needs the key of every entity, but {names} {has} no key yet"
            remedy = "Declare @entity(key=...); `singletable check` proposes a key for each of them."
            raise DesignError(Problem(message, self.keyless[0].location, remedy))

    def entity_of(self, cls: type) -> Entity:
        """Return the compiled entity of a class."""
        return self._entity_by_class[cls]

    @cached_property
    def _entity_by_class(self) -> Mapping[type, Entity]:
        return {entity.cls: entity for entity in reversed(self.all_entities)}

    @cached_property
    def positions(self) -> Mapping[type, int]:
        """The positions of the entities with keys, by class."""
        return {entity.cls: position for position, entity in enumerate(self.entities)}

    def placed_in(self, index: Index) -> tuple[Entity, ...]:
        """Return the entities that have keys in an index."""
        return self._entities_by_index[index.alias]

    @cached_property
    def _entities_by_index(self) -> Mapping[str, tuple[Entity, ...]]:
        return {
            alias: tuple(entity for entity in self.entities if alias in entity.placements) for alias in self.indexes
        }

    def entities_with_keys(self, index: Index, languages: Mapping[str, Language]) -> tuple[Entity, ...]:
        """Return the entities whose key attributes in an index can contain texts of these languages.

        The fixed text at the start of the keys excludes most entities before their languages are compared.
        """
        return tuple(
            entity
            for entity in self.with_common_prefixes(index, languages)
            if all(
                part.attribute not in languages or overlap(languages[part.attribute], part.language)
                for part in entity.placements[index.alias].parts
            )
        )

    def with_common_prefixes(self, index: Index, languages: Mapping[str, Language]) -> Sequence[Entity]:
        """Return the entities whose keys in an index start with the same fixed text as texts of these languages."""
        placed, prefixes = self.placed_in(index), self._key_prefixes(index)
        found = [prefixes[attribute].places(language) for attribute, language in languages.items()]
        return [placed[place] for place in sorted(set.intersection(*found))] if found else placed

    @cached_property
    def _prefixes_by_index(self) -> dict[str, Mapping[str, PrefixIndex]]:
        return {}

    def _key_prefixes(self, index: Index) -> Mapping[str, PrefixIndex]:
        """Return the key languages of the entities in an index by attribute, computed once."""
        known = self._prefixes_by_index
        if index.alias not in known:
            by_attribute: dict[str, list[Language]] = {name: [] for name in index.key_attributes}
            for entity in self.placed_in(index):
                languages = {part.attribute: part.language for part in entity.placements[index.alias].parts}
                for name, found in by_attribute.items():
                    found.append(languages.get(name, ANYTHING))
            known[index.alias] = {name: PrefixIndex(found) for name, found in by_attribute.items()}
        return known[index.alias]

    def pattern(self, name: str) -> PatternDeclaration | None:
        """Return a pattern by name, or None."""
        return next((pattern for pattern in self.patterns if pattern.name == name), None)

    def members(self, intent: CollectionIntent) -> tuple[tuple[ShapeMember, Entity], ...]:
        """Return the members of the shape of a collection, each with its entity."""
        known = self._members_by_shape
        if intent.shape not in known:
            known[intent.shape] = tuple((each, self.entity_of(each.entity)) for each in members_of(intent.shape))
        return known[intent.shape]

    @cached_property
    def _members_by_shape(self) -> dict[type, tuple[tuple[ShapeMember, Entity], ...]]:
        return {}

    @cached_property
    def patterns_by_class(self) -> Mapping[type, list[int]]:
        """The positions of the patterns that read or write each class."""
        found: dict[type, list[int]] = {}
        for place, pattern in enumerate(self.patterns):
            for cls in self.classes_by_pattern[pattern.name]:
                found.setdefault(cls, []).append(place)
        return found

    @cached_property
    def classes_by_pattern(self) -> Mapping[str, frozenset[type]]:
        """The classes that each pattern reads or writes, by the name of the pattern."""
        return {
            pattern.name: frozenset(entity.cls for _, entity in self.members(pattern.intent))
            if isinstance(pattern.intent, CollectionIntent)
            else frozenset((pattern.intent.entity,))
            for pattern in self.patterns
        }


def compile_design(settings: TableSettings, classes: Iterable[type], patterns: Iterable[PatternDeclaration]) -> Design:
    """Compile the entity classes and the patterns of a table; raise DesignError with all problems."""
    declarations = {cls: declaration_of(cls) for cls in classes}
    others = [getattr(cls, "__name__", repr(cls)) for cls, found in declarations.items() if found is None]
    if others:
        what = "is not an entity" if len(others) == 1 else "are not entities"
        message = f"{settings.name}: {', '.join(others)} {what}"
        raise DesignError(Problem(message, settings.location, "Decorate the class with @entity."))
    return compile_declarations(settings, [found for found in declarations.values() if found], patterns)


def compile_declarations(
    settings: TableSettings, declarations: Sequence[EntityDeclaration], patterns: Iterable[PatternDeclaration]
) -> Design:
    """Compile entity declarations and patterns; raise DesignError with all problems."""
    _check_delimiter(settings)
    problems = list(_same_names([(declaration.name, declaration.location) for declaration in declarations]))
    problems += [problem for declaration in declarations for problem in upgrade_problems(declaration)]
    recorded = [with_conditions(declaration) for declaration in declarations]
    problems += [problem for _, found in recorded for problem in found]
    keyless = tuple(
        Entity(declaration, {}, declaration.attributes) for declaration, _ in recorded if TABLE not in declaration.keys
    )
    with_keys = [_without_links(declaration, keyless) for declaration, _ in recorded if TABLE in declaration.keys]
    indexes, entities, unplaced = place_entities(settings, with_keys)
    problems += unplaced
    design = Design(settings, tuple(entities), indexes, tuple(patterns), keyless)
    if not problems:
        problems += _ttl_problems(design)
        problems += [
            problem for entity in design.entities for problem in derived_data_problems(design.entities, entity)
        ]
        problems += [
            problem for entity in design.all_entities for problem in unknown_references(design.all_entities, entity)
        ]
        problems += marker_problems(design.entities, design.entities)
        if settings.handlers:
            from singletable.model.stream_handlers import handler_problems

            problems += handler_problems(settings.name, settings.handlers, design.all_entities, settings.location)
        problems += [problem for pattern in design.patterns for problem in _pattern_problems(design, pattern)]
    if problems:
        raise DesignError(problems)
    return design


def _without_links(declaration: EntityDeclaration, keyless: Sequence[Entity]) -> EntityDeclaration:
    """Return the declaration without copies from, counters in and mirrors of entities that have no key yet.

    Such derived data can be checked only when the keys are known.
    """
    absent = {entity.cls for entity in keyless}
    if not absent:
        return declaration
    return replace(
        declaration,
        copies=tuple(each for each in declaration.copies if each.source not in absent),
        counted=tuple(each for each in declaration.counted if each.owner not in absent),
        mirror_of=None if declaration.mirror_of in absent else declaration.mirror_of,
    )


def _check_delimiter(settings: TableSettings) -> None:
    delimiter = settings.delimiter
    if len(delimiter) != 1 or delimiter not in DELIMITERS:
        message = f"{settings.name}: invalid delimiter {delimiter!r}"
        remedy = f"Use one of {' '.join(DELIMITERS)}; only '#' keeps texts of different lengths in order."
        raise DesignError(Problem(message, settings.location, remedy))


def _ttl_problems(design: Design) -> Iterable[Problem]:
    """Yield the problems of TTL fields: a table has one TTL attribute, which stores seconds."""
    for entity in design.all_entities:
        name = entity.declaration.ttl
        if name is None:
            continue
        stored = entity.attributes[name]
        if stored != design.ttl_attribute:
            message = f"{entity.label}: {name} is stored as {stored!r}, but the TTL attribute of the table is "
            remedy = f'Declare attributes={{"{name}": "{design.ttl_attribute}"}}; a table has only one TTL attribute.'
            yield Problem(f"{message}{design.ttl_attribute!r}", entity.location, remedy)
        if entity.fields[name].type not in (int, datetime):
            message = f"{entity.label}: the TTL field {name!r} is {entity.fields[name].type_name}"
            yield Problem(message, entity.location, "Use a datetime, or an int with the seconds since 1970.")


def _same_names(named: list[tuple[str, Location]]) -> Iterable[Problem]:
    seen: dict[str, Location] = {}
    for name, location in named:
        if name in seen:
            message = f"two entities have the name {name!r}; the other is at {seen[name]}"
            yield Problem(message, location, "Set another name=... in @entity.")
        seen[name] = location


def _pattern_problems(design: Design, pattern: PatternDeclaration) -> Iterable[Problem]:
    known = {entity.cls for entity in design.all_entities}
    intent = pattern.intent
    if isinstance(intent, CollectionIntent):
        try:
            missing = [member.entity for member in members_of(intent.shape) if member.entity not in known]
        except (InvalidShape, TypeError) as problem:
            return [Problem(f"pattern {pattern.name}: {problem}", pattern.location)]
    else:
        missing = [intent.entity] if intent.entity not in known else []
    if missing:
        names = ", ".join(getattr(cls, "__name__", repr(cls)) for cls in missing)
        what, them = ("is not an entity", "it") if len(missing) == 1 else ("are not entities", "them")
        message = f"pattern {pattern.name}: {names} {what} of {design.name}"
        return [Problem(message, pattern.location, f"Add {them} to entities=[...].")]
    if isinstance(intent, CollectionIntent):
        return _collection_problems(design, pattern, intent)
    if not isinstance(intent, WithinIntent) and any(p.test in AREA_TYPES for p in pattern.bound_parameters):
        message = f"pattern {pattern.name}: an area parameter needs within(...), which returns a list"
        return [Problem(message, pattern.location)]
    return bindings_for(pattern, design.entity_of(intent.entity))[1]


def _collection_problems(design: Design, pattern: PatternDeclaration, intent: CollectionIntent) -> Iterable[Problem]:
    members = {entity.label: entity.fields for _, entity in design.members(intent)}
    for parameter in pattern.bound_parameters:
        fields = [fields[parameter.name] for fields in members.values() if parameter.name in fields]
        if not fields:
            yield unknown_parameter(pattern, parameter, members)
        elif not any(type_mismatch(parameter, each) is None for each in fields):
            message = f"pattern {pattern.name}: the parameter {parameter.name!r} is {parameter.type_name}, "
            yield Problem(f"{message}{type_mismatch(parameter, fields[0])}", pattern.location)
