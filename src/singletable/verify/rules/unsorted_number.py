"""ST105: a number or a date in a sort key that does not sort as text."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.model.codecs.codec import Order
from singletable.model.keys import KeyPart, NativePart
from singletable.model.template import FieldSlot, sorted_order
from singletable.planner.obstacles import Unordered
from singletable.planner.remedy import remedy
from singletable.verify.facts import Facts, on_entity, on_pattern, told_by
from singletable.verify.finding import Finding, Rule

RULE = Rule("ST105", "does not sort as text", "warning")


def check(facts: Facts) -> Iterator[Finding]:
    """Sort keys whose text order is not the order of their values, and the patterns refused for it."""
    for entity in facts.design.entities:
        seen: set[str] = set()
        # An inverse index sorts by what the table is partitioned by; a pattern that needs its order is told below.
        for placement in (each for each in entity.placements.values() if not each.index.is_inverse):
            for part in placement.sort:
                for slot, reason in _unsorted(part):
                    if str(slot) not in seen:
                        seen.add(str(slot))
                        message = f'{slot} in {placement.index.spoken}, {part.attribute} = "{part}"'
                        yield on_entity(RULE, entity, message, f"{reason[:1].upper()}{reason[1:]}.")
    for refusal in facts.refusals:
        if told_by(refusal) is Unordered:
            way_out = remedy(facts.design, refusal)
            yield on_pattern(RULE, refusal.pattern, refusal.reason, way_out, severity="error")


def _unsorted(part: KeyPart) -> Iterator[tuple[FieldSlot, str]]:
    if isinstance(part, NativePart):
        return
    for slot in part.template.slots:
        if isinstance(slot, FieldSlot) and part.template.parts:
            order, reason = sorted_order(part.template, slot)
            if order is Order.NONE and reason and not slot.codec.raw and slot.codec.domain is None:
                yield slot, reason
