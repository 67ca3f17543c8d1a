"""UntagResource: removes tags from a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from singletable.engine.actions.tag_resource import change_tags
from singletable.engine.tables.arns import tagged_table
from singletable.engine.tables.table_definition import TableDefinition
from singletable.engine.tables.tags_and_policies import validated_tag_keys
from singletable.errors import invalid
from singletable.wire.table_requests import EmptyResult, UntagResource

if TYPE_CHECKING:
    from singletable.engine.engine import Engine


def untag_resource(engine: Engine, request: UntagResource) -> EmptyResult:
    """Remove the tags. Removing a tag that does not exist is not an error."""
    name = tagged_table(engine, request.resource_arn, "UntagResource")
    if request.tag_keys is None:
        raise invalid(
            "1 validation error detected: Value null at 'tagKeys' failed to satisfy constraint: Member must not be null"
        )
    if not request.tag_keys:
        raise invalid("Atleast one Tag Key needs to be provided as Input.")
    removed = set(validated_tag_keys(request.tag_keys))

    def change(definition: TableDefinition) -> TableDefinition:
        remaining = tuple(tag for tag in definition.tags if tag[0] not in removed)
        return msgspec.structs.replace(definition, tags=remaining)

    change_tags(engine, name, request.resource_arn, "UntagResource", change)
    return EmptyResult()
