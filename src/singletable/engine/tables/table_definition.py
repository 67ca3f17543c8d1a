"""Table definitions as the catalog stores them: keys, indexes, billing and settings."""

from __future__ import annotations

from typing import Literal

import msgspec

from singletable.errors import StoreRefused
from singletable.wire.api_types import decoder_of

KeyKind = Literal["S", "N", "B"]
IndexStatus = Literal["CREATING", "ACTIVE", "DELETING"]  # only responses contain DELETING
InsightsMode = Literal["ACCESSED_AND_THROTTLED_KEYS", "THROTTLED_KEYS"]
TableStatus = Literal["CREATING", "ACTIVE"]


class KeyElement(msgspec.Struct, frozen=True):
    """A key attribute and its type."""

    name: str
    kind: KeyKind


class Throughput(msgspec.Struct, frozen=True):
    """Provisioned units per second, and the times of their last increase and decrease."""

    read_units: int
    write_units: int
    increased_at: float | None = None
    decreased_at: float | None = None
    decreases_today: int = 0


class OnDemandCeiling(msgspec.Struct, frozen=True):
    """The maximum throughput of an on-demand table."""

    read_units_max: int | None = None
    write_units_max: int | None = None


class StreamDefinition(msgspec.Struct, frozen=True):
    """The label, view type and creation time of a stream."""

    label: str
    view: Literal["NEW_IMAGE", "OLD_IMAGE", "NEW_AND_OLD_IMAGES", "KEYS_ONLY"]
    created_at: float


class TimeToLive(msgspec.Struct, frozen=True):
    """The TTL setting of a table.

    `attribute` is None if TTL is disabled. While the status is ENABLING, the TTL sweeper records the expiry times of
    existing items.
    """

    attribute: str | None
    changed_at: float
    status: Literal["ENABLING", "ENABLED", "DISABLED"]


class PointInTimeRecovery(msgspec.Struct, frozen=True):
    """The time at which point-in-time recovery was enabled, and the recovery period in days."""

    since: float
    days: int = 35


class WarmUnits(msgspec.Struct, frozen=True):
    """The throughput that a table or index can serve at once. It never decreases."""

    read_units: int = 0
    write_units: int = 0


class ContributorInsights(msgspec.Struct, frozen=True):
    """The Contributor Insights settings of a table or index."""

    is_enabled: bool
    mode: InsightsMode
    changed_at: float
    enabled_at: float


class ResourcePolicy(msgspec.Struct, frozen=True):
    """The resource policy of a table, which is stored and returned but not enforced."""

    document: str
    revision: str


class IndexDefinition(msgspec.Struct, frozen=True):
    """A local or global secondary index."""

    name: str
    number: int
    is_local: bool
    partition: tuple[KeyElement, ...]
    sort: tuple[KeyElement, ...]
    projection: Literal["ALL", "KEYS_ONLY", "INCLUDE"]
    included: tuple[str, ...] = ()
    status: IndexStatus = "ACTIVE"
    throughput: Throughput | None = None
    on_demand: OnDemandCeiling | None = None
    warm: WarmUnits = WarmUnits()
    insights: ContributorInsights | None = None

    @property
    def key_attributes(self) -> tuple[KeyElement, ...]:
        """Return the key attributes of the index, partition key first."""
        return self.partition + self.sort


class RestoreOrigin(msgspec.Struct, frozen=True):
    """The source of a restored table: a backup, or another table at a point in time."""

    table: str
    at: float
    backup: str | None = None


class TableDefinition(msgspec.Struct, frozen=True):
    """The complete definition of a table, excluding its items."""

    name: str
    identifier: str
    created_at: float
    partition: KeyElement
    sort: KeyElement | None
    indexes: tuple[IndexDefinition, ...] = ()
    billing_mode: Literal["PROVISIONED", "PAY_PER_REQUEST"] = "PAY_PER_REQUEST"
    billing_chosen_at: float | None = None
    throughput: Throughput | None = None
    on_demand: OnDemandCeiling | None = None
    table_class: str | None = None
    is_protected: bool = False
    tags: tuple[tuple[str, str], ...] = ()
    sse_type: str | None = None
    next_index_number: int = 1
    stream: StreamDefinition | None = None
    latest_stream: str | None = None
    """The label of the latest stream, which remains after the stream is disabled."""
    time_to_live: TimeToLive | None = None
    recovery: PointInTimeRecovery | None = None
    table_class_changed_at: float | None = None
    kms_key_arn: str | None = None
    warm: WarmUnits = WarmUnits()
    insights: ContributorInsights | None = None
    policy: ResourcePolicy | None = None
    status: TableStatus = "ACTIVE"
    restored: RestoreOrigin | None = None

    @property
    def has_change_log(self) -> bool:
        """Whether writes are recorded in the change log."""
        return self.stream is not None or self.recovery is not None

    @property
    def expiry_attribute(self) -> str | None:
        """Return the TTL attribute, or None if TTL is disabled."""
        return None if self.time_to_live is None else self.time_to_live.attribute

    @property
    def key_attributes(self) -> tuple[KeyElement, ...]:
        """Return the key attributes of the table, partition key first."""
        return (self.partition,) if self.sort is None else (self.partition, self.sort)

    def index(self, name: str) -> IndexDefinition | None:
        """Return the index with this name, or None if there is no such index."""
        return next((index for index in self.indexes if index.name == name), None)

    @property
    def attribute_kinds(self) -> dict[str, KeyKind]:
        """Return the types of all key attributes of the table and its indexes, by attribute name."""
        kinds: dict[str, KeyKind] = {attribute.name: attribute.kind for attribute in self.key_attributes}
        for index in self.indexes:
            kinds.update({attribute.name: attribute.kind for attribute in index.key_attributes})
        return kinds


_decoder = decoder_of(TableDefinition)


def definition_from(document: bytes) -> TableDefinition:
    """Decode a table definition that is stored in the catalog. Raise StoreRefused if it is damaged."""
    try:
        return _decoder.decode(document)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, TypeError) as error:
        raise StoreRefused(
            f"The catalog of the store contains a damaged table definition ({error}).\n  Restore the store from a copy."
        ) from None


def definition_bytes(definition: TableDefinition) -> bytes:
    """Encode a table definition, to store it in the catalog."""
    return msgspec.json.encode(definition)
