"""TagResource: adds tags to a table, or changes the values of existing tags."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec

from singletable.engine.tables.arns import tagged_table, tagged_table_not_found
from singletable.engine.tables.table_definition import TableDefinition
from singletable.engine.tables.tags_and_policies import check_count, stored_tags, validated_tags
from singletable.errors import RequestRefused, invalid
from singletable.wire.table_requests import EmptyResult, TagResource

if TYPE_CHECKING:
    from singletable.engine.engine import Engine


TagChange = Callable[[TableDefinition], TableDefinition]


def tag_resource(engine: Engine, request: TagResource) -> EmptyResult:
    """Add all tags or none of them. ListTagsOfResource returns the new tags at once."""
    name = tagged_table(engine, request.resource_arn, "TagResource")
    if request.tags is None:
        raise invalid(
            "1 validation error detected: Value null at 'tags' failed to satisfy constraint: Member must not be null"
        )
    if not request.tags:
        raise invalid("Atleast one Tag needs to be provided as Input.")
    added = validated_tags(request.tags)

    def change(definition: TableDefinition) -> TableDefinition:
        tags = {**dict(definition.tags), **added}
        check_count(tags)
        return msgspec.structs.replace(definition, tags=stored_tags(tags))

    change_tags(engine, name, request.resource_arn, "TagResource", change)
    return EmptyResult()


def change_tags(engine: Engine, name: str, arn: str | None, action: str, change: TagChange) -> None:
    """Change the tags of a table. If the table is missing, raise the error that only tagging actions return."""
    try:
        engine.catalog.change(name, change)
    except RequestRefused as error:
        if error.code == "ResourceNotFoundException":
            raise tagged_table_not_found(engine, arn or "", action) from None
        raise
