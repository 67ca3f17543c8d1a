"""ListContributorInsights: the tables and indexes whose keys are counted, a page at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec import UNSET

from singletable.engine.definition import TableDefinition
from singletable.engine.insights_state import insights_result, of_index
from singletable.wire.insights import ListContributorInsights, ListContributorInsightsResult

if TYPE_CHECKING:
    from singletable.engine.engine import Engine

RESULTS_MAX = 100
Place = tuple[str, str]  # a table and an index of it, or nothing for the table itself


def list_contributor_insights(engine: Engine, request: ListContributorInsights) -> ListContributorInsightsResult:
    """Lists what is behind the place that the token names, each table before its indexes."""
    if request.table_name is None:
        definitions = [table.definition for table in engine.catalog.reload()]
    else:
        definitions = [engine.catalog.require_fresh(request.table_name).definition]
    by_name = {definition.name: definition for definition in definitions}
    places = sorted(place for definition in definitions for place in _counted(definition))
    start = _place(request.next_token)
    behind = places if start is None else [place for place in places if place > start]
    limit = request.max_results or RESULTS_MAX
    page = behind[:limit]
    return ListContributorInsightsResult(
        contributor_insights_summaries=[insights_result(by_name[table], index or None) for table, index in page],
        next_token="/".join(page[-1]) if len(behind) > limit else UNSET,
    )


def _counted(definition: TableDefinition) -> Iterator[Place]:
    """What is not counted is not listed, and neither is what no longer is (captured)."""
    for name in ("", *(index.name for index in definition.indexes)):
        insights = of_index(definition, name or None)
        if insights is not None and insights.is_enabled:
            yield definition.name, name


def _place(token: str | None) -> Place | None:
    if token is None:
        return None
    table, _, index = token.partition("/")
    return table, index
