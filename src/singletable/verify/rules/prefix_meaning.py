"""ST136: the same prefix is followed by an id in one key and by a name in another."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from singletable.model.entity import Entity
from singletable.model.field_roles import is_identifier, words_of
from singletable.model.key_template import FieldSlot, LiteralText
from singletable.model.keys import TemplatePart
from singletable.verify.findings import Finding, PlannedDesign, Rule, entity_finding

RULE = Rule("ST136", "prefix with two meanings", "warning")
_NAMES = frozenset({"name", "email", "title", "username", "phone", "nickname"})


class _Use(NamedTuple):
    entity: Entity
    part: TemplatePart
    field: str


def check(planned: PlannedDesign) -> Iterator[Finding]:
    """Find keys such as `EMP#{name}`, if another entity has `EMP#{employee_id}` in the same attribute."""
    ids: dict[tuple[str, str], _Use] = {}
    once = {(use.entity.label, str(use.part), key): (key, use) for key, use in _uses(planned)}
    uses = list(once.values())
    for key, use in uses:
        if is_identifier(use.entity.fields[use.field]):
            ids.setdefault(key, use)
    for key, use in uses:
        other = ids.get(key)
        if other is not None and other.entity is not use.entity and _NAMES.intersection(words_of(use.field)[-1:]):
            message = (
                f'{use.part.attribute} = "{use.part}" contains {use.field} after the prefix, and '
                f'{other.part.attribute} = "{other.part}" of {other.entity.label} contains {other.field}: a Query for '
                "one does not find the other, and a name can change or belong to two items"
            )
            remedy = f"Use {other.field} in both keys, or another prefix for {use.field}."
            yield entity_finding(RULE, use.entity, message, remedy)


def _uses(planned: PlannedDesign) -> Iterator[tuple[tuple[str, str], _Use]]:
    """Yield each template that begins with a prefix and a field, with its attribute and its prefix."""
    for entity in planned.design.entities:
        for placement in (each for each in entity.placements.values() if not each.index.is_inverse):
            for part in placement.parts:
                pieces = part.template.parts if isinstance(part, TemplatePart) else ()
                if isinstance(part, TemplatePart) and len(pieces) > 1:
                    prefix, slot = pieces[0], pieces[1]
                    if isinstance(prefix, LiteralText) and isinstance(slot, FieldSlot):
                        yield (part.attribute, prefix.text), _Use(entity, part, slot.name)
