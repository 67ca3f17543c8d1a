"""Assumptions on which a design depends: change each one, solve again, and report it if the design changes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

from singletable.design.designed_table import DesignedTable
from singletable.key_solver.entity_slots import TABLE_SLOT, EntityKeys
from singletable.key_solver.key_search import INDEXES_MAX, NoTableKey, Solution, solve
from singletable.key_solver.partition_load import ASSUMED_RATE
from singletable.key_solver.slot_search import SearchTooLarge
from singletable.key_solver.workload import ColumnFacts, EntityNeeds, Read, Workload, Write
from singletable.model.entity import Entity
from singletable.model.field_roles import value_count
from singletable.planner.formatting import format_list, format_number, format_some

_NO_READ = Read("no read", frozenset())
RATE_FACTORS = (0.01, 100.0)
"""The factors by which the assumed rate of writes is multiplied."""
GROWTH_FACTORS = (2, 5, 10)
"""The factors by which the declared rates of writes are multiplied. The smallest one that decides is reported."""


@dataclass(frozen=True)
class Assumption:
    """An assumed fact, such as the number of values of a field.

    The chosen keys depend on it, and no declaration states it.
    """

    entity: str
    assumed: str
    otherwise: str
    """Another possible fact, as the condition of a sentence, such as `If it has thousands`."""
    effect: str
    """How the keys and the number of indexes would change with the other fact."""
    declare: str
    """The declaration that states the fact, so that the design need not assume it."""

    def __str__(self) -> str:
        return f"{self.assumed}. {self.otherwise}: {self.effect}. {self.declare}"


@dataclass(frozen=True)
class _Variant:
    """The requirements of one entity, with another fact in place of the assumed one."""

    entity: str
    assumed: str
    otherwise: str
    declare: str
    needs: EntityNeeds
    series: str = ""
    """Of several variants in one series, only the first one that changes the design is reported."""


def deciding_assumptions(table: DesignedTable) -> tuple[Assumption, ...]:
    """Return the assumptions on which the design depends, sorted by entity.

    Assumptions whose other fact has the same effect are reported as one.
    """
    found: dict[tuple[str, str], list[_Variant]] = {}
    reported: set[str] = set()
    for entity in sorted(table.model.entities, key=lambda each: each.label):
        for variant in _variants(table, entity):
            effect = None if variant.series in reported else _effect(table, variant)
            if effect is not None:
                reported |= {variant.series} - {""}
                found.setdefault((variant.otherwise, effect), []).append(variant)
    return tuple(
        Assumption(variants[0].entity, _together(variants), otherwise, effect, variants[-1].declare)
        for (otherwise, effect), variants in found.items()
    )


def _together(variants: list[_Variant]) -> str:
    """Return one sentence for several assumptions."""
    if len(variants) == 1:
        return variants[0].assumed
    never = " never changes"
    names = [each.assumed.removesuffix(never) for each in variants]
    return (
        f"{format_list(names)} never change"
        if all(each.assumed.endswith(never) for each in variants)
        else format_list(names)
    )


def _variants(table: DesignedTable, entity: Entity) -> Iterator[_Variant]:
    needs = table.model.needs(entity.label)
    keys = table.solution.keys_of(entity.label).keys
    yield from _changing_columns(table, entity, needs, keys[TABLE_SLOT].columns)
    yield from _value_counts(entity, needs)
    yield from _rates(entity, needs)
    yield from _growth(entity, needs)
    yield from _more_parameters(table, entity, needs)


def _more_parameters(table: DesignedTable, entity: Entity, needs: EntityNeeds) -> Iterator[_Variant]:
    """Yield a variant for each index: the updates also know the other fields that all reads of the index provide.

    Without these fields, the partition key of the index has only a few values, so a partition contains a large part of
    all items. One more parameter of the updates can avoid this.
    """
    keys = table.solution.keys_of(entity.label)
    for number, key in keys.keys.items():
        every = frozenset.intersection(*(each.equal for each in keys.reads_in(number) or (_NO_READ,)))
        spread = needs.sorted(every - frozenset(key.partition))
        writes = [each for each in needs.by_key if each.changed & key.columns and not each.reads_first]
        more = frozenset(spread) & entity.fields.keys()
        if number == TABLE_SLOT or not needs.has_few_values(key.partition) or not more or not writes:
            continue
        names = sorted(each.name for each in writes)
        changed = (
            replace(each, known=each.known | more) if each in writes and each.known else each for each in needs.writes
        )
        parameters = f"parameter{'s' if len(more) > 1 else ''} {format_list(spread)}"
        yield _Variant(
            entity.label,
            f"{format_list(names)} {'do' if len(names) > 1 else 'does'} not know {format_list(spread)}, "
            f"so a partition contains all items with the same {format_list(key.partition)}",
            f"With the {parameters}",
            f"Add the {parameters} to {format_list(names)}, with where=lambda item: item.{spread[0]} == {spread[0]}.",
            replace(needs, writes=tuple(changed)),
        )


def _changing_columns(
    table: DesignedTable, entity: Entity, needs: EntityNeeds, columns: frozenset[str]
) -> Iterator[_Variant]:
    """Yield variants in which a field of the table key that does not identify the item can change."""
    derived = table.model.derived[entity.label].values
    names = [field for name in columns for field in (derived[name].fields if name in derived else (name,))]
    references = entity.declaration.references
    declared = {name for name, each in references.items() if each.changes is not None}
    for name in needs.sorted(frozenset(names) - set(needs.identity) - declared):
        changed = {name, *(each for each, value in derived.items() if name in value.fields)}
        write = Write(f"a change of {name}", frozenset(changed), rate=0.0)
        if name in references:
            source = references[name].source.__name__
            declare = f'Declare references={{"{name}": ref({source}, changes=...)}}.'
        else:
            declare = "Declare the updates of these fields, if there are any."
        yield _Variant(
            entity.label,
            f"{entity.label}.{name} never changes",
            "With changes",
            declare,
            replace(needs, writes=(*needs.writes, write)),
        )


def _value_counts(entity: Entity, needs: EntityNeeds) -> Iterator[_Variant]:
    """Yield variants in which a field has many values, if the number of its values is guessed from its name."""
    used = frozenset[str]().union(*(each.equal for each in needs.reads))
    for name in needs.sorted(used & entity.fields.keys()):
        guess = value_count(entity.fields[name])
        if guess is None or not guess.is_guess or name in entity.declaration.cardinality:
            continue
        facts: ColumnFacts = replace(needs.facts(name), values=None)
        yield _Variant(
            entity.label,
            f"{entity.label}.{name} has about {guess.values} values, by its name",
            "If it has thousands",
            f'Declare cardinality={{"{name}": ...}}.',
            replace(needs, columns={**needs.columns, name: facts}),
        )


def _rates(entity: Entity, needs: EntityNeeds) -> Iterator[_Variant]:
    unknown = sorted(each.name for each in needs.writes if each.rate is None)
    for factor in RATE_FACTORS if unknown else ():
        rate = ASSUMED_RATE * factor
        writes = tuple(replace(each, rate=rate) if each.rate is None else each for each in needs.writes)
        yield _Variant(
            entity.label,
            f"{format_list(unknown)}: {ASSUMED_RATE:g} call per second",
            f"With {rate:g} calls per second",
            f"Declare @pattern(rate=...) of {format_list(unknown)}.",
            replace(needs, writes=writes),
        )


def _growth(entity: Entity, needs: EntityNeeds) -> Iterator[_Variant]:
    """Yield variants with higher rates of the writes, which can make a partition too hot."""
    known = sorted(each.name for each in needs.writes if each.rate)
    total = math.fsum(each.rate or 0.0 for each in needs.writes)
    for factor in GROWTH_FACTORS if known else ():
        writes = tuple(replace(each, rate=None if each.rate is None else each.rate * factor) for each in needs.writes)
        yield _Variant(
            entity.label,
            f"{format_some(known)}: {format_number(total)} writes per second, as declared",
            f"With {factor} times as many",
            "Prepare for this before the traffic grows.",
            replace(needs, writes=writes),
            f"growth of {entity.label}",
        )


def _effect(table: DesignedTable, variant: _Variant) -> str | None:
    """Return how the design changes, or None if it stays the same.

    Entities without a common collection do not influence each other, so only some entities are solved again.
    """
    part = _connected(table.model.workload, variant.entity)
    entities = tuple(variant.needs if each.name == variant.entity else each for each in part.entities)
    indexes = table.solution.indexes
    names = {each.name for each in part.entities}
    before = replace(
        table.solution,
        entities=tuple(each for each in table.solution.entities if each.entity in names),
        rejected=tuple(each for each in table.solution.rejected if each.entity in names),
    )
    try:
        most = indexes if table.solution.is_limited else INDEXES_MAX
        after = solve(replace(part, entities=entities), indexes_min=indexes, indexes_max=most)
    except NoTableKey as problem:
        return f"{problem}"
    except SearchTooLarge:
        return None
    return _difference(before, after)


def _connected(workload: Workload, entity: str) -> Workload:
    """Return the entities that share collections with an entity, directly or through other entities."""
    names = {entity}
    while True:
        more = {
            member.entity
            for each in workload.collections
            if names & {member.entity for member in each.members}
            for member in each.members
        }
        if more <= names:
            break
        names |= more
    collections = tuple(each for each in workload.collections if {member.entity for member in each.members} <= names)
    return Workload(tuple(each for each in workload.entities if each.name in names), collections)


def _difference(before: Solution, after: Solution) -> str | None:
    parts = []
    if after.indexes != before.indexes:
        parts.append(f"{after.counted} instead of {before.counted if after.local_indexes else before.indexes}")
    lost = sorted({each.name for each in after.rejected} - {each.name for each in before.rejected})
    if lost:
        parts.append(f"no request serves {format_list(lost)}")
    for each in after.entities:
        keys = list(_changed_keys(before.keys_of(each.entity), each))
        parts += [f"{each.entity} then has {format_list(keys)}"] if keys else []
    return "; ".join(parts) or None


def _changed_keys(before: EntityKeys, after: EntityKeys) -> Iterator[str]:
    """Yield the keys that the other design has and this one lacks. The numbers of indexes do not matter."""
    known = {(number > TABLE_SLOT, key) for number, key in before.keys.items()}
    for number, key in sorted(after.keys.items()):
        if (number > TABLE_SLOT, key) not in known:
            place = "index" if number > TABLE_SLOT else "table"
            columns = [", ".join(key.partition) or "one partition", *([", ".join(key.sort)] if key.sort else [])]
            yield f"the {place} key {' / '.join(columns)}"
