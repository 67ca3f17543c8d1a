"""Plans of the way from the root of a tree down to a path: keys that all follow from the path, read in batches."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from singletable.expressions.tree import Parameter
from singletable.model.binding import Binding, bindings_for
from singletable.model.codecs.path import PathCodec
from singletable.model.declaration import PatternDeclaration
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.intents import Ancestors
from singletable.model.keys import Placement, TemplatePart
from singletable.model.ranges import Equal
from singletable.model.template import FieldSlot
from singletable.planner.key_condition import key_condition
from singletable.planner.obstacles import NotServed, NoWayUp, Obstacle
from singletable.planner.operands import Atom, EachAbove, Encoded, KeyTest, TextOperand
from singletable.planner.plan import Candidate, Plan

_KEYED = 'Key the entity by its path: key=("TREE#{tree}", "NODE#{path}"), with path: tuple[str, ...].'


def ancestor_candidates(design: Design, pattern: PatternDeclaration) -> Iterator[Candidate]:
    """The one candidate: the table itself, since BatchGetItem reads no index."""
    intent = pattern.intent
    assert isinstance(intent, Ancestors), "other intents have planners of their own"
    entity = design.entity_of(intent.entity)
    bindings, _ = bindings_for(pattern, entity)
    condition = key_condition(entity.base, bindings)
    beside = (obstacle for obstacle in condition.obstacles if isinstance(obstacle, NotServed))
    obstacles = (*_obstacles(entity, bindings), *(_not_in_key(entity, obstacle.fields) for obstacle in beside))
    plan = Plan(
        pattern,
        "BatchGetItem",
        design.table,
        tuple(_each_above(test) for test in condition.partition),
        tuple(_each_above(test) for test in condition.sort),
        (entity,),
        order="from the root down",
        consistent=intent.consistent,
    )
    yield Candidate(plan, obstacles)


def paths_in(placement: Placement) -> tuple[str, ...]:
    """The fields that stand in a key as paths."""
    slots = (slot for part in placement.parts if isinstance(part, TemplatePart) for slot in part.template.slots)
    return tuple(slot.name for slot in slots if isinstance(slot, FieldSlot) and isinstance(slot.codec, PathCodec))


def _obstacles(entity: Entity, bindings: tuple[Binding, ...]) -> Iterator[Obstacle]:
    paths = paths_in(entity.base)
    if len(paths) != 1:
        found = f"two paths, {' and '.join(paths)}" if paths else "no path"
        yield NoWayUp(f"the key of {entity.label} has {found}", _KEYED)
        return
    (path,) = paths
    bound = next((binding for binding in bindings if path in binding.fields), None)
    if bound is None or bound.test is not Equal or not isinstance(bound.source, Parameter):
        given = "no parameter gives" if bound is None else f"{bound.test.__name__}[...] is not one value of"
        yield NoWayUp(f"{given} {path}", f"Take the path as a parameter, {path}: tuple[str, ...].")
    equal = {name for binding in bindings if binding.test is Equal for name in binding.fields}
    if missing := sorted(entity.base.fields - equal - {path}):
        names = " and ".join(missing)
        yield NoWayUp(f"its key is also made of {names}, which no parameter gives", f"Add {names} as a parameter.")


def _not_in_key(entity: Entity, fields: tuple[str, ...]) -> Obstacle:
    names = " and ".join(fields)
    return NoWayUp(f"the key of {entity.label} has no {names}", f"Leave out {names}, and look at it in the answer.")


def _each_above(test: KeyTest) -> KeyTest:
    return replace(test, operands=tuple(_spread(o) if isinstance(o, TextOperand) else o for o in test.operands))


def _spread(operand: TextOperand) -> TextOperand:
    def spread(atom: Atom) -> Atom:
        is_path = isinstance(atom, Encoded) and isinstance(atom.slot.codec, PathCodec)
        return EachAbove(atom.binding, atom.slot) if isinstance(atom, Encoded) and is_path else atom

    return TextOperand(tuple(spread(atom) for atom in operand.atoms))
