"""UntagResource: the end of some of a table's tags."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from singletable.engine.actions.tag_resource import change_tags
from singletable.engine.definition import TableDefinition
from singletable.engine.resource_arn import tagged_table
from singletable.engine.tag_rules import accepted_keys
from singletable.errors import invalid
from singletable.wire.resources import NothingResult, UntagResource

if TYPE_CHECKING:
    from singletable.engine.engine import Engine


def untag_resource(engine: Engine, request: UntagResource) -> NothingResult:
    """Takes the tags away; one that the table does not have is no error."""
    name = tagged_table(engine, request.resource_arn, "UntagResource")
    if request.tag_keys is None:
        raise invalid(
            "1 validation error detected: Value null at 'tagKeys' failed to satisfy constraint: Member must not be null"
        )
    if not request.tag_keys:
        raise invalid("Atleast one Tag Key needs to be provided as Input.")
    removed = set(accepted_keys(request.tag_keys))

    def change(definition: TableDefinition) -> TableDefinition:
        kept = tuple(tag for tag in definition.tags if tag[0] not in removed)
        return msgspec.structs.replace(definition, tags=kept)

    change_tags(engine, name, request.resource_arn, "UntagResource", change)
    return NothingResult()
