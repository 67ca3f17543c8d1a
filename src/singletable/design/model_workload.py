"""The workload of a model: the reads and writes of its patterns, in the form that the solver needs."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime

from singletable.expressions.tree import Constant, Parameter
from singletable.key_solver.workload import Collection, ColumnFacts, EntityNeeds, Member, Read, Workload, Write
from singletable.model.codecs.choose_codec import choose_codec
from singletable.model.codecs.text_codec import ORDERED_DELIMITER
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.field_roles import follows_clock, is_day, value_count
from singletable.model.fields import Field
from singletable.model.intents import (
    AncestorsIntent,
    CollectionIntent,
    GetIntent,
    ItemWriteIntent,
    QueryIntent,
    WithinIntent,
)
from singletable.model.parameter_binding import Binding, bindings_for, fixed_values
from singletable.model.parameter_types import Between, Equal, Prefix, Present, Since, Until
from singletable.model.pattern_declaration import LIMIT, PatternDeclaration
from singletable.planner.changed_designs import patterns_of
from singletable.planner.primary_key_proposals import known_identity

_RANGES = (Between, Since, Until, Prefix)
_CLOCK_VALUES = 1
"""All current writes go to the partition of the current day or hour."""


@dataclass(frozen=True)
class SkippedPattern:
    """A pattern for which the solver chooses no keys, with the reason and a remedy."""

    pattern: str
    reason: str
    remedy: str = ""


@dataclass(frozen=True)
class ModelWorkload:
    """The workload of the entities without keys, the guesses in it, and the patterns that it omits."""

    workload: Workload
    entities: tuple[Entity, ...]
    guesses: tuple[str, ...]
    skipped: tuple[SkippedPattern, ...]
    unknown_identity: tuple[Entity, ...] = ()

    def entity(self, name: str) -> Entity:
        """Return the entity of the model with this class name."""
        return next(each for each in self.entities if each.label == name)

    def needs(self, name: str) -> EntityNeeds:
        """Return the requirements for the keys of this entity."""
        return next(each for each in self.workload.entities if each.name == name)


def model_workload(design: Design) -> ModelWorkload:
    """Return the requirements of a model's patterns for the keys of the entities without keys."""
    identities = {each.label: known_identity(each, patterns_of(design, {each.cls})) for each in design.keyless}
    entities = tuple(each for each in design.keyless if identities[each.label])
    return _Conversion(design, entities, {name: found for name, found in identities.items() if found}).result()


class _Conversion:
    """Collects reads and writes by entity while the patterns of a design are converted."""

    def __init__(self, design: Design, entities: tuple[Entity, ...], identities: dict[str, tuple[str, ...]]) -> None:
        self.design, self.entities, self.identities = design, entities, identities
        self.reads: dict[str, list[Read]] = {each.label: [] for each in entities}
        self.writes: dict[str, list[Write]] = {each.label: [] for each in entities}
        self.collections: list[Collection] = []
        self.skipped: list[SkippedPattern] = []
        self.guesses: list[str] = []

    def result(self) -> ModelWorkload:
        for pattern in self.design.patterns:
            self._add(pattern)
        for each in self.entities:
            self._add_copies(each)
        needs = tuple(self._needs(each) for each in self.entities)
        unknown = tuple(each for each in self.design.keyless if each.label not in self.identities)
        workload = Workload(needs, tuple(self.collections))
        return ModelWorkload(workload, self.entities, tuple(self.guesses), tuple(self.skipped), unknown)

    def _add(self, pattern: PatternDeclaration) -> None:
        intent = pattern.intent
        if isinstance(intent, CollectionIntent):
            self._add_collection(pattern, intent)
            return
        entity = self.design.entity_of(intent.entity)
        if entity.label not in self.identities:
            return
        if isinstance(intent, WithinIntent | AncestorsIntent):
            reason = "areas and tree paths need derived values, which the search does not choose"
            self.skipped.append(SkippedPattern(pattern.name, reason, f"Declare key= and derived= of {entity.label}."))
        elif isinstance(intent, ItemWriteIntent):
            self.writes[entity.label].append(_write(pattern, intent, entity))
        else:
            self._add_read(pattern, intent, entity)

    def _add_read(self, pattern: PatternDeclaration, intent: GetIntent | QueryIntent, entity: Entity) -> None:
        bindings, _ = bindings_for(pattern, entity)
        ranges = [each for each in bindings if each.test not in (Equal, Present)]
        order = self._order(pattern, intent, entity, ranges)
        problem = _range_problem(ranges, order) or _key_problem(entity, bindings, order)
        if problem is not None:
            self.skipped.append(SkippedPattern(pattern.name, *problem))
            return
        first = ranges[0].fields[0] if ranges else order
        equal = _fields(bindings, Equal)
        self.reads[entity.label].append(
            Read(
                pattern.name,
                equal,
                first,
                bool(ranges),
                _fields(bindings, Present),
                intent.consistent,
                isinstance(intent, GetIntent),
                pattern.calls_per_second,
            )
        )

    def _order(
        self, pattern: PatternDeclaration, intent: GetIntent | QueryIntent, entity: Entity, ranges: list[Binding]
    ) -> str | None:
        if not isinstance(intent, QueryIntent):
            return None
        if intent.order_by is not None:
            return str(intent.order_by.steps[0])
        if not intent.newest_first or ranges:
            return None
        return self._time(pattern, entity)

    def _time(self, pattern: PatternDeclaration, entity: Entity) -> str | None:
        """Return the field by which newest first sorts: the first time field that every item has."""
        times = [each.name for each in entity.fields.values() if _is_time(each)]
        if len(times) > 1:
            others = " or ".join(times[1:])
            self.guesses.append(
                f"{pattern.name}: newest first by {times[0]}. "
                f"If you mean {others}, add order_by=lambda item: item.{times[1]}."
            )
        return times[0] if times else None

    def _add_collection(self, pattern: PatternDeclaration, intent: CollectionIntent) -> None:
        members = self.design.members(intent)
        if not any(entity.label in self.identities for _, entity in members):
            return
        problem = self._collection_problem(pattern, intent)
        if problem is not None:
            self.skipped.append(SkippedPattern(pattern.name, *problem))
            return
        limited = intent.limit is not None or LIMIT in pattern.parameters
        for member, entity in members:
            partition = self._partition(pattern, entity)
            assert partition is not None, "checked above"
            is_list = member.kind == "many"
            first = self._time(pattern, entity) if is_list and intent.newest_first else None
            self.reads[entity.label].append(
                Read(
                    pattern.name,
                    frozenset(partition),
                    first,
                    strong=intent.consistent,
                    rate=pattern.calls_per_second,
                    partition=partition,
                    collection=pattern.name,
                )
            )
        shape = tuple(Member(entity.label, member.kind == "many") for member, entity in members)
        self.collections.append(Collection(pattern.name, shape, limited, intent.is_reversed))

    def _collection_problem(self, pattern: PatternDeclaration, intent: CollectionIntent) -> tuple[str, str] | None:
        members = [entity for _, entity in self.design.members(intent)]
        kept = [each.label for each in members if each.label not in self.identities]
        if kept:
            keyless = next(each.label for each in members if each.label in self.identities)
            return (
                f"{kept[0]} has a key and {keyless} has none",
                f"Remove key= of {kept[0]}, or declare key= of {keyless}.",
            )
        if any(each.test is not Equal for each in pattern.bound_parameters):
            return "a range in a collection is not part of the search", "Declare the keys of its members."
        unknown = [each.label for each in members if self._partition(pattern, each) is None]
        if unknown:
            names = " and ".join(each.name for each in pattern.bound_parameters) or "no parameter"
            return f"{names} does not say which items of {unknown[0]} belong together", (
                f"Use the name of a field of {unknown[0]} for the parameter, or declare its identity."
            )
        return None

    def _partition(self, pattern: PatternDeclaration, entity: Entity) -> tuple[str, ...] | None:
        """Return the fields of a member that the parameters of a collection fix, in their order."""
        found = [self._member_field(each.name, entity) for each in pattern.bound_parameters]
        names = [each for each in found if each is not None]
        return tuple(names) if names and len(names) == len(found) else None

    def _member_field(self, parameter: str, entity: Entity) -> str | None:
        """Return the field that a parameter fixes: the field with its name, or the identity to which it refers."""
        identity = self.identities[entity.label]
        if parameter in entity.fields:
            return parameter
        is_reference = len(identity) == 1 and (parameter == "id" or parameter.endswith(f"_{identity[0]}"))
        return identity[0] if is_reference else None

    def _add_copies(self, entity: Entity) -> None:
        """Add the reads that find copies, and the writes that change the copies when their source changes."""
        for each in entity.declaration.copies:
            name = f"copies of {each.source.__name__} in {entity.label}"
            self.reads[entity.label].append(Read(name, frozenset(each.by.values())))
            source = self.design.entity_of(each.source)
            changes = [
                p.intent.changed
                for p in self.design.patterns
                if isinstance(p.intent, ItemWriteIntent) and p.intent.entity is source.cls
            ]
            changed = frozenset(ours for theirs, ours in each.fields.items() if any(theirs in one for one in changes))
            if changed:
                self.writes[entity.label].append(Write(name, changed))

    def _needs(self, entity: Entity) -> EntityNeeds:
        return EntityNeeds(
            entity.label,
            self.identities[entity.label],
            {field.name: self._facts(entity, field) for field in entity.fields.values()},
            tuple(self.reads[entity.label]),
            tuple(self.writes[entity.label]),
            entity.declaration.expected_items,
        )

    def _facts(self, entity: Entity, field: Field) -> ColumnFacts:
        declared = entity.declaration.cardinality.get(field.name)
        if declared is not None:
            return ColumnFacts(values=declared.values, optional=field.optional)
        if follows_clock(field) and is_day(field):
            return ColumnFacts(values=_CLOCK_VALUES, optional=field.optional)
        found = None if (field.name,) == self.identities[entity.label] else value_count(field)
        return ColumnFacts(values=None if found is None else found.values, optional=field.optional)


def _write(pattern: PatternDeclaration, intent: ItemWriteIntent, entity: Entity) -> Write:
    """Return the fields that a write changes, and the fields whose values its caller passes."""
    takes_item = any(each.type is entity.cls for each in pattern.bound_parameters)
    if intent.kind in ("put", "create") or takes_item:
        return Write(pattern.name, rate=pattern.calls_per_second)
    bindings, _ = bindings_for(pattern, entity)
    in_key = _fields(bindings, Equal)
    known = in_key | fixed_values(intent.where).keys()
    known |= {
        str(each.path.steps[0])
        for each in intent.changes
        if each.action == "SET" and len(each.path.steps) == 1 and isinstance(each.value, Constant | Parameter)
    }
    changed = intent.changed | ({entity.declaration.version} if entity.declaration.version else frozenset())
    changed = changed if intent.kind == "update" else frozenset()
    return Write(pattern.name, changed, frozenset(known), pattern.calls_per_second, in_key)


def _fields(bindings: tuple[Binding, ...], test: type) -> frozenset[str]:
    return frozenset(name for each in bindings if each.test is test for name in each.fields)


def _range_problem(ranges: list[Binding], order: str | None) -> tuple[str, str] | None:
    """Return why one sort key cannot serve the ranges and the order."""
    names = [name for each in ranges for name in each.fields]
    if any(each.test not in _RANGES for each in ranges):
        return (
            "areas and tree paths need derived values, which the search does not choose",
            "Declare the keys yourself.",
        )
    if len(names) > 1:
        return (
            f"it has ranges on {' and '.join(names)}, but a sort key serves only one of them",
            f"Filter by {names[1]} with filter=.",
        )
    if names and order not in (None, names[0]):
        return (
            f"it has a range on {names[0]} and the order of {order}, but a sort key serves only one of them"
        ), "Sort in your code."
    return None


def _key_problem(entity: Entity, bindings: tuple[Binding, ...], order: str | None) -> tuple[str, str] | None:
    """Return why a field cannot be part of a key."""
    names = [name for each in bindings if each.test is not Present for name in each.fields]
    for name in (*names, *([order] if order is not None else [])):
        field = entity.fields[name]
        try:
            choose_codec(field.type, "", ORDERED_DELIMITER, field.codecs)
        except ValueError as problem:
            return f"{name} cannot be part of a key: {problem}", "Store a text for it in a separate field."
    return None


def _is_time(field: Field) -> bool:
    return field.type in (datetime, date) and not field.optional
