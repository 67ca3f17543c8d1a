"""Key templates for chosen columns: prefixes that separate entities, and words that group collections."""

from __future__ import annotations

from collections.abc import Mapping

from singletable.design.model_workload import ModelWorkload
from singletable.key_solver.common_keys import ColumnKey
from singletable.key_solver.entity_slots import TABLE_SLOT
from singletable.key_solver.key_search import Solution
from singletable.key_solver.partition_load import shards_needed
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.table_schema import TABLE
from singletable.planner.key_proposals import free_name, new_alias
from singletable.planner.key_texts import field_owner, key_words, slot, sorted_slot


class TemplateWriter:
    """Writes the keys of a solution as templates, with the aliases of existing and new indexes of a design."""

    def __init__(self, design: Design, model: ModelWorkload, solution: Solution) -> None:
        self.design, self.model, self.solution = design, model, solution
        self.aliases = _aliases(design, solution.indexes)

    def keys(self) -> dict[str, dict[str, tuple[str, str]]]:
        """Return the templates of every entity, by alias: `key`, `gsi1`, ..."""
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
                if number != TABLE_SLOT
            ]
            if max(counts, default=1) > 1:
                found[each.entity] = max(counts)
        return found

    def _templates(self, entity: Entity, number: int, key: ColumnKey) -> tuple[str, str]:
        delimiter = self.design.settings.delimiter
        partition = [part for name in key.partition for part in (self._owner(entity, number, name), slot(name))]
        partition = partition or [key_words(entity.label)]
        needs = self.model.needs(entity.label)
        if number != TABLE_SLOT and shards_needed(needs, key.partition, key.columns) > 1:
            partition.append(slot(shard_name(entity)))
        sort = [self._sort_word(entity, number), *(sorted_slot(entity, name) for name in key.sort)]
        return delimiter.join(partition), delimiter.join(sort)

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
        return word if line == sorted(line) else f"{line.index(word) + 1}{self.design.settings.delimiter}{word}"


def shard_name(entity: Entity) -> str:
    """Return the name of the derived value with the shard of an item."""
    return free_name(entity, "shard")


def _aliases(design: Design, indexes: int) -> Mapping[int, str]:
    """Return the alias of every slot: the table, existing indexes with text keys, then new indexes."""
    existing = [
        alias
        for alias, index in design.indexes.items()
        if index.kind == "GSI" and not index.is_inverse and len(index.partition) == len(index.sort) == 1
    ]
    names = existing[:indexes]
    while len(names) < indexes:
        names.append(new_alias(design, frozenset(names)))
    return {TABLE_SLOT: TABLE, **dict(enumerate(names, start=1))}
