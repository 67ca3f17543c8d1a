"""DescribeImport: what became of an import."""

from __future__ import annotations

from typing import TYPE_CHECKING

from singletable.engine.transfers import Import, find, import_description
from singletable.wire.transfers import DescribeImport, ImportDescriptionResult

if TYPE_CHECKING:
    from singletable.engine.engine import Engine


def describe_import(engine: Engine, request: DescribeImport) -> ImportDescriptionResult:
    """Describes the import as it is now."""
    found = find(engine, Import, request.import_arn)
    return ImportDescriptionResult(import_table_description=import_description(engine, found))
