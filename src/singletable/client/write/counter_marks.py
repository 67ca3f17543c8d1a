"""Marks on counted items while a migration adds a counter: a mark is the key of the owner that counts the item.

The backfill and new code add an item to its counter and mark it in one transaction. So the counter counts every item
once, and a delete subtracts only an item that was counted.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from singletable.client.responses import Item
from singletable.client.write.prepare_actions import PreparedWrite
from singletable.client.write.stored_expressions import attribute_equals
from singletable.expressions.tree import Change, Constant, Path
from singletable.lazy_dataclass import replace
from singletable.model.derived_data import MARK, Count, DerivedDataRules, Marking
from singletable.model.entity import Entity
from singletable.planner.stored_items import is_counted, key_of


def mark_attribute(count: Count, owner: Entity) -> str:
    """Return the attribute of a counted item that contains the key of its owner."""
    name = min((owner.name, *owner.declaration.former_names))  # the same before and after a rename of the owner
    return f"{MARK}{name}.{count.field}"


def owner_key(entity: Entity, count: Count, owner: Entity, values: Mapping[str, Any] | None) -> Item | None:
    """Return the key of the owner that counts an item with these fields.

    Return None if no owner counts the item.
    """
    if values is None or not is_counted(entity, count, values):
        return None
    if any(values[ours] is None for ours in count.by.values()):
        return None
    return key_of(owner, {theirs: values[ours] for theirs, ours in count.by.items()})


def counted_owners(
    count: Count, before: Item | None, after: Item | None, mark: Mapping[str, Any] | None
) -> tuple[Item | None, Item | None]:
    """Return the owner that counts an item before a write, and the owner that must count it afterwards.

    Each is None if there is none. `before` and `after` are the owners according to the fields of the item; `mark` is
    its stored mark.
    """
    marked: Item | None = None if mark is None else mark["M"]
    match count.marking:
        case Marking.IGNORED:
            return None, None
        case Marking.HONORED:
            return marked, after if after == marked else None
        case Marking.WRITTEN:
            return marked, after
        case _:
            return before, after


def with_marks(write: PreparedWrite, rules: DerivedDataRules, stored: Item | None) -> PreparedWrite:
    """Return a write that also keeps the marks of its item in sync with the counters."""
    marking = [each for each in rules.counted if each[0].marking not in (None, Marking.IGNORED)]
    if not marking or not write.is_known:
        return write
    marks = {mark_attribute(*each): (stored or {}).get(mark_attribute(*each)) for each in marking}
    action = write.action
    if stored is not None:
        action = replace(action, guards=(*action.guards, *(attribute_equals(n, each) for n, each in marks.items())))
    if write.new is not None:
        item, changes = dict(action.item or {}), [each for each in action.changes if each.path.steps[0] not in marks]
        for count, owner in marking:
            name = mark_attribute(count, owner)
            _, after = counted_owners(count, None, owner_key(write.intent.entity, count, owner, write.new), marks[name])
            if after is not None:
                item[name] = {"M": after}
                changes.append(Change("SET", Path((name,)), Constant({"M": after})))
            elif marks[name] is not None:
                changes.append(Change("REMOVE", Path((name,))))
        action = replace(action, item=item) if action.kind == "Put" else replace(action, changes=tuple(changes))
    return replace(write, action=action, marks=marks)
