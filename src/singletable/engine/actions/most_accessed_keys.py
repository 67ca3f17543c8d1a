"""MostAccessedKeys: the keys counted by Contributor Insights, which DynamoDB shows only in CloudWatch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from singletable.engine.tables.insights_settings import index_not_found
from singletable.engine.traffic.contributor_insights import MostUsedKeys
from singletable.errors import invalid
from singletable.wire.insights_requests import MostAccessedKeys, MostAccessedKeysResult, UsedKey, UsedKeys

if TYPE_CHECKING:
    from singletable.engine.engine import Engine

COUNT = 10


def most_accessed_keys(engine: Engine, request: MostAccessedKeys) -> MostAccessedKeysResult:
    """Return the accesses since Contributor Insights was enabled or this process started, whichever is later."""
    count = request.count or COUNT
    accessed, throttled = (
        most_used(engine, request.table_name, request.index_name, count, throttled=throttled)
        for throttled in (False, True)
    )
    return MostAccessedKeysResult(accessed=_used_keys(accessed), throttled=_used_keys(throttled))


def most_used(engine: Engine, table: str, index: str | None, count: int, *, throttled: bool) -> MostUsedKeys:
    """Return the most used keys of a table or global index. Raise an error if Contributor Insights is disabled."""
    found = engine.catalog.require_fresh(table)
    if index is not None and found.index(index) is None:
        raise index_not_found(table, index)
    used = None if found.traffic is None else found.traffic.most_used(index, count, throttled=throttled)
    if used is None:
        what = table if index is None else f"{table}/{index}"
        raise invalid(
            f"The keys of {what} are not counted: enable Contributor Insights with UpdateContributorInsights first"
        )
    return used


def _used_keys(used: MostUsedKeys) -> UsedKeys:
    partition_keys, keys = (
        [UsedKey(key=each.key, amount=each.amount, excess=each.excess) for each in part] for part in used
    )
    return UsedKeys(partition_keys=partition_keys, keys=keys)
