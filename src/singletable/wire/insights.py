"""Contributor Insights on the wire, and the question of our own for what they found."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from singletable.wire.shape import IndexName, Result, Shape
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


class MostAccessedKeysResult(Result, kw_only=True, frozen=True):
    """Keys with what they consumed or how often they were throttled, the most first."""

    table_name: str
    index_name: str | msgspec.UnsetType = msgspec.UNSET
    most_accessed: dict[str, list[dict[str, Any]]]
    most_throttled: dict[str, list[dict[str, Any]]]
