"""DescribeExport: what became of an export."""

from __future__ import annotations

from typing import TYPE_CHECKING

from singletable.engine.transfers import Export, export_description, find
from singletable.wire.transfers import DescribeExport, ExportDescriptionResult

if TYPE_CHECKING:
    from singletable.engine.engine import Engine


def describe_export(engine: Engine, request: DescribeExport) -> ExportDescriptionResult:
    """Describes the export as it is now."""
    found = find(engine, Export, request.export_arn)
    return ExportDescriptionResult(export_description=export_description(engine, found))
