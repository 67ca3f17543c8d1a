"""Requests and results of exports to and imports from S3 buckets."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from singletable.wire.api_types import REPORTED_PATTERN, NewTableName, Result, Shape
from singletable.wire.backup_requests import TableArn
from singletable.wire.table_requests import (
    AttributeDefinition,
    BillingMode,
    GlobalSecondaryIndex,
    OnDemandThroughput,
    ProvisionedThroughput,
    SSESpecification,
    TableKeySchema,
)

Arn = Annotated[str, Meta(min_length=37, max_length=1024)]
ClientToken = Annotated[str, Meta(pattern=r"^[^\$]+$")]
Bucket = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=255,
        pattern=r"^[a-z0-9A-Z][\.\-\w]*[a-z0-9A-Z]$",
        extra={REPORTED_PATTERN: r"^[a-z0-9A-Z]+[\.\-\w]*[a-z0-9A-Z]+$"},
    ),
]
BucketOwner = Annotated[str, Meta(pattern=r"^[0-9]{12}$")]
Prefix = Annotated[str, Meta(max_length=1024)]
PageSize = Annotated[int, Meta(ge=1, le=25)]
Header = Annotated[str, Meta(min_length=1, max_length=65_536)]


class IncrementalExportSpecification(Shape, kw_only=True, frozen=True):
    """The period of an incremental export, and which item images it contains."""

    export_from_time: float | None = None
    export_to_time: float | None = None
    export_view_type: Literal["NEW_IMAGE", "NEW_AND_OLD_IMAGES"] | None = None


class ExportTableToPointInTime(Shape, kw_only=True, frozen=True):
    """Export the items of a table at a point in time to a bucket."""

    table_arn: TableArn
    export_time: float | None = None
    client_token: ClientToken | None = None
    s3_bucket: Bucket = msgspec.field(name="S3Bucket")
    s3_bucket_owner: BucketOwner | None = msgspec.field(default=None, name="S3BucketOwner")
    s3_prefix: Prefix | None = msgspec.field(default=None, name="S3Prefix")
    s3_sse_algorithm: Literal["AES256", "KMS"] | None = msgspec.field(default=None, name="S3SseAlgorithm")
    s3_sse_kms_key_id: Annotated[str, Meta(min_length=1, max_length=2048)] | None = msgspec.field(
        default=None, name="S3SseKmsKeyId"
    )
    export_format: Literal["DYNAMODB_JSON", "ION"] | None = None
    export_type: Literal["FULL_EXPORT", "INCREMENTAL_EXPORT"] | None = None
    incremental_export_specification: IncrementalExportSpecification | None = None
    filter_specification: dict[str, Any] | None = None


class DescribeExport(Shape, kw_only=True, frozen=True):
    """Describe an export."""

    export_arn: Arn


class ListExports(Shape, kw_only=True, frozen=True):
    """List exports in the order of their ARNs, in pages."""

    table_arn: TableArn | None = None
    max_results: PageSize | None = None
    next_token: str | None = None


class S3BucketSource(Shape, kw_only=True, frozen=True):
    """The files of an import: all objects of a bucket with a key prefix."""

    s3_bucket_owner: BucketOwner | None = msgspec.field(default=None, name="S3BucketOwner")
    s3_bucket: Bucket = msgspec.field(name="S3Bucket")
    s3_key_prefix: Prefix | None = msgspec.field(default=None, name="S3KeyPrefix")


class CsvOptions(Shape, kw_only=True, frozen=True):
    """How to parse a CSV file."""

    delimiter: Annotated[str, Meta(min_length=1, max_length=1, pattern=r"^[,;:|\t ]$")] | None = None
    header_list: Annotated[list[Header], Meta(min_length=1, max_length=255)] | None = None


class InputFormatOptions(Shape, kw_only=True, frozen=True):
    """How to parse the files of an import."""

    csv: CsvOptions | None = None


class TableCreationParameters(Shape, kw_only=True, frozen=True):
    """The table that an import creates."""

    table_name: NewTableName
    attribute_definitions: list[AttributeDefinition]
    key_schema: TableKeySchema
    billing_mode: BillingMode | None = None
    provisioned_throughput: ProvisionedThroughput | None = None
    on_demand_throughput: OnDemandThroughput | None = None
    sse_specification: SSESpecification | None = msgspec.field(default=None, name="SSESpecification")
    global_secondary_indexes: list[GlobalSecondaryIndex] | None = None


class ImportTable(Shape, kw_only=True, frozen=True):
    """Create a table with the items of files in a bucket."""

    client_token: ClientToken | None = None
    s3_bucket_source: S3BucketSource = msgspec.field(name="S3BucketSource")
    input_format: Literal["DYNAMODB_JSON", "ION", "CSV"]
    input_format_options: InputFormatOptions | None = None
    input_compression_type: Literal["GZIP", "ZSTD", "NONE"] | None = None
    table_creation_parameters: TableCreationParameters


class DescribeImport(Shape, kw_only=True, frozen=True):
    """Describe an import."""

    import_arn: Arn


class ListImports(Shape, kw_only=True, frozen=True):
    """List imports in the order of their ARNs, in pages."""

    table_arn: TableArn | None = None
    page_size: PageSize | None = None
    next_token: str | None = None


class ExportDescriptionResult(Result, kw_only=True, frozen=True):
    """The full description of an export."""

    export_description: dict[str, Any]


class ListExportsResult(Result, kw_only=True, frozen=True):
    """A page of exports, and the token of the next page."""

    export_summaries: list[dict[str, Any]]
    next_token: str | msgspec.UnsetType = msgspec.UNSET


class ImportDescriptionResult(Result, kw_only=True, frozen=True):
    """The full description of an import."""

    import_table_description: dict[str, Any]


class ListImportsResult(Result, kw_only=True, frozen=True):
    """A page of imports, and the token of the next page."""

    import_summary_list: list[dict[str, Any]]
    next_token: str | msgspec.UnsetType = msgspec.UNSET
