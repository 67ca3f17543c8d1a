"""ST105: a number or date in a sort key does not sort in the order of its values."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.model.codecs.codec import SortOrder
from singletable.model.codecs.text_codec import TextCodec
from singletable.model.derived.truncated_time import TruncatedTime
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.field_roles import words_of
from singletable.model.key_template import DerivedSlot, FieldSlot, Slot, sorted_order
from singletable.model.keys import KeyPart, NativePart
from singletable.planner.changed_designs import harms_nothing
from singletable.planner.mismatches import Unordered
from singletable.planner.remedies import ordered_keys, remedy
from singletable.planner.remedy import Alternative, Remedy
from singletable.verify.findings import Finding, PlannedDesign, Rule, entity_finding, pattern_finding, reported_mismatch

RULE = Rule("ST105", "values do not sort as text", "warning")


def check(planned: PlannedDesign) -> Iterator[Finding]:
    """Find sort keys whose text order differs from the order of their values, and patterns that need this order."""
    for entity in planned.design.entities:
        seen: set[str] = set()
        # An inverse index sorts by the partition key of the table. Patterns that need this order are reported below.
        for placement in (each for each in entity.placements.values() if not each.index.is_inverse):
            for part in placement.sort:
                for slot, reason in _unsorted(part):
                    if str(slot) not in seen:
                        seen.add(str(slot))
                        message = f'{slot} in {part.attribute} = "{part}" of {placement.index.display_name}'
                        explanation = f"{reason[:1].upper()}{reason[1:]}."
                        yield entity_finding(RULE, entity, message, _remedy(planned.design, entity, slot, explanation))
    for each in planned.unsupported:
        if reported_mismatch(each) is Unordered:
            change = remedy(planned.design, each)
            yield pattern_finding(RULE, each.pattern, each.reason, change, severity="error")


def _remedy(design: Design, entity: Entity, slot: Slot, explanation: str) -> Remedy:
    """Return the first format or delimiter with which the slot sorts by value and every pattern is still served."""
    for edits, changed in ordered_keys(design, entity, str(slot)):
        placements = changed.entity_of(entity.cls).placements.values()
        parts = [part for placement in placements if not placement.index.is_inverse for part in placement.sort]
        unsorted = {found.fields for part in parts for found, _ in _unsorted(part)}
        if slot.fields not in unsorted and harms_nothing(design, changed):
            return Remedy(explanation, (Alternative(edits),))
    return Remedy(explanation)


def _unsorted(part: KeyPart) -> Iterator[tuple[Slot, str]]:
    if isinstance(part, NativePart):
        return
    for slot in part.template.slots:
        if isinstance(slot, DerivedSlot):
            needs_order = isinstance(slot.derived, TruncatedTime)
        else:
            needs_order = not slot.codec.raw and slot.codec.domain is None
        order, reason = sorted_order(part.template, slot)
        # At the end of a key, only texts that contain the delimiter are out of order.
        is_last_text = isinstance(slot, FieldSlot) and isinstance(slot.codec, TextCodec)
        is_last_text = is_last_text and slot is part.template.parts[-1]
        if needs_order and order is SortOrder.NONE and reason and not is_last_text:
            yield slot, reason
        elif isinstance(slot, FieldSlot) and isinstance(slot.codec, TextCodec) and _is_ranked(slot.name):
            yield slot, f"words of {slot.name} sort by letters, so high is before low; write a number such as 1 or 2"


def _is_ranked(name: str) -> bool:
    """Return whether the values of a text field have an order that is not that of their letters."""
    return words_of(name)[-1:] in (("priority",), ("severity",), ("urgency",))
