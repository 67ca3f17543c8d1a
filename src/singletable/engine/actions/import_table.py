"""ImportTable: creates a table from files in a bucket."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import uuid4

import msgspec

from singletable.engine.storage import catalog_rows
from singletable.engine.tables.arns import new_identifier
from singletable.engine.tables.encryption import KeyScope
from singletable.engine.tables.new_definition import new_definition
from singletable.engine.tables.table_definition import TableDefinition
from singletable.engine.tables.table_validation import check_new_table
from singletable.engine.transfers.import_files import require_compression
from singletable.engine.transfers.import_job import ImportJob
from singletable.engine.transfers.ion import require_ion
from singletable.engine.transfers.transfer_records import (
    Import,
    find_repeated,
    import_description,
    request_fingerprint,
    save_transfer,
)
from singletable.errors import RequestRefused
from singletable.wire.table_requests import CreateTable
from singletable.wire.transfer_requests import ImportDescriptionResult, ImportTable

if TYPE_CHECKING:
    from singletable.engine.engine import Engine


def import_table(engine: Engine, request: ImportTable) -> ImportDescriptionResult:
    """Create the table, and start the import as a background job."""
    engine.buckets.check(request.s3_bucket_source.s3_key_prefix)
    require_compression(request.input_compression_type)
    if request.input_format == "ION":
        require_ion()
    parameters = request.table_creation_parameters
    creation = CreateTable(**{name: getattr(parameters, name) for name in parameters.__struct_fields__})
    check_new_table(creation)
    now, fingerprint = engine.now(), request_fingerprint(request)
    with engine.store.reading() as connection:
        same = find_repeated(connection, Import, request.client_token, fingerprint, now)
    if same is not None:
        return ImportDescriptionResult(import_table_description=import_description(engine, same))
    definition = msgspec.structs.replace(
        new_definition(creation, now, KeyScope(engine.region, engine.account)), status="CREATING"
    )
    import_ = _import(request, definition, fingerprint)

    def prepare() -> ImportJob:
        with engine.store.writing() as connection:
            if catalog_rows.row(connection, definition.name) is not None:
                raise RequestRefused("ResourceInUseException", f"Table already exists: {definition.name}")
            table = engine.catalog.add(connection, definition)
            save_transfer(connection, import_)
        return ImportJob(engine, import_, table)

    engine.jobs.start_owned(f"import {import_.identifier}", prepare)
    return ImportDescriptionResult(import_table_description=import_description(engine, import_))


def _import(request: ImportTable, definition: TableDefinition, fingerprint: str) -> Import:
    described = _without_none(msgspec.to_builtins(request))
    described.pop("ClientToken", None)
    described.setdefault("InputCompressionType", "NONE")
    return Import(
        identifier=new_identifier(definition.created_at),
        table=definition.name,
        table_id=definition.identifier,
        status="IN_PROGRESS",
        started_at=definition.created_at,
        token=request.client_token or str(uuid4()),
        fingerprint=fingerprint,
        told=described,
    )


def _without_none(document: Any) -> Any:
    if isinstance(document, dict):
        return {name: _without_none(value) for name, value in document.items() if value is not None}
    if isinstance(document, list):
        return [_without_none(each) for each in document]
    return document
