"""ListTagsOfResource: the tags of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from singletable.engine.resource_arn import no_tagged_table, tagged_table
from singletable.engine.tag_rules import told_tags
from singletable.errors import RequestRefused, invalid
from singletable.wire.resources import ListTagsOfResource, ListTagsOfResourceResult

if TYPE_CHECKING:
    from singletable.engine.engine import Engine

ACTION = "ListTagsOfResource"


def list_tags_of_resource(engine: Engine, request: ListTagsOfResource) -> ListTagsOfResourceResult:
    """Lists every tag: all that a table can have are one page, as in the service (captured)."""
    name = tagged_table(engine, request.resource_arn, ACTION)
    if request.next_token is not None:
        # No answer of ours has a token, so nobody can have one.
        raise invalid("One or more parameter values were invalid: Invalid NextToken")
    try:
        table = engine.catalog.require_fresh(name)
    except RequestRefused:
        raise no_tagged_table(engine, request.resource_arn or "", ACTION) from None
    return ListTagsOfResourceResult(tags=told_tags(table.definition.tags))
