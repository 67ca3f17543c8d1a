"""Requests and results of Contributor Insights, and of an action of this project for the most accessed keys."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from singletable.wire.api_types import IndexName, Item, Result, Shape
from singletable.wire.table_requests import NamedTable

InsightsMode = Literal["ACCESSED_AND_THROTTLED_KEYS", "THROTTLED_KEYS"]
InsightsStatus = Literal["ENABLING", "ENABLED", "DISABLING", "DISABLED"]


class UpdateContributorInsights(Shape, kw_only=True, frozen=True):
    """Enable or disable Contributor Insights for a table or one of its global indexes."""

    table_name: NamedTable
    index_name: IndexName | None = None
    contributor_insights_action: Literal["ENABLE", "DISABLE"]
    contributor_insights_mode: InsightsMode | None = None


class DescribeContributorInsights(Shape, kw_only=True, frozen=True):
    """Describe the Contributor Insights setting of a table or index."""

    table_name: NamedTable
    index_name: IndexName | None = None


class ListContributorInsights(Shape, kw_only=True, frozen=True):
    """List the tables and indexes with Contributor Insights, in pages."""

    table_name: Annotated[str, Meta(min_length=1, max_length=1024)] | None = None
    next_token: str | None = None
    max_results: Annotated[int, Meta(ge=1, le=100)] | None = None


class ContributorInsightsResult(Result, kw_only=True, frozen=True):
    """The state of Contributor Insights for one table or index."""

    table_name: str
    index_name: str | msgspec.UnsetType = msgspec.UNSET
    contributor_insights_rule_list: list[str] | msgspec.UnsetType = msgspec.UNSET
    contributor_insights_status: InsightsStatus
    last_update_date_time: float | msgspec.UnsetType = msgspec.UNSET
    contributor_insights_mode: InsightsMode | msgspec.UnsetType = msgspec.UNSET


class ListContributorInsightsResult(Result, kw_only=True, frozen=True):
    """The tables and indexes with Contributor Insights."""

    contributor_insights_summaries: list[ContributorInsightsResult]
    next_token: str | msgspec.UnsetType = msgspec.UNSET


class MostAccessedKeys(Shape, kw_only=True, frozen=True):
    """Request the most accessed and most throttled keys. AWS shows these keys only in CloudWatch."""

    table_name: NamedTable
    index_name: IndexName | None = None
    count: Annotated[int, Meta(ge=1, le=1000)] | None = None


class UsedKey(Result, kw_only=True, frozen=True):
    """A key with its estimated units or throttled requests.

    The exact number is between `amount - excess` and `amount`.
    """

    key: Item
    amount: float
    excess: float


class UsedKeys(Result, kw_only=True, frozen=True):
    """The most used partition keys and, if there is a sort key, the most used item keys.

    The most used key comes first.
    """

    partition_keys: list[UsedKey]
    keys: list[UsedKey]


class MostAccessedKeysResult(Result, kw_only=True, frozen=True):
    """The most accessed keys, and the most throttled keys."""

    accessed: UsedKeys
    throttled: UsedKeys
