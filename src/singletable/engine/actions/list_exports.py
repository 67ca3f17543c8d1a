"""ListExports: exports of one table or of all, a page at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import UNSET

from singletable.engine.transfers import Export, arn_of_transfer, page_of
from singletable.wire.transfers import ListExports, ListExportsResult

if TYPE_CHECKING:
    from singletable.engine.engine import Engine


def list_exports(engine: Engine, request: ListExports) -> ListExportsResult:
    """Lists exports in the order of their ARNs."""
    page, token = page_of(engine, Export, request.table_arn, request.max_results, request.next_token)
    summaries = [
        {
            "ExportArn": arn_of_transfer(engine, export),
            "ExportStatus": export.status,
            "ExportType": export.told.get("ExportType", "FULL_EXPORT"),
        }
        for export in page
    ]
    return ListExportsResult(export_summaries=summaries, next_token=UNSET if token is None else token)
