"""MostAccessedKeys: the keys that Contributor Insights found, which DynamoDB leaves to CloudWatch to show."""

from __future__ import annotations

from typing import TYPE_CHECKING

from singletable.engine.insights_state import index_not_found
from singletable.engine.traffic.contributors import MostUsed
from singletable.errors import invalid
from singletable.wire.insights import MostAccessedKeys, MostAccessedKeysResult, UsedKey, UsedKeys

if TYPE_CHECKING:
    from singletable.engine.engine import Engine

COUNT = 10


def most_accessed_keys(engine: Engine, request: MostAccessedKeys) -> MostAccessedKeysResult:
    """Tells what this process has counted since Contributor Insights was enabled, or since it began."""
    count = request.count or COUNT
    accessed, throttled = (
        most_used(engine, request.table_name, request.index_name, count, throttled=throttled)
        for throttled in (False, True)
    )
    return MostAccessedKeysResult(accessed=_told(accessed), throttled=_told(throttled))


def most_used(engine: Engine, table: str, index: str | None, count: int, *, throttled: bool) -> MostUsed:
    """The keys of a table or a global index that were used most; refuses where nobody counts them."""
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


def _told(used: MostUsed) -> UsedKeys:
    partition_keys, keys = (
        [UsedKey(key=each.key, amount=each.amount, excess=each.excess) for each in part] for part in used
    )
    return UsedKeys(partition_keys=partition_keys, keys=keys)
