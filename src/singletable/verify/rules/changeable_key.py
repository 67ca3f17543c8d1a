"""ST134: the key of an item with an id also contains a field that can change, such as its title."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.model.entity import Entity
from singletable.model.field_roles import is_identifier, is_time, value_count, words_of
from singletable.model.fields import Field
from singletable.model.key_template import FieldSlot
from singletable.model.keys import NativePart
from singletable.planner.formatting import format_list
from singletable.verify.findings import Finding, PlannedDesign, Rule, entity_finding

RULE = Rule("ST134", "key changes with a field", "warning")
_STATES = frozenset({"status", "state", "phase", "stage", "priority", "category", "name", "title"})
"""Last words of fields that change during the life of an item, unlike a type or a region."""
_CHANGEABLE = frozenset({"name", "title", "label", "email", "username", "phone", "address", "slug", "nickname"})


def check(planned: PlannedDesign) -> Iterator[Finding]:
    """Find keys whose partition contains the id of the item, and whose sort key contains a name or a state."""
    for entity in planned.design.entities:
        identity = entity.identity or ()
        partition = {name for part in entity.base.partition for name in part.fields}
        names = [name for name in _sort_fields(entity) if name not in identity and _can_change(entity, name)]
        if names and identity and partition.issuperset(identity) and not _is_shared(planned, entity):
            fields = format_list(names)
            message = (
                f"{format_list(list(identity))} identifies an item, but the key also contains {fields}: a "
                f"change of {fields} needs a new item and leaves the old one, and a read by id needs a Query"
            )
            remedy = f"Replace {fields} in the sort key by literal text."
            yield entity_finding(RULE, entity, message, remedy)
            continue
        before = list(_before_id(entity))
        if before:
            fields = format_list(before)
            message = (
                f"{fields} {'is' if len(before) == 1 else 'are'} before {list(_sort_fields(entity))[-1]} in the sort "
                f"key of the table: a change of {fields} needs a new item and leaves the old one, and a read by id "
                f"needs {fields} too"
            )
            remedy = f"Put only the id into the sort key, and {fields} into the sort key of an index."
            yield entity_finding(RULE, entity, message, remedy)


def _is_shared(planned: PlannedDesign, entity: Entity) -> bool:
    """Return whether other entities have the same partition key. The id in it is then the id of their parent."""
    own = [str(part) for part in entity.base.partition]
    others = (each for each in planned.design.entities if each is not entity)
    return entity.declaration.identity is None and any(
        [str(part) for part in each.base.partition] == own for each in others
    )


def _before_id(entity: Entity) -> Iterator[str]:
    """Yield the fields with a state or a name that the sort key contains before the id of the item."""
    names = list(_sort_fields(entity))
    if names and is_identifier(entity.fields[names[-1]]):
        yield from (name for name in names[:-1] if _is_state(entity.fields[name]))


def _is_state(field: Field) -> bool:
    words = words_of(field.name)
    is_position = len(words) > 1 and words[-1] in ("order", "position") and field.type in (int, float)
    return is_position or bool(_STATES.intersection(words[-1:]))


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
