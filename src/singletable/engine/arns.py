"""The resource names of tables and of what belongs to them: backups, exports and imports."""

from __future__ import annotations

import re
import secrets
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from singletable.engine.engine import Engine

Kind = Literal["backup", "export", "import"]

_OF_TABLE = re.compile(
    r"arn:[^:/]+:dynamodb:[^:/]*:[^:/]*:table/(?P<table>[^:/]+)(?:/(?P<kind>\w+)/(?P<identifier>.+))?"
)


def table_name(engine: Engine, text: str) -> str | None:
    """The table that a name or an ARN names; None when the ARN is of no table that this engine could have."""
    if not text.startswith("arn:"):
        return text
    matched = _OF_TABLE.fullmatch(text)
    return matched["table"] if matched is not None and engine.arn(matched["table"]) == text else None


def arn_of(engine: Engine, table: str, kind: Kind, identifier: str) -> str:
    """The ARN of something that belongs to a table."""
    return f"{engine.arn(table)}/{kind}/{identifier}"


def identifier_in(engine: Engine, arn: str, kind: Kind) -> tuple[str, str] | None:
    """The table and the identifier that an ARN of this kind names; None when it is no such ARN of this engine."""
    matched = _OF_TABLE.fullmatch(arn)
    if matched is None or matched["kind"] != kind:
        return None
    table, identifier = matched["table"], matched["identifier"]
    return (table, identifier) if arn_of(engine, table, kind, identifier) == arn else None


def new_identifier(now: float) -> str:
    """An identifier as the service makes them: milliseconds in fourteen digits, and chance."""
    return f"{int(now * 1000):014d}-{secrets.token_hex(4)}"
