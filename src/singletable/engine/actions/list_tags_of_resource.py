"""ListTagsOfResource: the tags of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from singletable.engine.tables.arns import tagged_table, tagged_table_not_found
from singletable.engine.tables.tags_and_policies import tag_list
from singletable.errors import RequestRefused, invalid
from singletable.wire.table_requests import ListTagsOfResource, ListTagsOfResourceResult

if TYPE_CHECKING:
    from singletable.engine.engine import Engine

ACTION = "ListTagsOfResource"


def list_tags_of_resource(engine: Engine, request: ListTagsOfResource) -> ListTagsOfResourceResult:
    """List all tags on one page. As in DynamoDB, the maximum number of tags fits on one page (captured from AWS)."""
    name = tagged_table(engine, request.resource_arn, ACTION)
    if request.next_token is not None:
        # No response contains a NextToken, so every token in a request is invalid.
        raise invalid("One or more parameter values were invalid: Invalid NextToken")
    try:
        table = engine.catalog.require_fresh(name)
    except RequestRefused:
        raise tagged_table_not_found(engine, request.resource_arn or "", ACTION) from None
    return ListTagsOfResourceResult(tags=tag_list(table.definition.tags))
