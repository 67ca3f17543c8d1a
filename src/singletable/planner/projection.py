"""Which attributes a pattern answers with, and whether an index holds them; fields that decode from keys count."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.fields import fields_of
from singletable.model.keys import Placement
from singletable.planner.plan import Plan


def missing_fields(entity: Entity, placement: Placement, view: type | None) -> tuple[str, ...]:
    """The fields that the answer needs and that are neither projected nor part of a key.

    An item of an older schema version is upgraded whole, so that a part of it gives none of them. When an item expires
    is asked of its attribute, which has to be there whatever is answered.
    """
    needed: Iterable[str] = entity.fields if view is None else fields_of(view)
    projection = placement.index.projection
    if projection.kind == "ALL":
        return ()
    if entity.upgrades:
        return tuple(needed)
    in_keys = entity.base.exact_fields | placement.exact_fields
    missing = [name for name in needed if name not in in_keys and entity.attributes[name] not in projection.attributes]
    expiry = entity.declaration.ttl
    held = {*projection.attributes, *placement.index.key_attributes, *entity.base.index.key_attributes}
    if expiry is not None and expiry not in missing and entity.attributes[expiry] not in held:
        missing.append(expiry)
    return tuple(missing)


def projected(design: Design, plan: Plan) -> tuple[str, ...]:
    """The attributes that a view needs of an item; none to name where it needs all, or where the index holds few."""
    if plan.view is None or plan.index.projection.kind != "ALL":
        return ()
    if any(entity.upgrades for entity in plan.wanted):  # an item of an older version is upgraded whole
        return ()
    settings, names = design.settings, [*design.table.key_attributes, *plan.index.key_attributes]
    for entity in plan.wanted:
        names += [entity.attributes[name] for name in _view_fields(plan.view)]
        names += [settings.schema_version_attribute] if entity.declaration.schema_version is not None else []
    names += [name for name in (settings.type_attribute, design.ttl_attribute) if name]
    return tuple(dict.fromkeys(names))


@lru_cache(maxsize=256)  # asked with every call of a pattern, and slow to find out
def _view_fields(view: type) -> tuple[str, ...]:
    return tuple(fields_of(view))
