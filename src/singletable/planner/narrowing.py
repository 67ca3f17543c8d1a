"""How far a key condition narrows what a Query reads: to one item, to a part of a partition, or not at all."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.model.entity import Entity
from singletable.model.intents import Collection, Get
from singletable.model.keys import KeyPart, TemplatePart
from singletable.model.ranges import Equal
from singletable.planner.operands import Encoded, KeyTest, NativeOperand, Text, TextOperand
from singletable.planner.plan import Plan


def names_one(plan: Plan, entity: Entity) -> bool:
    """Whether all Queries of a plan together can find one item of its entity at most."""
    intent = plan.pattern.intent
    if isinstance(intent, Collection) or entity is not plan.wanted[0]:
        return False  # its key condition speaks of the fields of several entities
    if isinstance(intent, Get) or (fixes_key(plan) and not plan.spreads):
        return True
    fixed = frozenset(_fixed(plan.tests))
    return any(fields <= fixed for fields in _told_apart_by(plan, entity))


def fixes_key(plan: Plan) -> bool:
    """Whether each Query gives the whole primary key, so that it can find one item at most."""
    has_sort = len(plan.sort) == len(plan.index.key_attributes) - len(plan.partition)
    return plan.index.is_table and has_sort and all(test.operator == "=" for test in plan.sort)


def narrows(plan: Plan) -> bool:
    """Whether something that is asked for leaves out a part of the partition."""
    operands = (operand for test in plan.sort for operand in test.operands)
    return any(
        not isinstance(operand, TextOperand) or any(not isinstance(atom, Text) for atom in operand.atoms)
        for operand in operands
    )


def _fixed(tests: tuple[KeyTest, ...]) -> Iterator[str]:
    """The fields of which a key condition gives the one value."""
    for operand in (operand for test in tests for operand in test.operands):
        atoms = operand.atoms if isinstance(operand, TextOperand) else (operand,)
        for atom in atoms:
            if isinstance(atom, Encoded | NativeOperand) and atom.binding.test is Equal:
                yield from atom.binding.fields


def _told_apart_by(plan: Plan, entity: Entity) -> Iterator[frozenset[str]]:
    """The fields of which no two items have the same values."""
    yield entity.base.fields
    if plan.index.is_table:
        return  # what its own key leaves open is open, whatever else is said
    yield from map(frozenset, entity.declaration.unique)
    identity = frozenset(entity.identity or ())
    if entity.declaration.identity is not None or (identity and _last_field(entity.base.parts) in identity):
        yield identity


def _last_field(parts: tuple[KeyPart, ...]) -> str:
    """The field that a key ends with: behind one that merely has the name of an identity, others tell items apart."""
    names: list[str] = []
    for part in parts:
        slots = part.template.slots if isinstance(part, TemplatePart) else ()
        names += [name for slot in slots for name in slot.fields] or sorted(part.exact_fields)
    return names[-1] if names else ""
