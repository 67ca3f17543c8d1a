"""Propose a key for an entity that has none, from its identity and its patterns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date, datetime

from singletable.errors import DesignError
from singletable.lazy_dataclass import dataclass, replace
from singletable.model.design import Design, compile_declarations
from singletable.model.entity import Entity
from singletable.model.intents import CollectionIntent, GetIntent, ItemWriteIntent, QueryIntent
from singletable.model.parameter_types import Equal
from singletable.model.pattern_declaration import PatternDeclaration
from singletable.model.table_schema import TABLE
from singletable.planner.changed_designs import patterns_of
from singletable.planner.key_source import keys_edits
from singletable.planner.key_texts import field_owner, key_words, slot, sorted_slot
from singletable.planner.remedy import Alternative, Remedy

SINGLE_ITEM = "METADATA"
"""The sort key of an entity that has only one item in its partition."""


@dataclass(frozen=True)
class ProposedKey:
    """A proposed key for an entity that has no key. `sort` is None in a table without a sort key."""

    entity: Entity
    partition: str
    sort: str | None

    @property
    def value(self) -> str | tuple[str, str]:
        """The value of `key=`."""
        return self.partition if self.sort is None else (self.partition, self.sort)


def key_remedy(design: Design, *entities: Entity) -> Remedy:
    """Return a remedy that adds a key to each entity without one."""
    proposals = {entity.label: propose_key(design, entity) for entity in entities}
    unknown = [label for label, proposal in proposals.items() if proposal is None]
    if unknown:
        names = " and ".join(unknown)
        return Remedy(
            f'Declare which fields identify an item of {names}, identity=("...",), and add key=("...", "...").'
        )
    edits = [edit for each in proposals.values() if each for edit in keys_edits(each.entity, TABLE, each.value)]
    return Remedy("", (Alternative(tuple(edits)),))


def propose_key(design: Design, entity: Entity) -> ProposedKey | None:
    """Return a valid key that identifies every item.

    Return None if no declaration says which fields identify an item.
    """
    for proposal in _proposals(design, entity):
        if _loads(design, proposal):
            return proposal
    return None


def _proposals(design: Design, entity: Entity) -> Iterator[ProposedKey]:
    patterns = patterns_of(design, {entity.cls})
    identity = known_identity(entity, patterns)
    if identity is None:
        return
    delimiter, has_sort = design.settings.delimiter, bool(design.table.sort)
    own = key_words(entity.label)
    if not has_sort:
        yield ProposedKey(entity, _join(delimiter, own, *(slot(name) for name in identity)), None)
        return
    together = _read_together(entity, identity, patterns)
    if together is not None:
        equal, order = together
        partition = _join(
            delimiter, *(part for name in equal for part in (field_owner(design, entity, name), slot(name)))
        )
        rest = [name for name in dict.fromkeys((*order, *identity)) if name not in equal]
        yield ProposedKey(entity, partition, _join(delimiter, own, *(sorted_slot(entity, name) for name in rest)))
    yield ProposedKey(entity, _join(delimiter, own, *(slot(name) for name in identity)), SINGLE_ITEM)


def known_identity(entity: Entity, patterns: Sequence[PatternDeclaration]) -> tuple[str, ...] | None:
    """Return the identity: the declared one, or the smallest set of fields by which a pattern finds one item."""
    if entity.identity is not None:
        return entity.identity
    found = [
        equal
        for pattern in patterns
        if _is_of_one_item(pattern) and (equal := _equal_fields(entity, pattern)) and not _takes_item(entity, pattern)
    ]
    return min(found, key=len, default=None)


def _read_together(
    entity: Entity, identity: tuple[str, ...], patterns: Sequence[PatternDeclaration]
) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """Return the fields of the partition key, so that one Query reads a list, and the fields that sort the list.

    Return None if no list determines them and the identity is one field. If a pattern reads one item by its identity
    alone, the partition key can contain only fields of the identity. A composite identity is split, so that the items
    with the same first field are in one partition.
    """
    single = [set(_equal_fields(entity, each)) for each in patterns if _is_of_one_item(each)]
    for pattern in patterns:
        equal = _equal_fields(entity, pattern)
        is_list = isinstance(pattern.intent, QueryIntent | CollectionIntent)
        if not is_list or not equal or set(identity) <= set(equal) or any(entity.fields[n].optional for n in equal):
            continue
        if all(set(equal) <= known for known in single if known):
            return equal, tuple(_order(entity, pattern, equal))
    return ((identity[0],), ()) if len(identity) > 1 else None


def _order(entity: Entity, pattern: PatternDeclaration, equal: Sequence[str]) -> Iterator[str]:
    for parameter in pattern.bound_parameters:
        if parameter.test is not Equal and parameter.name in entity.fields:
            yield parameter.name
    intent = pattern.intent
    if isinstance(intent, QueryIntent) and intent.order_by is not None:
        yield str(intent.order_by.steps[0])
    elif isinstance(intent, QueryIntent) and intent.newest_first:
        times = (name for name, field in entity.fields.items() if field.type in (datetime, date) and not field.optional)
        yield from [name for name in times if name not in equal][:1]


def _is_of_one_item(pattern: PatternDeclaration) -> bool:
    return isinstance(pattern.intent, GetIntent | ItemWriteIntent)


def _takes_item(entity: Entity, pattern: PatternDeclaration) -> bool:
    return any(parameter.type is entity.cls for parameter in pattern.bound_parameters)


def _equal_fields(entity: Entity, pattern: PatternDeclaration) -> tuple[str, ...]:
    """Return the fields that the parameters of a pattern fix. Return no fields for a put of a whole item."""
    if isinstance(pattern.intent, ItemWriteIntent) and pattern.intent.kind in ("put", "create"):
        return ()
    return tuple(each.name for each in pattern.bound_parameters if each.test is Equal and each.name in entity.fields)


def _join(delimiter: str, *parts: str) -> str:
    return delimiter.join(parts)


def _loads(design: Design, proposal: ProposedKey) -> bool:
    """Return whether the key compiles.

    Only one entity is compiled, because compiling all entities each time is slow.
    """
    if any(attribute.type != "S" for attribute in (*design.table.partition, *design.table.sort)):
        return False
    alone = replace(
        proposal.entity.declaration,
        keys={TABLE: proposal.value},
        copies=(),
        counted=(),
        mirror_of=None,
        expected_per_partition={},
    )
    try:
        compile_declarations(design.settings, [alone], ())
    except DesignError:
        return False
    return True
