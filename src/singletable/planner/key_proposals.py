"""Propose index keys that make an unsupported pattern possible. The planner verifies each proposal."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from datetime import date, datetime
from math import prod
from typing import Any

from singletable.lazy_dataclass import dataclass, replace
from singletable.model.derived.derived_value import DerivedValue
from singletable.model.derived.geohash_cell import GeohashCell
from singletable.model.derived.shard import Shard
from singletable.model.derived.tree_path import Depth
from singletable.model.design import Design
from singletable.model.entity import Entity, EntityDeclaration
from singletable.model.intents import (
    AncestorsIntent,
    CollectionIntent,
    GetIntent,
    ItemWriteIntent,
    QueryIntent,
    WithinIntent,
)
from singletable.model.key_template import DerivedSlot
from singletable.model.keys import NativePart, Placement
from singletable.model.parameter_binding import Binding, bindings_for
from singletable.model.parameter_types import Children, Equal
from singletable.model.pattern_declaration import CALLS_PER_SECOND, PatternDeclaration
from singletable.model.table_schema import TABLE, Keys, default_name
from singletable.planner.changed_designs import is_served, patterns_of, with_declarations, with_keys
from singletable.planner.estimate import estimate
from singletable.planner.formatting import format_list
from singletable.planner.key_source import change_partition, expected_edit, keys_edits, quoted
from singletable.planner.key_texts import index_keys
from singletable.planner.plan import Plan, UnsupportedPattern
from singletable.planner.planner import copy_indexes, plan
from singletable.planner.remedy import (
    Alternative,
    Edit,
    RemoveElement,
    RemoveKeyword,
    SetItem,
    SetKeyword,
    entity_place,
    import_from_package,
    index_place,
    pattern_place,
)
from singletable.values.limits import (
    GSI_COUNT_MAX,
    PARTITION_READ_UNITS_PER_SECOND_MAX,
    PARTITION_WRITE_UNITS_PER_SECOND_MAX,
)

SHARDS = 8
FEW_PARTITIONS = 10
MOVED_ITEMS = "Items that are already stored keep their old keys until you write them again."
_SLOT = re.compile(r"\{(\w+)[^{}]*\}")
BOUNDED_ITEMS_MAX = 1_000
"""A list with at most this many items can be in one partition without shards."""


@dataclass(frozen=True)
class ProposedKeys:
    """Keys of an entity in one more index, which then serves the pattern.

    If `derived` is given, the keys contain a derived value, which the entity must also declare.
    """

    entity: Entity
    alias: str
    partition: str
    sort: str
    derived: tuple[str, DerivedValue, str] | None = None
    """The name, the value and the source of a derived value that the entity must declare."""
    fanout: int | None = None

    @property
    def keys(self) -> Keys:
        """The partition and the sort key template. They are declared as sparse if one of their fields is optional."""
        return index_keys(self.entity, (self.partition, self.sort))

    @property
    def declaration(self) -> EntityDeclaration:
        """The declaration of the entity, including the proposed keys."""
        declared = self.entity.declaration
        derived = {**declared.derived, self.derived[0]: self.derived[1]} if self.derived else declared.derived
        return replace(declared, keys={**declared.keys, self.alias: self.keys}, derived=derived)

    @property
    def expected(self) -> int | None:
        """The number of items per partition, if the entity declares it for other keys with the same partitions."""
        name, value = self.derived[:2] if self.derived is not None else ("", None)
        shards = value.of if isinstance(value, Shard) else 1
        if value is not None and shards == 1:
            return None
        fields = {slot for slot in _SLOT.findall(self.partition) if slot != name}
        numbers = self.entity.declaration.expected_per_partition
        same = [
            numbers[alias]
            for alias, placement in self.entity.placements.items()
            if alias in numbers and not placement.sparse and _partition_fields(placement) == fields
        ]
        whole = self.entity.declaration.expected_items if not fields else None
        known = next(iter(same), whole)
        return None if known is None else -(-known // shards)

    def edits(self, pattern: PatternDeclaration, removed: Collection[str] = ()) -> tuple[Edit, ...]:
        """Return the edits that declare the keys and remove the item counts of indexes whose keys they remove."""
        edits = keys_edits(self.entity, self.alias, self.keys)
        declared, expected = self.entity.declaration.expected_per_partition, self.expected
        if expected is not None or declared.keys() & set(removed):
            edits += (expected_edit(self.entity, {**dict.fromkeys(removed), self.alias: expected}),)
        if self.derived is not None:
            name, value, source = self.derived
            if self.entity.declaration.derived.get(name) != value:
                edits += derived_edits(self.entity, name, source)
        if self.fanout is not None and (pattern.options.fanout or 0) < self.fanout:
            edits += (SetKeyword(pattern_place(pattern), "fanout", str(self.fanout)),)
        return edits


def _partition_fields(placement: Placement) -> set[str]:
    """Return the slots and native fields of a partition key. A derived value appears under its own name."""
    names = set[str]()
    for part in placement.partition:
        names |= {part.field.name} if isinstance(part, NativePart) else {slot.name for slot in part.template.slots}
    return names


def derived_edits(entity: Entity, name: str, source: str) -> tuple[Edit, ...]:
    """Return the edits that add a derived value to an entity."""
    place, imported = entity_place(entity), import_from_package(entity_place(entity), source.partition("(")[0])
    if name in entity.declaration.derived:
        return (SetItem(place, "derived", name, source),)
    if entity.declaration.derived:
        return SetItem(place, "derived", name, source), imported
    return SetKeyword(place, "derived", f"{{{quoted(name)}: {source}}}"), imported


def new_index(design: Design, pattern: PatternDeclaration) -> tuple[Alternative, ...]:
    """Return the alternatives that add index keys for the pattern.

    If the keys have few partitions, another alternative spreads the items over shards. It comes first unless the
    declared number of items is small.
    """
    proposed = propose_keys(design, pattern)
    if proposed is None:
        return ()
    changed = with_declarations(design, {proposed.entity.cls: proposed.declaration}, [pattern])
    assert changed is not None, "the planner has proved the proposal"
    placement = changed.entity_of(proposed.entity.cls).placements[proposed.alias]
    aliases, removed = _superseded(design, proposed.entity, pattern)
    # Programs outside the model can read the index that is removed.
    removes = any(isinstance(edit, RemoveElement) for edit in removed)
    reads_first = reads_first_edits(design, proposed.entity, proposed.declaration)
    edits = (*proposed.edits(pattern, aliases), *removed, *reads_first.values())
    load = _load(changed, proposed, pattern, placement)
    effect = " ".join(filter(None, (load, reads_first_text(reads_first))))
    simple = Alternative(edits, effect, removes)
    if not isinstance(pattern.intent, QueryIntent) or not _few_partitions(placement):
        return (simple,)
    sharded = _sharded(design, pattern, proposed)
    if sharded is None:
        return (simple,)
    reads_first = reads_first_edits(design, sharded.entity, sharded.declaration)
    edits = (*sharded.edits(pattern, aliases), *removed, *reads_first.values())
    if _is_bounded(proposed.entity):
        return simple, Alternative(edits, needs_decision=removes)
    effect = f"The pattern then sends {sharded.fanout} Queries, one per shard. {reads_first_text(reads_first)}".rstrip()
    first = Alternative(edits, effect, removes)
    may_grow = proposed.entity.declaration.expected_items is None and proposed.expected is None
    return (first,) if may_grow or _is_frequent(design, proposed.entity, pattern) else (first, simple)


def reads_first_edits(design: Design, entity: Entity, declaration: EntityDeclaration) -> dict[str, Edit]:
    """Return the declarations of the writes that read the item first only because of the changed keys, by pattern."""
    found: dict[str, Edit] = {}
    changed = with_declarations(design, {entity.cls: declaration})
    for pattern in patterns_of(design, {entity.cls}) if changed is not None else ():
        if not pattern.is_write or changed is None:
            continue
        before, after = plan(design, pattern), plan(changed, pattern)
        if isinstance(before, Plan) and isinstance(after, Plan) and before.verdict.is_served > after.verdict.is_served:
            found[pattern.name] = SetKeyword(pattern_place(pattern), "fanout", str(after.requests))
    return found


def reads_first_text(patterns: Collection[str]) -> str:
    """Return the sentence about writes that read the item first. Return an empty text if there are none."""
    names = format_list(sorted(patterns))
    return f"{names} then {'read' if len(patterns) > 1 else 'reads'} the item first." if patterns else ""


def _superseded(design: Design, entity: Entity, pattern: PatternDeclaration) -> tuple[list[str], tuple[Edit, ...]]:
    """Return the indexes that only this pattern may have used, and edits that remove the entity's keys from them."""
    aliases, edits = list[str](), tuple[Edit, ...]()
    if all(placement.index.is_table for placement in entity.placements.values()):
        return aliases, edits
    others = [each for each in patterns_of(design, {entity.cls}) if not each.is_write and each is not pattern]
    outcomes = [plan(design, each) for each in others]
    if any(isinstance(each, UnsupportedPattern) and entity in each.entities for each in outcomes):
        return aliases, edits
    read = {each.index.alias for each in outcomes if isinstance(each, Plan) and entity in each.entities}
    read |= {alias for label, alias in copy_indexes(design) if label == entity.label}
    for alias, placement in entity.placements.items():
        if alias in read or placement.index.is_table or placement.index.is_inverse:
            continue
        aliases.append(alias)
        edits += (RemoveKeyword(entity_place(entity), alias),)
        declared = index_place(design, alias)
        if declared is not None and design.placed_in(placement.index) == (entity,):
            edits += (RemoveElement(declared),)
    return aliases, edits


def propose_keys(design: Design, pattern: PatternDeclaration) -> ProposedKeys | None:
    """Return keys that make the pattern one request, in an index without the entity or in a new index."""
    intent = pattern.intent
    if isinstance(intent, ItemWriteIntent | CollectionIntent | AncestorsIntent):
        return None
    entity = design.entity_of(intent.entity)
    bindings, _ = bindings_for(pattern, entity)
    delimiter = design.settings.delimiter
    for alias in free_aliases(design, entity):
        for derived in _derived_values(entity, bindings, intent):
            for fields in _sorts(entity, bindings, intent):
                slots = [f"{{{derived[0]}}}"] if derived is not None else []
                sort = delimiter.join(fields) or entity.label.upper()
                partition = delimiter.join([*_partition(entity, bindings), *slots])
                fanout = pattern.options.fanout or 12 if isinstance(intent, WithinIntent) else None
                proposal = ProposedKeys(entity, alias, partition, sort, derived, fanout)
                if _proves(design, pattern, proposal):
                    return proposal
    return None


def _derived_values(
    entity: Entity, bindings: tuple[Binding, ...], intent: object
) -> Iterator[tuple[str, DerivedValue, str] | None]:
    """Yield the derived values that the partition key needs: the depth of a tree path, or the cell of an area."""
    children = next((binding.fields[0] for binding in bindings if binding.test is Children), None)
    if children is not None:
        yield free_name(entity, "level"), Depth((children,)), f"depth({quoted(children)})"
    elif isinstance(intent, WithinIntent):
        for name, value in entity.declaration.derived.items():
            if isinstance(value, GeohashCell):
                first, second = (quoted(field) for field in value.fields)
                yield name, value, f"geohash({first}, {second}, precision={value.precision})"
    else:
        yield None


def free_name(entity: Entity, name: str) -> str:
    """Return a name for a new derived value that differs from all fields and derived values of the entity."""
    taken = {*entity.fields, *entity.declaration.derived}
    return name if name not in taken else f"{entity.label.lower()}_{name}"


def free_aliases(design: Design, entity: Entity) -> Iterator[str]:
    """Yield the aliases of indexes in which the entity has no keys, then the alias of a new index."""
    for alias, index in design.indexes.items():
        plain = len(index.partition) == len(index.sort) == 1 and {a.type for a in (*index.partition, *index.sort)} == {
            "S"
        }
        if index.kind == "GSI" and alias not in entity.placements and plain:
            yield alias
    if sum(1 for index in design.indexes.values() if index.kind == "GSI") < GSI_COUNT_MAX:
        yield new_alias(design)


def new_alias(design: Design, taken: frozenset[str] = frozenset(), kind: str = "gsi") -> str:
    """Return the first alias `gsi1`, `gsi2`, ... that no index of the design has and that is not in `taken`."""
    names = {index.name for index in design.indexes.values()}
    number = 1
    while (alias := f"{kind}{number}") in design.indexes or default_name(alias) in names or alias in taken:
        number += 1
    return alias


def _partition(entity: Entity, bindings: tuple[Binding, ...]) -> list[str]:
    equal = [name for binding in bindings if binding.test is Equal for name in binding.fields]
    return [partition_prefix(entity, equal), *(f"{{{name}}}" for name in equal)]


def partition_prefix(entity: Entity, equal: list[str]) -> str:
    """Return the prefix that the entity already uses for these fields, or its name in capitals."""
    first = entity.base.partition[0]
    literal = re.match(r"[A-Z][A-Z0-9_]*", str(first))
    fits = literal and len(entity.base.partition) == 1 and first.fields <= set(equal)
    return literal[0] if literal and fits else entity.label.upper()


def _sorts(entity: Entity, bindings: tuple[Binding, ...], intent: object) -> Iterator[list[str]]:
    equal = {name for binding in bindings if binding.test is Equal for name in binding.fields}
    ranged = [
        name
        for binding in bindings
        if binding.test is not Equal and not isinstance(intent, WithinIntent)
        for name in binding.fields
    ]
    times = [name for name, field in entity.fields.items() if field.type in (datetime, date) and not field.optional]
    sort_fields: list[list[str]] = [ranged]
    if not ranged and isinstance(intent, QueryIntent):
        by = [str(intent.order_by.steps[0])] if intent.order_by is not None else []
        sort_fields = [by] if by else [[name] for name in times] if intent.newest_first else [[]]
    if isinstance(intent, GetIntent):  # the partition key identifies the item without a sort key
        yield []
    unique = [name for name in (entity.identity or sorted(entity.base.exact_fields)) if name not in equal]
    for names in sort_fields:
        ordered = list(dict.fromkeys([*names, *unique]))
        yield [f"{{{name}{_sort_format(entity, name)}}}" for name in ordered]


def _sort_format(entity: Entity, name: str) -> str:
    """Return the format of the field in an existing key.

    For integers without a key, return `:number`, which sorts by value.
    """
    for placement in entity.placements.values():
        for part in placement.parts:
            found = re.search(rf"\{{{name}(:[^{{}}]+)\}}", str(part))
            if found:
                return found[1]
    return ":number" if entity.fields[name].type is int else ""


def _few_partitions(placement: Placement) -> bool:
    """Return whether all possible values of the partition key are known and few, such as one constant."""
    sizes: list[int] = []
    for part in placement.partition:
        if isinstance(part, NativePart):
            sizes.append(len(part.domain or ()))
        else:
            slots = part.template.slots
            sizes += [0 if isinstance(slot, DerivedSlot) else len(slot.codec.domain or ()) for slot in slots]
    return 0 < prod(sizes) <= FEW_PARTITIONS


def _is_bounded(entity: Entity) -> bool:
    expected = entity.declaration.expected_items
    return expected is not None and expected <= BOUNDED_ITEMS_MAX


def _is_frequent(design: Design, entity: Entity, pattern: PatternDeclaration) -> bool:
    """Return whether the pattern, or a write of the entity, is called so often that one partition may not suffice."""
    writes = [
        each
        for each in design.patterns
        if isinstance(each.intent, ItemWriteIntent) and each.intent.entity is entity.cls
    ]
    return any((each.calls_per_second or 0) >= CALLS_PER_SECOND["high"] for each in (pattern, *writes))


def _load(design: Design, proposed: ProposedKeys, pattern: PatternDeclaration, placement: Placement) -> str:
    """Return a sentence about the load of the partitions if there are few of them, otherwise an empty text."""
    if not _few_partitions(placement):
        return ""
    slots = [slot for part in placement.partition if not isinstance(part, NativePart) for slot in part.template.slots]
    partitions = "one partition" if not slots else f"one of few partitions (one per value of {slots[0].name})"
    expected = proposed.entity.declaration.expected_items
    count = f"{expected:,}" if expected is not None else "an unbounded number"
    outcome, rate = plan(design, pattern), pattern.calls_per_second
    units = estimate(design, outcome).units * rate if rate and isinstance(outcome, Plan) else None
    reads = "" if units is None else f"; this pattern reads about {units:,.3g} per second"
    read_max, write_max = PARTITION_READ_UNITS_PER_SECOND_MAX, PARTITION_WRITE_UNITS_PER_SECOND_MAX
    return (
        f"All {proposed.entity.label} items ({count}) are then in {partitions} of {placement.index.label}, "
        f"which serves at most {read_max:,} read units and {write_max:,} write units per second{reads}."
    )


def _sharded(design: Design, pattern: PatternDeclaration, proposed: ProposedKeys) -> ProposedKeys | None:
    unique = [name for name in (entity_identity(proposed.entity)) if proposed.entity.fields[name].type in (str, int)]
    if not unique:
        return None
    name = free_name(proposed.entity, "shard")
    value = (name, Shard(tuple(unique[:1]), SHARDS), f"shard({quoted(unique[0])}, of={SHARDS})")
    fanout = max(SHARDS, pattern.options.fanout or 0)
    partition = f"{proposed.partition}{design.settings.delimiter}{{{name}}}"
    sharded = replace(proposed, partition=partition, derived=value, fanout=fanout)
    return sharded if _proves(design, pattern, sharded) else None


def shard_partition(design: Design, entity: Entity, alias: str, shards: int) -> Alternative | None:
    """Return the edits that spread the partitions of an entity in an index, and that declare the fan-out of every read.

    If the shards are in the primary key, the author must decide, because every item moves.
    """
    derived = entity.declaration.derived
    name, old = next(((name, value) for name, value in derived.items() if isinstance(value, Shard)), (None, None))
    in_use = any(f"{{{name}}}" in str(part) for part in entity.placements[alias].partition)
    fields = old.fields if old is not None else entity_identity(entity)[:1]
    keys: Any = entity.declaration.keys.get(alias)
    if len(fields) != 1 or keys is None:  # an inverse index uses the keys of the table
        return None
    name = name or free_name(entity, "shard")
    edits = tuple[Edit, ...]()
    if not in_use:
        keys = change_partition(keys, lambda text: f"{text}{design.settings.delimiter}{{{name}}}")
        if keys is None:
            return None
        edits = keys_edits(entity, alias, keys)
    shard = Shard(tuple(fields), max(shards, old.of if old is not None else 0))
    declaration = replace(with_keys(entity, alias, keys), derived={**derived, name: shard})
    changed = with_declarations(design, {entity.cls: declaration})
    fanouts = None if changed is None else _fanouts(design, changed, patterns_of(design, {entity.cls}))
    if fanouts is None:
        return None
    if shard != old:
        edits += derived_edits(entity, name, f"shard({quoted(*fields)}, of={shard.of})")
    if (count := entity.declaration.expected_per_partition.get(alias)) is not None:
        more = shard.of // (old.of if old is not None and in_use else 1)
        edits += (expected_edit(entity, {alias: -(-count // more)}),)
    moves = alias == TABLE and not in_use
    return Alternative((*edits, *fanouts), MOVED_ITEMS if moves else "", needs_decision=moves)


def _fanouts(design: Design, changed: Design, patterns: Sequence[PatternDeclaration]) -> tuple[Edit, ...] | None:
    """Return the edits that declare `fanout=` for the reads that need more requests with the changed keys.

    Return None if the changed design no longer serves a pattern.
    """
    edits: list[Edit] = []
    for pattern in patterns:
        before, after = plan(design, pattern), plan(changed, pattern)
        if not isinstance(before, Plan) or not before.verdict.is_served:
            continue
        if not isinstance(after, Plan):
            return None
        if not after.verdict.is_served:
            if after.requests is None:
                return None
            edits.append(SetKeyword(pattern_place(pattern), "fanout", str(after.requests)))
    return tuple(edits)


def entity_identity(entity: Entity) -> tuple[str, ...]:
    """Return the fields that identify an item: the declared fields, or the fields of the primary key."""
    return entity.identity or tuple(sorted(entity.base.exact_fields))


def _proves(design: Design, pattern: PatternDeclaration, proposal: ProposedKeys) -> bool:
    fanout = max(proposal.fanout or 0, pattern.options.fanout or 0) or None
    declared = replace(pattern, options=replace(pattern.options, fanout=fanout))
    changed = with_declarations(design, {proposal.entity.cls: proposal.declaration}, [declared])
    return is_served(changed, declared)
