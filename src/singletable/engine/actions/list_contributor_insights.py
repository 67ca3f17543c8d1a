"""ListContributorInsights: a paginated list of the tables and indexes with Contributor Insights."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec import UNSET

from singletable.engine.tables.insights_settings import insights_of, insights_result
from singletable.engine.tables.table_definition import TableDefinition
from singletable.wire.insights_requests import ListContributorInsights, ListContributorInsightsResult

if TYPE_CHECKING:
    from singletable.engine.engine import Engine

RESULTS_MAX = 100
TableAndIndex = tuple[str, str]  # an empty index name means the table itself


def list_contributor_insights(engine: Engine, request: ListContributorInsights) -> ListContributorInsightsResult:
    """List the entries after the NextToken of the request, each table before its indexes."""
    if request.table_name is None:
        definitions = [table.definition for table in engine.catalog.reload()]
    else:
        definitions = [engine.catalog.require_fresh(request.table_name).definition]
    by_name = {definition.name: definition for definition in definitions}
    entries = sorted(entry for definition in definitions for entry in _enabled(definition))
    start = _parse_token(request.next_token)
    remaining = entries if start is None else [entry for entry in entries if entry > start]
    limit = request.max_results or RESULTS_MAX
    page = remaining[:limit]
    return ListContributorInsightsResult(
        contributor_insights_summaries=[insights_result(by_name[table], index or None) for table, index in page],
        next_token="/".join(page[-1]) if len(remaining) > limit else UNSET,
    )


def _enabled(definition: TableDefinition) -> Iterator[TableAndIndex]:
    """Yield the table and its indexes for which Contributor Insights is enabled (captured from AWS)."""
    for name in ("", *(index.name for index in definition.indexes)):
        insights = insights_of(definition, name or None)
        if insights is not None and insights.is_enabled:
            yield definition.name, name


def _parse_token(token: str | None) -> TableAndIndex | None:
    if token is None:
        return None
    table, _, index = token.partition("/")
    return table, index
