"""ST112: an index that no pattern reads and no copies are found by, but every write pays for."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.planner.holders import copies_found_by
from singletable.verify.facts import Facts, on_entity, on_table
from singletable.verify.finding import Finding, Rule

RULE = Rule("ST112", "unused index", "warning")


def check(facts: Facts) -> Iterator[Finding]:
    """Indexes without a reader, and entities that keep keys in an index where nothing reads them."""
    if not facts.outcomes:
        return
    read = {(p.index.alias, e.label) for p in facts.plans if not p.pattern.is_write for e in p.wanted}
    # Which index a refused read will take once it is mended is not known yet.
    refused = [r for r in facts.refusals if not r.pattern.is_write]
    read |= {(alias, e.label) for r in refused for e in r.wanted for alias in e.placements}
    read |= {(alias, label) for label, alias in copies_found_by(facts.design)}
    for alias, index in facts.design.indexes.items():
        if index.is_table:
            continue
        placed = facts.design.placed_in(index)
        if not any((alias, entity.label) in read for entity in placed):
            message = f"{index.label} is read by no pattern"
            yield on_table(RULE, facts.design, message, "Take it out, or declare the pattern it is for.")
            continue
        for entity in placed if not index.is_inverse else ():  # no entity can be left out of an inverse
            if (alias, entity.label) not in read:
                message = f"its keys in {index.label} are read by no pattern, and every write of it pays for them"
                yield on_entity(RULE, entity, message, f"Take {alias}= out, or declare the pattern it is for.")
