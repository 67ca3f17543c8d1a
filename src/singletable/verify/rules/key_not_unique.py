"""ST102: a primary key that does not tell two items of its entity apart."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.verify.facts import Facts, on_entity
from singletable.verify.finding import Finding, Rule

RULE = Rule("ST102", "key not unique", "error")


def check(facts: Facts) -> Iterator[Finding]:
    """Entities whose key leaves out the field that identifies them, or has no exact field at all."""
    for entity in facts.design.entities:
        exact, identity = entity.base.exact_fields, entity.identity
        shown = ", ".join(f'"{part}"' for part in entity.base.parts)
        if identity is None and not exact:
            message = f"every item has the same key {shown}, so there is only ever one"
            remedy = "Put an identifying field into the key; for a single item say identity=()."
            yield on_entity(RULE, entity, message, remedy)
        elif identity and (missing := [name for name in identity if name not in exact]):
            names = ", ".join(missing)
            derived = " (a derived value does not count)" if set(missing) & entity.base.fields else ""
            message = f"two items that differ only in {names} have the same key {shown}{derived}"
            remedy = f'Put {{{missing[0]}}} into the key, or say what identifies an item: identity=("...",).'
            yield on_entity(RULE, entity, message, remedy)
