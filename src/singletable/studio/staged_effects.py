"""Staged effects: the effects of a staged write on the table, the indexes, derived items and results of patterns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from singletable.client.connected_table import ConnectedTable
from singletable.client.request_steps import Call
from singletable.client.responses import read_get
from singletable.client.write.item_actions import ItemAction, key_id
from singletable.client.write.stored_expressions import same_stored_value
from singletable.document.item_collections import text_of
from singletable.document.svg import clean
from singletable.expressions.evaluate import compile_condition
from singletable.model.table_schema import Index
from singletable.planner.formatting import format_count
from singletable.planner.planned_requests import Request
from singletable.studio.item_places import ItemViews
from singletable.studio.item_rows import Item, ItemRows
from singletable.studio.key_pieces import KeyPieces, key_texts
from singletable.studio.staged_writes import StagedWrite
from singletable.studio.studio_store import RehearsedWrite, rehearse


@dataclass(frozen=True)
class ChangedAttribute:
    """An attribute before and after a write; empty if it is not set."""

    name: str
    before: str | None
    after: str | None


@dataclass(frozen=True)
class IndexEffect:
    """The effect of a write on the entry of an item in an index."""

    label: str
    effect: str
    units: float
    before: tuple[KeyPieces, KeyPieces] | None = None
    after: tuple[KeyPieces, KeyPieces] | None = None

    @property
    def is_move(self) -> bool:
        """Whether the entry gets another key."""
        return self.before is not None and self.after is not None and self.before != self.after


@dataclass(frozen=True)
class ActionEffect:
    """The effect of one action of a write on its item and on every index."""

    kind: str
    label: str
    entity: int
    key: tuple[KeyPieces, KeyPieces]
    attributes: tuple[ChangedAttribute, ...]
    units: float
    """The units of the table."""
    indexes: tuple[IndexEffect, ...]
    error: str = ""
    note: str = ""
    """The attributes that the list leaves out, in words: `3 attributes as before`."""

    @property
    def total(self) -> float:
        """The units of the table and of all indexes."""
        return self.units + sum(each.units for each in self.indexes)


@dataclass(frozen=True)
class ChangedAnswer:
    """A call of a pattern whose answer differs after the write."""

    call: str
    gains: tuple[str, ...]
    loses: tuple[str, ...]


@dataclass(frozen=True)
class StagedEffects:
    """The effects of a staged write: per staged change, on derived items, and on the results of patterns."""

    changes: tuple[tuple[str, tuple[ActionEffect, ...]], ...]
    """The ID of each staged change, with its actions."""
    derived: tuple[ActionEffect, ...]
    answers: tuple[ChangedAnswer, ...]
    request: Request

    @property
    def actions(self) -> int:
        """The number of actions in the request."""
        return len(self.derived) + sum(len(each) for _, each in self.changes)

    @property
    def units(self) -> float:
        """The write units of the request."""
        every = [*self.derived, *(action for _, each in self.changes for action in each)]
        return sum(action.total for action in every)

    @property
    def errors(self) -> tuple[str, ...]:
        """Why the rehearsal of an action failed."""
        every = [*(action for _, each in self.changes for action in each), *self.derived]
        return tuple(each.error for each in every if each.error)


def staged_effects(opened: ConnectedTable, rows: ItemRows, views: ItemViews, write: StagedWrite) -> StagedEffects:
    """Plan a write and rehearse it on a copy of its items; reads the derived items, and writes nothing."""
    actions = write.plan(opened)
    stored = _stored_items(opened, write, actions)
    rehearsed = rehearse(rows.design, stored, [_rehearsal(rows, action, len(actions)) for action in actions])
    effects = [(_effect(rows, action, done), done) for action, done in zip(actions, rehearsed, strict=True)]
    by_change: dict[int, list[tuple[ActionEffect, RehearsedWrite]]] = {
        number: [] for number in range(len(write.staged))
    }
    derived: list[ActionEffect] = []
    for action, (effect, done) in zip(actions, effects, strict=True):
        number = write.staged_of(action)
        if number is None:
            derived.append(effect)
        else:
            by_change[number].append((effect, done))
    return StagedEffects(
        tuple((write.staged[number].id, tuple(_change(each))) for number, each in by_change.items()),
        tuple(derived),
        tuple(_answers(views, rehearsed)),
        _request(opened.reader.name, actions),
    )


def _change(found: Sequence[tuple[ActionEffect, RehearsedWrite]]) -> Iterator[ActionEffect]:
    """Yield the effects of one change. If its key changes, list only the attributes that differ in the new item."""
    old = next((done.before for effect, done in found if effect.kind == "deletes"), None)
    new = next((done.after for effect, done in found if effect.kind == "creates"), None)
    if old is None or new is None:
        yield from (effect for effect, _ in found)
        return
    for effect, _ in found:
        if effect.kind == "deletes":
            yield replace(effect, attributes=(), note="all its attributes; the new item is below")
            continue
        names = [each.name for each in effect.attributes]
        changed = tuple(_changed([*names, *(name for name in old if name not in names)], old, new))
        same = len({*old, *new}) - len(changed)
        yield replace(effect, attributes=changed, note=f"{format_count(same, 'attribute')} as before" if same else "")


def _stored_items(opened: ConnectedTable, write: StagedWrite, actions: Sequence[ItemAction]) -> list[Item]:
    """Return the items as they were read, and the stored items of the other actions."""
    names = write.design.table.key_attributes
    known = {key_id({name: each.before[name] for name in names}): each.before for each in write.staged if each.before}
    unknown = [action.key for action in actions if key_id(action.key) not in known and not _is_new(action)]
    shared = {"TableName": opened.reader.name, "ConsistentRead": True, "ReturnConsumedCapacity": "TOTAL"}
    calls = [Call("GetItem", {**shared, "Key": key}, source="studio") for key in unknown]
    read = [read_get(body).item for body in opened.session.send_all(calls)] if calls else []
    return [*known.values(), *(item for item in read if item is not None)]


def _is_new(action: ItemAction) -> bool:
    """Return whether the request of the user creates the item, so that it needs no read."""
    return action.is_requested and action.kind == "Put"


def _rehearsal(rows: ItemRows, action: ItemAction, actions: int) -> tuple[str, dict[str, Any], Item]:
    if actions == 1:
        return action.operation, {"TableName": rows.design.name, **action.parameters()}, action.key
    return "TransactWriteItems", {"TransactItems": [action.entry(rows.design.name)]}, action.key


def _request(table: str, actions: Sequence[ItemAction]) -> Request:
    if len(actions) == 1:
        return Request(actions[0].operation, {"TableName": table, **actions[0].parameters()})
    return Request("TransactWriteItems", {"TransactItems": [action.entry(table) for action in actions]})


def _effect(rows: ItemRows, action: ItemAction, done: RehearsedWrite) -> ActionEffect:
    item = done.after or done.before or {**action.key, **(action.item or {})}
    number = rows.number_of(item)
    entity = rows.design.entities[number] if number >= 0 else None
    table = rows.design.table
    kind = "cannot write" if done.error else "checks" if action.kind == "ConditionCheck" else _kind(done)
    names = list({**(done.before or {}), **(done.after or {})})
    order = list(entity.attributes.values()) if entity is not None else []
    names.sort(key=lambda name: order.index(name) if name in order else len(order))
    return ActionEffect(
        kind,
        rows.label_of(number),
        number,
        (key_texts(item, table.partition, entity, table), key_texts(item, table.sort, entity, table)),
        tuple(_changed(names, done.before or {}, done.after or {})),
        done.units.get("table", 0.0),
        tuple(_index_effects(rows, done)),
        _error_text(action, done),
    )


def _error_text(action: ItemAction, done: RehearsedWrite) -> str:
    """Return why an action fails: the error of the requirement that the stored item does not meet, if there is one."""
    if "ConditionalCheckFailed" in done.error:
        for each in action.requirements:
            if not compile_condition(each.condition)(done.before or {}, {}):
                return str(each.error(done.before))
    return done.error


def _kind(done: RehearsedWrite) -> str:
    if done.before is None:
        return "creates" if done.after is not None else "does not find"
    return "deletes" if done.after is None else "changes"


def _changed(names: Sequence[str], before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[ChangedAttribute]:
    for name in names:
        if not same_stored_value(before.get(name), after.get(name)):
            old, new = (clean(text_of(item[name])) or '""' if name in item else None for item in (before, after))
            yield ChangedAttribute(name, old, new)


def _index_effects(rows: ItemRows, done: RehearsedWrite) -> Iterator[IndexEffect]:
    for index in rows.design.indexes.values():
        if index.is_table:
            continue
        before, after = (_entry(rows, item, index) for item in (done.before, done.after))
        units = done.units.get(index.label, 0.0)
        if before is None and after is None:
            continue
        if before is None:
            effect = "adds its entry"
        elif after is None:
            effect = "removes its entry"
        elif before != after:
            effect = "moves its entry"
        else:
            effect = "writes its entry again" if units else "its entry stays the same"
        yield IndexEffect(index.label, effect, units, before, after)


def _entry(rows: ItemRows, item: Item | None, index: Index) -> tuple[KeyPieces, KeyPieces] | None:
    """Return the key of the entry of an item in an index; None if the index does not contain it."""
    if item is None or not all(each.type in item.get(each.name, {}) for each in (*index.partition, *index.sort)):
        return None
    entity = rows.entity_of(item)
    return key_texts(item, index.partition, entity, index), key_texts(item, index.sort, entity, index)


def _answers(views: ItemViews, rehearsed: Sequence[RehearsedWrite]) -> Iterator[ChangedAnswer]:
    """Yield the calls that return an item only before or only after the write."""
    gains: dict[str, list[str]] = {}
    loses: dict[str, list[str]] = {}
    for done in rehearsed:
        before, after = (_calls(views, item) for item in (done.before, done.after))
        for call in before.keys() - after.keys():
            loses.setdefault(call, []).append(before[call])
        for call in after.keys() - before.keys():
            gains.setdefault(call, []).append(after[call])
    for call in sorted({*gains, *loses}):
        yield ChangedAnswer(call, tuple(gains.get(call, ())), tuple(loses.get(call, ())))


def _calls(views: ItemViews, item: Item | None) -> dict[str, str]:
    if item is None:
        return {}
    view = views.view(item)
    return {each.call: view.name for each in view.patterns}
