"""DescribeContributorInsights: whether Contributor Insights is enabled for a table or index."""

from __future__ import annotations

from typing import TYPE_CHECKING

from singletable.engine.tables.insights_settings import index_not_found, insights_result, rule_names
from singletable.wire.insights_requests import ContributorInsightsResult, DescribeContributorInsights

if TYPE_CHECKING:
    from singletable.engine.engine import Engine


def describe_contributor_insights(engine: Engine, request: DescribeContributorInsights) -> ContributorInsightsResult:
    """Return the current status, including changes made by other processes."""
    definition = engine.catalog.require_fresh(request.table_name).definition
    name = request.index_name
    index = None if name is None else definition.index(name)
    if name is not None and (index is None or index.is_local):
        raise index_not_found(definition.name, name)
    return insights_result(definition, name, rules=rule_names(definition, index), is_dated=True)
