"""ST142: the partition keys of two entities are bare fields of different kinds, such as a category and a date."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from singletable.model.entity import Entity
from singletable.model.field_roles import is_identifier, is_score, is_time, value_count
from singletable.model.fields import Field
from singletable.model.keys import Placement, TemplatePart
from singletable.verify.findings import Finding, PlannedDesign, Rule, entity_finding

RULE = Rule("ST142", "mixed partitions", "warning")


def check(planned: PlannedDesign) -> Iterator[Finding]:
    """Find partition keys such as `{category}` and `{date}` in one index."""
    for index in planned.design.indexes.values():
        bare = [(entity, name) for entity in planned.design.placed_in(index) if (name := _bare(entity, index.alias))]
        for (entity, name), (other, other_name) in combinations(bare, 2):
            kinds = {_kind(entity.fields[name]), _kind(other.fields[other_name])}
            if len(kinds) == 2 and None not in kinds:
                message = (
                    f"in {index.display_name}, its partition key is {{{name}}} and that of {other.label} is "
                    f"{{{other_name}}}, both without a prefix: items with equal values are in one partition"
                )
                remedy = f'Give each of them a prefix, such as "{name.upper()}#{{{name}}}".'
                yield entity_finding(RULE, entity, message, remedy)


def _bare(entity: Entity, alias: str) -> str | None:
    """Return the field that alone is the partition key, as text without a prefix."""
    placement: Placement = entity.placements[alias]
    part = placement.partition[0] if len(placement.partition) == 1 else None
    if not isinstance(part, TemplatePart) or len(part.template.parts) != 1 or len(part.exact_fields) != 1:
        return None
    (name,) = part.exact_fields
    return name


def _kind(field: Field) -> str | None:
    if is_time(field):
        return "time"
    if value_count(field) is not None:
        return "few values"
    if is_identifier(field):
        return "identifier"
    return "score" if is_score(field) else None
