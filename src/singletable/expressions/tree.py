"""The syntax tree of conditions, filters, key conditions and updates; parameters are placeholders for values."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from typing import Any, Literal, TypeVar

from singletable.lazy_dataclass import dataclass, replace

N = TypeVar("N")

Comparator = Literal["=", "<>", "<", "<=", ">", ">="]


@dataclass(frozen=True, slots=True)
class Path:
    """A document path: the name of an attribute, followed by names in maps and positions in lists."""

    steps: tuple[str | int, ...]

    def __str__(self) -> str:
        first, *others = self.steps
        return str(first) + "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in others)

    @property
    def attribute(self) -> str:
        """The name of the top-level attribute."""
        return str(self.steps[0])


@dataclass(frozen=True, slots=True)
class Constant:
    """A value that the model or a statement contains."""

    value: Any


@dataclass(frozen=True, slots=True)
class Parameter:
    """A placeholder for a value: an argument of a pattern, or `:name` in a request."""

    name: str


Leaf = Path | Constant | Parameter


@dataclass(frozen=True, slots=True)
class Function:
    """A function call.

    Most functions are conditions, `size` returns a value, and two functions are only for updates.
    """

    name: str
    arguments: tuple[Operand, ...]


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """A sum or a difference, in an update."""

    operator: Literal["+", "-"]
    left: Operand
    right: Operand


Operand = Path | Constant | Parameter | Function | Arithmetic


@dataclass(frozen=True, slots=True)
class Compare:
    """A comparison of two operands."""

    comparator: Comparator
    left: Operand
    right: Operand


@dataclass(frozen=True, slots=True)
class BetweenBounds:
    """A range test with inclusive bounds."""

    operand: Operand
    low: Operand
    high: Operand


@dataclass(frozen=True, slots=True)
class In:
    """A test for equality with one of several operands."""

    operand: Operand
    options: tuple[Operand, ...]


@dataclass(frozen=True, slots=True)
class And:
    """A conjunction of conditions."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """A disjunction of conditions."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Not:
    """The negation of a condition."""

    part: Condition


Condition = Compare | BetweenBounds | In | Function | And | Or | Not


@dataclass(frozen=True, slots=True)
class Change:
    """One change of an update, to the value at a path. APPEND means SET with list_append."""

    action: Literal["SET", "ADD", "REMOVE", "DELETE", "APPEND"]
    path: Path
    value: Operand | None = None


def leaves(node: object) -> Iterator[Leaf]:
    """Yield every path, constant and parameter below a node, from left to right."""
    if isinstance(node, Path | Constant | Parameter):
        yield node
    elif isinstance(node, tuple):
        for part in node:
            yield from leaves(part)
    elif is_dataclass(node):
        for each in fields(node):
            yield from leaves(getattr(node, each.name))


def with_leaves(node: N, change: Callable[[Leaf], Leaf]) -> N:
    """Return a copy of the node with a function applied to every path, constant and parameter below it."""
    result: Any = node
    if isinstance(node, Path | Constant | Parameter):
        result = change(node)
    elif isinstance(node, tuple):
        result = tuple(with_leaves(part, change) for part in node)
    elif is_dataclass(node) and not isinstance(node, type):
        result = replace(node, **{each.name: with_leaves(getattr(node, each.name), change) for each in fields(node)})
    changed: N = result
    return changed


def parameters(node: object) -> frozenset[str]:
    """Return the names of the parameters below a node."""
    return frozenset(leaf.name for leaf in leaves(node) if isinstance(leaf, Parameter))


def paths(node: object) -> frozenset[Path]:
    """Return the paths below a node."""
    return frozenset(leaf for leaf in leaves(node) if isinstance(leaf, Path))
