"""ListExports: a paginated list of the exports of one or all tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import UNSET

from singletable.engine.transfers.transfer_records import Export, arn_of_transfer, transfer_page
from singletable.wire.transfer_requests import ListExports, ListExportsResult

if TYPE_CHECKING:
    from singletable.engine.engine import Engine


def list_exports(engine: Engine, request: ListExports) -> ListExportsResult:
    """List one page of exports, ordered by ARN."""
    page, token = transfer_page(engine, Export, request.table_arn, request.max_results, request.next_token)
    summaries = [
        {
            "ExportArn": arn_of_transfer(engine, export),
            "ExportStatus": export.status,
            "ExportType": export.parameters.get("ExportType", "FULL_EXPORT"),
        }
        for export in page
    ]
    return ListExportsResult(export_summaries=summaries, next_token=UNSET if token is None else token)
