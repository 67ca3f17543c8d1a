"""Updates of copies: when a source item changes, find the items that copy its fields (its holders), and update them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from typing import Any

from singletable.client.reading import pagination
from singletable.client.reading.table_reader import ReadOptions, TableReader
from singletable.client.request_steps import Steps
from singletable.client.responses import Item
from singletable.client.write import schema_versions
from singletable.client.write.derived_actions import DerivedData, copied_fields
from singletable.client.write.index_key_changes import changes_between
from singletable.client.write.item_actions import ItemAction, KeyId, key_id
from singletable.client.write.prepare_actions import PreparedWrite, Preparer
from singletable.client.write.second_forms import second_form_changes
from singletable.client.write.write_intents import WriteIntent
from singletable.errors import ArgumentRefused, DesignError, Problem
from singletable.expressions.tree import paths
from singletable.lazy_dataclass import dataclass, replace
from singletable.model.derived_data import Copy
from singletable.model.entity import Entity
from singletable.planner.plan import Plan, UnsupportedPattern
from singletable.planner.planner import plan_copies_query
from singletable.planner.stored_items import key_of, values_of

Fields = Mapping[str, Any]
SeenItems = Mapping[KeyId, Item]
"""Stored items for which a guard failed, by key."""
WrittenIntents = Mapping[KeyId, WriteIntent]
"""The intents of the same transaction, by the key of their item."""


@dataclass
class CopyUpdater:
    """Finds the holders of a source's copies and plans their changes."""

    reader: TableReader
    preparer: Preparer
    _plans: dict[tuple[object, ...], Plan] = field(default_factory=dict)

    def actions(self, source: PreparedWrite, seen: SeenItems, written: WrittenIntents) -> Steps[list[ItemAction]]:
        """Return the changes of the items that copy the written item, and of the items that copy these items.

        The result omits items that the same transaction writes, because their own writes contain the new copies.
        """
        actions: list[ItemAction] = []
        if source.new is None:
            return actions
        intent = source.action.intent
        for holder, values, changed in (yield from self._holders(source.intent.entity, source.old, source.new)):
            if key_id(key_of(holder, values)) not in written:
                actions += yield from self.change_holder(holder, values, changed, intent, seen, written)
        return actions

    def _indirect_changes(
        self, holder: Entity, old: Fields, new: Fields, intent: int, seen: SeenItems, written: WrittenIntents
    ) -> Steps[list[ItemAction]]:
        """Return the changes of the items that copy a changed holder."""
        actions: list[ItemAction] = []
        for other, values, changed in (yield from self._holders(holder, old, new)):
            intent_of_other = written.get(key_id(key_of(other, values)))
            if intent_of_other is None:
                actions += yield from self.change_holder(other, values, changed, intent, seen, written)
            elif intent_of_other.kind != "delete":
                raise _copies_a_copy(intent_of_other)
        return actions

    def _holders(
        self, source: Entity, old: Fields | None, new: Fields
    ) -> Steps[list[tuple[Entity, Fields, dict[str, Any]]]]:
        """Return the holders of a source, each with its old and new fields. A holder with two copies occurs once."""
        holders: dict[KeyId, tuple[Entity, Fields, dict[str, Any]]] = {}
        for copy, holder in self.preparer.derived_data(source).copied_by:
            if old is not None and all(old[theirs] == new[theirs] for theirs in copy.fields):
                continue
            for values in (yield from self.find_copies(copy, holder, new)):
                known = holders.setdefault(key_id(key_of(holder, values)), (holder, values, dict(values)))
                known[2].update(copied_fields(copy, new))
        return list(holders.values())

    def change_holder(
        self, holder: Entity, old: Fields, new: Fields, intent: int, seen: SeenItems, written: WrittenIntents
    ) -> Steps[list[ItemAction]]:
        """Return the actions that change one holder and its derived data."""
        changes = changes_between(holder, old, new)
        if not changes:
            return []
        self.preparer.check_copies(holder, new, self.preparer.valid_derived(holder, new, "copy").values)
        needed: set[str] = {name for name in new if new[name] != old[name]}
        for placement in holder.placements.values():
            if placement.fields & needed:
                needed |= placement.fields
        derived_data = self.preparer.derived_data(holder)
        for copy, _ in derived_data.copies:
            if not needed.isdisjoint(copy.fields.values()):
                needed |= {*copy.by.values()}  # the holder may have got another source
        if needed & derived_data.tracked_fields:
            needed |= derived_data.tracked_fields
        guards = self.preparer.unchanged(holder, old, needed)
        forms = {a: name for a, name in derived_data.second_forms.items() if new[name] != old[name]}
        changes = (*changes, *second_form_changes(holder, forms, new))
        action = ItemAction("Update", key_of(holder, old), intent, None, changes, guards=guards)
        action = self._for_schema_version(holder, action, old, new, seen.get(key_id(action.key)))
        derived = DerivedData(self.preparer, holder, intent).actions(old, new)
        indirect = yield from self._indirect_changes(holder, old, new, intent, seen, written)
        return [action, *derived, *indirect]

    def _for_schema_version(
        self, holder: Entity, action: ItemAction, old: Fields, new: Fields, item: Item | None
    ) -> ItemAction:
        """Return the change of a holder.

        If the holder has an older schema version, it is upgraded and written whole.
        """
        upgrader = self.preparer.item_types.upgrader(holder)
        if upgrader is not None and item is not None and upgrader.is_older(item):
            whole = upgrader.upgraded(item)
            if self.preparer.read_fields(holder, whole) == old:
                return schema_versions.upgraded_action(self.reader.design, upgrader, holder, action, item, (whole, new))
        return replace(action, guards=(*action.guards, *schema_versions.is_current(self.reader.design, holder)))

    def find_copies(self, copy: Copy, holder: Entity, source: Fields) -> Steps[list[dict[str, Any]]]:
        """Query the fields of every item that copies a source with these values."""
        plan = self._plan(copy, holder)
        arguments = {ours: source[theirs] for theirs, ours in copy.by.items()}
        options = ReadOptions(consistent=True if plan.strong_possible else None, expired=True)
        pages_of = pagination.start_query(self.reader, plan, arguments, options)
        found: list[dict[str, Any]] = []
        while (objects := (yield from pagination.next_objects(self.reader, plan, pages_of))) is not None:
            found += [values_of(holder, each) for each in objects]
        return found

    def stale_copies(self, source: Entity, new: Fields, intent: int, seen: SeenItems) -> Steps[list[list[ItemAction]]]:
        """Return the changes of copies that differ from their source because it changed while they were written."""
        stale: list[list[ItemAction]] = []
        for holder, values, changed in (yield from self._holders(source, None, new)):
            if changed != values:
                stale.append((yield from self.change_holder(holder, values, changed, intent, seen, {})))
        return stale

    def _plan(self, copy: Copy, holder: Entity) -> Plan:
        cache_key = (copy.source, holder.cls, *sorted(copy.by.items()))  # an item may copy two items of one entity
        known = self._plans.get(cache_key)
        if known is None:
            design = self.reader.design  # during a migration, it has other indexes than the design of the holder
            outcome = plan_copies_query(design, copy, design.entity_of(holder.cls))
            if isinstance(outcome, UnsupportedPattern):
                message = f"{holder.label} copies {copy.source.__name__}, but no Query finds them: {outcome.reason}"
                remedy = f"Give {holder.label} a key or an index that starts with {', '.join(copy.by.values())}."
                raise DesignError(Problem(message, holder.location, remedy))
            known = self._plans[cache_key] = outcome
        return known

    def may_update_in_parts(self, sources: Iterable[Entity]) -> bool:
        """Return whether separate transactions may update the copies of these sources."""
        return all(copy.in_parts for source in sources for copy, _ in self.preparer.derived_data(source).copied_by)


def reject_copies_of_copies(
    own: Iterable[ItemAction], copied: Iterable[ItemAction], intents: Sequence[WriteIntent]
) -> None:
    """Raise ArgumentRefused if a written item copies an item that another write of the transaction changes."""
    changed = {(key_id(each.key), str(change.path.steps[0])) for each in copied for change in each.changes}
    for check in own:
        if check.kind == "ConditionCheck" and not check.is_requested:
            checked = {(key_id(check.key), str(path.steps[0])) for guard in check.guards for path in paths(guard)}
            if not changed.isdisjoint(checked):
                raise _copies_a_copy(intents[check.intent])


def _copies_a_copy(intent: WriteIntent) -> ArgumentRefused:
    return ArgumentRefused(
        f"the transaction writes {intent.label}, which copies an item that another write of the transaction changes; "
        "use two transactions"
    )
