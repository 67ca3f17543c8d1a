"""The smallest change that would make a refused pattern one request; proposed keys are proved by planning again."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date, datetime

from singletable.errors import DesignError
from singletable.model.areas import AREA_TYPES
from singletable.model.binding import Binding, bindings_for
from singletable.model.declaration import PatternDeclaration
from singletable.model.design import Design, compile_declarations
from singletable.model.entity import Entity
from singletable.model.index import default_name
from singletable.model.intents import Ancestors, Collection, Get, Query, Within, Write
from singletable.model.ranges import Children, Equal
from singletable.planner.obstacles import (
    ChangesKey,
    FieldsMissing,
    FilterOnKey,
    LeavesOut,
    NotProjected,
    NotServed,
    NotStrong,
    NotTogether,
    NoWayUp,
    Obstacle,
    PartitionUnknown,
    SortUnknown,
    Unordered,
    WrongOrder,
)
from singletable.planner.plan import Plan, Refusal, Verdict
from singletable.planner.planner import plan


@dataclass(frozen=True)
class ProposedKeys:
    """Keys for one more index that would serve a pattern, proved by planning it again."""

    entity: Entity
    alias: str
    partition: str
    sort: str

    def __str__(self) -> str:
        return f'Give {self.entity.label} {self.alias}=("{self.partition}", "{self.sort}").'


def remedy(design: Design, refusal: Refusal) -> str:
    """What to do about a refusal."""
    kinds: tuple[type, ...] = (NotServed, PartitionUnknown, WrongOrder, Unordered)
    if any(isinstance(obstacle, kinds) for obstacle in refusal.obstacles):
        proposed = propose_keys(design, refusal.pattern)
        if proposed is not None:
            return str(proposed)
    unserved = any(isinstance(obstacle, NotServed) for obstacle in refusal.obstacles)
    sayings = [
        _saying(obstacle, refusal.pattern)
        for obstacle in refusal.obstacles
        # To give the partition as well would still leave unserved what is.
        if refusal.pattern.is_write or not (unserved and isinstance(obstacle, PartitionUnknown))
    ]
    return " ".join(dict.fromkeys(sayings)) or "Give the members keys in one partition."


def _saying(obstacle: Obstacle, pattern: PatternDeclaration) -> str:
    match obstacle:
        case NotProjected():
            return _unprojected(obstacle)
        case NotStrong():
            return "Leave out consistent=True, or key the entity so that the table or a local index serves the pattern."
        case FilterOnKey(fields):
            return f"Make {', '.join(fields)} a parameter, so that it is part of the key condition."
        case LeavesOut(fields):
            return f"Say that only those are meant: where=lambda item: exists(item.{fields[0]})."
        case ChangesKey():
            return "Move the item: delete it and create it anew under its new key, in one transaction."
        case FieldsMissing(fields):
            return f"Take {' and '.join(fields)} as parameters too, or the whole item as one of the entity's type."
        case SortUnknown(fields) if isinstance(pattern.intent, Get):
            return f"Add {' and '.join(fields)} as a parameter, or read a page with query(...)."
        case NotTogether(_, way_out) | NoWayUp(_, way_out):
            return way_out
        case NotServed():
            return _unserved(obstacle, pattern)
        case Unordered(_, reason):
            return f"{reason[:1].upper()}{reason[1:]}."
        case PartitionUnknown(fields) | SortUnknown(fields):
            return f"Add {' and '.join(fields)} as a parameter."
        case _:
            return (
                "Put what it is to be sorted by into the sort key: a date or datetime for newest first, or the field "
                "that order_by=lambda item: item.id names."
            )


def _unprojected(obstacle: NotProjected) -> str:
    if obstacle.upgraded:
        return "Project ALL, or say hydrate=True to read the whole items of a query from the table."
    names = ", ".join(f'"{name}"' for name in obstacle.include or obstacle.fields)
    if obstacle.include:
        return f"A filter sees only what the index holds: project it with include({names})."
    return f"Project them with include({names}), read a smaller class with view=, or say hydrate=True."


def _unserved(obstacle: NotServed, pattern: PatternDeclaration) -> str:
    names = " and ".join(obstacle.fields)
    if obstacle.test is Children:
        return (
            f'Keep each level together: derived={{"level": depth("{names}")}}, {{level}} in the partition of an '
            f"index, and {{{names}}} in its sort key."
        )
    if obstacle.test in AREA_TYPES:
        quoted = ", ".join(f'"{name}"' for name in obstacle.fields)
        return f'Put {{cell}} into the partition of an index, with derived={{"cell": geohash({quoted}, precision=6)}}.'
    if isinstance(pattern.intent, Write):
        return f"A write takes the item's whole key: leave out {names}, or make it a condition with where=."
    if isinstance(pattern.intent, Get | Collection):
        return f"Put {names} into the key of an index, or read a page with query(...)."
    return f"Put {names} into the key of an index, or filter what is read with filter=."


def propose_keys(design: Design, pattern: PatternDeclaration) -> ProposedKeys | None:
    """Keys on an index that the entity is not in yet, or on a new one, under which the pattern is one request."""
    intent = pattern.intent
    if isinstance(intent, Write | Collection | Within | Ancestors):
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
    """The prefix the entity already uses for what the partition will hold, or its name in capitals."""
    first = entity.base.partition[0]
    literal = re.match(r"[A-Z][A-Z0-9_]*", str(first))
    fits = literal and len(entity.base.partition) == 1 and first.fields <= set(equal)
    return literal[0] if literal and fits else entity.label.upper()


def _sorts(entity: Entity, bindings: tuple[Binding, ...], intent: object) -> Iterator[list[str]]:
    equal = {name for binding in bindings if binding.test is Equal for name in binding.fields}
    ranged = [name for binding in bindings if binding.test is not Equal for name in binding.fields]
    times = [name for name, field in entity.fields.items() if field.type in (datetime, date) and not field.optional]
    asked: list[list[str]] = [ranged]
    if not ranged and isinstance(intent, Query):
        by = [str(intent.order_by.steps[0])] if intent.order_by is not None else []
        asked = [by] if by else [[name] for name in times] if intent.newest_first else [[]]
    if isinstance(intent, Get):  # the partition alone says which item is meant
        yield []
    unique = [name for name in (entity.identity or sorted(entity.base.exact_fields)) if name not in equal]
    for names in asked:
        ordered = list(dict.fromkeys([*names, *unique]))
        yield [f"{{{name}{_format(entity, name)}}}" for name in ordered]


def _format(entity: Entity, name: str) -> str:
    """The format the field has in the table's own key or another index; numbers get one that sorts."""
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
    return isinstance(outcome, Plan) and outcome.verdict is Verdict.ONE_REQUEST and not outcome.foreign
