"""Terms: what a drafted model is said with, as values that a file writes and that a design is made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Union

from singletable.drafts.draft import DraftTest, FieldType


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
class ItemField:
    """A function that picks a field: `lambda item: item.total`."""

    name: str


@dataclass(frozen=True)
class ItemTests:
    """A function that says what an item has to be: `lambda item: item.status == "OPEN"`."""

    tests: tuple[DraftTest, ...]


@dataclass(frozen=True)
class Setting:
    """A change of an update: `field(Order, lambda item: item.status).set(status)`."""

    entity: str
    field: str
    value: Term


@dataclass(frozen=True)
class FieldOf:
    """The type of a field, or the only texts that it can be."""

    type: FieldType
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
    ItemField,
    ItemTests,
    Setting,
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
