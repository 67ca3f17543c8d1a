"""One tree for conditions, filters, key conditions and updates, with the values that are given later as leaves."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, Literal, TypeVar

N = TypeVar("N")

Comparator = Literal["=", "<>", "<", "<=", ">", ">="]


@dataclass(frozen=True)
class Path:
    """An attribute, or a place inside one: names of maps and positions of lists."""

    steps: tuple[str | int, ...]

    def __str__(self) -> str:
        first, *others = self.steps
        return str(first) + "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in others)

    @property
    def attribute(self) -> str:
        """The name of the attribute that the path is in."""
        return str(self.steps[0])


@dataclass(frozen=True)
class Constant:
    """A value that is written in the model, or in a statement."""

    value: Any


@dataclass(frozen=True)
class Parameter:
    """A value that is given later: by the caller of a pattern, or as `:name` by a request."""

    name: str


Leaf = Path | Constant | Parameter


@dataclass(frozen=True)
class Function:
    """A function of DynamoDB: some are conditions, size stands for a value, two are for updates alone."""

    name: str
    arguments: tuple[Operand, ...]


@dataclass(frozen=True)
class Arithmetic:
    """A sum or a difference, which an update can set."""

    operator: Literal["+", "-"]
    left: Operand
    right: Operand


Operand = Path | Constant | Parameter | Function | Arithmetic


@dataclass(frozen=True)
class Compare:
    """Two operands and a comparator."""

    comparator: Comparator
    left: Operand
    right: Operand


@dataclass(frozen=True)
class Between:
    """An operand that is not below one and not above another."""

    operand: Operand
    low: Operand
    high: Operand


@dataclass(frozen=True)
class In:
    """An operand that equals one of several."""

    operand: Operand
    options: tuple[Operand, ...]


@dataclass(frozen=True)
class And:
    """All of the conditions."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True)
class Or:
    """At least one of the conditions."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True)
class Not:
    """The opposite of a condition."""

    part: Condition


Condition = Compare | Between | In | Function | And | Or | Not


@dataclass(frozen=True)
class Change:
    """One clause of an update: what happens to the value at a path; APPEND is short for a SET with list_append."""

    action: Literal["SET", "ADD", "REMOVE", "DELETE", "APPEND"]
    path: Path
    value: Operand | None = None


def leaves(node: object) -> Iterator[Leaf]:
    """Every path, constant and parameter below a node, in reading order."""
    if isinstance(node, Path | Constant | Parameter):
        yield node
    elif isinstance(node, tuple):
        for part in node:
            yield from leaves(part)
    elif is_dataclass(node):
        for each in fields(node):
            yield from leaves(getattr(node, each.name))


def with_leaves(node: N, change: Callable[[Leaf], Leaf]) -> N:
    """The same node with every path, constant and parameter changed."""
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
    """The names of the parameters that a node waits for."""
    return frozenset(leaf.name for leaf in leaves(node) if isinstance(leaf, Parameter))


def paths(node: object) -> frozenset[Path]:
    """The attribute paths that a node speaks of."""
    return frozenset(leaf for leaf in leaves(node) if isinstance(leaf, Path))
