"""Exports to and imports from buckets on the wire."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from singletable.wire.backups import TableArn
from singletable.wire.shape import PATTERN_AS_TOLD, NewTableName, Result, Shape
from singletable.wire.tables import (
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
        extra={PATTERN_AS_TOLD: r"^[a-z0-9A-Z]+[\.\-\w]*[a-z0-9A-Z]+$"},
    ),
]
BucketOwner = Annotated[str, Meta(pattern=r"^[0-9]{12}$")]
Prefix = Annotated[str, Meta(max_length=1024)]
PageSize = Annotated[int, Meta(ge=1, le=25)]
Header = Annotated[str, Meta(min_length=1, max_length=65_536)]


class IncrementalExportSpecification(Shape, kw_only=True, frozen=True):
    """Which changes are exported, and what of them."""

    export_from_time: float | None = None
    export_to_time: float | None = None
    export_view_type: Literal["NEW_IMAGE", "NEW_AND_OLD_IMAGES"] | None = None


class ExportTableToPointInTime(Shape, kw_only=True, frozen=True):
    """The items of a table at a moment, as files in a bucket."""

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
    """What became of an export."""

    export_arn: Arn


class ListExports(Shape, kw_only=True, frozen=True):
    """Exports in the order of their ARNs, a page at a time."""

    table_arn: TableArn | None = None
    max_results: PageSize | None = None
    next_token: str | None = None


class S3BucketSource(Shape, kw_only=True, frozen=True):
    """Where the files of an import are: those in a bucket whose keys begin so."""

    s3_bucket_owner: BucketOwner | None = msgspec.field(default=None, name="S3BucketOwner")
    s3_bucket: Bucket = msgspec.field(name="S3Bucket")
    s3_key_prefix: Prefix | None = msgspec.field(default=None, name="S3KeyPrefix")


class CsvOptions(Shape, kw_only=True, frozen=True):
    """How the lines of a CSV file are read."""

    delimiter: Annotated[str, Meta(min_length=1, max_length=1, pattern=r"^[,;:|\t ]$")] | None = None
    header_list: Annotated[list[Header], Meta(min_length=1, max_length=255)] | None = None


class InputFormatOptions(Shape, kw_only=True, frozen=True):
    """How the files of an import are read."""

    csv: CsvOptions | None = None


class TableCreationParameters(Shape, kw_only=True, frozen=True):
    """The table that an import makes."""

    table_name: NewTableName
    attribute_definitions: list[AttributeDefinition]
    key_schema: TableKeySchema
    billing_mode: BillingMode | None = None
    provisioned_throughput: ProvisionedThroughput | None = None
    on_demand_throughput: OnDemandThroughput | None = None
    sse_specification: SSESpecification | None = msgspec.field(default=None, name="SSESpecification")
    global_secondary_indexes: list[GlobalSecondaryIndex] | None = None


class ImportTable(Shape, kw_only=True, frozen=True):
    """A new table with the items of files in a bucket."""

    client_token: ClientToken | None = None
    s3_bucket_source: S3BucketSource = msgspec.field(name="S3BucketSource")
    input_format: Literal["DYNAMODB_JSON", "ION", "CSV"]
    input_format_options: InputFormatOptions | None = None
    input_compression_type: Literal["GZIP", "ZSTD", "NONE"] | None = None
    table_creation_parameters: TableCreationParameters


class DescribeImport(Shape, kw_only=True, frozen=True):
    """What became of an import."""

    import_arn: Arn


class ListImports(Shape, kw_only=True, frozen=True):
    """Imports in the order of their ARNs, a page at a time."""

    table_arn: TableArn | None = None
    page_size: PageSize | None = None
    next_token: str | None = None


class ExportDescriptionResult(Result, kw_only=True, frozen=True):
    """An export with all that is known of it."""

    export_description: dict[str, Any]


class ListExportsResult(Result, kw_only=True, frozen=True):
    """Exports in order, and where the next page starts."""

    export_summaries: list[dict[str, Any]]
    next_token: str | msgspec.UnsetType = msgspec.UNSET


class ImportDescriptionResult(Result, kw_only=True, frozen=True):
    """An import with all that is known of it."""

    import_table_description: dict[str, Any]


class ListImportsResult(Result, kw_only=True, frozen=True):
    """Imports in order, and where the next page starts."""

    import_summary_list: list[dict[str, Any]]
    next_token: str | msgspec.UnsetType = msgspec.UNSET
