"""The settings of a table: names of attributes, indexes that differ from the defaults, the delimiter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from singletable.errors import Location
from singletable.model.codecs.text import ORDERED_DELIMITER
from singletable.model.entity import Accepted
from singletable.model.index import GSI, LSI

RESERVED_PREFIX = "$singletable#"
"""What the keys of the library's own items begin with; no field writes a `$` into a key."""
RESERVED_TYPE = "$singletable"
"""The entity type of the library's own items."""


@dataclass(frozen=True)
class TableSettings:
    """What a table says of itself beside its entities and patterns."""

    name: str
    location: Location
    keys: tuple[str] | tuple[str, str] | None = None
    indexes: Sequence[GSI | LSI] = ()
    type_attribute: str | None = "entity_type"
    schema_version_attribute: str = "schema_v"
    ttl_attribute: str | None = None
    delimiter: str = ORDERED_DELIMITER
    accept: Accepted = field(default_factory=dict)
