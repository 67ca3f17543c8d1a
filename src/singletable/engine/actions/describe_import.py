"""DescribeImport: the state of an import."""

from __future__ import annotations

from typing import TYPE_CHECKING

from singletable.engine.transfers.transfer_records import Import, find_transfer, import_description
from singletable.wire.transfer_requests import DescribeImport, ImportDescriptionResult

if TYPE_CHECKING:
    from singletable.engine.engine import Engine


def describe_import(engine: Engine, request: DescribeImport) -> ImportDescriptionResult:
    """Describe the current state of the import."""
    found = find_transfer(engine, Import, request.import_arn)
    return ImportDescriptionResult(import_table_description=import_description(engine, found))
