"""ST134: the key of an item with an id also contains a field that can change, such as its title."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.model.entity import Entity
from singletable.model.field_roles import is_time, value_count, words_of
from singletable.model.key_template import FieldSlot
from singletable.model.keys import NativePart
from singletable.planner.formatting import format_list
from singletable.verify.findings import Finding, PlannedDesign, Rule, entity_finding

RULE = Rule("ST134", "key changes with a field", "warning")
_STATES = frozenset(
    {"status", "state", "phase", "stage", "priority", "category", "price", "score", "rank", "name", "title"}
)
"""Last words of fields that change during the life of an item, unlike a type or a region."""
_CHANGEABLE = frozenset({"name", "title", "label", "email", "username", "phone", "address", "slug", "nickname"})


def check(planned: PlannedDesign) -> Iterator[Finding]:
    """Find keys whose partition contains the id of the item, and whose sort key contains a name or a state."""
    for entity in planned.design.entities:
        if entity.identity is None:
            continue
        partition = {name for part in entity.base.partition for name in part.fields}
        names = [name for name in _sort_fields(entity) if name not in entity.identity and _can_change(entity, name)]
        if names and partition.issuperset(entity.identity):
            fields = format_list(names)
            message = (
                f"{format_list(list(entity.identity))} identifies an item, but the key also contains {fields}: a "
                f"change of {fields} needs a new item and leaves the old one, and a read by id needs a Query"
            )
            remedy = f"Replace {fields} in the sort key by literal text."
            yield entity_finding(RULE, entity, message, remedy)
            continue
        before = list(_before_id(entity))
        if before:
            fields = format_list(before)
            message = (
                f"{fields} is before {format_list(list(entity.identity))} in the sort key of the table: a change of "
                f"{fields} needs a new item and leaves the old one, and a read by id needs {fields} too"
            )
            remedy = f"Put only the id into the sort key, and {fields} into the sort key of an index."
            yield entity_finding(RULE, entity, message, remedy)


def _before_id(entity: Entity) -> Iterator[str]:
    """Yield the fields with a state or a name that the sort key contains before the id of the item."""
    names = list(_sort_fields(entity))
    ids = [place for place, name in enumerate(names) if entity.identity is not None and name in entity.identity]
    if ids:
        yield from (name for name in names[: ids[0]] if _STATES.intersection(words_of(name)[-1:]))


def _sort_fields(entity: Entity) -> Iterator[str]:
    for part in entity.base.sort:
        if isinstance(part, NativePart):
            yield part.field.name
        else:
            yield from (slot.name for slot in part.template.slots if isinstance(slot, FieldSlot))


def _can_change(entity: Entity, name: str) -> bool:
    field = entity.fields[name]
    words = words_of(name.removesuffix("_id"))
    return not is_time(field) and bool(value_count(field) or (words and words[-1] in _CHANGEABLE))
