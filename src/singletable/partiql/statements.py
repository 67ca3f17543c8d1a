"""PartiQL statements as they are read: what they do, to which table, with conditions of the expression tree."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any, Literal

from singletable.expressions.checks import Check
from singletable.expressions.tree import Change, Condition, Constant, Parameter, Path
from singletable.partiql.lexer import Position

Returning = Literal["ALL OLD", "MODIFIED OLD", "ALL NEW", "MODIFIED NEW"]


@dataclass(frozen=True)
class Source:
    """A table, or an index of it."""

    table: str
    index: str | None = None


@dataclass(frozen=True)
class Order:
    """An attribute that the answer is sorted by."""

    attribute: str
    descending: bool = False


@dataclass(frozen=True)
class Select:
    """What is read; without columns, all of every item."""

    source: Source
    columns: tuple[Path, ...] | None = None
    where: Condition | None = None
    order: tuple[Order, ...] = ()


@dataclass(frozen=True)
class Insert:
    """A new item, attribute by attribute."""

    source: Source
    item: tuple[tuple[str, Constant | Parameter], ...]


@dataclass(frozen=True)
class Update:
    """Changes to one item."""

    source: Source
    changes: tuple[Change, ...]
    where: Condition | None = None
    returning: Returning | None = None


@dataclass(frozen=True)
class Delete:
    """The end of one item."""

    source: Source
    where: Condition | None = None
    returning: Returning | None = None


@dataclass(frozen=True)
class Exists:
    """A condition that a transaction depends on: the item that is selected is there, and is as the rest says."""

    select: Select


Statement = Select | Insert | Update | Delete | Exists


@dataclass(frozen=True, eq=False)
class ReadStatement:
    """A statement as it was read, what is to be checked with its parameters, and the places of these in the text.

    What is made of it is kept with it, for as long as it is itself remembered.
    """

    statement: Statement
    checks: tuple[Check, ...]
    parameters: tuple[Position, ...]
    kept: dict[Hashable, Any] = field(default_factory=dict)


def parameter_name(number: int) -> str:
    """The name of the n-th `?` of a statement, counted from 1."""
    return f"?{number}"


def column_name(path: Path) -> str:
    """What a column is called in the answer: the last name of its path, with the positions behind it."""
    last = max(place for place, step in enumerate(path.steps) if isinstance(step, str))
    return str(Path(path.steps[last:]))
