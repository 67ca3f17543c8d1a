"""Quick rows: the compiled pass over the items of an answer, where it was built, and what it has to know of them.

It reads items that are just as their columns say, and refuses all others, which are then read as they are without it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from singletable.values.compiled import compiled

if TYPE_CHECKING:
    from singletable.client.items._quick_rows import RowReader

Kind = Literal["constant", "text", "choice", "moment", "int", "float", "decimal", "bool", "raw"]

ABSENT = object()
"""Stands for the value of a column that an item does not have."""


@dataclass(frozen=True)
class Quick:
    """How a value is read: by its kind, and of a list by the kind of its elements."""

    kind: Kind
    known: Mapping[str, Any] | bytes | Callable[[bytes], Any] | None = None
    """Of a choice its texts and what each stands for, of a constant its bytes, of what is raw the function for it."""
    is_list: bool = False

    @classmethod
    def read_by(cls, reader: Callable[[bytes], Any]) -> Quick:
        """Any value, by a function of its bytes."""
        return cls("raw", reader)

    def listed(self) -> Quick | None:
        """A list of such values; lists of lists are left to the rest."""
        return None if self.is_list else Quick(self.kind, self.known, is_list=True)


@dataclass(frozen=True)
class QuickColumn:
    """An attribute: its name, how its value is read, and what may stand in its place."""

    name: str
    how: Quick
    optional: bool = False
    nullable: bool = False
    keeps_null: bool = False


class PlainModel(NamedTuple):
    """A class of pydantic whose objects are made of their members, as plain_models.py knows them."""

    cls: type
    names: tuple[str, ...]
    """Of the fields, in the order of the columns."""
    fields: dict[str, Any]
    """All fields in the order of the class, each with what it is where an item has no value."""
    always: frozenset[str]
    """The fields that count as given whatever an item has."""
    members: tuple[Any, ...]
    """The descriptors of the dict, of the set of given fields, and of two that are None."""


def row_reader(columns: Iterable[QuickColumn], model: PlainModel | None = None) -> RowReader | None:
    """What reads rows with these columns, as tuples or as objects of a model; None where it was not built."""
    module = compiled("singletable.client.items._quick_rows", form=1)
    if module is None:
        return None
    told = tuple(
        (
            each.name,
            "list" if each.how.is_list else each.how.kind,
            each.how.kind,
            each.how.known,
            each.optional,
            each.nullable,
            each.keeps_null,
        )
        for each in columns
    )
    reader: RowReader = module.RowReader(told, ABSENT, Decimal, model)
    return reader
