"""Requests and results about tables: definition, time to live, tags and resource policies."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from singletable.values.limits import NAME_CHARACTERS_MAX, NAME_CHARACTERS_MIN
from singletable.wire.api_types import NAME_REGEX, IndexName, Result, Shape

# Keys in `Meta.extra`. REQUIRED marks a parameter for which DynamoDB has a separate message if the request omits it.
# LONG marks an integer whose type DynamoDB calls Long instead of Integer in error messages.
REQUIRED = "required parameter"
LONG = "a long"

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
    """A key attribute, and whether it is the partition key or the sort key."""

    attribute_name: AttributeName
    key_type: Literal["HASH", "RANGE"]


class Projection(Shape, kw_only=True, frozen=True):
    """The attributes that an index contains."""

    projection_type: ProjectionType | None = None
    non_key_attributes: Annotated[list[AttributeName], Meta(min_length=1)] | None = None


class ProvisionedThroughput(Shape, kw_only=True, frozen=True):
    """Provisioned units per second."""

    write_capacity_units: Units
    read_capacity_units: Units


class OnDemandThroughput(Shape, kw_only=True, frozen=True):
    """The maximum throughput of an on-demand table."""

    max_read_request_units: UnitsMax | None = None
    max_write_request_units: UnitsMax | None = None


class WarmThroughput(Shape, kw_only=True, frozen=True):
    """The throughput that the table supports immediately."""

    read_units_per_second: int | None = None
    write_units_per_second: int | None = None


class SSESpecification(Shape, kw_only=True, frozen=True):
    """The encryption key of a table. The engine stores the setting, but does not encrypt."""

    enabled: bool | None = None
    sse_type: Literal["AES256", "KMS"] | None = msgspec.field(default=None, name="SSEType")
    kms_master_key_id: str | None = msgspec.field(default=None, name="KMSMasterKeyId")


TableKeySchema = Annotated[list[KeySchemaElement], Meta(min_length=1, max_length=2)]
IndexKeySchema = Annotated[list[KeySchemaElement], Meta(min_length=1, max_length=8)]


class LocalSecondaryIndex(Shape, kw_only=True, frozen=True):
    """An index with the partition key of its table and a different sort key."""

    index_name: IndexName
    key_schema: TableKeySchema
    projection: Projection


class GlobalSecondaryIndex(Shape, kw_only=True, frozen=True):
    """An index with its own partition key and sort key."""

    index_name: IndexName
    key_schema: IndexKeySchema
    projection: Projection
    provisioned_throughput: ProvisionedThroughput | None = None
    on_demand_throughput: OnDemandThroughput | None = None
    warm_throughput: WarmThroughput | None = None


class StreamSpecification(Shape, kw_only=True, frozen=True):
    """Whether a stream records changes, and which item images it contains."""

    stream_enabled: bool
    stream_view_type: Literal["NEW_IMAGE", "OLD_IMAGE", "NEW_AND_OLD_IMAGES", "KEYS_ONLY"] | None = None


class Tag(Shape, kw_only=True, frozen=True):
    """A tag. Both fields are optional here, because DynamoDB has separate messages for an invalid key or value."""

    key: str | None = None
    value: str | None = None


class CreateTable(Shape, kw_only=True, frozen=True):
    """Create a table."""

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
    # Any string is valid here, because DynamoDB has a separate message for an unknown class.
    table_class: str | None = None
    deletion_protection_enabled: bool | None = None
    on_demand_throughput: OnDemandThroughput | None = None
    warm_throughput: WarmThroughput | None = None
    resource_policy: str | None = None
    global_table_source_arn: str | None = None
    vector_indexes: list[dict[str, Any]] | None = None


class CreateGlobalSecondaryIndex(GlobalSecondaryIndex, kw_only=True, frozen=True):
    """Add an index to an existing table."""


class UpdateGlobalSecondaryIndex(Shape, kw_only=True, frozen=True):
    """Change the throughput of an index."""

    index_name: IndexName
    provisioned_throughput: ProvisionedThroughput | None = None
    on_demand_throughput: OnDemandThroughput | None = None
    warm_throughput: WarmThroughput | None = None


class DeleteGlobalSecondaryIndex(Shape, kw_only=True, frozen=True):
    """Delete an index."""

    index_name: IndexName


class GlobalSecondaryIndexUpdate(Shape, kw_only=True, frozen=True):
    """One change to the indexes of a table. The request sets exactly one of the fields."""

    update: UpdateGlobalSecondaryIndex | None = None
    create: CreateGlobalSecondaryIndex | None = None
    delete: DeleteGlobalSecondaryIndex | None = None


class UpdateTable(Shape, kw_only=True, frozen=True):
    """Change an existing table."""

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
    """Describe a table."""

    table_name: NamedTable


class DeleteTable(Shape, kw_only=True, frozen=True):
    """Delete a table."""

    table_name: NamedTable


class ListTables(Shape, kw_only=True, frozen=True):
    """List the names of the tables, in pages."""

    exclusive_start_table_name: Annotated[str, Meta(min_length=3, max_length=255, pattern=NAME_REGEX)] | None = None
    limit: Annotated[int, Meta(ge=1, le=100)] | None = None


class TableResult(Result, kw_only=True, frozen=True):
    """The table description that DescribeTable returns."""

    table: dict[str, Any]


class TableDescriptionResult(Result, kw_only=True, frozen=True):
    """The table description that CreateTable, UpdateTable and DeleteTable return."""

    table_description: dict[str, Any]


class ListTablesResult(Result, kw_only=True, frozen=True):
    """A page of table names, and the last name of the page if there are more tables."""

    table_names: list[str]
    last_evaluated_table_name: str | msgspec.UnsetType = msgspec.UNSET


class TimeToLiveSpecification(Shape, kw_only=True, frozen=True):
    """Whether items expire, and the attribute that contains their expiry time."""

    enabled: bool
    attribute_name: Annotated[str, Meta(min_length=1, max_length=255)]


class UpdateTimeToLive(Shape, kw_only=True, frozen=True):
    """Enable or disable time to live (TTL) for a table."""

    table_name: NamedTable
    time_to_live_specification: TimeToLiveSpecification


class DescribeTimeToLive(Shape, kw_only=True, frozen=True):
    """Describe the time-to-live setting of a table."""

    table_name: NamedTable


class UpdateTimeToLiveResult(Result, kw_only=True, frozen=True):
    """The new time-to-live setting."""

    time_to_live_specification: dict[str, Any]


class DescribeTimeToLiveResult(Result, kw_only=True, frozen=True):
    """The current time-to-live setting and its status."""

    time_to_live_description: dict[str, Any]


Revision = Annotated[str, Meta(min_length=1, max_length=255)]


class TagResource(Shape, kw_only=True, frozen=True):
    """Add tags, or change their values."""

    # Both are optional here, because DynamoDB checks for missing parameters later, with separate messages.
    resource_arn: str | None = None
    tags: list[Tag] | None = None


class UntagResource(Shape, kw_only=True, frozen=True):
    """Remove tags."""

    resource_arn: str | None = None
    tag_keys: list[str] | None = None


class ListTagsOfResource(Shape, kw_only=True, frozen=True):
    """List the tags of a table."""

    resource_arn: str | None = None
    next_token: str | None = None


class EmptyResult(Result, kw_only=True, frozen=True):
    """An empty result."""


class ListTagsOfResourceResult(Result, kw_only=True, frozen=True):
    """All tags of a table, sorted by key."""

    tags: list[dict[str, str]]


class PutResourcePolicy(Shape, kw_only=True, frozen=True):
    """Attach a policy to a table; it replaces the current policy."""

    resource_arn: str
    policy: str
    expected_revision_id: Revision | None = None
    confirm_remove_self_resource_access: bool | None = None


class GetResourcePolicy(Shape, kw_only=True, frozen=True):
    """Read the policy of a table."""

    resource_arn: str


class DeleteResourcePolicy(Shape, kw_only=True, frozen=True):
    """Delete the policy of a table."""

    resource_arn: str
    expected_revision_id: Revision | None = None


class RevisionResult(Result, kw_only=True, frozen=True):
    """The revision of the policy that was attached or deleted. It is not set if there was no policy to delete."""

    revision_id: str | msgspec.UnsetType = msgspec.UNSET


class GetResourcePolicyResult(Result, kw_only=True, frozen=True):
    """The policy of a table, exactly as the client attached it."""

    policy: str
    revision_id: str
