"""ST102: different items of an entity have the same primary key."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.verify.findings import Finding, PlannedDesign, Rule, entity_finding

RULE = Rule("ST102", "key not unique", "error")


def check(planned: PlannedDesign) -> Iterator[Finding]:
    """Find entities whose key lacks the identifying field, or contains no exact field."""
    for entity in planned.design.entities:
        exact, identity = entity.base.exact_fields, entity.identity
        shown = ", ".join(f'"{part}"' for part in entity.base.parts)
        if identity is None and not exact:
            message = f"every item has the same key {shown}, so only one item can exist"
            remedy = "Put an identifying field into the key; if there is only one item, declare identity=()."
            yield entity_finding(RULE, entity, message, remedy)
        elif identity and (missing := [name for name in identity if name not in exact]):
            names = ", ".join(missing)
            derived = " (a derived value does not identify an item)" if set(missing) & entity.base.fields else ""
            message = f"two items that differ only in {names} have the same key {shown}{derived}"
            remedy = f'Put {{{missing[0]}}} into the key, or declare which fields identify an item: identity=("...",).'
            yield entity_finding(RULE, entity, message, remedy)
