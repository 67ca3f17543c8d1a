"""ST107: a field that goes into a key as it is, so that its text can forge another item's key."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.model.keys import TemplatePart
from singletable.model.template import FieldSlot
from singletable.verify.facts import Facts, on_entity
from singletable.verify.finding import Finding, Rule

RULE = Rule("ST107", "raw text in a key", "warning")


def check(facts: Facts) -> Iterator[Finding]:
    """Slots written without escapes."""
    for entity in facts.design.entities:
        for placement in (each for each in entity.placements.values() if not each.index.is_inverse):
            for part in placement.parts:
                if not isinstance(part, TemplatePart):
                    continue
                for slot in part.template.slots:
                    if isinstance(slot, FieldSlot) and slot.codec.raw:
                        message = f'{slot} in {part.attribute} = "{part}" is not escaped'
                        remedy = (
                            f"Write {{{slot.name}}}; for keys that exist already, accept it with the reason why its "
                            f'text is safe: accept={{"{RULE.code}": "..."}}.'
                        )
                        yield on_entity(RULE, entity, message, remedy)
