"""The state of Contributor Insights for a table or one of its indexes, as the API tells it."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import UNSET

from singletable.engine.definition import ContributorInsights, IndexDefinition, TableDefinition
from singletable.errors import RequestRefused
from singletable.wire.insights import ContributorInsightsResult, InsightsStatus


def of_index(definition: TableDefinition, index: str | None) -> ContributorInsights | None:
    """The state that is kept for the table (None) or the index of that name; nothing for what was never counted."""
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
    """The state; what was never counted is DISABLED, and that is all there is to say (captured)."""
    insights = of_index(definition, index)
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
    """The names of the rules that CloudWatch would have: keys that are accessed (C) or throttled (T), with a sort key
    (S) or without (P)."""
    insights = definition.insights if index is None else index.insights
    if insights is None or not insights.is_enabled:
        return []
    has_sort = definition.sort is not None if index is None else bool(index.sort)
    kinds = [kind for kind, is_there in (("P", True), ("S", has_sort)) if is_there]
    watched = "T" if insights.mode == "THROTTLED_KEYS" else "CT"
    resource = definition.name if index is None else f"{definition.name}-{index.name}"
    moment = int(insights.enabled_at * 1000)
    return [f"DynamoDBContributorInsights-{kind}K{what}-{resource}-{moment}" for what in watched for kind in kinds]


def index_not_found(table: str, index: str) -> RequestRefused:
    """The refusal where an index is not there, or is not a global one."""
    return RequestRefused(
        "ResourceNotFoundException", f"Requested resource not found: Index: {index} not found for table: {table}"
    )
