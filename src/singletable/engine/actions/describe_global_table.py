"""DescribeGlobalTable: this engine has no global tables (version 2017.11.29)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from singletable.errors import RequestRefused
from singletable.wire.account_requests import DescribeGlobalTable

if TYPE_CHECKING:
    from singletable.engine.engine import Engine


def describe_global_table(engine: Engine, request: DescribeGlobalTable) -> NoReturn:
    """Raise DynamoDB's error for a missing global table."""
    raise no_global_table(request.global_table_name)


def no_global_table(name: str) -> RequestRefused:
    """Return the error for a missing global table."""
    return RequestRefused("GlobalTableNotFoundException", f"Global table with name: '{name}' does not exist.")
