"""TagResource: tags for a table, or other values for those it has."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec

from singletable.engine.definition import TableDefinition
from singletable.engine.resource_arn import no_tagged_table, tagged_table
from singletable.engine.tag_rules import accepted_tags, check_count, stored_tags
from singletable.errors import RequestRefused, invalid
from singletable.wire.resources import NothingResult, TagResource

if TYPE_CHECKING:
    from singletable.engine.engine import Engine


TagChange = Callable[[TableDefinition], TableDefinition]


def tag_resource(engine: Engine, request: TagResource) -> NothingResult:
    """Adds the tags, all or none; they can be listed at once."""
    name = tagged_table(engine, request.resource_arn, "TagResource")
    if request.tags is None:
        raise invalid(
            "1 validation error detected: Value null at 'tags' failed to satisfy constraint: Member must not be null"
        )
    if not request.tags:
        raise invalid("Atleast one Tag needs to be provided as Input.")
    added = accepted_tags(request.tags)

    def change(definition: TableDefinition) -> TableDefinition:
        tags = {**dict(definition.tags), **added}
        check_count(tags)
        return msgspec.structs.replace(definition, tags=stored_tags(tags))

    change_tags(engine, name, request.resource_arn, "TagResource", change)
    return NothingResult()


def change_tags(engine: Engine, name: str, arn: str | None, action: str, change: TagChange) -> None:
    """Changes the tags of a table, which is missed in the words of tags."""
    try:
        engine.catalog.change(name, change)
    except RequestRefused as refusal:
        if refusal.code == "ResourceNotFoundException":
            raise no_tagged_table(engine, arn or "", action) from None
        raise
