"""Remedies: the smallest change that makes an unsupported pattern one request.

The planner proves proposed keys by planning the pattern again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date, datetime

from singletable.errors import DesignError
from singletable.model.design import Design, compile_declarations
from singletable.model.entity import Entity
from singletable.model.intents import (
    AncestorsIntent,
    CollectionIntent,
    GetIntent,
    ItemWriteIntent,
    QueryIntent,
    WithinIntent,
)
from singletable.model.parameter_binding import Binding, bindings_for
from singletable.model.parameter_types import AREA_TYPES, Children, Equal
from singletable.model.pattern_declaration import PatternDeclaration
from singletable.model.table_schema import default_name
from singletable.planner.mismatches import (
    AncestorsUnknown,
    ChangesKey,
    FieldsMissing,
    FilterOnKey,
    Mismatch,
    NotProjected,
    NotServed,
    NotTogether,
    PartitionUnknown,
    SortUnknown,
    SparseIndex,
    StrongReadOnGsi,
    Unordered,
    WrongOrder,
)
from singletable.planner.plan import Plan, UnsupportedPattern, Verdict
from singletable.planner.planner import plan


@dataclass(frozen=True)
class ProposedKeys:
    """Keys for one more index, which serves the pattern with one request."""

    entity: Entity
    alias: str
    partition: str
    sort: str

    def __str__(self) -> str:
        return f'Add {self.alias}=("{self.partition}", "{self.sort}") to {self.entity.label}.'


def remedy(design: Design, unsupported: UnsupportedPattern) -> str:
    """Return what to change so that the pattern is supported."""
    kinds: tuple[type, ...] = (NotServed, PartitionUnknown, WrongOrder, Unordered)
    if any(isinstance(mismatch, kinds) for mismatch in unsupported.mismatches):
        proposed = propose_keys(design, unsupported.pattern)
        if proposed is not None:
            return str(proposed)
    unserved = any(isinstance(mismatch, NotServed) for mismatch in unsupported.mismatches)
    sentences = [
        _sentence(mismatch, unsupported.pattern)
        for mismatch in unsupported.mismatches
        # Leave out the remedy for the partition key: with it, the index would still not support the comparison.
        if unsupported.pattern.is_write or not (unserved and isinstance(mismatch, PartitionUnknown))
    ]
    return " ".join(dict.fromkeys(sentences)) or "Give all members the same partition key."


def _sentence(mismatch: Mismatch, pattern: PatternDeclaration) -> str:
    match mismatch:
        case NotProjected():
            return _unprojected(mismatch)
        case StrongReadOnGsi():
            return "Remove consistent=True, or change the keys so that the table or a local secondary index serves it."
        case FilterOnKey(fields):
            return f"Make {', '.join(fields)} a parameter, so that it becomes part of the key condition."
        case SparseIndex(fields):
            return f"To read only items that have a value, add where=lambda item: exists(item.{fields[0]})."
        case ChangesKey():
            return "Delete the item and create it under its new key, in one transaction."
        case FieldsMissing(fields):
            parameters = "a parameter" if len(fields) == 1 else "parameters"
            return f"Add {' and '.join(fields)} as {parameters}, or take the whole item as one parameter."
        case SortUnknown(fields) if isinstance(pattern.intent, GetIntent):
            return f"Add {' and '.join(fields)} as a parameter, or read several items with query(...)."
        case NotTogether(_, change) | AncestorsUnknown(_, change):
            return change
        case NotServed():
            return _unserved(mismatch, pattern)
        case Unordered(_, reason):
            return f"{reason[:1].upper()}{reason[1:]}."
        case PartitionUnknown(fields) | SortUnknown(fields):
            return f"Add {' and '.join(fields)} as a parameter."
        case _:
            return (
                "Put the field to sort by into the sort key: a date or datetime for newest_first=True, or the field in "
                "order_by=lambda item: item.id."
            )


def _unprojected(mismatch: NotProjected) -> str:
    if mismatch.upgraded:
        return "Project ALL, or set hydrate=True so that the query reads whole items from the table."
    names = ", ".join(f'"{name}"' for name in mismatch.include or mismatch.fields)
    if mismatch.include:
        return f"A filter can test only projected attributes: project them with include({names})."
    return f"Project them with include({names}), read a smaller class with view=, or set hydrate=True."


def _unserved(mismatch: NotServed, pattern: PatternDeclaration) -> str:
    names = " and ".join(mismatch.fields)
    if mismatch.test is Children:
        return (
            f'Add derived={{"level": depth("{names}")}}, and put {{level}} into the partition key of an index and '
            f"{{{names}}} into its sort key."
        )
    if mismatch.test in AREA_TYPES:
        quoted = ", ".join(f'"{name}"' for name in mismatch.fields)
        return f'Add derived={{"cell": geohash({quoted}, precision=6)}}, and put {{cell}} into a partition key.'
    if isinstance(pattern.intent, ItemWriteIntent):
        return f"A write takes the primary key only: remove {names}, or make it a condition with where=."
    if isinstance(pattern.intent, GetIntent | CollectionIntent):
        return f"Put {names} into the key of an index, or read several items with query(...)."
    return f"Put {names} into the key of an index, or filter the result with filter=."


def propose_keys(design: Design, pattern: PatternDeclaration) -> ProposedKeys | None:
    """Return keys in an index without the entity, or in a new index, that make the pattern one request."""
    intent = pattern.intent
    if isinstance(intent, ItemWriteIntent | CollectionIntent | WithinIntent | AncestorsIntent):
        return None
    entity = design.entity_of(intent.entity)
    bindings, _ = bindings_for(pattern, entity)
    delimiter = design.settings.delimiter
    for alias in _free_aliases(design, entity):
        for fields in _sorts(entity, bindings, intent):
            sort = delimiter.join(fields) or entity.label.upper()
            proposal = ProposedKeys(entity, alias, delimiter.join(_partition(entity, bindings)), sort)
            if _proves(design, pattern, proposal):
                return proposal
    return None


def _free_aliases(design: Design, entity: Entity) -> Iterator[str]:
    for alias, index in design.indexes.items():
        plain = len(index.partition) == len(index.sort) == 1 and {a.type for a in (*index.partition, *index.sort)} == {
            "S"
        }
        if index.kind == "GSI" and alias not in entity.placements and plain:
            yield alias
    number = 1
    while f"gsi{number}" in design.indexes or any(
        i.name == default_name(f"gsi{number}") for i in design.indexes.values()
    ):
        number += 1
    yield f"gsi{number}"


def _partition(entity: Entity, bindings: tuple[Binding, ...]) -> list[str]:
    equal = [name for binding in bindings if binding.test is Equal for name in binding.fields]
    return [_prefix(entity, equal), *(f"{{{name}}}" for name in equal)]


def _prefix(entity: Entity, equal: list[str]) -> str:
    """Return the prefix that the entity already uses for these fields, or its name in capitals."""
    first = entity.base.partition[0]
    literal = re.match(r"[A-Z][A-Z0-9_]*", str(first))
    fits = literal and len(entity.base.partition) == 1 and first.fields <= set(equal)
    return literal[0] if literal and fits else entity.label.upper()


def _sorts(entity: Entity, bindings: tuple[Binding, ...], intent: object) -> Iterator[list[str]]:
    equal = {name for binding in bindings if binding.test is Equal for name in binding.fields}
    ranged = [name for binding in bindings if binding.test is not Equal for name in binding.fields]
    times = [name for name, field in entity.fields.items() if field.type in (datetime, date) and not field.optional]
    sort_fields: list[list[str]] = [ranged]
    if not ranged and isinstance(intent, QueryIntent):
        by = [str(intent.order_by.steps[0])] if intent.order_by is not None else []
        sort_fields = [by] if by else [[name] for name in times] if intent.newest_first else [[]]
    if isinstance(intent, GetIntent):  # the partition key alone identifies the item
        yield []
    unique = [name for name in (entity.identity or sorted(entity.base.exact_fields)) if name not in equal]
    for names in sort_fields:
        ordered = list(dict.fromkeys([*names, *unique]))
        yield [f"{{{name}{_format(entity, name)}}}" for name in ordered]


def _format(entity: Entity, name: str) -> str:
    """Return the format of the field in an existing key; otherwise `:number` for integers, which sorts."""
    for placement in entity.placements.values():
        for part in placement.parts:
            found = re.search(rf"\{{{name}(:[^{{}}]+)\}}", str(part))
            if found:
                return found[1]
    return ":number" if entity.fields[name].type is int else ""


def _proves(design: Design, pattern: PatternDeclaration, proposal: ProposedKeys) -> bool:
    declarations = [
        replace(
            entity.declaration, keys={**entity.declaration.keys, proposal.alias: (proposal.partition, proposal.sort)}
        )
        if entity is proposal.entity
        else entity.declaration
        for entity in design.entities
    ]
    try:
        changed = compile_declarations(design.settings, declarations, design.patterns)
    except DesignError:
        return False
    outcome = plan(changed, pattern)
    return isinstance(outcome, Plan) and outcome.verdict is Verdict.ONE_REQUEST and not outcome.other_entities
