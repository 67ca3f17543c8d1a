"""The workload of a model: the reads and writes of its patterns, in the form that the solver needs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from singletable.design.declared_partitions import DeclaredPartition, declared_partition
from singletable.design.feed_reads import FeedColumns, feed_columns, feed_reads
from singletable.key_solver.entity_needs import entity_needs, write_of
from singletable.key_solver.read_columns import DerivedColumns, SkippedPattern, read_of, time_of
from singletable.key_solver.workload import Collection, EntityNeeds, Member, Read, Workload, Write
from singletable.model.derived_data import Copy
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.intents import CollectionIntent, FeedIntent, ItemWriteIntent
from singletable.model.parameter_types import Equal
from singletable.model.pattern_declaration import LIMIT, PatternDeclaration
from singletable.planner.changed_designs import patterns_of
from singletable.planner.formatting import format_list
from singletable.planner.key_texts import reference_field
from singletable.planner.primary_key_proposals import known_identity
from singletable.values.limits import TRANSACTION_ACTIONS_MAX


@dataclass(frozen=True)
class DesignOptions:
    """What a design may use."""

    indexes_max: int = 20
    copies: bool = True
    """Whether a key can contain a field that is a copy of a field of another entity."""
    fan_out: bool = False
    """Whether a read can be several Queries, one for each shard of a hot partition."""
    multi_attribute: bool = False
    """Whether an index key can have one attribute for each field, so that an update need not know all fields."""
    indexes_min: int = 0
    """The number of indexes with which the search starts. An alternative with one index more sets it."""


@dataclass(frozen=True)
class ModelWorkload:
    """The workload of the entities without keys, the guesses in it, and the patterns that it omits."""

    workload: Workload
    entities: tuple[Entity, ...]
    guesses: tuple[str, ...]
    skipped: tuple[SkippedPattern, ...]
    unknown_identity: tuple[Entity, ...] = ()
    derived: Mapping[str, DerivedColumns] = field(default_factory=dict)
    """The derived values that keys can contain, by entity."""
    weak_copies: frozenset[str] = frozenset()
    """The reads of copies that an index serves, because the table cannot."""
    partitions: Mapping[str, DeclaredPartition] = field(default_factory=dict)
    """The declared partition of each collection in which some entities have a key, by the name of the collection."""

    def entity(self, name: str) -> Entity:
        """Return the entity of the model with this class name."""
        return next(each for each in self.entities if each.label == name)

    def needs(self, name: str) -> EntityNeeds:
        """Return the requirements for the keys of this entity."""
        return next(each for each in self.workload.entities if each.name == name)


def model_workload(design: Design, options: DesignOptions, weak_copies: frozenset[str] = frozenset()) -> ModelWorkload:
    """Return the requirements of a model's patterns for the keys of the entities without keys.

    `weak_copies` names the reads of copies that need not be strongly consistent.
    """
    identities = {each.label: known_identity(each, patterns_of(design, {each.cls})) for each in design.keyless}
    entities = tuple(each for each in design.keyless if identities[each.label])
    known = {name: found for name, found in identities.items() if found}
    return _Conversion(design, entities, known, options, weak_copies).result()


class _Conversion:
    """Collects reads and writes by entity while the patterns of a design are converted."""

    def __init__(
        self,
        design: Design,
        entities: tuple[Entity, ...],
        identities: dict[str, tuple[str, ...]],
        options: DesignOptions,
        weak_copies: frozenset[str],
    ) -> None:
        self.design, self.entities, self.identities = design, entities, identities
        self.options, self.weak_copies = options, weak_copies
        self.unknown = tuple(each for each in design.keyless if each.label not in identities)
        self.derived = {each.label: DerivedColumns(each) for each in entities}
        self.reads: dict[str, list[Read]] = {each.label: [] for each in entities}
        self.writes: dict[str, list[Write]] = {each.label: [] for each in entities}
        self.collections: list[Collection] = []
        self.partitions: dict[str, DeclaredPartition] = {}
        self.skipped: list[SkippedPattern] = []
        self.guesses: list[str] = []

    def result(self) -> ModelWorkload:
        for pattern in self.design.patterns:
            self._add(pattern)
        for each in self.entities:
            self._add_copies(each)
        for each in self.design.all_entities:
            self._add_key_of_links(each)
        needs = tuple(self._needs(each) for each in self.entities)
        workload = Workload(needs, tuple(self.collections))
        guesses = tuple(dict.fromkeys(self.guesses))
        skipped = tuple(self.skipped)
        return ModelWorkload(
            workload, self.entities, guesses, skipped, self.unknown, self.derived, self.weak_copies, self.partitions
        )

    def _add(self, pattern: PatternDeclaration) -> None:
        intent = pattern.intent
        if isinstance(intent, FeedIntent | CollectionIntent):
            members = [entity for _, entity in self.design.members(intent)]
            if any(each in self.unknown for each in members):
                return  # without the identity of a member, the design is rejected
        if isinstance(intent, FeedIntent):
            self._add_feed(pattern, intent)
            return
        if isinstance(intent, CollectionIntent):
            self._add_collection(pattern, intent)
            return
        entity = self.design.entity_of(intent.entity)
        if entity.label not in self.identities:
            return
        if isinstance(intent, ItemWriteIntent):
            self.writes[entity.label].append(write_of(pattern, intent, entity))
            return
        found = read_of(
            pattern, intent, entity, self.derived[entity.label], self.guesses.append, fan_out=self.options.fan_out
        )
        if isinstance(found, Read):
            found = self._without_copies(entity, found) or found
        if isinstance(found, SkippedPattern):
            self.skipped.append(found)
        else:
            self.reads[entity.label].append(found)

    def _without_copies(self, entity: Entity, read: Read) -> SkippedPattern | None:
        """Return why a read is not served without copies in keys, or None."""
        columns = read.equal | ({read.first} if read.first is not None else set())
        sources = {
            ours: f"{each.source.__name__}.{theirs}"
            for each in entity.declaration.copies
            for theirs, ours in each.fields.items()
        }
        copied = sorted(columns & sources.keys())
        if self.options.copies or not copied:
            return None
        reason = f"{copied[0]} is a copy of {sources[copied[0]]}, and --no-copies keeps copies out of keys"
        return SkippedPattern(read.name, reason, "Allow copies in keys.")

    def _add_collection(self, pattern: PatternDeclaration, intent: CollectionIntent) -> None:
        members = [each for each in self.design.members(intent) if each[1].label in self.identities]
        if not members:
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
            first = time_of(pattern, entity, self.guesses.append) if is_list and intent.newest_first else None
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
        is_in_table = pattern.name in self.partitions
        self.collections.append(Collection(pattern.name, shape, limited, intent.is_reversed, is_in_table))

    def _add_feed(self, pattern: PatternDeclaration, intent: FeedIntent) -> None:
        entities = [entity for _, entity in self.design.members(intent)]
        declared = [each for each in entities if each.label not in self.identities]
        if len(declared) == len(entities):
            return
        found = feed_columns(pattern, entities, self.guesses.append)
        if declared:
            others = format_list([each.label for each in declared])
            found = f"a feed needs keys of one form, and {others} has a key", f"Remove key= of {others}."
        if not isinstance(found, FeedColumns):
            self.skipped.append(SkippedPattern(pattern.name, *found))
            return
        names = [each.name for each in found.partition]
        partitions = [[self._member_field(name, each, entities) for name in names] for each in entities]
        known = [tuple(name for name in each if name is not None) for each in partitions]
        if missing := [each.label for each, own in zip(entities, known, strict=True) if len(own) < len(names)]:
            reason = f"{format_list(names)} is not a field of {format_list(missing)}"
            self.skipped.append(SkippedPattern(pattern.name, reason, "Use the name of a field of all entities."))
            return
        for entity, read in zip(entities, feed_reads(pattern, entities, found, known), strict=True):
            self.reads[entity.label].append(read)
        self.collections.append(Collection(pattern.name, tuple(Member(each.label, True) for each in entities)))

    def _collection_problem(self, pattern: PatternDeclaration, intent: CollectionIntent) -> tuple[str, str] | None:
        members = [entity for _, entity in self.design.members(intent)]
        if kept := [each for each in members if each.label not in self.identities]:
            partition = declared_partition(kept[0])
            if partition is None or len(partition.fields) != len(pattern.bound_parameters):
                keyless = next(each.label for each in members if each.label in self.identities)
                return (
                    f"{kept[0].label} has a key and {keyless} has none",
                    f"Remove key= of {kept[0].label}, or declare key= of {keyless}.",
                )
            self.partitions[pattern.name] = partition
        if any(each.test is not Equal for each in pattern.bound_parameters):
            return "a range in a collection is not part of the search", "Declare the keys of its members."
        keyless_members = [each for each in members if each.label in self.identities]
        unknown = [each.label for each in keyless_members if self._partition(pattern, each) is None]
        if unknown:
            names = " and ".join(each.name for each in pattern.bound_parameters) or "no parameter"
            return f"{names} does not say which items of {unknown[0]} belong together", (
                f"Use the name of a field of {unknown[0]} for the parameter, or declare its identity."
            )
        return None

    def _partition(self, pattern: PatternDeclaration, entity: Entity) -> tuple[str, ...] | None:
        """Return the fields of a member that the parameters of a collection fix, in their order."""
        assert isinstance(pattern.intent, CollectionIntent), "the caller passes a collection"
        members = [each for _, each in self.design.members(pattern.intent)]
        others = [each for each in members if each is not entity]
        names = [each.name for each in pattern.bound_parameters]
        if (partition := self.partitions.get(pattern.name)) is not None:
            places = [self._member_field(each, partition.entity, [entity]) for each in names]
            if set(places) != set(partition.fields):
                return None
            names = [names[places.index(each)] for each in partition.fields]
        found = [self._member_field(each, entity, others) for each in names]
        names = [each for each in found if each is not None]
        return tuple(names) if names and len(names) == len(found) else None

    def _identity(self, entity: Entity) -> tuple[str, ...]:
        """Return the fields that identify an item: the declared fields, or the fields of the key."""
        declared = self.identities.get(entity.label, entity.identity)
        return declared or tuple(sorted(entity.base.exact_fields))

    def _member_field(self, parameter: str, entity: Entity, others: Sequence[Entity]) -> str | None:
        """Return the field that a parameter fixes.

        This is the field with its name, the identity to which it refers, or the reference to another member that it
        identifies.
        """
        identity = self._identity(entity)
        for other in others:
            if self._identity(other) == (parameter,) and (field := reference_field(other, parameter, entity)):
                return field
        if parameter in entity.fields:
            return parameter
        is_reference = len(identity) == 1 and (parameter == "id" or parameter.endswith(f"_{identity[0]}"))
        return identity[0] if is_reference else None

    def _add_copies(self, entity: Entity) -> None:
        """Add the reads that find copies, and the writes that change the copies when their source changes."""
        for each in entity.declaration.copies:
            name = f"copies of {each.source.__name__} in {entity.label}"
            changed, rate = self._changed_copies(each)
            # An index can lack the newest copies, and a copy that the Query misses keeps its old value.
            strong = bool(changed) and name not in self.weak_copies
            self.reads[entity.label].append(Read(name, frozenset(each.by.values()), strong=strong, finds_copies=True))
            if changed:
                mean = self._mean(entity, each)
                self.writes[entity.label].append(Write(name, changed, rate=None if rate is None else rate * mean))
                self._check_copies(entity, each, changed)

    def _add_key_of_links(self, entity: Entity) -> None:
        """Add the writes that find the source of a copy or the owner of a counter by the fields in `by=`."""
        declaration = entity.declaration
        links = [(each.source, each.by, "copies") for each in declaration.copies]
        links += [(each.owner, each.by, "counter") for each in declaration.counted]
        for cls, by, what in links:
            target = self.design.entity_of(cls).label
            if target in self.writes:
                self.writes[target].append(Write(f"the {what} of {entity.label}", known=frozenset(by), rate=0.0))

    def _changed_copies(self, copy: Copy) -> tuple[frozenset[str], float | None]:
        """Return the copied fields whose source changes, and the number of these changes per second."""
        source = self.design.entity_of(copy.source).cls
        intents = ((each, each.intent) for each in self.design.patterns)
        changes = [
            (frozenset(intent.changed & copy.fields.keys()), pattern.calls_per_second)
            for pattern, intent in intents
            if isinstance(intent, ItemWriteIntent) and intent.entity is source and intent.changed & copy.fields.keys()
        ]
        names = frozenset(copy.fields[theirs] for changed, _ in changes for theirs in changed)
        rates = [rate for _, rate in changes]
        return names, None if None in rates else math.fsum(rate for rate in rates if rate is not None)

    def _mean(self, entity: Entity, copy: Copy) -> float:
        found = [entity.declaration.references.get(name) for name in copy.by.values()]
        return next((each.mean for each in found if each is not None and each.mean is not None), 1.0)

    def _check_copies(self, entity: Entity, copy: Copy, changed: frozenset[str]) -> None:
        """Skip the reads by a copied field if one change of the source cannot update all copies in one transaction."""
        column = next(iter(copy.by.values()))
        reference = entity.declaration.references.get(column)
        most = reference.max if reference is not None else None
        source, limit = copy.source.__name__, TRANSACTION_ACTIONS_MAX - 1
        in_keys = any(changed & (each.equal | {each.first}) for each in self.reads[entity.label])
        if copy.in_parts or not in_keys:
            return
        if most is None:
            self.guesses.append(
                f"At most {limit} {entity.label} items copy fields of one {source}, because one transaction updates "
                f'them. Declare the maximum: references={{"{column}": ref({source}, max=...)}}.'
            )
        elif most > limit:
            reason = (
                f"a key with a copy of {source} changes in up to {most:,} items at once, and a transaction writes at "
                f"most {TRANSACTION_ACTIONS_MAX}"
            )
            kept = []
            for read in self.reads[entity.label]:
                if changed & (read.equal | {read.first}) and not read.finds_copies:
                    self.skipped.append(SkippedPattern(read.name, reason, "Declare copy(..., in_parts=True)."))
                else:
                    kept.append(read)
            self.reads[entity.label] = kept

    def _needs(self, entity: Entity) -> EntityNeeds:
        needs = entity_needs(
            self.design,
            entity,
            self.identities[entity.label],
            self.derived[entity.label],
            self.reads[entity.label],
            self.writes[entity.label],
        )
        return replace(needs, allows_fan_out=self.options.fan_out, multi_attribute=self.options.multi_attribute)
