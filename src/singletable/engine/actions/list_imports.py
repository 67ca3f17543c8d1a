"""ListImports: a paginated list of the imports into one or all tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import UNSET

from singletable.engine.transfers.transfer_records import Import, import_description, transfer_page
from singletable.wire.transfer_requests import ListImports, ListImportsResult

if TYPE_CHECKING:
    from singletable.engine.engine import Engine

_SUMMARY_MEMBERS = (
    "ImportArn",
    "ImportStatus",
    "TableArn",
    "S3BucketSource",
    "CloudWatchLogGroupArn",
    "InputFormat",
    "StartTime",
    "EndTime",
)


def list_imports(engine: Engine, request: ListImports) -> ListImportsResult:
    """List one page of imports, ordered by ARN."""
    page, token = transfer_page(engine, Import, request.table_arn, request.page_size, request.next_token)
    descriptions = [import_description(engine, each) for each in page]
    summaries = [{name: each[name] for name in _SUMMARY_MEMBERS if name in each} for each in descriptions]
    return ListImportsResult(import_summary_list=summaries, next_token=UNSET if token is None else token)
