"""ListImports: imports into one table or into all, a page at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import UNSET

from singletable.engine.transfers import Import, import_description, page_of
from singletable.wire.transfers import ListImports, ListImportsResult

if TYPE_CHECKING:
    from singletable.engine.engine import Engine

_TOLD = (
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
    """Lists imports in the order of their ARNs."""
    page, token = page_of(engine, Import, request.table_arn, request.page_size, request.next_token)
    descriptions = [import_description(engine, each) for each in page]
    summaries = [{name: each[name] for name in _TOLD if name in each} for each in descriptions]
    return ListImportsResult(import_summary_list=summaries, next_token=UNSET if token is None else token)
