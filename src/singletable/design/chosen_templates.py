"""Key templates for chosen columns: prefixes that separate entities, and words that group collections."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from singletable.design.collection_ranges import KeyTexts, declared_key_texts, key_texts
from singletable.design.declared_partitions import DeclaredPartition
from singletable.design.model_workload import ModelWorkload
from singletable.key_solver.common_keys import ATTRIBUTES_MAX, ColumnKey
from singletable.key_solver.entity_slots import LOCAL_SLOT, TABLE_SLOT
from singletable.key_solver.key_search import Solution
from singletable.key_solver.partition_load import shards_needed
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.intents import CollectionIntent
from singletable.model.table_schema import ALL, TABLE, Index, Names
from singletable.planner.key_proposals import free_name, new_alias
from singletable.planner.key_texts import field_owner, key_words, slot, sorted_slot

Templates = tuple[Names, Names]
"""The partition key and the sort key. A key of several attributes has one template per attribute."""
_NO_COLUMN = "-"
"""The value of the attributes of a multi-attribute key that an entity does not need."""


class TemplateWriter:
    """Writes the keys of a solution as templates, with the aliases of existing and new indexes of a design."""

    def __init__(self, design: Design, model: ModelWorkload, solution: Solution) -> None:
        self.design, self.model, self.solution = design, model, solution
        self.attributes = self._attribute_counts()
        self.aliases = _aliases(design, solution, frozenset(self.attributes))
        self.apart: dict[tuple[int, str], str] = {}
        """The word before the partition key of an entity that would be between the members of a collection."""
        self.numbered: set[tuple[str, ...]] = set()
        """The lines whose sort keys start with a number, because an entity between the members cannot move."""

    def keys(self) -> dict[str, dict[str, Templates]]:
        """Return the templates of every entity, by alias: `key`, `gsi1`, `lsi1`, ...

        No other entity is between the members of a collection, if a change of new keys can prevent this.
        """
        keys = self._keys()
        while self._separates(keys):
            keys = self._keys()
        return keys

    def _keys(self) -> dict[str, dict[str, Templates]]:
        return {
            each.entity: {
                self.aliases[number]: self._templates(self.model.entity(each.entity), number, key)
                for number, key in each.keys.items()
            }
            for each in self.solution.entities
        }

    def shards(self) -> dict[str, int]:
        """Return the number of shards of each entity that has a hot partition."""
        found: dict[str, int] = {}
        for each in self.solution.entities:
            needs = self.model.needs(each.entity)
            counts = [
                shards_needed(needs, key.partition, key.columns)
                for number, key in each.keys.items()
                if TABLE_SLOT < number < LOCAL_SLOT
            ]
            if max(counts, default=1) > 1:
                found[each.entity] = max(counts)
        return found

    def _separates(self, keys: Mapping[str, Mapping[str, Templates]]) -> bool:
        """Separate one collection from the first entity between its members. Return whether anything changed."""
        served = self.solution.lines
        intents = {each.name: each.intent for each in self.design.patterns if each.name in served}
        slots = self.solution.collection_slots
        for name in sorted(intents, key=lambda each: (not self._has_owner(served[each], slots[each]), each)):
            intent, number, line = intents[name], slots[name], served[name]
            if not isinstance(intent, CollectionIntent):
                continue
            members = {entity.label for _, entity in self.design.members(intent)}
            texts = self._key_texts(keys, self.aliases[number])
            own = [texts[each] for each in sorted(members & texts.keys())]
            for other in sorted(texts.keys() - members - {*line}):
                if texts[other].can_be_between(own) and self._separate(number, line, other):
                    return True
        return False

    def _separate(self, number: int, line: tuple[str, ...], other: str) -> bool:
        """Give another entity a partition of its own, or numbers to the line. Return False if neither is possible."""
        is_new = any(each.entity == other for each in self.solution.entities)
        unit = (is_new and self._line(self.model.entity(other), number)) or (other,)
        can_move = is_new and not self._is_declared(unit) and (number, other) not in self.apart
        can_number = not self._is_declared(line) and line not in self.numbered
        if can_move and not (can_number and self._has_owner(unit, number)):
            self.apart |= {(number, each): key_words(unit[0]) for each in unit}
        elif can_number:
            self.numbered.add(line)
        return can_move or can_number

    def _key_texts(self, keys: Mapping[str, Mapping[str, Templates]], alias: str) -> dict[str, KeyTexts]:
        """Return the texts of all declared and chosen keys in the table or an index, by entity."""
        declared = {each.label: declared_key_texts(each, alias) for each in self.design.entities}
        texts = {label: each for label, each in declared.items() if each is not None}
        for label, own in keys.items():
            if alias in own:
                texts[label] = key_texts(*(each if isinstance(each, str) else each[0] for each in own[alias]))
        return texts

    def _has_owner(self, labels: Sequence[str], number: int) -> bool:
        """Return whether the partition of these entities is named after one of them."""
        found = [(self.model.needs(each), self.solution.keys_of(each).keys[number].partition) for each in labels]
        return any(needs.identity == partition for needs, partition in found)

    def _is_declared(self, line: tuple[str, ...]) -> bool:
        """Return whether entities with declared keys are in the partition of a line."""
        return any(each == line and name in self.model.partitions for name, each in self.solution.lines.items())

    def _templates(self, entity: Entity, number: int, key: ColumnKey) -> Templates:
        delimiter = self.design.settings.delimiter
        place = TABLE_SLOT if number > LOCAL_SLOT else number  # a local index has the partition key of the table
        partition = [delimiter.join((self._owner(entity, place, name), slot(name))) for name in key.partition]
        feed = self._feed_word(entity, number)
        partition = partition or [feed or key_words(entity.label)]
        if (declared := self._declared_partition(entity, place)) is not None:
            partition = [declared.with_fields(key.partition)]
        if (word := self.apart.get((place, entity.label))) is not None:
            partition[0] = delimiter.join((word, partition[0]))
        needs = self.model.needs(entity.label)
        if TABLE_SLOT < number < LOCAL_SLOT and shards_needed(needs, key.partition, key.columns) > 1:
            partition[-1] += delimiter + slot(shard_name(entity))
        first, *others = [sorted_slot(entity, name) for name in key.sort] or [""]
        sort = [delimiter.join(filter(None, (self._sort_word(entity, number), first))), *others]
        if feed:  # the column of the order stands before the word of the entity
            word, *rest = [delimiter.join(filter(None, (key_words(entity.label), *others[:1]))), *others[1:]]
            sort = [delimiter.join((feed, first)), word, *rest]
        if number not in self.attributes:
            return delimiter.join(partition), delimiter.join(sort)
        if not self._has_separate_attributes(entity, number):
            partition, sort = [delimiter.join(partition)], [delimiter.join(sort)]
        head, tail = sort[: ATTRIBUTES_MAX - 1], sort[ATTRIBUTES_MAX - 1 :]
        sort = [*head, delimiter.join(tail)] if tail else head
        partitions, sorts = self.attributes[number]
        return (
            (*partition, *[_NO_COLUMN] * (partitions - len(partition))),
            (*sort, *[_NO_COLUMN] * (sorts - len(sort))),
        )

    def _attribute_counts(self) -> dict[int, tuple[int, int]]:
        """Return the numbers of partition and sort key attributes of each multi-attribute index."""
        found: dict[int, tuple[int, int]] = {}
        for each in self.solution.entities:
            for number, key in each.keys.items():
                if number != TABLE_SLOT and self._has_separate_attributes(self.model.entity(each.entity), number):
                    partitions, sorts = found.get(number, (1, 1))
                    partitions, sorts = max(partitions, len(key.partition)), max(sorts, len(key.sort))
                    found[number] = min(partitions, ATTRIBUTES_MAX), min(sorts, ATTRIBUTES_MAX)
        return found

    def _has_separate_attributes(self, entity: Entity, number: int) -> bool:
        """Return whether each column is an attribute. The members of a collection have keys of one form."""
        labels = self._line(entity, number) or (entity.label,)
        return any(self.solution.keys_of(each).keys[number].is_multi_attribute for each in labels)

    def _feed_word(self, entity: Entity, number: int) -> str:
        """Return the literal for the keys of a feed: the name of its first pattern, in capitals.

        Empty for other keys.
        """
        reads = self.solution.keys_of(entity.label).reads_in(number)
        names = sorted(each.collection for each in reads if each.feed and each.collection is not None)
        if not names:
            return ""
        word = names[0].upper()
        return f"{word}_FEED" if any(key_words(each.label) == word for each in self.design.all_entities) else word

    def _declared_partition(self, entity: Entity, number: int) -> DeclaredPartition | None:
        """Return the partition that a collection shares with an entity that has a key, or None."""
        line = self._line(entity, number)
        same = (name for name, each in self.solution.lines.items() if line and each == line)
        return next((self.model.partitions[name] for name in same if name in self.model.partitions), None)

    def _owner(self, entity: Entity, number: int, name: str) -> str:
        """Return the word before a partition field. The members of a collection share it."""
        members = [self.model.entity(each) for each in self._line(entity, number)]
        place = self._partition_place(entity, number, name)
        for member in members:
            partition = self.solution.keys_of(member.label).keys[number].partition
            if place < len(partition) and (partition[place],) == member.identity:
                return key_words(member.label)
        return field_owner(self.design, entity, name)

    def _partition_place(self, entity: Entity, number: int, name: str) -> int:
        return self.solution.keys_of(entity.label).keys[number].partition.index(name)

    def _line(self, entity: Entity, number: int) -> tuple[str, ...]:
        """Return the entities of a collection that share a partition with this entity, in their order."""
        for name, line in self.solution.lines.items():
            if self.solution.collection_slots[name] == number and entity.label in line:
                return line
        return ()

    def _sort_word(self, entity: Entity, number: int) -> str:
        """Return the word at the start of a sort key. A number precedes it if the words do not sort as needed."""
        line = [key_words(each) for each in self._line(entity, number)]
        word = key_words(entity.label)
        is_sorted = line == sorted(line) and self._line(entity, number) not in self.numbered
        return word if is_sorted else f"{line.index(word) + 1}{self.design.settings.delimiter}{word}"


def shard_name(entity: Entity) -> str:
    """Return the name of the derived value with the shard of an item."""
    return free_name(entity, "shard")


def _aliases(design: Design, solution: Solution, multi_attribute: frozenset[int]) -> Mapping[int, str]:
    """Return the alias of every slot of the solver: the table, existing indexes with text keys, then new indexes.

    A slot is the number of the table (0) or of an index in the solution.
    """
    local = solution.local_indexes
    existing = [alias for alias, index in design.indexes.items() if _takes_templates(index)]
    names = {TABLE_SLOT: TABLE}
    for number in range(1, solution.indexes - local + 1):
        is_new = not existing or number in multi_attribute
        names[number] = new_alias(design, frozenset(names.values())) if is_new else existing.pop(0)
    for number in range(LOCAL_SLOT + 1, LOCAL_SLOT + local + 1):
        names[number] = new_alias(design, frozenset(names.values()), "lsi")
    return names


def _takes_templates(index: Index) -> bool:
    """Return whether the keys of another entity can be added to an index, and all its fields are then projected."""
    has_templates = len(index.partition) == len(index.sort) == 1 and not index.is_inverse
    return index.kind == "GSI" and has_templates and index.projection == ALL


def shown_key(names: Names) -> str:
    """Return a key as text. Commas separate the attributes of a multi-attribute key."""
    return names if isinstance(names, str) else ", ".join(names)
