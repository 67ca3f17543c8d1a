"""ST113: items that do not say what they are."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.verify.facts import Facts, on_table
from singletable.verify.finding import Finding, Rule

RULE = Rule("ST113", "missing entity type", "warning")


def check(facts: Facts) -> Iterator[Finding]:
    """A table of several entities without an entity type attribute."""
    if facts.design.settings.type_attribute is None and len(facts.design.entities) > 1:
        message = (
            f"the items of {facts.design.name} carry no entity type, so stream consumers and people have to guess it "
            "from the keys"
        )
        yield on_table(RULE, facts.design, message, 'Set type_attribute="entity_type" on the table.')
