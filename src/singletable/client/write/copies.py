"""Copies: the items that repeat fields of a source are found when the source changes, and change with it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from singletable.client.answers import Item
from singletable.client.options import Options
from singletable.client.reading import pages
from singletable.client.reading.reader import Reader
from singletable.client.steps import Steps
from singletable.client.write import schema_versions
from singletable.client.write.actions import Action, KeyId, key_id
from singletable.client.write.derived import DerivedData, copied_fields
from singletable.client.write.index_keys import changes_between
from singletable.client.write.intent import WriteIntent
from singletable.client.write.prepare import PreparedWrite, Preparer
from singletable.errors import ArgumentRefused, DesignError, Problem
from singletable.expressions.tree import paths
from singletable.model.copies import Copy
from singletable.model.entity import Entity
from singletable.planner.holders import plan_holders
from singletable.planner.items import key_of, values_of
from singletable.planner.plan import Plan, Refusal

Fields = Mapping[str, Any]
SeenItems = Mapping[KeyId, Item]
"""Items as they were found when an assumption about them was wrong, by their keys."""
WrittenIntents = Mapping[KeyId, WriteIntent]
"""The intents of the same transaction, by the keys of their items."""


@dataclass
class CopyHolders:
    """Finds the items that hold copies of a source, and plans their changes."""

    reader: Reader
    preparer: Preparer
    _plans: dict[tuple[object, ...], Plan] = field(default_factory=dict)

    def actions(self, source: PreparedWrite, seen: SeenItems, written: WrittenIntents) -> Steps[list[Action]]:
        """The changes that a write causes in the items that copy its own, and in those that copy them.

        Items that the same transaction writes are left out: their own writes have the new copies already.
        """
        actions: list[Action] = []
        if source.new is None:
            return actions
        intent = source.action.intent
        for holder, values, changed in (yield from self._holders(source.intent.entity, source.old, source.new)):
            if key_id(key_of(holder, values)) not in written:
                actions += yield from self.changed(holder, values, changed, intent, seen, written)
        return actions

    def _further(
        self, holder: Entity, old: Fields, new: Fields, intent: int, seen: SeenItems, written: WrittenIntents
    ) -> Steps[list[Action]]:
        """The changes that the change of a holder causes in the items that copy it in turn."""
        actions: list[Action] = []
        for other, values, changed in (yield from self._holders(holder, old, new)):
            also = written.get(key_id(key_of(other, values)))
            if also is None:
                actions += yield from self.changed(other, values, changed, intent, seen, written)
            elif also.kind != "delete":
                raise _copies_a_copy(also)
        return actions

    def _holders(
        self, source: Entity, old: Fields | None, new: Fields
    ) -> Steps[list[tuple[Entity, Fields, dict[str, Any]]]]:
        """The items that copy a source, each once, with their fields before and after: an item may copy it twice."""
        holders: dict[KeyId, tuple[Entity, Fields, dict[str, Any]]] = {}
        for copy, holder in self.preparer.keeping(source).given:
            if old is not None and all(old[theirs] == new[theirs] for theirs in copy.fields):
                continue
            for values in (yield from self.found(copy, holder, new)):
                known = holders.setdefault(key_id(key_of(holder, values)), (holder, values, dict(values)))
                known[2].update(copied_fields(copy, new))
        return list(holders.values())

    def changed(
        self, holder: Entity, old: Fields, new: Fields, intent: int, seen: SeenItems, written: WrittenIntents
    ) -> Steps[list[Action]]:
        """The change of one holder, with its derived data."""
        changes = changes_between(holder, old, new)
        if not changes:
            return []
        self.preparer.check_copies(holder, new, self.preparer.valid_derived(holder, new, "copy").values)
        needed: set[str] = {name for name in new if new[name] != old[name]}
        for placement in holder.placements.values():
            if placement.fields & needed:
                needed |= placement.fields
        keeping = self.preparer.keeping(holder)
        if needed & keeping.decisive:
            needed |= keeping.decisive
        guards = self.preparer.unchanged(holder, old, needed)
        action = Action("Update", key_of(holder, old), intent, None, changes, guards=guards)
        action = self._of_version(holder, action, old, new, seen.get(key_id(action.key)))
        derived = DerivedData(self.preparer, holder, intent).actions(old, new)
        further = yield from self._further(holder, old, new, intent, seen, written)
        return [action, *derived, *further]

    def _of_version(self, holder: Entity, action: Action, old: Fields, new: Fields, item: Item | None) -> Action:
        """The change of a holder by its schema version: an older one is written back upgraded."""
        upgrader = self.preparer.kinds.upgrader(holder)
        if upgrader is not None and item is not None and upgrader.is_older(item):
            whole = upgrader.upgraded(item)
            if self.preparer.fields(holder, whole) == old:
                return schema_versions.written_back(self.reader.design, upgrader, holder, action, item, (whole, new))
        return replace(action, guards=(*action.guards, *schema_versions.is_current(self.reader.design, holder)))

    def found(self, copy: Copy, holder: Entity, source: Fields) -> Steps[list[dict[str, Any]]]:
        """The fields of every item that copies a source with these values."""
        plan = self._plan(copy, holder)
        arguments = {ours: source[theirs] for theirs, ours in copy.by.items()}
        options = Options(consistent=True if plan.strong_possible else None, expired=True)
        pages_of = pages.query_all(self.reader, plan, arguments, options)
        found: list[dict[str, Any]] = []
        while (objects := (yield from pages.next_objects(self.reader, plan, pages_of, options))) is not None:
            found += [values_of(holder, each) for each in objects]
        return found

    def stale(self, source: Entity, new: Fields, intent: int, seen: SeenItems) -> Steps[list[list[Action]]]:
        """The changes of copies that differ from their source: written while the source was being changed."""
        late: list[list[Action]] = []
        for holder, values, changed in (yield from self._holders(source, None, new)):
            if changed != values:
                late.append((yield from self.changed(holder, values, changed, intent, seen, {})))
        return late

    def _plan(self, copy: Copy, holder: Entity) -> Plan:
        which = (copy.source, holder.cls, *sorted(copy.by.items()))  # an item may copy two items of one entity
        known = self._plans.get(which)
        if known is None:
            outcome = plan_holders(self.reader.design, copy, holder)
            if isinstance(outcome, Refusal):
                message = f"{holder.label} copies {copy.source.__name__}, but cannot be found from it: {outcome.reason}"
                remedy = f"Give {holder.label} a key or an index that begins with {', '.join(copy.by.values())}."
                raise DesignError(Problem(message, holder.location, remedy))
            known = self._plans[which] = outcome
        return known

    def may_follow_in_parts(self, sources: Iterable[Entity]) -> bool:
        """Whether all copies of these sources may be changed by further transactions."""
        return all(copy.in_parts for source in sources for copy, _ in self.preparer.keeping(source).given)


def reject_copies_of_copies(
    core: Iterable[Action], following: Iterable[Action], intents: Sequence[WriteIntent]
) -> None:
    """Rejects a write of an item that copies an item which changes because of another write of the transaction."""
    changed = {(key_id(each.key), str(change.path.steps[0])) for each in following for change in each.changes}
    for check in core:
        if check.kind == "ConditionCheck" and not check.is_requested:
            checked = {(key_id(check.key), str(path.steps[0])) for guard in check.guards for path in paths(guard)}
            if not changed.isdisjoint(checked):
                raise _copies_a_copy(intents[check.intent])


def _copies_a_copy(intent: WriteIntent) -> ArgumentRefused:
    return ArgumentRefused(
        f"the transaction writes {intent.shown}, which copies an item that another of its writes changes; "
        "use two transactions"
    )
