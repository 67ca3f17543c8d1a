"""Mirrored items as a remedy: the class to declare for a read that no allowed index can serve."""

from __future__ import annotations

from dataclasses import replace

from singletable.key_solver.common_keys import ColumnKey, index_keys
from singletable.key_solver.key_search import OVER_LIMIT, RejectedRead
from singletable.key_solver.workload import EntityNeeds, Read
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.planner.key_source import quoted
from singletable.planner.key_texts import field_owner, key_words, slot, sorted_slot


def mirror_remedy(design: Design, entity: Entity, needs: EntityNeeds, rejected: RejectedRead) -> str:
    """Return the mirrored entity that serves a rejected read, as part of a sentence. Return an empty text if none does.

    An index serves most reads at a lower cost, so only the limit of indexes or a strong read justifies a mirror.
    """
    read = next((each for each in needs.reads if each.name == rejected.name), None)
    if read is None or not (rejected.problem == OVER_LIMIT or read.strong) or not _is_plain(read):
        return ""
    found = [each for each in index_keys(needs, [replace(read, strong=False)]) if _can_be_mirrored(needs, each)]
    if not found:
        return ""
    key = min(found, key=lambda each: (needs.has_few_values(each.partition), len(each.partition), each.partition))
    name = f"{entity.label}By{''.join(part.title() for part in '_'.join(key.partition).split('_'))}"
    partition = "#".join(f"{field_owner(design, entity, each)}#{slot(each)}" for each in key.partition)
    sort = "#".join([key_words(entity.label), *(sorted_slot(entity, each) for each in key.sort)])
    declared = f"@entity(key=({quoted(partition)}, {quoted(sort)}), mirror_of={entity.label})"
    return f"or store each item twice: declare a class {name} with the same fields and {declared}, and return it"


def _is_plain(read: Read) -> bool:
    return not (read.single or read.by_key or read.finds_copies or read.collection is not None) and bool(read.equal)


def _can_be_mirrored(needs: EntityNeeds, key: ColumnKey) -> bool:
    """Return whether the key identifies an item, exists for every item, and never changes."""
    changed = frozenset[str]().union(*(each.changed for each in needs.by_key))
    has_values = not any(needs.facts(name).optional for name in key.columns)
    is_own = not key.is_multi_attribute and bool(key.partition)
    return is_own and has_values and set(needs.identity) <= key.columns and not changed & key.columns
