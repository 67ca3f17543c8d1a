"""ST116: no index finds the items that copy another entity's fields, so the copies cannot be updated."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.model.derived_data import Copy
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.planner.changed_designs import with_declarations, with_keys
from singletable.planner.key_proposals import free_aliases
from singletable.planner.key_source import keys_edits
from singletable.planner.plan import Plan, UnsupportedPattern
from singletable.planner.planner import plan_copies_query
from singletable.planner.remedy import Alternative, Remedy
from singletable.verify.findings import Finding, PlannedDesign, Rule, entity_finding

RULE = Rule("ST116", "copies cannot be found", "error")


def check(planned: PlannedDesign) -> Iterator[Finding]:
    """Find copies that no index can find by the key of their source."""
    for holder in planned.design.entities:
        for copy in holder.declaration.copies:
            outcome = plan_copies_query(planned.design, copy, holder)
            if isinstance(outcome, UnsupportedPattern):
                by = " and ".join(copy.by.values())
                source = copy.source.__name__
                message = (
                    f"copies {', '.join(copy.fields)} from {source}, but no Query finds the copies by {by}: "
                    f"{outcome.reason}"
                )
                yield entity_finding(RULE, holder, message, _remedy(planned.design, copy, holder))


def _remedy(design: Design, copy: Copy, holder: Entity) -> Remedy:
    """Return the keys of an index that finds the copies by the key of their source."""
    delimiter, by = design.settings.delimiter, list(copy.by.values())
    partition = delimiter.join([copy.source.__name__.upper(), *(f"{{{name}}}" for name in by)])
    sort = delimiter.join(f"{{{name}}}" for name in sorted(holder.base.exact_fields) if name not in by)
    for alias in free_aliases(design, holder):
        keys = (partition, sort or holder.label.upper())
        changed = with_declarations(design, {holder.cls: with_keys(holder, alias, keys)}, [])
        if changed is None:
            continue
        outcome = plan_copies_query(changed, copy, changed.entity_of(holder.cls))
        if isinstance(outcome, Plan) and not outcome.other_entities:
            return Remedy("", (Alternative(keys_edits(holder, alias, keys)),))
    return Remedy(f"Give {holder.label} a key or an index whose partition key contains {' and '.join(by)}.")
