"""What a table is, as the catalog keeps it: keys, indexes, and what was bought for it."""

from __future__ import annotations

from typing import Literal

import msgspec

from singletable.wire.decoders import decoder_of

KeyKind = Literal["S", "N", "B"]
IndexStatus = Literal["CREATING", "ACTIVE", "DELETING"]  # the last is told and never kept
InsightsMode = Literal["ACCESSED_AND_THROTTLED_KEYS", "THROTTLED_KEYS"]
TableStatus = Literal["CREATING", "ACTIVE"]


class KeyAttribute(msgspec.Struct, frozen=True):
    """An attribute of a key, and its type."""

    name: str
    kind: KeyKind


class Throughput(msgspec.Struct, frozen=True):
    """Units a second that were bought in advance, and when that last changed."""

    read_units: int
    write_units: int
    increased_at: float | None = None
    decreased_at: float | None = None
    decreases_today: int = 0


class OnDemandCeiling(msgspec.Struct, frozen=True):
    """The most that is served when each request is paid for."""

    read_units_max: int | None = None
    write_units_max: int | None = None


class StreamDefinition(msgspec.Struct, frozen=True):
    """What a table's stream shows of its changes, under which label and since when."""

    label: str
    view: Literal["NEW_IMAGE", "OLD_IMAGE", "NEW_AND_OLD_IMAGES", "KEYS_ONLY"]
    created_at: float


class TimeToLive(msgspec.Struct, frozen=True):
    """The attribute that says when an item expires, None when none does; filling notes the items that were there."""

    attribute: str | None
    changed_at: float
    status: Literal["ENABLING", "ENABLED", "DISABLED"]


class Recovery(msgspec.Struct, frozen=True):
    """Since when, and for how many days back, a table can be restored as it was at any moment."""

    since: float
    days: int = 35


class WarmUnits(msgspec.Struct, frozen=True):
    """What a table or index can serve at once; it only ever grows."""

    read_units: int = 0
    write_units: int = 0


class ContributorInsights(msgspec.Struct, frozen=True):
    """Whether the keys that are used most are counted, which of them, and since when that is so."""

    is_enabled: bool
    mode: InsightsMode
    changed_at: float
    enabled_at: float


class ResourcePolicy(msgspec.Struct, frozen=True):
    """A policy that was attached to a table: kept and shown, and not enforced."""

    document: str
    revision: str


class IndexDefinition(msgspec.Struct, frozen=True):
    """Another order of a table's items, inside its partitions (local) or with partitions of its own."""

    name: str
    number: int
    is_local: bool
    partition: tuple[KeyAttribute, ...]
    sort: tuple[KeyAttribute, ...]
    projection: Literal["ALL", "KEYS_ONLY", "INCLUDE"]
    included: tuple[str, ...] = ()
    status: IndexStatus = "ACTIVE"
    throughput: Throughput | None = None
    on_demand: OnDemandCeiling | None = None
    warm: WarmUnits = WarmUnits()
    insights: ContributorInsights | None = None

    @property
    def key_attributes(self) -> tuple[KeyAttribute, ...]:
        """Every attribute of the index's key, partition first."""
        return self.partition + self.sort


class Restored(msgspec.Struct, frozen=True):
    """What a table was restored from: a backup, or another table as it was at a moment."""

    table: str
    at: float
    backup: str | None = None


class TableDefinition(msgspec.Struct, frozen=True):
    """Everything that describes a table, except its items."""

    name: str
    identifier: str
    created_at: float
    partition: KeyAttribute
    sort: KeyAttribute | None
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
    """The label of the stream, also after its end."""
    time_to_live: TimeToLive | None = None
    recovery: Recovery | None = None
    table_class_changed_at: float | None = None
    kms_key_arn: str | None = None
    warm: WarmUnits = WarmUnits()
    insights: ContributorInsights | None = None
    policy: ResourcePolicy | None = None
    status: TableStatus = "ACTIVE"
    restored: Restored | None = None

    @property
    def keeps_changes(self) -> bool:
        """Whether each write leaves the item before and after it in the table's log."""
        return self.stream is not None or self.recovery is not None

    @property
    def expiry_attribute(self) -> str | None:
        """The attribute that says when an item expires."""
        return None if self.time_to_live is None else self.time_to_live.attribute

    @property
    def key_attributes(self) -> tuple[KeyAttribute, ...]:
        """The attributes of the table's key, partition first."""
        return (self.partition,) if self.sort is None else (self.partition, self.sort)

    def index(self, name: str) -> IndexDefinition | None:
        """The index of that name, if there is one."""
        return next((index for index in self.indexes if index.name == name), None)

    @property
    def attribute_kinds(self) -> dict[str, KeyKind]:
        """The types of all key attributes, of the table and of its indexes."""
        kinds: dict[str, KeyKind] = {attribute.name: attribute.kind for attribute in self.key_attributes}
        for index in self.indexes:
            kinds.update({attribute.name: attribute.kind for attribute in index.key_attributes})
        return kinds


_decoder = decoder_of(TableDefinition)


def definition_from(document: bytes) -> TableDefinition:
    """A definition out of the catalog."""
    return _decoder.decode(document)


def definition_bytes(definition: TableDefinition) -> bytes:
    """A definition for the catalog."""
    return msgspec.json.encode(definition)
