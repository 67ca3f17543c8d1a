"""The fields that a pattern itself fixes in the partition it reads, the same in every call."""

from __future__ import annotations

from singletable.expressions.tree import Constant
from singletable.model.binding import Binding
from singletable.planner.operands import Encoded, NativeOperand, TextOperand
from singletable.planner.plan import Plan


def fixed_fields(plan: Plan) -> frozenset[str]:
    """Fields of the partition key that a constant of the pattern's body decides."""
    bindings: list[Binding] = []
    for operand in (operand for test in plan.partition for operand in test.operands):
        atoms = operand.atoms if isinstance(operand, TextOperand) else (operand,)
        bindings += [atom.binding for atom in atoms if isinstance(atom, Encoded | NativeOperand)]
    return frozenset(name for b in bindings if isinstance(b.source, Constant) for name in b.fields)
