"""DescribeTimeToLive: whether TTL is enabled for a table, and the TTL attribute."""

from __future__ import annotations

from typing import TYPE_CHECKING

from singletable.wire.table_requests import DescribeTimeToLive, DescribeTimeToLiveResult

if TYPE_CHECKING:
    from singletable.engine.engine import Engine


def describe_time_to_live(engine: Engine, request: DescribeTimeToLive) -> DescribeTimeToLiveResult:
    """Describe the current TTL setting of the table."""
    setting = engine.catalog.require_fresh(request.table_name).definition.time_to_live
    if setting is None or setting.attribute is None:
        return DescribeTimeToLiveResult(time_to_live_description={"TimeToLiveStatus": "DISABLED"})
    return DescribeTimeToLiveResult(
        time_to_live_description={"TimeToLiveStatus": setting.status, "AttributeName": setting.attribute}
    )
