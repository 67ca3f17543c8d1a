"""DescribeLimits: the maximum provisioned capacity units per account and per table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from singletable.wire.account_requests import DescribeLimits, DescribeLimitsResult

if TYPE_CHECKING:
    from singletable.engine.engine import Engine

ACCOUNT_UNITS_MAX = 80_000
TABLE_UNITS_MAX = 40_000


def describe_limits(engine: Engine, request: DescribeLimits) -> DescribeLimitsResult:
    """Return the limits of a new AWS account. The engine does not enforce these limits."""
    return DescribeLimitsResult(
        account_max_read_capacity_units=ACCOUNT_UNITS_MAX,
        account_max_write_capacity_units=ACCOUNT_UNITS_MAX,
        table_max_read_capacity_units=TABLE_UNITS_MAX,
        table_max_write_capacity_units=TABLE_UNITS_MAX,
    )
