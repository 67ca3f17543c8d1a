"""UpdateContributorInsights: begins or ends the counting of the keys that are used most."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from singletable.engine.definition import ContributorInsights, IndexDefinition, TableDefinition
from singletable.engine.insights_state import index_not_found, insights_result, of_index
from singletable.errors import invalid
from singletable.wire.insights import ContributorInsightsResult, InsightsStatus, UpdateContributorInsights

if TYPE_CHECKING:
    from singletable.engine.engine import Engine


def update_contributor_insights(engine: Engine, request: UpdateContributorInsights) -> ContributorInsightsResult:
    """It is done when the answer arrives, which still says ENABLING or DISABLING as the service does."""

    def change(definition: TableDefinition) -> TableDefinition:
        return _changed(definition, request, engine.now())

    before, after = engine.catalog.change(request.table_name, change)
    had, has = of_index(before, request.index_name), of_index(after, request.index_name)
    is_enabled = has is not None and has.is_enabled
    status: InsightsStatus = "ENABLED" if is_enabled else "DISABLED"
    if had != has:
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
    had: ContributorInsights | None, request: UpdateContributorInsights, now: float
) -> ContributorInsights | None:
    """What follows from the request; one that asks for what is so already changes nothing (captured)."""
    if request.contributor_insights_action == "DISABLE":
        if had is None or not had.is_enabled:
            return had
        return msgspec.structs.replace(had, is_enabled=False, changed_at=now)
    # Without a mode it is the default, and not the one that was there (captured).
    mode = request.contributor_insights_mode or "ACCESSED_AND_THROTTLED_KEYS"
    if had is not None and had.is_enabled:
        return had if had.mode == mode else msgspec.structs.replace(had, mode=mode, changed_at=now)
    return ContributorInsights(True, mode, changed_at=now, enabled_at=now)
