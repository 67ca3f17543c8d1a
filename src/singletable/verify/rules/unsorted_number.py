"""ST105: a number or date in a sort key does not sort in the order of its values."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.model.codecs.codec import SortOrder
from singletable.model.key_template import FieldSlot, sorted_order
from singletable.model.keys import KeyPart, NativePart
from singletable.planner.mismatches import Unordered
from singletable.planner.remedies import remedy
from singletable.verify.findings import Finding, PlannedDesign, Rule, entity_finding, pattern_finding, reported_mismatch

RULE = Rule("ST105", "values do not sort as text", "warning")


def check(planned: PlannedDesign) -> Iterator[Finding]:
    """Find sort keys whose text order is not the order of their values, and patterns that need that order."""
    for entity in planned.design.entities:
        seen: set[str] = set()
        # An inverse index sorts by the partition key of the table; patterns that need its order are reported below.
        for placement in (each for each in entity.placements.values() if not each.index.is_inverse):
            for part in placement.sort:
                for slot, reason in _unsorted(part):
                    if str(slot) not in seen:
                        seen.add(str(slot))
                        message = f'{slot} in {part.attribute} = "{part}" of {placement.index.display_name}'
                        yield entity_finding(RULE, entity, message, f"{reason[:1].upper()}{reason[1:]}.")
    for each in planned.unsupported:
        if reported_mismatch(each) is Unordered:
            change = remedy(planned.design, each)
            yield pattern_finding(RULE, each.pattern, each.reason, change, severity="error")


def _unsorted(part: KeyPart) -> Iterator[tuple[FieldSlot, str]]:
    if isinstance(part, NativePart):
        return
    for slot in part.template.slots:
        if isinstance(slot, FieldSlot) and part.template.parts:
            order, reason = sorted_order(part.template, slot)
            if order is SortOrder.NONE and reason and not slot.codec.raw and slot.codec.domain is None:
                yield slot, reason
