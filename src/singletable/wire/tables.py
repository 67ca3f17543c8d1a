"""The actions on tables on the wire: CreateTable, DescribeTable, UpdateTable, DeleteTable, ListTables."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from singletable.values.limits import NAME_CHARACTERS_MAX, NAME_CHARACTERS_MIN
from singletable.wire.shape import NAME_REGEX, IndexName, Result, Shape

REQUIRED = "required parameter"  # the control plane complains of a missing name in words of its own
LONG = "a long"  # the service tells its two kinds of integers apart when something else stands in their place

NamedTable = Annotated[
    str, Meta(min_length=1, max_length=NAME_CHARACTERS_MAX, pattern=NAME_REGEX, extra={REQUIRED: True})
]
TableToCreate = Annotated[
    str,
    Meta(min_length=NAME_CHARACTERS_MIN, max_length=NAME_CHARACTERS_MAX, pattern=NAME_REGEX, extra={REQUIRED: True}),
]
Units = Annotated[int, Meta(ge=1, extra={LONG: True})]
UnitsMax = Annotated[int, Meta(extra={LONG: True})]
AttributeName = Annotated[str, Meta(min_length=1, max_length=255)]
BillingMode = Literal["PROVISIONED", "PAY_PER_REQUEST"]
ProjectionType = Literal["ALL", "INCLUDE", "KEYS_ONLY"]


class AttributeDefinition(Shape, kw_only=True, frozen=True):
    """The type of a key attribute."""

    attribute_name: AttributeName
    attribute_type: Literal["B", "N", "S"]


class KeySchemaElement(Shape, kw_only=True, frozen=True):
    """An attribute of a key, and which part of it."""

    attribute_name: AttributeName
    key_type: Literal["HASH", "RANGE"]


class Projection(Shape, kw_only=True, frozen=True):
    """What of an item an index holds."""

    projection_type: ProjectionType | None = None
    non_key_attributes: Annotated[list[str], Meta(min_length=1)] | None = None


class ProvisionedThroughput(Shape, kw_only=True, frozen=True):
    """Units a second that were bought in advance."""

    write_capacity_units: Units
    read_capacity_units: Units


class OnDemandThroughput(Shape, kw_only=True, frozen=True):
    """A ceiling for what is paid per request."""

    max_read_request_units: UnitsMax | None = None
    max_write_request_units: UnitsMax | None = None


class WarmThroughput(Shape, kw_only=True, frozen=True):
    """What is to be served at once, without growing first."""

    read_units_per_second: int | None = None
    write_units_per_second: int | None = None


class SSESpecification(Shape, kw_only=True, frozen=True):
    """Which key items are encrypted with, on paper."""

    enabled: bool | None = None
    sse_type: Literal["AES256", "KMS"] | None = msgspec.field(default=None, name="SSEType")
    kms_master_key_id: str | None = msgspec.field(default=None, name="KMSMasterKeyId")


TableKeySchema = Annotated[list[KeySchemaElement], Meta(min_length=1, max_length=2)]
IndexKeySchema = Annotated[list[KeySchemaElement], Meta(min_length=1, max_length=8)]


class LocalSecondaryIndex(Shape, kw_only=True, frozen=True):
    """Another order inside the same partitions."""

    index_name: IndexName
    key_schema: TableKeySchema
    projection: Projection


class GlobalSecondaryIndex(Shape, kw_only=True, frozen=True):
    """Another key for the items that have it."""

    index_name: IndexName
    key_schema: IndexKeySchema
    projection: Projection
    provisioned_throughput: ProvisionedThroughput | None = None
    on_demand_throughput: OnDemandThroughput | None = None
    warm_throughput: WarmThroughput | None = None


class StreamSpecification(Shape, kw_only=True, frozen=True):
    """Whether changes are put on a stream, and what of them."""

    stream_enabled: bool
    stream_view_type: Literal["NEW_IMAGE", "OLD_IMAGE", "NEW_AND_OLD_IMAGES", "KEYS_ONLY"] | None = None


class Tag(Shape, kw_only=True, frozen=True):
    """A word about a table, and its value; the service refuses either in words of its own."""

    key: str | None = None
    value: str | None = None


class CreateTable(Shape, kw_only=True, frozen=True):
    """A new table."""

    attribute_definitions: list[AttributeDefinition]
    table_name: TableToCreate
    billing_mode: BillingMode | None = None
    provisioned_throughput: ProvisionedThroughput | None = None
    key_schema: TableKeySchema
    local_secondary_indexes: list[LocalSecondaryIndex] | None = None
    global_secondary_indexes: list[GlobalSecondaryIndex] | None = None
    stream_specification: StreamSpecification | None = None
    sse_specification: SSESpecification | None = msgspec.field(default=None, name="SSESpecification")
    tags: list[Tag] | None = None
    # Without its values here: the service has words of its own for a class that is none.
    table_class: str | None = None
    deletion_protection_enabled: bool | None = None
    on_demand_throughput: OnDemandThroughput | None = None
    warm_throughput: WarmThroughput | None = None
    resource_policy: str | None = None
    global_table_source_arn: str | None = None
    vector_indexes: list[dict[str, Any]] | None = None


class CreateGlobalSecondaryIndex(GlobalSecondaryIndex, kw_only=True, frozen=True):
    """An index for a table that exists."""


class UpdateGlobalSecondaryIndex(Shape, kw_only=True, frozen=True):
    """Other units for an index."""

    index_name: IndexName
    provisioned_throughput: ProvisionedThroughput | None = None
    on_demand_throughput: OnDemandThroughput | None = None
    warm_throughput: WarmThroughput | None = None


class DeleteGlobalSecondaryIndex(Shape, kw_only=True, frozen=True):
    """The end of an index."""

    index_name: IndexName


class GlobalSecondaryIndexUpdate(Shape, kw_only=True, frozen=True):
    """One change to the indexes of a table."""

    update: UpdateGlobalSecondaryIndex | None = None
    create: CreateGlobalSecondaryIndex | None = None
    delete: DeleteGlobalSecondaryIndex | None = None


class UpdateTable(Shape, kw_only=True, frozen=True):
    """Changes to a table that exists."""

    attribute_definitions: list[AttributeDefinition] | None = None
    table_name: NamedTable
    billing_mode: BillingMode | None = None
    provisioned_throughput: ProvisionedThroughput | None = None
    global_secondary_index_updates: list[GlobalSecondaryIndexUpdate] | None = None
    stream_specification: StreamSpecification | None = None
    sse_specification: SSESpecification | None = msgspec.field(default=None, name="SSESpecification")
    replica_updates: list[dict[str, Any]] | None = None
    table_class: str | None = None
    deletion_protection_enabled: bool | None = None
    on_demand_throughput: OnDemandThroughput | None = None
    warm_throughput: WarmThroughput | None = None
    vector_index_updates: list[dict[str, Any]] | None = None


class DescribeTable(Shape, kw_only=True, frozen=True):
    """What a table is."""

    table_name: NamedTable


class DeleteTable(Shape, kw_only=True, frozen=True):
    """The end of a table."""

    table_name: NamedTable


class ListTables(Shape, kw_only=True, frozen=True):
    """The names of the tables, a page at a time."""

    exclusive_start_table_name: Annotated[str, Meta(min_length=3, max_length=255, pattern=NAME_REGEX)] | None = None
    limit: Annotated[int, Meta(ge=1, le=100)] | None = None


class TableResult(Result, kw_only=True, frozen=True):
    """A table as DescribeTable tells it."""

    table: dict[str, Any]


class TableDescriptionResult(Result, kw_only=True, frozen=True):
    """A table as the actions that change it tell it."""

    table_description: dict[str, Any]


class ListTablesResult(Result, kw_only=True, frozen=True):
    """Names in order, and where the next page starts."""

    table_names: list[str]
    last_evaluated_table_name: str | msgspec.UnsetType = msgspec.UNSET
