"""Contributor Insights settings of tables and indexes, as the API describes them."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import UNSET

from singletable.engine.tables.table_definition import ContributorInsights, IndexDefinition, TableDefinition
from singletable.errors import RequestRefused
from singletable.wire.insights_requests import ContributorInsightsResult, InsightsStatus


def insights_of(definition: TableDefinition, index: str | None) -> ContributorInsights | None:
    """Return the settings of an index, or of the table if `index` is None.

    Return None if Contributor Insights was never enabled.
    """
    if index is None:
        return definition.insights
    found = definition.index(index)
    return None if found is None else found.insights


def insights_result(
    definition: TableDefinition,
    index: str | None,
    status: InsightsStatus | None = None,
    *,
    rules: Sequence[str] = (),
    is_dated: bool = False,
) -> ContributorInsightsResult:
    """Return the response. If insights were never enabled, only the status DISABLED is set (captured from AWS)."""
    insights = insights_of(definition, index)
    settled: InsightsStatus = "ENABLED" if insights is not None and insights.is_enabled else "DISABLED"
    return ContributorInsightsResult(
        table_name=definition.name,
        index_name=UNSET if index is None else index,
        contributor_insights_rule_list=list(rules) or UNSET,
        contributor_insights_status=status or settled,
        last_update_date_time=insights.changed_at if insights is not None and is_dated else UNSET,
        contributor_insights_mode=UNSET if insights is None else insights.mode,
    )


def rule_names(definition: TableDefinition, index: IndexDefinition | None) -> list[str]:
    """Return the names of the CloudWatch rules.

    A name states whether the rule counts accessed (C) or throttled (T) keys, by partition (P) or sort key (S).
    """
    insights = definition.insights if index is None else index.insights
    if insights is None or not insights.is_enabled:
        return []
    has_sort = definition.sort is not None if index is None else bool(index.sort)
    kinds = [kind for kind, is_there in (("P", True), ("S", has_sort)) if is_there]
    measures = "T" if insights.mode == "THROTTLED_KEYS" else "CT"
    resource = definition.name if index is None else f"{definition.name}-{index.name}"
    millisecond = int(insights.enabled_at * 1000)
    return [
        f"DynamoDBContributorInsights-{kind}K{what}-{resource}-{millisecond}" for what in measures for kind in kinds
    ]


def index_not_found(table: str, index: str) -> RequestRefused:
    """Return the error for an index that does not exist or is local."""
    return RequestRefused(
        "ResourceNotFoundException", f"Requested resource not found: Index: {index} not found for table: {table}"
    )
