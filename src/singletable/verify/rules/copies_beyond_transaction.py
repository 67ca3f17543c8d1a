"""ST117: one item has more copies than a transaction can update, so every change of the item fails."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from singletable.model.derived_data import Copy, derived_data_of
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.planner.item_sizes import ItemSizes
from singletable.planner.items_read import items_per_partition
from singletable.planner.plan import Plan
from singletable.planner.planner import plan_copies_query
from singletable.planner.remedy import Alternative, InnerCall, Remedy, SetKeyword, entity_place
from singletable.values.limits import TRANSACTION_ACTIONS_MAX
from singletable.verify.findings import Finding, PlannedDesign, Rule, entity_finding

RULE = Rule("ST117", "too many copies for a transaction", "error")


def check(planned: PlannedDesign) -> Iterator[Finding]:
    """Find entities whose declared copies do not fit into one transaction and cannot be updated in parts."""
    design = planned.design
    for source in design.entities:
        copied_by = derived_data_of(design.entities, source).copied_by
        if all(copy.in_parts for copy, _ in copied_by):
            continue
        for field in dict.fromkeys(name for copy, _ in copied_by for name in copy.fields):
            found = Counter[str]()  # one entity can copy the field twice, such as for sender and receiver
            for copy, holder in copied_by:
                found[holder.label] += _declared(design, copy, holder) if field in copy.fields else 0
            if found.total() + 1 > TRANSACTION_ACTIONS_MAX:
                yield _finding(source, field, found, _in_parts(copied_by))
                break  # one finding is enough, because usually the same entities copy the other fields


def _finding(source: Entity, field: str, found: Mapping[str, int], remedy: Remedy) -> Finding:
    copies = " and ".join(f"{count:,} {label}" for label, count in found.items() if count)
    message = (
        f"{copies} items are expected to copy {field} from one {source.label}, but a transaction writes at most "
        f"{TRANSACTION_ACTIONS_MAX} items, so every change of {field} would fail"
    )
    return entity_finding(RULE, source, message, remedy)


def _in_parts(copied_by: Iterable[tuple[Copy, Entity]]) -> Remedy:
    """Return the edits that declare that every copy is updated in parts."""
    edits = tuple(
        SetKeyword(
            replace(entity_place(holder), inner=InnerCall("copies", "copy", copy.source.__name__)),
            "in_parts",
            "True",
        )
        for copy, holder in copied_by
        if not copy.in_parts
    )
    return Remedy("", (Alternative(edits, "The copies are then updated in further transactions."),))


def _declared(design: Design, copy: Copy, holder: Entity) -> int:
    """Return the declared number of copies of one source. Return 0 if the number is a guess."""
    plan, guessed = plan_copies_query(design, copy, holder), dict[str, None]()
    count = items_per_partition(ItemSizes(design), plan, holder, guessed, 1.0) if isinstance(plan, Plan) else 0
    return 0 if guessed else count
