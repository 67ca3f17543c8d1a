"""Staged writes: turn staged changes into the intents and actions of one write, plan it, and send it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec

from singletable.client.connected_table import ConnectedTable
from singletable.client.request_steps import Steps
from singletable.client.write.direct_requests import DirectRequest, DirectRequests
from singletable.client.write.item_actions import ItemAction, KeyId, Requirement, key_id
from singletable.client.write.request_sender import CANCELLED, Sender
from singletable.client.write.stored_expressions import all_of, attribute_equals, missing
from singletable.client.write.write_execution import CommitResult, Executor
from singletable.client.write.write_intents import WriteIntent
from singletable.errors import ArgumentRefused, ConditionFailed, ItemRefused, RequestRefused
from singletable.expressions.evaluate import compile_condition
from singletable.expressions.tree import Condition
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.planner.stored_items import key_of
from singletable.studio.item_rows import key_json
from singletable.studio.staged_items import Item, StagedItem, unknown_attributes
from singletable.values.limits import TRANSACTION_ACTIONS_MAX


class PlanComplete(Exception):
    """Ends the planning of a write before its request: the actions that the write would send."""

    def __init__(self, actions: Sequence[ItemAction]) -> None:
        self.actions = tuple(actions)
        super().__init__()


class _GeneralWrites(DirectRequests):
    """Sends no write on the fast path, so that each write has actions to show."""

    def of(self, intent: WriteIntent) -> DirectRequest | None:
        return None


@dataclass
class _StagedSender(Sender):
    """Adds the actions on items without an entity, and stops before the request of a plan."""

    others: Sequence[ItemAction] = ()
    is_plan: bool = False
    known: Mapping[KeyId, Item] = field(default_factory=dict)
    """The items as they were read."""

    def send(
        self, actions: Sequence[ItemAction], source: str, is_transaction: bool
    ) -> Steps[tuple[msgspec.Raw | None, bool]]:
        """Send all actions, or end the plan."""
        every = [*actions, *self.others]
        if len(every) > TRANSACTION_ACTIONS_MAX:
            raise ArgumentRefused(
                f"the transaction would write {len(every)} items, but the limit is {TRANSACTION_ACTIONS_MAX}; "
                "discard some of the changes, write the others, then stage the rest again"
            )
        if self.is_plan:
            self._check_guards(every)
            raise PlanComplete(every)
        return (yield from super().send(every, source, len(every) > 1))

    def _check_guards(self, actions: Sequence[ItemAction]) -> None:
        """Raise DynamoDB's error if the plan does not fit an item as it was read, such as one of an older version."""
        failed = [action for action in actions if not self._holds(action)]
        if failed:
            reasons = [
                {"Code": "ConditionalCheckFailed", "Item": self.known[key_id(action.key)]} if action in failed else {}
                for action in actions
            ]
            raise RequestRefused(CANCELLED, "the plan does not fit the items", CancellationReasons=reasons)

    def _holds(self, action: ItemAction) -> bool:
        item, guards = self.known.get(key_id(action.key)), all_of(*action.guards)
        return item is None or guards is None or bool(compile_condition(guards)(item, {}))

    def failed_actions(
        self, actions: Sequence[ItemAction], rejection: RequestRefused, source: str
    ) -> Steps[list[tuple[ItemAction, Item | None]]]:
        """Return the failed actions of the model; raise the error of an item without an entity."""
        failed = yield from super().failed_actions([*actions, *self.others], rejection, source)
        for action, item in failed:
            if any(action is other for other in self.others):
                raise action.requirements[0].error(item)
        return failed


@dataclass(frozen=True)
class StagedWrite:
    """The staged changes of one table as one write."""

    design: Design
    staged: tuple[StagedItem, ...]
    intents: tuple[WriteIntent, ...]
    sources: tuple[int, ...]
    """The position of the staged change of each intent."""
    others: tuple[ItemAction, ...] = field(default=())
    """The actions on items without an entity; `intent` is the position of the staged change, after the intents."""

    def staged_of(self, action: ItemAction) -> int | None:
        """Return the position of the staged change that an action makes; None for an action on derived data."""
        if not action.is_requested:
            return None
        number = action.intent
        return self.sources[number] if number < len(self.sources) else number - len(self.sources)

    @property
    def written_keys(self) -> tuple[Item, ...]:
        """The table keys of the items that exist after the write."""
        written = [key_of(each.entity, each.values) for each in self.intents if each.kind != "delete"]
        return tuple(dict(key) for key in written) + tuple(each.key for each in self.others if each.kind == "Put")

    def plan(self, opened: ConnectedTable) -> tuple[ItemAction, ...]:
        """Return the actions of the write; reads the items that it depends on, and writes nothing."""
        try:
            opened.run(self._steps(opened, is_plan=True))
        except PlanComplete as plan:
            return plan.actions
        raise AssertionError("a plan ends before its request")

    def send(self, opened: ConnectedTable) -> None:
        """Write all changes or none: one request for one item, one transaction for several."""
        opened.run(self._steps(opened, is_plan=False))

    def _known(self) -> dict[KeyId, Item]:
        names = self.design.table.key_attributes
        return {key_id({name: each.before[name] for name in names}): each.before for each in self.staged if each.before}

    def _steps(self, opened: ConnectedTable, *, is_plan: bool) -> Steps[CommitResult | None]:
        known = opened.writer.executor
        sender = _StagedSender(known.reader, known.sender.returns_items, self.others, is_plan, self._known())
        if self.intents:
            executor = Executor(known.reader, known.preparer, _GeneralWrites(known.preparer), known.copies, sender)
            is_transaction = len(self.intents) + len(self.others) > 1
            return (yield from executor.commit(self.intents, source="studio", is_transaction=is_transaction))
        try:
            yield from sender.send([], "studio", is_transaction=False)
        except RequestRefused as rejection:
            yield from sender.failed_actions([], rejection, "studio")
        return None


def staged_write(opened: ConnectedTable, staged: Sequence[StagedItem]) -> StagedWrite:
    """Return the write of some staged changes; raises an error if the model does not accept one of them."""
    design = opened.reader.design
    entities = {entity.name: entity for entity in design.entities}
    intents: list[WriteIntent] = []
    sources: list[int] = []
    raw: list[tuple[int, StagedItem]] = []
    for number, each in enumerate(staged):
        if each.entity in entities:
            found = list(_intents(opened, entities[each.entity], each))
            intents += found
            sources += [number] * len(found)
        elif each.entity:
            raise ArgumentRefused(f"the model has no entity {each.entity} any more; discard the change of its item")
        else:
            raw.append((number, each))
    others = [action for number, each in raw for action in _raw_actions(design, each, len(sources) + number)]
    return StagedWrite(design, tuple(staged), tuple(intents), tuple(sources), tuple(others))


def _intents(opened: ConnectedTable, entity: Entity, staged: StagedItem) -> Iterator[WriteIntent]:
    """Yield the intents of a change of an entity's item: a changed key deletes one item and creates another."""
    design, writer = opened.reader.design, opened.writer
    decoder = opened.reader.item_types.decoder(entity)
    before, after = staged.before, staged.after
    if after is None:
        assert before is not None, "only a stored item can be deleted"
        yield _delete(opened, entity, before)
        return
    value = decoder.read(complete_item(design, entity, after))
    unknown = unknown_attributes(design, entity, after)
    if before is None:
        yield replace(writer.intents.whole("create", value), unknown=unknown)
        return
    put = writer.intents.whole("put", value)
    old_key = {name: before[name] for name in design.table.key_attributes}
    if key_of(entity, put.values) == old_key:
        condition = None if put.version is not None else _unchanged(opened, entity, before)
        yield replace(put, unchanged=condition, unknown=unknown)
    else:
        yield _delete(opened, entity, before)
        yield replace(writer.intents.whole("create", value), unknown=unknown)


def complete_item(design: Design, entity: Entity, attributes: Mapping[str, Any]) -> Item:
    """Return the attributes of a form with the type and the schema version, so that the model reads them."""
    settings, version = design.settings, entity.declaration.schema_version
    item = dict(attributes)
    if settings.type_attribute:
        item[settings.type_attribute] = {"S": entity.name}
    if version is not None:
        item[settings.schema_version_attribute] = {"N": str(version)}
    return item


def _delete(opened: ConnectedTable, entity: Entity, before: Item) -> WriteIntent:
    """Return the intent to delete an item, which the model may not be able to read."""
    intents = opened.writer.intents
    try:
        value = opened.reader.item_types.decoder(entity).read(before)
    except ItemRefused:
        texts = {part.attribute: next(iter(before[part.attribute].values())) for part in entity.base.parts}
        made = WriteIntent("delete", entity, entity.base.decode(texts), is_raw=True)
        return replace(intents.checked(made), unchanged=_unchanged(opened, entity, before))
    intent = intents.delete(value, None)
    return intent if intent.version is not None else replace(intent, unchanged=_unchanged(opened, entity, before))


def _unchanged(opened: ConnectedTable, entity: Entity, before: Item) -> Condition | None:
    """Return a condition that holds if every attribute is as it was read; counters may change."""
    upgrader = opened.reader.item_types.upgrader(entity)
    if upgrader is not None and upgrader.is_older(before):
        before = upgrader.upgraded(before)
    counters = opened.writer.preparer.derived_data(entity).counters
    ignored = {entity.attributes[name] for name in counters}
    read = {**dict.fromkeys(entity.attributes.values()), **before}
    return all_of(*(attribute_equals(name, value) for name, value in read.items() if name not in ignored))


def _raw_actions(design: Design, staged: StagedItem, number: int) -> Iterator[ItemAction]:
    """Yield the actions of a change of an item that is written as it is."""
    before, after = staged.before, staged.after
    names = design.table.key_attributes
    old = None if before is None else {name: before[name] for name in names}
    new = None if after is None else {name: after[name] for name in names if name in after}
    if new is not None and len(new) < len(names):
        absent = ", ".join(name for name in names if name not in new)
        raise ArgumentRefused(f"the item has no {absent}, which is part of the key of the table; add it")
    if old is not None and before is not None and new != old:
        yield _raw_action(design, "Delete", old, before, number)
    if new is not None:
        kept = before if new == old else None
        yield replace(_raw_action(design, "Put", new, kept, number), item=after)


def _raw_action(design: Design, kind: Any, key: Item, before: Item | None, number: int) -> ItemAction:
    label = f"the item {key_json(key, design.table.key_attributes)}"

    def error(item: Item | None) -> Exception:
        why = "already exists" if before is None else "no longer exists" if item is None else "was changed"
        return ConditionFailed(f"{label} {why} after it was read")

    absent = missing(design.table.key_attributes[0])
    condition = absent if before is None else all_of(*(attribute_equals(name, each) for name, each in before.items()))
    assert condition is not None, "an item has a key"
    return ItemAction(
        kind, key, number, requirements=(Requirement(condition, error, number),), label=label, is_requested=True
    )
