"""The key of one item, by the fields it is made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

E = TypeVar("E")
E_co = TypeVar("E_co", covariant=True)


@dataclass(frozen=True)
class Key(Generic[E_co]):
    """An item of an entity, named by the fields of its key."""

    entity: type[E_co]
    values: Mapping[str, Any]


def key(entity: type[E], **fields: object) -> Key[E]:
    """The item of an entity with these values in its key: `key(Order, id="o1")`."""
    return Key(entity, fields)
