"""ST108: a filter that discards more than a tenth of what was read and billed."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.verify.facts import Facts, on_pattern
from singletable.verify.finding import Finding, Rule

RULE = Rule("ST108", "filter discards", "warning")
DISCARDED_MAX = 0.1


def check(facts: Facts) -> Iterator[Finding]:
    """Filtered plans whose expected counts say that too much is thrown away, or say nothing."""
    for plan in facts.plans:
        options = plan.pattern.options
        if plan.filter is None:
            continue
        if options.expected_items is None or not options.expected_examined:
            message = "filters what it has read, and nobody says how much of it is kept"
            remedy = "Say expected_items= (kept) and expected_examined= (read) in @pattern."
            yield on_pattern(RULE, plan.pattern, message, remedy)
            continue
        discarded = 1 - options.expected_items / options.expected_examined
        if discarded > DISCARDED_MAX:
            message = (
                f"reads {options.expected_examined} items to keep {options.expected_items}: {discarded:.0%} in vain"
            )
            yield on_pattern(RULE, plan.pattern, message, "Put what it filters on into a key, such as a sparse index.")
