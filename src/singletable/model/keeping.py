"""What a table keeps right beside the items of an entity: markers, counters, copies and mirrors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import FunctionType
from typing import Any

from singletable.errors import DesignError, Problem
from singletable.expressions.tree import Constant, leaves, parameters
from singletable.model import source as source_code
from singletable.model.copies import Copy
from singletable.model.counts import Count
from singletable.model.entity import Entity, EntityDeclaration
from singletable.model.keys import Placement
from singletable.model.plain_types import PLAIN
from singletable.model.recorder import record_condition
from singletable.values.attribute_value import attribute_value


@dataclass(frozen=True)
class Keeping:
    """Everything that a write of one entity has to keep right in other items."""

    uniques: tuple[Placement, ...]
    """Where its markers lie."""
    counted: tuple[tuple[Count, Entity], ...]
    """Its counters, each with the entity that has it."""
    held: tuple[tuple[Copy, Entity], ...]
    """What it repeats, each with the entity it repeats."""
    given: tuple[tuple[Copy, Entity], ...]
    """What others repeat of it, each with the entity that does."""
    mirrors: tuple[Entity, ...]
    """The entities as which its items are written a second time."""
    mirror_of: Entity | None
    """The entity whose items these are written with."""
    counters: frozenset[str]
    """Its fields that count items of others, and are changed by their writes alone."""
    expiry: str | None
    """Its field that says when an item expires; a marker goes with its item."""

    @property
    def repeated(self) -> frozenset[str]:
        """Its fields that repeat another entity's, and are changed by its writes alone."""
        return frozenset(ours for copy, _ in self.held for ours in copy.fields.values())

    @property
    def decisive(self) -> frozenset[str]:
        """The fields whose change changes other items."""
        fields = {name for unique in self.uniques for name in unique.fields}
        fields = fields.union(*(count.decisive for count, _ in self.counted))
        fields |= {ours for copy, _ in self.held for ours in copy.by.values()}
        fields |= {theirs for copy, _ in self.given for theirs in copy.fields}
        if self.expiry is not None and self.uniques:
            fields.add(self.expiry)
        return frozenset(fields.union(*(mirror.fields for mirror in self.mirrors)))

    @property
    def follows_existence(self) -> bool:
        """Whether it matters to other items that an item is written first, or taken away."""
        return bool(self.uniques or self.counted or self.mirrors)

    @property
    def why(self) -> str | None:
        """Why its items cannot be written one by one without a look at others; None when they can."""
        reasons = ["values that are unique"] * bool(self.uniques) + ["counters in other items"] * bool(self.counted)
        reasons += ["values that repeat others'"] * bool(self.held) + ["values that others repeat"] * bool(self.given)
        reasons += ["a mirror"] * bool(self.mirrors) + ["an edge that it mirrors"] * (self.mirror_of is not None)
        reasons += ["counters"] * bool(self.counters)
        return " and ".join(reasons) or None


def keeping_of(entities: Sequence[Entity], entity: Entity) -> Keeping:
    """What is kept right when an entity is written."""
    by_class = {each.cls: each for each in entities}
    declaration = entity.declaration
    return Keeping(
        entity.uniques,
        tuple((count, by_class[count.owner]) for count in declaration.counted),
        tuple((copy, by_class[copy.source]) for copy in declaration.copies),
        tuple((copy, other) for other in entities for copy in other.declaration.copies if copy.source is entity.cls),
        tuple(other for other in entities if other.declaration.mirror_of is entity.cls),
        None if declaration.mirror_of is None else by_class[declaration.mirror_of],
        frozenset(
            count.field for other in entities for count in other.declaration.counted if count.owner is entity.cls
        ),
        declaration.ttl,
    )


def with_conditions(declaration: EntityDeclaration) -> tuple[EntityDeclaration, list[Problem]]:
    """The declaration with the conditions of its counters recorded, and the problems of those that cannot be."""
    counted: list[Count] = []
    problems: list[Problem] = []
    if all(each.where is None for each in declaration.counted):
        return declaration, problems
    for each in declaration.counted:
        try:
            counted.append(_recorded(declaration.cls, each))
        except DesignError as error:
            prefix = f"{declaration.cls.__name__}: counted by {each.owner.__name__}"
            at = source_code.of_function(each.where) if isinstance(each.where, FunctionType) else declaration.location
            problems += [Problem(f"{prefix}: {problem.message}", at, problem.remedy) for problem in error.problems]
    return (declaration if problems else replace(declaration, counted=tuple(counted))), problems


def _recorded(cls: type, count: Count) -> Count:
    if count.where is None or count.condition is not None:
        return count
    example = 'Write it as a function of an item: where=lambda item: item.status == "OPEN".'
    if not callable(count.where):
        raise DesignError(Problem(f"where={count.where!r} is not a condition", None, example))
    try:
        condition = record_condition(cls, count.where)
    except DesignError:
        raise
    except Exception as problem:  # the function is the user's own
        raise DesignError(Problem(f"where= raised {type(problem).__name__}: {problem}", None, example)) from problem
    if named := sorted(parameters(condition)):
        raise DesignError(Problem(f"where= names {', '.join(named)}, but a counter has no parameters", None, example))
    return replace(count, condition=condition)


def keeping_problems(entities: Sequence[Entity], entity: Entity) -> Iterator[Problem]:
    """What is wrong with an entity's version, its copies, what it is counted by, and the entity that it mirrors."""
    version = entity.declaration.version
    if any(version in placement.fields for placement in (*entity.placements.values(), *entity.uniques)):
        wrong = f"{entity.label}: the version {version} is part of a key, which every write would have to write anew"
        yield Problem(wrong, entity.location)
    for copy in entity.declaration.copies:
        source = next((other for other in entities if other.cls is copy.source), None)
        message = _copy_problem(source, entity, copy)
        if message:
            yield Problem(f"{entity.label}: copies from {copy.source.__name__}: {message}", entity.location)
    for each in entity.declaration.counted:
        message = _count_problem(entities, entity, each)
        if message:
            yield Problem(f"{entity.label}: counted by {each.owner.__name__}: {message}", entity.location)
    if entity.declaration.mirror_of is not None:
        message = _mirror_problem(entities, entity, entity.declaration.mirror_of)
        if message:
            named = getattr(entity.declaration.mirror_of, "__name__", entity.declaration.mirror_of)
            yield Problem(f"{entity.label}: mirror of {named}: {message}", entity.location)


def _copy_problem(source: Entity | None, entity: Entity, each: Copy) -> str | None:
    if source is None:
        return "it is not among the table's entities"
    if wrong := pair_problem(source, entity, each.by) or _types_problem(source, entity, each.fields):
        return wrong
    if source is entity:
        return "items of one entity do not repeat each other; give what is repeated an entity of its own"
    if in_key := sorted(set(each.fields.values()) & entity.base.fields):
        return f"{', '.join(in_key)} is part of {entity.label}'s own key, which can never change"
    if (version := source.declaration.version) in each.fields:
        return f"{version} is the version of {source.label}, which every write raises"
    others = {ours for copy in entity.declaration.copies for ours in copy.fields.values()}
    if repeated := sorted(others.intersection(each.by.values())):
        return f"it is found by {', '.join(repeated)}, which is a copy itself and changes with its own source"
    return None


def _count_problem(entities: Sequence[Entity], entity: Entity, each: Count) -> str | None:
    owner = next((other for other in entities if other.cls is each.owner), None)
    if owner is None:
        return "it is not among the table's entities"
    if wrong := pair_problem(owner, entity, each.by):
        return wrong
    for one in (entity, owner):
        if one.declaration.ttl is not None:
            return f"{one.label} expires, and what DynamoDB takes away by itself is not counted down"
    counter = owner.fields.get(each.field)
    if counter is None or counter.type is not int:
        found = "there is no such field" if counter is None else f"it is {counter.type_name}"
        return f"{each.field} is no int that could count: {found}"
    from singletable.model.rules.class_rules import rules_of  # only counters need it, and it takes time to load

    rules = rules_of(owner.cls, (each.field,))
    if each.validation == "whole" and (rules.whole is not None or not rules.is_exhaustive):
        reason = rules.whole or f"{each.field} has a rule other than bounds"
        return (
            f"{reason}, and a counter changes without a read of {owner.label}: count in another entity, "
            f'or waive the rule with count(..., validate="fields")'
        )
    if any(each.field in placement.fields for placement in (*owner.placements.values(), *owner.uniques)):
        return f"{each.field} is part of a key, which every write of {entity.label} would have to write anew"
    if any(each.field in other.fields for other in entities if other.declaration.mirror_of is owner.cls):
        return f"{each.field} is in a mirror of {owner.label}, which every write would have to change"
    repeated = [other.label for other in entities for copy in other.declaration.copies if _repeats(copy, each)]
    if repeated:
        return f"{each.field} is repeated by {', '.join(repeated)}, which every write would have to change"
    return _condition_problem(entities, entity, each)


def _condition_problem(entities: Sequence[Entity], entity: Entity, each: Count) -> str | None:
    """Why a counter cannot follow its condition: writes that do not read the item change some fields."""
    if (version := entity.declaration.version) in each.tested:
        return f"where= reads {version}, the version of {entity.label}, which every write increments"
    counters = {count.field for other in entities for count in other.declaration.counted if count.owner is entity.cls}
    if read := sorted(counters & each.tested):
        return f"where= reads {', '.join(read)}, a counter, which changes without a write of {entity.label}"
    constants = (leaf.value for leaf in leaves(each.condition) if isinstance(leaf, Constant))
    return next(filter(None, map(_constant_problem, constants)), None)


def _constant_problem(value: Any) -> str | None:
    """Why DynamoDB cannot store a plain value."""
    if not isinstance(value, PLAIN):
        return None
    try:
        attribute_value(value)
    except TypeError as problem:
        return f"where= compares with a value that cannot be stored: {problem}"
    return None


def _repeats(copy: Copy, count: Count) -> bool:
    return copy.source is count.owner and count.field in copy.fields


def _mirror_problem(entities: Sequence[Entity], entity: Entity, mirrored: type) -> str | None:
    source = next((other for other in entities if other.cls is mirrored), None)
    if source is None:
        return "it is not among the table's entities"
    for name, field in entity.fields.items():
        theirs = source.fields.get(name)
        if theirs is None:
            return f"{source.label} has no field {name}"
        if theirs.type != field.type:
            return f"{name} is {field.type_name} here and {theirs.type_name} there"
    declared = entity.declaration
    if declared.unique or declared.counted or declared.copies or declared.version:
        return f"unique, counted, copies and version are said of {source.label}, with which it is written"
    if source.declaration.mirror_of is not None:
        return f"{source.label} is a mirror itself"
    if (version := source.declaration.version) in entity.fields:
        return f"{version} is the version of {source.label}, which every write raises; leave it out here"
    if (expiry := source.declaration.ttl) != declared.ttl:
        if expiry is None:
            return f"it expires by {declared.ttl}, and {source.label} does not: say ttl={declared.ttl!r} there, too"
        return f"{source.label} expires by {expiry}, and would leave it behind: say ttl={expiry!r} here, too"
    return None


def pair_problem(source: Entity, entity: Entity, pairs: Mapping[str, str]) -> str | None:
    """Why fields do not lead from one entity to the key of another."""
    if wrong := _types_problem(source, entity, pairs):
        return wrong
    if missing := source.base.fields - set(pairs):
        return f"by= does not say which field is its {', '.join(sorted(missing))}"
    return None


def _types_problem(source: Entity, entity: Entity, pairs: Mapping[str, str]) -> str | None:
    for theirs, ours in pairs.items():
        if theirs not in source.fields or ours not in entity.fields:
            absent = f"{source.label}.{theirs}" if theirs not in source.fields else f"{entity.label}.{ours}"
            return f"there is no field {absent}"
        if source.fields[theirs].type != entity.fields[ours].type:
            return f"{theirs} is {source.fields[theirs].type_name}, but {ours} is {entity.fields[ours].type_name}"
    return None
