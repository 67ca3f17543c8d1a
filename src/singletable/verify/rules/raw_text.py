"""ST107: a key contains a field without escaping, so a value of the field can produce the key of another item."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.model.entity import Entity
from singletable.model.key_template import FieldSlot
from singletable.model.keys import TemplatePart
from singletable.planner.key_source import keys_edits, replace_in_templates
from singletable.planner.remedy import Alternative, Remedy
from singletable.verify.findings import Finding, PlannedDesign, Rule, entity_finding

RULE = Rule("ST107", "raw text in a key", "warning")


def check(planned: PlannedDesign) -> Iterator[Finding]:
    """Find slots without escaping."""
    for entity in planned.design.entities:
        for placement in (each for each in entity.placements.values() if not each.index.is_inverse):
            for part in placement.parts:
                if not isinstance(part, TemplatePart):
                    continue
                for slot in part.template.slots:
                    if isinstance(slot, FieldSlot) and slot.codec.raw:
                        message = f'{slot} in {part.attribute} = "{part}" is not escaped'
                        yield entity_finding(RULE, entity, message, _remedy(entity, placement.index.alias, slot))


def _remedy(entity: Entity, alias: str, slot: FieldSlot) -> Remedy:
    keys = replace_in_templates(entity.declaration.keys[alias], str(slot), f"{{{slot.name}}}")
    explanation = "If such keys already exist, accept the finding with accept= and say why the text is safe. Otherwise:"
    return Remedy(explanation, (Alternative(keys_edits(entity, alias, keys)),))
