"""Export and import records: stored state, lookup by ARN, pagination, and descriptions."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, TypeVar

import msgspec

from singletable.engine.storage.row_checksum import check_record, record_checksum
from singletable.engine.tables.arns import arn_of, parse_arn, table_name
from singletable.errors import RequestRefused, invalid
from singletable.wire.api_types import Shape, decoder_of

if TYPE_CHECKING:
    from singletable.engine.engine import Engine

Kind = Literal["export", "import"]
TransferStatus = Literal["IN_PROGRESS", "COMPLETED", "FAILED"]
INTERRUPTED = (
    "Interrupted",
    "The engine was closed, or its process ended, before the job was complete; start the job again",
)
PAGE_MAX = 25
TOKEN_SECONDS = 8 * 3600
# The SDKs accept a NextToken only if it has at least the minimum length and is a multiple of the part length.
_TOKEN_BYTES_MIN = 56
_TOKEN_PART_BYTES = 8


class Transfer(msgspec.Struct, frozen=True, kw_only=True):
    """The common state of exports and imports."""

    identifier: str
    table: str
    table_id: str
    status: TransferStatus
    started_at: float
    ended_at: float | None = None
    token: str
    fingerprint: str
    told: dict[str, Any]  # the parameters of the request; existing stores use this field name
    failure_code: str | None = None
    failure_message: str | None = None

    @property
    def parameters(self) -> dict[str, Any]:
        """Return the parameters of the request, as the description shows them."""
        return self.told


class Export(Transfer, frozen=True, kw_only=True):
    """An export of a table to a bucket."""

    kind: ClassVar[Kind] = "export"
    time: float
    items: int = 0
    size: int = 0
    manifest: str | None = None


class Import(Transfer, frozen=True, kw_only=True):
    """An import of files in a bucket into a new table."""

    kind: ClassVar[Kind] = "import"
    processed: int = 0
    imported: int = 0
    errors: int = 0
    size: int = 0


AnyTransfer = TypeVar("AnyTransfer", Export, Import)


class TransferRow(NamedTuple):
    """The row of an export or import in the store. The document is the encoded Export or Import."""

    identifier: str
    kind: Kind
    document: bytes


def _transfer_rows(connection: sqlite3.Connection, kind: Kind) -> list[TransferRow]:
    """Return the rows of all exports or of all imports, ordered by identifier."""
    statement = "SELECT identifier, kind, document, checksum FROM transfers WHERE kind = ? ORDER BY identifier"
    return [_verified(connection, row) for row in connection.execute(statement, (kind,))]


def _transfer_row(connection: sqlite3.Connection, identifier: str) -> TransferRow | None:
    """Return the row of the export or import with this identifier, or None if there is none."""
    statement = "SELECT identifier, kind, document, checksum FROM transfers WHERE identifier = ?"
    found = connection.execute(statement, (identifier,)).fetchone()
    return None if found is None else _verified(connection, found)


def _verified(connection: sqlite3.Connection, row: tuple[Any, ...]) -> TransferRow:
    check_record(connection, f"the record of {row[1]} {row[0]}", row[-1], *row[:-1])
    return TransferRow(*row[:-1])


def save_transfer(connection: sqlite3.Connection, transfer: Export | Import) -> None:
    """Save the state of an export or import."""
    row = TransferRow(transfer.identifier, transfer.kind, msgspec.json.encode(transfer))
    connection.execute("INSERT OR REPLACE INTO transfers VALUES (?, ?, ?, ?)", (*row, record_checksum(*row)))


def all_transfers(connection: sqlite3.Connection, kind: type[AnyTransfer]) -> list[AnyTransfer]:
    """Return all exports or all imports."""
    decode = decoder_of(kind).decode
    return [decode(row.document) for row in _transfer_rows(connection, kind.kind)]


def find_transfer(engine: Engine, kind: type[AnyTransfer], arn: str) -> AnyTransfer:
    """Return the export or import with this ARN. Raise an error if there is none."""
    word = kind.__name__
    named = parse_arn(engine, arn, kind.kind)
    if named is None:
        raise invalid(f"Invalid {word} ARN")
    with engine.store.reading() as connection:
        row = _transfer_row(connection, named[1])
    if row is None or row.kind != kind.kind:
        raise RequestRefused(f"{word}NotFoundException", f"{word} not found: {arn}")
    return decoder_of(kind).decode(row.document)


def request_fingerprint(request: Shape) -> str:
    """Return a hash that distinguishes a repeated request from a different request with the same token."""
    return hashlib.sha256(msgspec.json.encode(request)).hexdigest()


def find_repeated(
    connection: sqlite3.Connection, kind: type[AnyTransfer], token: str | None, fingerprint: str, now: float
) -> AnyTransfer | None:
    """Return the export or import that used this token in the last eight hours, or None.

    Reject a different request that reuses the token.
    """
    for transfer in all_transfers(connection, kind) if token is not None else ():
        if transfer.token == token and now - transfer.started_at < TOKEN_SECONDS:
            if transfer.fingerprint != fingerprint:
                raise RequestRefused(f"{kind.__name__}ConflictException", "Duplicate request detected")
            return transfer
    return None


def arn_of_transfer(engine: Engine, transfer: Export | Import) -> str:
    """Return the ARN of an export or import."""
    return arn_of(engine, transfer.table, transfer.kind, transfer.identifier)


def transfer_page(
    engine: Engine, kind: type[AnyTransfer], table_arn: str | None, size: int | None, token: str | None
) -> tuple[list[AnyTransfer], str | None]:
    """Return a page of exports or imports in ARN order, and the NextToken if there are more."""
    with engine.store.reading() as connection:
        transfers = {arn_of_transfer(engine, each): each for each in all_transfers(connection, kind)}
    start = "" if token is None else _decode_token(token)
    table = None if table_arn is None else table_name(engine, table_arn)
    arns = [arn for arn in _of_table(transfers, table_arn is None, table) if arn > start]
    limit = size or PAGE_MAX
    page = arns[:limit]
    return [transfers[arn] for arn in page], _encode_token(page[-1]) if len(arns) > limit else None


def _of_table(transfers: dict[str, AnyTransfer], of_all: bool, table: str | None) -> Iterable[str]:
    return (arn for arn in sorted(transfers) if of_all or transfers[arn].table == table)


def _encode_token(arn: str) -> str:
    text = arn.encode()
    length = max(len(text), _TOKEN_BYTES_MIN)
    return text.ljust(length + -length % _TOKEN_PART_BYTES, b"\0").hex()


def _decode_token(token: str) -> str:
    try:
        return bytes.fromhex(token).rstrip(b"\0").decode()
    except ValueError:
        raise invalid("Invalid NextToken") from None


def common_description(engine: Engine, transfer: Export | Import) -> dict[str, Any]:
    """Return the members that the descriptions of exports and imports share."""
    document: dict[str, Any] = {
        "TableArn": engine.arn(transfer.table),
        "TableId": transfer.table_id,
        "ClientToken": transfer.token,
        "StartTime": transfer.started_at,
        **transfer.parameters,
    }
    if transfer.ended_at is not None:
        document["EndTime"] = transfer.ended_at
    if transfer.failure_code is not None:
        document["FailureCode"] = transfer.failure_code
        document["FailureMessage"] = transfer.failure_message
    return document


def export_description(engine: Engine, export: Export) -> dict[str, Any]:
    """Return the ExportDescription of an export."""
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
    """Return the ImportTableDescription of an import."""
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
