"""Tables and indexes as DynamoDB knows them: kinds, key attributes and projections."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

AttributeType = Literal["S", "N", "B"]
Names = str | tuple[str, ...]


@dataclass(frozen=True)
class Projection:
    """The attributes that an index holds beside its own keys and the table's."""

    kind: Literal["ALL", "KEYS_ONLY", "INCLUDE"]
    attributes: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.kind if self.kind != "INCLUDE" else f"INCLUDE {', '.join(self.attributes)}"


ALL = Projection("ALL")
"""The projection of an index that holds whole items; what an index has unless it says otherwise."""
KEYS_ONLY = Projection("KEYS_ONLY")
"""The projection of an index that holds keys alone, its own and the table's; what parses back from them is held too."""


def include(*attributes: str) -> Projection:
    """The projection of an index that holds the keys and these attributes, by the names they are stored under."""
    return Projection("INCLUDE", attributes)


@dataclass(frozen=True)
class GSI:
    """A global secondary index: how it is named in the table, and what it holds.

    `alias` is the keyword under which entities give their keys (`gsi1`). `keys` names the partition and the sort
    attribute; a tuple in either place is a multi-attribute key. An index that is given nowhere but in entities has
    the alias in capitals as its name, `GSI1PK` and `GSI1SK` as its attributes, and holds whole items.
    """

    alias: str
    name: str | None = None
    keys: tuple[Names] | tuple[Names, Names] | None = None
    projection: Projection = ALL
    is_inverse: bool = False
    """Whether its keys are the table's own, swapped; `inverse(...)` says so."""


def inverse(alias: str, *, name: str | None = None, projection: Projection = ALL) -> GSI:
    """A global index by the table's own key attributes, swapped, so that every edge is found from its other end.

    Every entity of the table is in it under the templates of its `key`; nothing is written for it.
    """
    return GSI(alias, name, None, projection, is_inverse=True)


@dataclass(frozen=True)
class LSI:
    """A local secondary index: the table's partitions in another order; it exists from the table's creation on.

    `alias` is the keyword under which entities give their sort position (`lsi1="{due}"`); `sort` names its attribute.
    It can be read strongly consistent, and holds a partition to 10 GB.
    """

    alias: str
    name: str | None = None
    sort: str | None = None
    projection: Projection = ALL


@dataclass(frozen=True)
class KeyAttribute:
    """An attribute of a key, with the type that DynamoDB holds it to."""

    name: str
    type: AttributeType = "S"


@dataclass(frozen=True)
class Index:
    """The table itself, or one of its indexes, with its key attributes."""

    alias: str
    name: str
    kind: Literal["table", "GSI", "LSI"]
    partition: tuple[KeyAttribute, ...]
    sort: tuple[KeyAttribute, ...]
    projection: Projection = ALL
    is_inverse: bool = False
    """Whether its keys are the table's own, swapped: every item is in it."""

    @property
    def is_table(self) -> bool:
        """Whether this is the base table."""
        return self.kind == "table"

    @property
    def label(self) -> str:
        """The index's name, or `table`."""
        return "table" if self.is_table else self.name

    @property
    def spoken(self) -> str:
        """The index's name, or `the table`, as it stands in a sentence."""
        return "the table" if self.is_table else self.name

    @property
    def key_attributes(self) -> tuple[str, ...]:
        """The names of all its key attributes, the partition's first."""
        return tuple(attribute.name for attribute in (*self.partition, *self.sort))


TABLE = "key"
"""The alias of the base table: the keyword under which an entity gives its primary key."""


def default_name(alias: str) -> str:
    """`gsi1` is GSI1 in the table; any other alias is the index's name as it stands."""
    return alias.upper() if re.fullmatch(r"[gl]si\d*", alias) else alias


def is_local(alias: str) -> bool:
    """Whether an index that the table does not declare is a local one, by its alias."""
    return re.fullmatch(r"lsi\d*", alias) is not None
