"""DescribeGlobalTableSettings: this engine has no global tables (version 2017.11.29)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from singletable.engine.actions.describe_global_table import no_global_table
from singletable.wire.account_requests import DescribeGlobalTableSettings

if TYPE_CHECKING:
    from singletable.engine.engine import Engine


def describe_global_table_settings(engine: Engine, request: DescribeGlobalTableSettings) -> NoReturn:
    """Raise DynamoDB's error for a missing global table."""
    raise no_global_table(request.global_table_name)
