"""Whether an index holds the fields that a pattern answers with; fields that decode from keys count."""

from __future__ import annotations

from collections.abc import Iterable

from singletable.model.entity import Entity
from singletable.model.fields import fields_of
from singletable.model.keys import Placement


def missing_fields(entity: Entity, placement: Placement, view: type | None) -> tuple[str, ...]:
    """The fields that the answer needs and that are neither projected nor part of a key.

    An item of an older schema version is upgraded whole, so that a part of it gives none of them.
    """
    needed: Iterable[str] = entity.fields if view is None else fields_of(view)
    projection = placement.index.projection
    if projection.kind == "ALL":
        return ()
    if entity.upgrades:
        return tuple(needed)
    in_keys = entity.base.exact_fields | placement.exact_fields
    return tuple(
        name for name in needed if name not in in_keys and entity.attributes[name] not in projection.attributes
    )
