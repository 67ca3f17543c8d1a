"""Checks of the declarations of derived data: copies, counters, mirrors and versions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import FunctionType
from typing import Any

from singletable.errors import DesignError, Problem
from singletable.expressions.tree import Constant, leaves, parameters
from singletable.lazy_dataclass import replace
from singletable.model import source_location as source_code
from singletable.model.condition_recorder import record_condition
from singletable.model.derived_data import Copy, Count
from singletable.model.entity import Entity, EntityDeclaration
from singletable.model.fields import SCALAR_TYPES
from singletable.values.attribute_value import attribute_value


def with_conditions(declaration: EntityDeclaration) -> tuple[EntityDeclaration, list[Problem]]:
    """Record the `where=` conditions of the counters.

    Return the declaration with these conditions, and the problems.
    """
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
    example = 'Use a lambda: where=lambda item: item.status == "OPEN".'
    if not callable(count.where):
        raise DesignError(Problem(f"where={count.where!r} is not a condition", None, example))
    try:
        condition = record_condition(cls, count.where)
    except DesignError:
        raise
    except Exception as problem:  # the lambda is user code, which can raise any exception
        raise DesignError(Problem(f"where= raised {type(problem).__name__}: {problem}", None, example)) from problem
    if named := sorted(parameters(condition)):
        raise DesignError(Problem(f"where= uses {', '.join(named)}, but a counter has no parameters", None, example))
    return replace(count, condition=condition)


def derived_data_problems(entities: Sequence[Entity], entity: Entity) -> Iterator[Problem]:
    """Yield the problems of the version, the copies, the counters and the mirror of an entity."""
    version = entity.declaration.version
    if any(version in placement.fields for placement in (*entity.placements.values(), *entity.uniques)):
        wrong = f"{entity.label}: the version {version} is part of a key, so every write would have to replace the item"
        yield Problem(wrong, entity.location)
    for copy in entity.declaration.copies:
        source = next((other for other in entities if other.cls is copy.source), None)
        message = _copy_problem(source, entity, copy)
        if message:
            yield Problem(f"{entity.label}: copies of {copy.source.__name__}: {message}", entity.location)
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
        return "it is not an entity of the table"
    if wrong := pair_problem(source, entity, each.by) or _types_problem(source, entity, each.fields):
        return wrong
    if source is entity:
        return "an entity cannot copy from itself; move the copied fields to another entity"
    if in_key := sorted(set(each.fields.values()) & entity.base.fields):
        return f"the key of {entity.label} contains {', '.join(in_key)}, and the key of an item cannot change"
    if (version := source.declaration.version) in each.fields:
        return f"{version} is the version of {source.label}, which every write increments"
    others = {ours for copy in entity.declaration.copies for ours in copy.fields.values()}
    if repeated := sorted(others.intersection(each.by.values())):
        return f"by= must not use copied fields, but it uses {', '.join(repeated)}"
    return None


def _count_problem(entities: Sequence[Entity], entity: Entity, each: Count) -> str | None:
    owner = next((other for other in entities if other.cls is each.owner), None)
    if owner is None:
        return "it is not an entity of the table"
    if wrong := pair_problem(owner, entity, each.by):
        return wrong
    for one in (entity, owner):
        if one.declaration.ttl is not None:
            return f"{one.label} has a TTL, but the counter does not change when DynamoDB deletes expired items"
    counter = owner.fields.get(each.field)
    if counter is None or counter.type is not int:
        found = "there is no such field" if counter is None else f"it is {counter.type_name}"
        return f"{each.field} must be an int field: {found}"
    from singletable.model.validation.class_rules import (
        rules_of,  # imported lazily: slow to load, and only counters need it
    )

    rules = rules_of(owner.cls, (each.field,))
    if each.validation == "whole" and (rules.whole is not None or not rules.is_exhaustive):
        reason = rules.whole or f"{each.field} has a rule other than bounds"
        return (
            f"{reason}, but a write that changes the counter does not read {owner.label}. Store the counter in another "
            'entity, or skip the rule with count(..., validate="fields")'
        )
    if any(each.field in placement.fields for placement in (*owner.placements.values(), *owner.uniques)):
        return f"{each.field} is part of a key, so every write of {entity.label} would have to replace the item"
    if any(each.field in other.fields for other in entities if other.declaration.mirror_of is owner.cls):
        return f"{each.field} is in a mirror of {owner.label}, so every write would have to update the mirror"
    repeated = [other.label for other in entities for copy in other.declaration.copies if _is_copied(copy, each)]
    if repeated:
        return f"{each.field} is copied by {', '.join(repeated)}, so every write would have to update the copies"
    return _condition_problem(entities, entity, each)


def _condition_problem(entities: Sequence[Entity], entity: Entity, each: Count) -> str | None:
    """Return why the condition of a counter is not supported, or None."""
    if (version := entity.declaration.version) in each.condition_fields:
        return f"where= reads {version}, the version of {entity.label}, which every write increments"
    counters = {count.field for other in entities for count in other.declaration.counted if count.owner is entity.cls}
    if read := sorted(counters & each.condition_fields):
        return f"where= must not read counters, which other writes change, but it reads {', '.join(read)}"
    constants = (leaf.value for leaf in leaves(each.condition) if isinstance(leaf, Constant))
    return next(filter(None, map(_constant_problem, constants)), None)


def _constant_problem(value: Any) -> str | None:
    """Return why DynamoDB cannot store a scalar value, or None."""
    if not isinstance(value, SCALAR_TYPES):
        return None
    try:
        attribute_value(value)
    except TypeError as problem:
        return f"where= compares with a value that DynamoDB cannot store: {problem}"
    return None


def _is_copied(copy: Copy, count: Count) -> bool:
    return copy.source is count.owner and count.field in copy.fields


def _mirror_problem(entities: Sequence[Entity], entity: Entity, mirrored: type) -> str | None:
    source = next((other for other in entities if other.cls is mirrored), None)
    if source is None:
        return "it is not an entity of the table"
    for name, field in entity.fields.items():
        theirs = source.fields.get(name)
        if theirs is None:
            return f"{source.label} has no field {name}"
        if theirs.type != field.type:
            return f"{name} is {field.type_name} here, but {theirs.type_name} in {source.label}"
    declared = entity.declaration
    if declared.unique or declared.counted or declared.copies or declared.version:
        return f"declare unique, counted, copies and version on {source.label} instead"
    if source.declaration.mirror_of is not None:
        return f"{source.label} is a mirror itself"
    if (version := source.declaration.version) in entity.fields:
        return f"{version} is the version of {source.label}, which every write increments; remove it here"
    if (expiry := source.declaration.ttl) != declared.ttl:
        if expiry is None:
            return f"{entity.label} has a TTL, but {source.label} has none: declare ttl={declared.ttl!r} there too"
        return f"{source.label} has a TTL, but {entity.label} has none: declare ttl={expiry!r} here too"
    return None


def pair_problem(source: Entity, entity: Entity, pairs: Mapping[str, str]) -> str | None:
    """Return why `by=` does not identify an item of another entity, or None."""
    if wrong := _types_problem(source, entity, pairs):
        return wrong
    if missing := source.base.fields - set(pairs):
        return f"by= must map every key field of {source.label}, but lacks {', '.join(sorted(missing))}"
    return None


def _types_problem(source: Entity, entity: Entity, pairs: Mapping[str, str]) -> str | None:
    for theirs, ours in pairs.items():
        if theirs not in source.fields or ours not in entity.fields:
            absent = f"{source.label}.{theirs}" if theirs not in source.fields else f"{entity.label}.{ours}"
            return f"there is no field {absent}"
        if source.fields[theirs].type != entity.fields[ours].type:
            return f"{theirs} is {source.fields[theirs].type_name}, but {ours} is {entity.fields[ours].type_name}"
    return None
