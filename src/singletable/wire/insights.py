"""Contributor Insights on the wire, and the question of our own for what they found."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from singletable.wire.shape import IndexName, Item, Result, Shape
from singletable.wire.tables import NamedTable

InsightsMode = Literal["ACCESSED_AND_THROTTLED_KEYS", "THROTTLED_KEYS"]
InsightsStatus = Literal["ENABLING", "ENABLED", "DISABLING", "DISABLED"]


class UpdateContributorInsights(Shape, kw_only=True, frozen=True):
    """Begins or ends the counting of keys, for a table or for one of its global indexes."""

    table_name: NamedTable
    index_name: IndexName | None = None
    contributor_insights_action: Literal["ENABLE", "DISABLE"]
    contributor_insights_mode: InsightsMode | None = None


class DescribeContributorInsights(Shape, kw_only=True, frozen=True):
    """Whether keys are counted."""

    table_name: NamedTable
    index_name: IndexName | None = None


class ListContributorInsights(Shape, kw_only=True, frozen=True):
    """Where keys are counted, a page at a time."""

    table_name: Annotated[str, Meta(min_length=1, max_length=1024)] | None = None
    next_token: str | None = None
    max_results: Annotated[int, Meta(ge=1, le=100)] | None = None


class ContributorInsightsResult(Result, kw_only=True, frozen=True):
    """The state of the counting for one table or index."""

    table_name: str
    index_name: str | msgspec.UnsetType = msgspec.UNSET
    contributor_insights_rule_list: list[str] | msgspec.UnsetType = msgspec.UNSET
    contributor_insights_status: InsightsStatus
    last_update_date_time: float | msgspec.UnsetType = msgspec.UNSET
    contributor_insights_mode: InsightsMode | msgspec.UnsetType = msgspec.UNSET


class ListContributorInsightsResult(Result, kw_only=True, frozen=True):
    """The tables and indexes whose keys are counted."""

    contributor_insights_summaries: list[ContributorInsightsResult]
    next_token: str | msgspec.UnsetType = msgspec.UNSET


class MostAccessedKeys(Shape, kw_only=True, frozen=True):
    """The keys of a table or index that were used most, or throttled most. DynamoDB leaves this to CloudWatch."""

    table_name: NamedTable
    index_name: IndexName | None = None
    count: Annotated[int, Meta(ge=1, le=1000)] | None = None


class UsedKey(Result, kw_only=True, frozen=True):
    """A key, and the units that it consumed or the times that it was throttled: at most so many, and at least that
    less the excess."""

    key: Item
    amount: float
    excess: float


class UsedKeys(Result, kw_only=True, frozen=True):
    """Partition keys, and keys of items where there is a sort key, the most used first."""

    partition_keys: list[UsedKey]
    keys: list[UsedKey]


class MostAccessedKeysResult(Result, kw_only=True, frozen=True):
    """The keys that consumed most, and those that were throttled most."""

    accessed: UsedKeys
    throttled: UsedKeys
