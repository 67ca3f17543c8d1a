"""Exports and imports: what is kept of each, how they are found by their ARNs, and how they are told."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeVar

import msgspec

from singletable.engine.arns import arn_of, identifier_in, table_name
from singletable.engine.storage import transfer_rows
from singletable.engine.storage.transfer_rows import Kind, TransferRow
from singletable.errors import RequestRefused, invalid
from singletable.wire.decoders import decoder_of
from singletable.wire.shape import Shape

if TYPE_CHECKING:
    from singletable.engine.engine import Engine

TransferStatus = Literal["IN_PROGRESS", "COMPLETED", "FAILED"]

PAGE_MAX = 25
TOKEN_SECONDS = 8 * 3600
# The tokens of pages have to be this long, and of so many digits for each part, for the SDKs to take them.
_TOKEN_BYTES_MIN = 56
_TOKEN_PART_BYTES = 8


class Transfer(msgspec.Struct, frozen=True, kw_only=True):
    """What exports and imports have in common; `told` is the request in the words of its description."""

    identifier: str
    table: str
    table_id: str
    status: TransferStatus
    started_at: float
    ended_at: float | None = None
    token: str
    fingerprint: str
    told: dict[str, Any]
    failure_code: str | None = None
    failure_message: str | None = None


class Export(Transfer, frozen=True, kw_only=True):
    """The items of a table at a moment, on their way into a bucket."""

    kind: ClassVar[Kind] = "export"
    time: float
    items: int = 0
    size: int = 0
    manifest: str | None = None


class Import(Transfer, frozen=True, kw_only=True):
    """Files of a bucket, on their way into a table."""

    kind: ClassVar[Kind] = "import"
    processed: int = 0
    imported: int = 0
    errors: int = 0
    size: int = 0


AnyTransfer = TypeVar("AnyTransfer", Export, Import)


def keep(connection: sqlite3.Connection, transfer: Export | Import) -> None:
    """Keeps what has become of an export or import."""
    transfer_rows.keep(connection, TransferRow(transfer.identifier, transfer.kind, msgspec.json.encode(transfer)))


def all_of(connection: sqlite3.Connection, kind: type[AnyTransfer]) -> list[AnyTransfer]:
    """Every export, or every import."""
    decode = decoder_of(kind).decode
    return [decode(row.document) for row in transfer_rows.rows(connection, kind.kind)]


def find(engine: Engine, kind: type[AnyTransfer], arn: str) -> AnyTransfer:
    """The export or import that an ARN names."""
    word = kind.__name__
    named = identifier_in(engine, arn, kind.kind)
    if named is None:
        raise invalid(f"Invalid {word} ARN")
    with engine.store.reading() as connection:
        row = transfer_rows.row(connection, named[1])
    if row is None or row.kind != kind.kind:
        raise RequestRefused(f"{word}NotFoundException", f"{word} not found: {arn}")
    return decoder_of(kind).decode(row.document)


def fingerprint_of(request: Shape) -> str:
    """What tells a request that is sent again from another one under the same token."""
    return hashlib.sha256(msgspec.json.encode(request)).hexdigest()


def repeated(
    connection: sqlite3.Connection, kind: type[AnyTransfer], token: str | None, fingerprint: str, now: float
) -> AnyTransfer | None:
    """What was begun under a token within eight hours; refuses when that was another request."""
    for transfer in all_of(connection, kind) if token is not None else ():
        if transfer.token == token and now - transfer.started_at < TOKEN_SECONDS:
            if transfer.fingerprint != fingerprint:
                raise RequestRefused(f"{kind.__name__}ConflictException", "Duplicate request detected")
            return transfer
    return None


def arn_of_transfer(engine: Engine, transfer: Export | Import) -> str:
    """The ARN of an export or import."""
    return arn_of(engine, transfer.table, transfer.kind, transfer.identifier)


def page_of(
    engine: Engine, kind: type[AnyTransfer], table_arn: str | None, size: int | None, token: str | None
) -> tuple[list[AnyTransfer], str | None]:
    """A page of exports or imports in the order of their ARNs, and the token of the next one."""
    with engine.store.reading() as connection:
        transfers = {arn_of_transfer(engine, each): each for each in all_of(connection, kind)}
    start = "" if token is None else _read_token(token)
    wanted = None if table_arn is None else table_name(engine, table_arn)
    arns = [arn for arn in _of_table(transfers, table_arn is None, wanted) if arn > start]
    limit = size or PAGE_MAX
    page = arns[:limit]
    return [transfers[arn] for arn in page], _written_token(page[-1]) if len(arns) > limit else None


def _of_table(transfers: dict[str, AnyTransfer], of_all: bool, table: str | None) -> Iterable[str]:
    return (arn for arn in sorted(transfers) if of_all or transfers[arn].table == table)


def _written_token(arn: str) -> str:
    text = arn.encode()
    length = max(len(text), _TOKEN_BYTES_MIN)
    return text.ljust(length + -length % _TOKEN_PART_BYTES, b"\0").hex()


def _read_token(token: str) -> str:
    try:
        return bytes.fromhex(token).rstrip(b"\0").decode()
    except ValueError:
        raise invalid("Invalid NextToken") from None


def common_description(engine: Engine, transfer: Export | Import) -> dict[str, Any]:
    """What the descriptions of exports and imports have in common; times are told by the names they have there."""
    document: dict[str, Any] = {
        "TableArn": engine.arn(transfer.table),
        "TableId": transfer.table_id,
        "ClientToken": transfer.token,
        "StartTime": transfer.started_at,
        **transfer.told,
    }
    if transfer.ended_at is not None:
        document["EndTime"] = transfer.ended_at
    if transfer.failure_code is not None:
        document["FailureCode"] = transfer.failure_code
        document["FailureMessage"] = transfer.failure_message
    return document


def export_description(engine: Engine, export: Export) -> dict[str, Any]:
    """An export in the words of DescribeExport."""
    document = {
        "ExportArn": arn_of_transfer(engine, export),
        "ExportStatus": export.status,
        "ExportTime": export.time,
        **common_description(engine, export),
    }
    if export.status == "COMPLETED":
        document |= {"ItemCount": export.items, "BilledSizeBytes": export.size, "ExportManifest": export.manifest}
    return document


def import_description(engine: Engine, import_: Import) -> dict[str, Any]:
    """An import in the words of DescribeImport."""
    return {
        "ImportArn": arn_of_transfer(engine, import_),
        "ImportStatus": import_.status,
        "CloudWatchLogGroupArn": engine.log_group_arn("/aws-dynamodb/imports"),
        "ErrorCount": import_.errors,
        "ProcessedSizeBytes": import_.size,
        "ProcessedItemCount": import_.processed,
        "ImportedItemCount": import_.imported,
        **common_description(engine, import_),
    }
