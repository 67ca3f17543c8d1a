"""Joint remedies: the fewest new index keys that serve all unsupported reads of an entity together."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from singletable.key_solver.common_keys import ColumnKey
from singletable.key_solver.entity_needs import entity_needs, write_of
from singletable.key_solver.index_groups import IndexGroup, index_groups
from singletable.key_solver.read_columns import DerivedColumns, read_of
from singletable.key_solver.workload import Read
from singletable.model.design import Design
from singletable.model.entity import Entity, entity
from singletable.model.intents import GetIntent, ItemWriteIntent, QueryIntent
from singletable.planner.changed_designs import harms_nothing, is_served, patterns_of, with_declarations, with_keys
from singletable.planner.formatting import format_list
from singletable.planner.key_proposals import (
    entity_identity,
    free_aliases,
    partition_prefix,
    reads_first_edits,
    reads_first_text,
)
from singletable.planner.key_source import keys_edits
from singletable.planner.key_texts import index_keys, key_words, slot, sorted_slot
from singletable.planner.mismatches import NotServed, PartitionUnknown, Unordered, WrongOrder
from singletable.planner.plan import UnsupportedPattern
from singletable.planner.remedy import Alternative, Edit, Remedy, SetKeyword
from singletable.verify.findings import Finding, PlannedDesign

_BY_NEW_KEYS = (PartitionUnknown, NotServed, WrongOrder, Unordered)
_ENTITY_OPTIONS = frozenset(inspect.signature(entity).parameters)


def with_joint_keys(planned: PlannedDesign, findings: Sequence[Finding]) -> list[Finding]:
    """Return the findings. Unsupported reads that can share a new key propose this key together."""
    joint = joint_keys(planned)
    return [_with_alternative(each, joint[each.subject]) if each.subject in joint else each for each in findings]


def joint_keys(planned: PlannedDesign) -> Mapping[str, Alternative]:
    """Return, by pattern name, the new key that an unsupported read can share with others. Other reads are left out."""
    design, found = planned.design, dict[str, Alternative]()
    by_entity: dict[str, list[UnsupportedPattern]] = {}
    for each in planned.unsupported:
        kinds = {type(mismatch) for mismatch in each.mismatches}
        is_read = isinstance(each.pattern.intent, GetIntent | QueryIntent)
        if is_read and len(each.entities) == 1 and kinds and kinds <= set(_BY_NEW_KEYS):
            by_entity.setdefault(each.entities[0].label, []).append(each)
    for unsupported in by_entity.values():
        owner = unsupported[0].entities[0]
        if len(unsupported) > 1 and owner.placements:
            found |= _of_entity(design, owner, unsupported)
    return found


def _of_entity(design: Design, owner: Entity, unsupported: Sequence[UnsupportedPattern]) -> dict[str, Alternative]:
    derived = DerivedColumns(owner)
    reads = [_read(each, owner, derived) for each in unsupported]
    writes = [
        write_of(pattern, pattern.intent, owner)
        for pattern in patterns_of(design, {owner.cls})
        if isinstance(pattern.intent, ItemWriteIntent)
    ]
    identity = entity_identity(owner)
    needs = entity_needs(design, owner, identity, derived, [each for each in reads if each is not None], writes)
    needs = replace(needs, allows_fan_out=True)  # some updates must then read the item first; the remedy declares this
    found: dict[str, Alternative] = {}
    for group in index_groups(needs):
        if needs.has_few_values(group.key.partition):
            continue  # keep the proposal for each single pattern, which can have shards
        if len(group.reads) > 1 and (alternative := _shared_key(design, owner, group)) is not None:
            found |= {each.name: alternative for each in group.reads}
    return found


def _read(unsupported: UnsupportedPattern, owner: Entity, derived: DerivedColumns) -> Read | None:
    intent = unsupported.pattern.intent
    assert isinstance(intent, GetIntent | QueryIntent), "selected by the caller"
    guesses: list[str] = []
    found = read_of(unsupported.pattern, intent, owner, derived, guesses.append)
    # Leave out a read that needs a derived value, and a read with a guess that only the author can confirm.
    return found if isinstance(found, Read) and found.partition is None and not guesses else None


def _shared_key(design: Design, owner: Entity, group: IndexGroup) -> Alternative | None:
    """Return the edits that add a key for all reads of a group. Return None if the planner cannot prove it."""
    names = {each.name for each in group.reads}
    patterns = [pattern for pattern in design.patterns if pattern.name in names]
    for alias in free_aliases(design, owner):
        for templates in _templates(design, owner, group.key):
            keys = index_keys(owner, templates)
            declaration = with_keys(owner, alias, keys)
            changed = with_declarations(design, {owner.cls: declaration})
            if changed is None or not all(is_served(changed, each) for each in patterns):
                continue
            reads_first = reads_first_edits(design, owner, declaration)
            if harms_nothing(design, changed, but=reads_first):
                effect = f"This key serves {format_list(sorted(names))} together. {reads_first_text(reads_first)}"
                return Alternative((*keys_edits(owner, alias, keys), *reads_first.values()), effect.rstrip())
    return None


def _templates(design: Design, owner: Entity, key: ColumnKey) -> Iterator[tuple[str, str]]:
    """Yield the templates of a key: first without a literal in the sort key, then with the entity's name as literal."""
    delimiter, word = design.settings.delimiter, key_words(owner.label)
    partition = delimiter.join([partition_prefix(owner, list(key.partition)), *map(slot, key.partition)])
    sort = [sorted_slot(owner, name) for name in key.sort]
    yield partition, delimiter.join(sort or [word])
    yield partition, delimiter.join([word, *sort])


def _with_alternative(finding: Finding, joint: Alternative) -> Finding:
    others = [each for each in finding.remedy.alternatives if not any(map(_adds_index_keys, each.edits))]
    return replace(finding, remedy=Remedy(finding.remedy.explanation, (joint, *others)))


def _adds_index_keys(edit: Edit) -> bool:
    return isinstance(edit, SetKeyword) and edit.place.kind == "entity" and edit.keyword not in _ENTITY_OPTIONS
