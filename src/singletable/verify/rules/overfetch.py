"""ST103: a range can also contain other entities, which DynamoDB reads and bills and the client discards."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

from singletable.model.design import Design
from singletable.model.table_schema import TABLE
from singletable.planner.changed_designs import can_be_served, harms_nothing, is_served, with_keys, with_other_keys
from singletable.planner.formatting import format_some
from singletable.planner.key_source import change_sort, keys_edits, with_prefix
from singletable.planner.plan import Outcome, Plan
from singletable.planner.remedy import Alternative, Edit, Remedy
from singletable.verify.findings import Finding, PlannedDesign, Rule, pattern_finding

RULE = Rule("ST103", "overfetch", "warning")


def check(planned: PlannedDesign) -> Iterator[Finding]:
    """Find plans whose key range can contain other entities."""
    outcomes = {outcome.pattern.name: outcome for outcome in planned.outcomes}
    for plan in planned.plans:
        if plan.other_entities:
            names = format_some([entity.label for entity in plan.other_entities])
            message = f"the range {plan.key_condition()} can also contain {names}; {_ratio(plan)}"
            yield pattern_finding(RULE, plan.pattern, message, _remedy(planned.design, plan, outcomes))


def _remedy(design: Design, plan: Plan, outcomes: Mapping[str, Outcome]) -> Remedy:
    """Return sort keys that start with the entity's name: for the other entities, or for all."""
    involved = {entity.cls for entity in (*plan.entities, *plan.other_entities)}
    alias = TABLE if plan.index.is_inverse else plan.index.alias
    for entities in (plan.other_entities, (*plan.entities, *plan.other_entities)):
        declarations, edits = {}, tuple[Edit, ...]()
        for entity in entities:
            named = partial(with_prefix, entity, design.settings.delimiter)
            keys = change_sort(entity.declaration.keys.get(alias), named)
            if keys is not None and keys != entity.declaration.keys[alias]:
                declarations[entity.cls] = with_keys(entity, alias, keys)
                edits += keys_edits(entity, alias, keys)
        if not edits or not can_be_served(design, declarations, plan.pattern, involved):
            continue
        changed = with_other_keys(design, declarations)
        if is_served(changed, plan.pattern) and harms_nothing(design, changed, outcomes):
            return Remedy("", (Alternative(edits),))
    return Remedy("Give the entities sort keys with different prefixes, or read them together as a collection.")


def _ratio(plan: Plan) -> str:
    counts = {entity.label: entity.expected_in(plan.index) for entity in (*plan.entities, *plan.other_entities)}
    missing = [label for label, count in counts.items() if count is None]
    if missing:
        return f"declare expected_per_partition= on {format_some(missing)} to see how many reads are wasted"
    returned = sum(counts[entity.label] or 0 for entity in plan.entities)
    total = sum(count or 0 for count in counts.values())
    return f"reads {total} items to return {returned}, {total / max(returned, 1):.1f} times as many"
