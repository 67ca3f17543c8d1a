"""ARNs of tables, backups, exports and imports, with DynamoDB's errors for invalid ARNs."""

from __future__ import annotations

import re
import secrets
from typing import TYPE_CHECKING, Literal, NamedTuple

from singletable.errors import RequestRefused, invalid

if TYPE_CHECKING:
    from singletable.engine.engine import Engine

ArnKind = Literal["backup", "export", "import"]

_TABLE_ARN = re.compile(
    r"arn:[^:/]+:dynamodb:[^:/]*:[^:/]*:table/(?P<table>[^:/]+)(?:/(?P<kind>\w+)/(?P<identifier>.+))?"
)


def table_name(engine: Engine, text: str) -> str | None:
    """Return the table name for a table name or ARN.

    Return None if the ARN belongs to another account or region, or does not name a table.
    """
    if not text.startswith("arn:"):
        return text
    matched = _TABLE_ARN.fullmatch(text)
    return matched["table"] if matched is not None and engine.arn(matched["table"]) == text else None


def arn_of(engine: Engine, table: str, kind: ArnKind, identifier: str) -> str:
    """Return the ARN of a backup, export or import."""
    return f"{engine.arn(table)}/{kind}/{identifier}"


def parse_arn(engine: Engine, arn: str, kind: ArnKind) -> tuple[str, str] | None:
    """Return the table name and the identifier in an ARN.

    Return None if it is not an ARN of this kind in this engine.
    """
    matched = _TABLE_ARN.fullmatch(arn)
    if matched is None or matched["kind"] != kind:
        return None
    table, identifier = matched["table"], matched["identifier"]
    return (table, identifier) if arn_of(engine, table, kind, identifier) == arn else None


def new_identifier(now: float) -> str:
    """Return a new identifier in DynamoDB's format: the time in milliseconds (14 digits) and random hex digits."""
    return f"{int(now * 1000):014d}-{secrets.token_hex(4)}"


UNUSED_ACCOUNT = "000000000000"
_INVALID = "One or more parameter values were invalid: "
_TABLE_PREFIX = "table/"


class ResourceArn(NamedTuple):
    """The parts of a table ARN such as `arn:aws:dynamodb:us-east-1:000000000000:table/shop`."""

    text: str
    region: str
    account: str
    table: str


def tagged_table(engine: Engine, arn: str | None, action: str) -> str:
    """Return the table name of an ARN in a tagging request, without checking that the table exists."""
    if arn is None:
        raise invalid("Invalid TableArn")
    parsed = _parsed(arn)
    if parsed.account != engine.account:
        raise _denied(engine, action, arn)
    if parsed.region != engine.region:
        raise invalid(f"Invalid TableArn: Invalid ResourceArn provided as input {arn}")
    return parsed.table


def tagged_table_not_found(engine: Engine, arn: str, action: str) -> RequestRefused:
    """Return the error for a tagging request with an unknown table.

    For account 000000000000, the engine's default, DynamoDB denies access to ListTagsOfResource (captured from AWS).
    """
    if engine.account == UNUSED_ACCOUNT and action == "ListTagsOfResource":
        return _denied(engine, action, arn)
    return RequestRefused("ResourceNotFoundException", f"Requested resource not found: ResourceArn: {arn} not found")


def table_with_policy(engine: Engine, arn: str) -> str:
    """Return the table name of an ARN in a resource policy request, without checking that the table exists."""
    parsed = _parsed(arn)
    if parsed.account != engine.account:
        raise invalid("This action is only supported by accounts that match the resource owner\u2019s account.")
    if parsed.region != engine.region:
        raise invalid(f"{_INVALID}Invalid resource Arn: {arn}")
    return parsed.table


def _parsed(arn: str) -> ResourceArn:
    if not arn.startswith("arn:"):
        raise invalid(f"{_INVALID}ARNs must start with 'arn:': {arn}")
    parts = arn.split(":", 5)
    if len(parts) < 6 or parts[2] != "dynamodb" or not parts[5].startswith(_TABLE_PREFIX):
        raise invalid(f"{_INVALID}Provided Arn is not a DynamoDB resource arn: {arn}")
    table, slash, _ = parts[5].removeprefix(_TABLE_PREFIX).partition("/")
    if slash:
        raise invalid(
            f"{_INVALID}Invalid resource arn provided, only table or stream is accepted. Provided resource arn: {arn}"
        )
    if len(table) < 3:
        raise invalid(f"Invalid TableArn: Invalid ResourceArn provided as input {arn}")
    return ResourceArn(arn, parts[3], parts[4], table)


def _denied(engine: Engine, action: str, arn: str) -> RequestRefused:
    return RequestRefused(
        "AccessDeniedException",
        f"User: arn:aws:iam::{engine.account}:root is not authorized to perform: dynamodb:{action} on resource: {arn}",
    )
