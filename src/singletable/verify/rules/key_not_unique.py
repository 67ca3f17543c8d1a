"""ST102: different items of an entity have the same primary key."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.table_schema import TABLE
from singletable.planner.key_source import change_sort, keys_edits
from singletable.planner.remedy import Alternative, Remedy, SetKeyword, entity_place
from singletable.verify.findings import Finding, PlannedDesign, Rule, entity_finding

RULE = Rule("ST102", "key not unique", "error")
_ONLY_ONE = "A second item then overwrites the first."


def check(planned: PlannedDesign) -> Iterator[Finding]:
    """Find entities whose key lacks the identifying field, or contains only derived values."""
    for entity in planned.design.entities:
        exact, identity = entity.base.exact_fields, entity.identity
        shown = ", ".join(f'"{part}"' for part in entity.base.parts)
        if identity is None and not exact:
            message = f"every item has the same key {shown}, so only one item can exist"
            only = Alternative((SetKeyword(entity_place(entity), "identity", "()"),), _ONLY_ONE, needs_decision=True)
            remedy = Remedy("Put an identifying field into the key; if there is only one item:", (only,))
            yield entity_finding(RULE, entity, message, remedy)
        elif identity and (missing := [name for name in identity if name not in exact]):
            names = ", ".join(missing)
            derived = " (a derived value does not identify an item)" if set(missing) & entity.base.fields else ""
            message = f"two items that differ only in {names} have the same key {shown}{derived}"
            yield entity_finding(RULE, entity, message, _remedy(planned.design, entity, missing))


def _remedy(design: Design, entity: Entity, missing: list[str]) -> Remedy:
    """Return the edits that append the missing fields to the key."""
    slots = "".join(f"{design.settings.delimiter}{{{name}}}" for name in missing)
    keys = change_sort(entity.declaration.keys[TABLE], lambda text: f"{text}{slots}")
    if keys is None:
        return Remedy(f"Put {{{missing[0]}}} into the key.")
    return Remedy("", (Alternative(keys_edits(entity, TABLE, keys)),))
