"""UpdateContributorInsights: starts or stops counting the most used keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from singletable.engine.tables.insights_settings import index_not_found, insights_of, insights_result
from singletable.engine.tables.table_definition import ContributorInsights, IndexDefinition, TableDefinition
from singletable.errors import invalid
from singletable.wire.insights_requests import ContributorInsightsResult, InsightsStatus, UpdateContributorInsights

if TYPE_CHECKING:
    from singletable.engine.engine import Engine


def update_contributor_insights(engine: Engine, request: UpdateContributorInsights) -> ContributorInsightsResult:
    """Change the setting at once. Like DynamoDB, return the status ENABLING or DISABLING nevertheless."""

    def change(definition: TableDefinition) -> TableDefinition:
        return _changed(definition, request, engine.now())

    before, after = engine.catalog.change(request.table_name, change)
    old, new = insights_of(before, request.index_name), insights_of(after, request.index_name)
    is_enabled = new is not None and new.is_enabled
    status: InsightsStatus = "ENABLED" if is_enabled else "DISABLED"
    if old != new:
        status = "ENABLING" if is_enabled else "DISABLING"
    return insights_result(after, request.index_name, status)


def _changed(definition: TableDefinition, request: UpdateContributorInsights, now: float) -> TableDefinition:
    name = request.index_name
    if name is None:
        return msgspec.structs.replace(definition, insights=_insights(definition.insights, request, now))
    index = definition.index(name)
    if index is None or index.is_local:
        raise index_not_found(definition.name, name)
    if index.status != "ACTIVE":
        raise invalid(
            "Table or Index is not in a valid state to update Key Access Insights: IndexStatus must be ACTIVE to "
            "enable ContributorInsights."
        )

    def updated(each: IndexDefinition) -> IndexDefinition:
        if each is not index:
            return each
        return msgspec.structs.replace(each, insights=_insights(each.insights, request, now))

    return msgspec.structs.replace(definition, indexes=tuple(updated(each) for each in definition.indexes))


def _insights(
    old: ContributorInsights | None, request: UpdateContributorInsights, now: float
) -> ContributorInsights | None:
    """Return the new setting. A request that matches the current setting changes nothing (captured from AWS)."""
    if request.contributor_insights_action == "DISABLE":
        if old is None or not old.is_enabled:
            return old
        return msgspec.structs.replace(old, is_enabled=False, changed_at=now)
    # If the request omits the mode, the default mode applies, not the previous one (captured from AWS).
    mode = request.contributor_insights_mode or "ACCESSED_AND_THROTTLED_KEYS"
    if old is not None and old.is_enabled:
        return old if old.mode == mode else msgspec.structs.replace(old, mode=mode, changed_at=now)
    return ContributorInsights(True, mode, changed_at=now, enabled_at=now)
