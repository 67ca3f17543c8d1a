"""Terms: what a drafted model is said with, as values that a file writes and that a design is made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Union


@dataclass(frozen=True)
class Named:
    """A class of the draft, a parameter, or something of ours, by its name."""

    name: str


@dataclass(frozen=True)
class Call:
    """A function or class of ours with its arguments: `native("id")`."""

    function: str
    given: tuple[Term, ...] = ()
    named: tuple[tuple[str, Term], ...] = ()


@dataclass(frozen=True)
class Listed:
    """A list."""

    elements: tuple[Term, ...]


@dataclass(frozen=True)
class Constant:
    """A value: of a default, a condition or a change."""

    value: Any


@dataclass(frozen=True)
class ItemPlace:
    """A field of an item, or a place inside one: `item.address.city`, `item.tags["x"]`, `item.lines[0]`."""

    item: str
    steps: tuple[str | int, ...]
    fields: frozenset[int]
    """Which of the steps are fields of classes; the others are names in maps and positions in lists."""
    present: frozenset[int] = frozenset()
    """Behind which of the steps there might be None, for a type checker."""


@dataclass(frozen=True)
class OfItem:
    """A function of an item: `lambda item: item.status == "OPEN"`."""

    item: str
    answer: Term


@dataclass(frozen=True)
class Compared:
    """Two operands and a comparator of Python."""

    comparator: Literal["==", "!=", "<", "<=", ">", ">="]
    left: Term
    right: Term


@dataclass(frozen=True)
class Joined:
    """Conditions of which all hold, or any."""

    operator: Literal["&", "|"]
    parts: tuple[Term, ...]


@dataclass(frozen=True)
class Changed:
    """A change of an update: `field(Order, lambda item: item.status).set(status)`."""

    field: Term
    change: Literal["set", "add", "append", "remove"]
    given: tuple[Term, ...]


@dataclass(frozen=True)
class FieldOf:
    """A type as drafts write it, or the only texts that a field can be."""

    type: str
    choices: tuple[str, ...] = ()


@dataclass(frozen=True)
class Of:
    """A type of others: `Page[Order]`, `list[Order]`, `Between[datetime]`."""

    container: str
    inner: Term


@dataclass(frozen=True)
class OrNone:
    """A type, or None."""

    inner: Term


Term = Union[  # noqa: UP007  # it names itself, which `|` cannot do before the name is there
    str,
    int,
    float,
    bool,
    None,
    Named,
    Call,
    Listed,
    Constant,
    ItemPlace,
    OfItem,
    Compared,
    Joined,
    Changed,
    FieldOf,
    Of,
    OrNone,
    tuple["Term", ...],
    Mapping[str, "Term"],
]
"""Plain values, tuples and mappings stand for themselves; text is always a text, and never code."""

Keywords = tuple[tuple[str, Term], ...]
"""Arguments by name, in the order in which they are given."""


@dataclass(frozen=True)
class Declared:
    """A field or a parameter: its name, its type, and what it is unless it is given."""

    name: str
    type: Term
    has_default: bool = False
    default: Term = None
    factory: str | None = None
    """The function that makes it unless it is given."""
