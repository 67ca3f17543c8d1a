"""DescribeContributorInsights: whether the keys of a table or an index are counted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from singletable.engine.insights_state import index_not_found, insights_result, rule_names
from singletable.wire.insights import ContributorInsightsResult, DescribeContributorInsights

if TYPE_CHECKING:
    from singletable.engine.engine import Engine


def describe_contributor_insights(engine: Engine, request: DescribeContributorInsights) -> ContributorInsightsResult:
    """Describes the table or index as it is now, also when another process changed it."""
    definition = engine.catalog.require_fresh(request.table_name).definition
    name = request.index_name
    index = None if name is None else definition.index(name)
    if name is not None and (index is None or index.is_local):
        raise index_not_found(definition.name, name)
    return insights_result(definition, name, rules=rule_names(definition, index), is_dated=True)
