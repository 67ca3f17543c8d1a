"""DescribeExport: the state of an export."""

from __future__ import annotations

from typing import TYPE_CHECKING

from singletable.engine.transfers.transfer_records import Export, export_description, find_transfer
from singletable.wire.transfer_requests import DescribeExport, ExportDescriptionResult

if TYPE_CHECKING:
    from singletable.engine.engine import Engine


def describe_export(engine: Engine, request: DescribeExport) -> ExportDescriptionResult:
    """Describe the current state of the export."""
    found = find_transfer(engine, Export, request.export_arn)
    return ExportDescriptionResult(export_description=export_description(engine, found))
