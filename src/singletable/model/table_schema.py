"""Tables and indexes: settings, GSI, LSI, projections, native and sparse keys, and the CreateTable request."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any, Literal

from singletable.errors import Location
from singletable.lazy_dataclass import dataclass
from singletable.model.codecs.text_codec import ORDERED_DELIMITER

if TYPE_CHECKING:
    from singletable.model.design import Design
    from singletable.model.entity import Accepted
    from singletable.model.stream_handlers import StreamHandler


AttributeType = Literal["S", "N", "B"]
Names = str | tuple[str, ...]


@dataclass(frozen=True)
class IndexProjection:
    """The attributes that DynamoDB copies into an index."""

    kind: Literal["ALL", "KEYS_ONLY", "INCLUDE"]
    attributes: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.kind if self.kind != "INCLUDE" else f"INCLUDE {', '.join(self.attributes)}"


ALL = IndexProjection("ALL")
"""Projection of an index that contains all attributes. This is the default."""
KEYS_ONLY = IndexProjection("KEYS_ONLY")
"""Projection of an index that contains only the keys of the index and of the table.

Reads can decode fields from these keys.
"""


def include(*attributes: str) -> IndexProjection:
    """Return the projection of an index that contains the keys and these attributes.

    Use the stored attribute names: `GSI("gsi1", projection=include("status", "total"))`.
    """
    return IndexProjection("INCLUDE", attributes)


@dataclass(frozen=True)
class GSI:
    """A global secondary index, for `indexes=` of a table.

    Declare an index only to change one of its defaults. The default index name is the alias in capitals (`GSI1`), the
    default key attributes are `GSI1PK` and `GSI1SK`, and the default projection is `ALL`.

    - `alias`: the keyword that entities use for their keys in this index, such as `gsi1`.
    - `name`: the name of the index in DynamoDB.
    - `keys`: the names of the partition and the sort key attribute; a tuple of names is a multi-attribute key.
    - `projection`: `ALL`, `KEYS_ONLY` or `include(...)`.
    """

    alias: str
    name: str | None = None
    keys: tuple[Names] | tuple[Names, Names] | None = None
    projection: IndexProjection = ALL
    is_inverse: bool = False
    """Whether the index swaps the keys of the table. `inverse(...)` sets this."""


def inverse(alias: str, *, name: str | None = None, projection: IndexProjection = ALL) -> GSI:
    """Declare an inverted index: a global secondary index that swaps the partition and sort key of the table.

    The index finds the items of a many-to-many relationship from its other side. It contains every item of the table
    and needs no additional attributes.
    """
    return GSI(alias, name, None, projection, is_inverse=True)


@dataclass(frozen=True)
class LSI:
    """A local secondary index, for `indexes=` of a table: the same partition key with another sort key.

    A local index supports strongly consistent reads and limits each item collection to 10 GB. You can create it only
    together with the table.

    - `alias`: the keyword that entities use for their sort key in this index: `lsi1="{due}"`.
    - `name`: the name of the index in DynamoDB; the alias in capitals by default.
    - `sort`: the name of the sort key attribute; `LSI1SK` by default.
    - `projection`: `ALL`, `KEYS_ONLY` or `include(...)`.
    """

    alias: str
    name: str | None = None
    sort: str | None = None
    projection: IndexProjection = ALL


@dataclass(frozen=True)
class KeyAttribute:
    """A key attribute and its DynamoDB type."""

    name: str
    type: AttributeType = "S"


@dataclass(frozen=True)
class Index:
    """The base table or an index, with its key attributes."""

    alias: str
    name: str
    kind: Literal["table", "GSI", "LSI"]
    partition: tuple[KeyAttribute, ...]
    sort: tuple[KeyAttribute, ...]
    projection: IndexProjection = ALL
    is_inverse: bool = False
    """Whether the index swaps the keys of the table. Such an index contains every item."""

    @property
    def is_table(self) -> bool:
        """Whether this is the base table."""
        return self.kind == "table"

    @property
    def label(self) -> str:
        """The index name, or `table`."""
        return "table" if self.is_table else self.name

    @property
    def display_name(self) -> str:
        """The index name, or `the table`, for use in a sentence."""
        return "the table" if self.is_table else self.name

    @property
    def key_attributes(self) -> tuple[str, ...]:
        """The names of all key attributes, partition key first."""
        return tuple(attribute.name for attribute in (*self.partition, *self.sort))


TABLE = "key"
"""The alias of the base table: the `@entity` keyword for the primary key."""


def default_name(alias: str) -> str:
    """Return the default index name: `GSI1` for the alias `gsi1`, and any other alias unchanged."""
    return alias.upper() if re.fullmatch(r"[gl]si\d*", alias) else alias


def is_local(alias: str) -> bool:
    """Return whether an alias names a local index by default, as `lsi1` does. `indexes=` can declare it differently."""
    return re.fullmatch(r"lsi\d*", alias) is not None


@dataclass(frozen=True)
class Native:
    """A key attribute that stores a field directly, without a template."""

    field: str
    format: str = ""


def native(field: str, format: str = "") -> Native:
    """Use the attribute of a field directly as a key attribute: `key=(native("tenant_id"), native("created_at"))`.

    Text is stored as S, numbers as N, bytes as B. `format` sets the precision or format of a date or datetime, such as
    `"seconds"`. Use `native` for existing tables and for multi-attribute keys.
    """
    return Native(field, format)


@dataclass(frozen=True)
class Sparse:
    """Keys of a sparse index."""

    keys: Any


Position = str | Native | tuple[str | Native, ...]
"""One key: a template, a native attribute, or a tuple of these for a multi-attribute key."""

Keys = Position | tuple[Position, ...] | Sparse
"""The keys of an entity in the table or an index."""


def sparse(partition: Position, sort: Position | None = None) -> Sparse:
    """Declare the keys of a sparse index: `gsi1=sparse("ASSIGNEE#{assignee}", "{due}#{id}")`.

    The index contains only the items in which every field of these keys has a value. A pattern can use the index if it
    has a parameter for the optional field, or tests the field with `exists(...)`.
    """
    return Sparse((partition,) if sort is None else (partition, sort))


RESERVED_PREFIX = "$singletable#"
"""Key prefix of the internal items of singletable. No field can write a `$` into a key."""
TOKEN_PREFIX = f"{RESERVED_PREFIX}token#"
"""Key prefix of the items that store idempotency tokens."""
RESERVED_TYPE = "$singletable"
"""Entity type of the internal items of singletable."""
STATE = f"{RESERVED_PREFIX}state"
"""Key of the item with the design state of the table."""
DESIGN = f"{RESERVED_PREFIX}design"
"""Key prefix of the items that contain designs. A delimiter and the fingerprint follow the prefix."""
STREAM_STATE = f"{RESERVED_PREFIX}stream"
"""Key prefix of the items with the leases of shards and the stream records that were set aside."""
CONSOLIDATION = f"{RESERVED_PREFIX}consolidation"
"""Key prefix of the items with the modes and the statistics of patterns, while several tables become one."""
CONTROL_SUFFIX = "-singletable"
"""The text after the name of a table in the default name of its control table."""
STREAM_VIEW = "NEW_AND_OLD_IMAGES"
"""The view type of the stream that handlers need."""


@dataclass(frozen=True)
class TableSettings:
    """The settings of a table: the keyword arguments of a `Table` class."""

    name: str
    location: Location
    keys: tuple[str] | tuple[str, str] | None = None
    indexes: Sequence[GSI | LSI] = ()
    type_attribute: str | None = "entity_type"
    schema_version_attribute: str = "schema_v"
    ttl_attribute: str | None = None
    delimiter: str = ORDERED_DELIMITER
    accept: Accepted = field(default_factory=dict)
    handlers: tuple[StreamHandler[..., Any], ...] = ()
    """The functions that receive the changes of items. They need a stream with both images of each item."""
    control_table: bool | str = False
    """The name of the table with the reserved items of this table; True for the name of this table and a suffix."""

    def control_table_of(self, name: str) -> str | None:
        """Return the name of the control table of a table with this name. None if the table needs none."""
        if isinstance(self.control_table, str):
            return self.control_table
        return f"{name}{CONTROL_SUFFIX}" if self.control_table else None


def create_table_request(design: Design, name: str) -> dict[str, Any]:
    """Return the CreateTable request for a design, with on-demand capacity."""
    keys = [attribute for index in design.indexes.values() for attribute in (*index.partition, *index.sort)]
    kinds = {attribute.name: attribute.type for attribute in keys}
    request: dict[str, Any] = {
        "TableName": name,
        "BillingMode": "PAY_PER_REQUEST",
        "KeySchema": _key_schema(design.table),
        "AttributeDefinitions": [{"AttributeName": each, "AttributeType": kinds[each]} for each in sorted(kinds)],
    }
    for kind, member in (("GSI", "GlobalSecondaryIndexes"), ("LSI", "LocalSecondaryIndexes")):
        indexes = [index for index in design.indexes.values() if index.kind == kind]
        if indexes:
            request[member] = [
                {"IndexName": index.name, "KeySchema": _key_schema(index), "Projection": _projection(index.projection)}
                for index in indexes
            ]
    if design.settings.handlers:
        request["StreamSpecification"] = {"StreamEnabled": True, "StreamViewType": STREAM_VIEW}
    return request


def _key_schema(index: Index) -> list[dict[str, str]]:
    partition = [{"AttributeName": attribute.name, "KeyType": "HASH"} for attribute in index.partition]
    return partition + [{"AttributeName": attribute.name, "KeyType": "RANGE"} for attribute in index.sort]


def _projection(projection: IndexProjection) -> dict[str, Any]:
    document: dict[str, Any] = {"ProjectionType": projection.kind}
    if projection.attributes:
        document["NonKeyAttributes"] = list(projection.attributes)
    return document


def no_keys(table_name: str) -> str:
    """Return the error message for a table without entities."""
    return (
        f"{table_name} has no entities, so its keys are unknown.\n"
        "  Add an entity, or select another table with MODEL:Table."
    )
