"""ST117: more copies of one item than a transaction can write, so that no change of it is taken."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from singletable.model.copies import Copy
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.keeping import keeping_of
from singletable.planner.examined import per_partition
from singletable.planner.holders import plan_holders
from singletable.planner.item_sizes import Sizes
from singletable.planner.plan import Plan
from singletable.values.limits import TRANSACTION_ACTIONS_MAX
from singletable.verify.facts import Facts, on_entity
from singletable.verify.finding import Finding, Rule

RULE = Rule("ST117", "copies beyond a transaction", "error")


def check(facts: Facts) -> Iterator[Finding]:
    """Entities whose declared number of copies does not fit beside them, and may not follow in parts."""
    design = facts.design
    for source in design.entities:
        given = keeping_of(design.entities, source).given
        if all(copy.in_parts for copy, _ in given):
            continue
        for field in dict.fromkeys(name for copy, _ in given for name in copy.fields):
            found = Counter[str]()  # one entity may repeat it twice, as sender and as receiver
            for copy, holder in given:
                found[holder.label] += _declared(design, copy, holder) if field in copy.fields else 0
            if found.total() + 1 > TRANSACTION_ACTIONS_MAX:
                yield _finding(source, field, found)
                break  # the same copies repeat its other fields, most often


def _finding(source: Entity, field: str, found: Mapping[str, int]) -> Finding:
    copies = " and ".join(f"{count:,} {label}" for label, count in found.items() if count)
    message = (
        f"{copies} are expected to repeat {field} of one {source.label}, and a transaction writes "
        f"{TRANSACTION_ACTIONS_MAX} items at most, so that every change of it would be refused"
    )
    remedy = "Declare copy(..., in_parts=True) for all that repeats it, which then follows in further transactions."
    return on_entity(RULE, source, message, remedy)


def _declared(design: Design, copy: Copy, holder: Entity) -> int:
    """How many copies of one source are declared; none where it is a guess."""
    plan, guessed = plan_holders(design, copy, holder), dict[str, None]()
    count = per_partition(Sizes(design), plan, holder, guessed, 1.0) if isinstance(plan, Plan) else 0
    return 0 if guessed else count
