"""The items that repeat a source: found when the source changes, and changed with it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from singletable.client.answers import Item
from singletable.client.options import Options
from singletable.client.reading import pages
from singletable.client.reading.reader import Reader
from singletable.client.steps import Steps
from singletable.client.writing import upgrading
from singletable.client.writing.action import Action, key_id
from singletable.client.writing.consequences import Consequences, repeated_of
from singletable.client.writing.preparing import Prepared, Preparing, changes_to
from singletable.client.writing.wanted import Wanted
from singletable.errors import ArgumentRefused, DesignError, Problem
from singletable.expressions.tree import paths
from singletable.model.copies import Copy
from singletable.model.entity import Entity
from singletable.model.keeping import Keeping
from singletable.planner.holders import plan_holders
from singletable.planner.items import key_of, values_of
from singletable.planner.plan import Plan, Refusal

Fields = Mapping[str, Any]
Seen = Mapping[tuple[tuple[str, str, str], ...], Item]
"""Items as they were when what was supposed of them was wrong, by their keys."""
Written = Mapping[tuple[tuple[str, str, str], ...], Wanted]
"""What the same transaction writes, by the keys of the items."""


@dataclass
class Holders:
    """Finds what repeats a source, and says how it changes."""

    reader: Reader
    preparing: Preparing
    _plans: dict[tuple[object, ...], Plan] = field(default_factory=dict)

    @property
    def keepings(self) -> Mapping[type, Keeping]:
        """What each entity's writes keep right."""
        return self.preparing.keepings

    def actions(self, source: Prepared, seen: Seen, written: Written) -> Steps[list[Action]]:
        """What a write changes in the items that repeat its own, and in what repeats those.

        Those that the same transaction writes are left out: their own writes know what they are to repeat.
        """
        actions: list[Action] = []
        if source.new is None:
            return actions
        asked = source.action.asked
        for holder, values, changed in (yield from self._repeating(source.wanted.entity, source.old, source.new)):
            if key_id(key_of(holder, values)) not in written:
                actions += yield from self.changed(holder, values, changed, asked, seen, written)
        return actions

    def _further(
        self, holder: Entity, old: Fields, new: Fields, asked: int, seen: Seen, written: Written
    ) -> Steps[list[Action]]:
        """What the change of a holder changes in the items that repeat it in turn."""
        actions: list[Action] = []
        for other, values, changed in (yield from self._repeating(holder, old, new)):
            also = written.get(key_id(key_of(other, values)))
            if also is None:
                actions += yield from self.changed(other, values, changed, asked, seen, written)
            elif also.kind != "delete":
                raise _repeats_what_changes(also)
        return actions

    def _repeating(
        self, source: Entity, old: Fields | None, new: Fields
    ) -> Steps[list[tuple[Entity, Fields, dict[str, Any]]]]:
        """The items that repeat a source, each once, as they are and as they are to be: one may repeat it twice."""
        repeating: dict[tuple[tuple[str, str, str], ...], tuple[Entity, Fields, dict[str, Any]]] = {}
        for copy, holder in self.keepings[source.cls].given:
            if old is not None and all(old[theirs] == new[theirs] for theirs in copy.fields):
                continue
            for values in (yield from self.found(copy, holder, new)):
                known = repeating.setdefault(key_id(key_of(holder, values)), (holder, values, dict(values)))
                known[2].update(repeated_of(copy, source, new))
        return list(repeating.values())

    def changed(
        self, holder: Entity, old: Fields, new: Fields, asked: int, seen: Seen, written: Written
    ) -> Steps[list[Action]]:
        """The change of one holder, and all that follows from it."""
        changes = changes_to(holder, old, new)
        if not changes:
            return []
        needed: set[str] = {name for name in new if new[name] != old[name]}
        for placement in holder.placements.values():
            if placement.fields & needed:
                needed |= placement.fields
        keeping = self.keepings[holder.cls]
        if needed & keeping.decisive:
            needed |= keeping.decisive
        guards = self.preparing.unchanged(holder, old, needed)
        action = Action("Update", key_of(holder, old), asked, None, changes, guards=guards)
        action = self._of_version(holder, action, old, new, seen.get(key_id(action.key)))
        following = Consequences(self.reader.design, holder, keeping, asked, self.reader.now).actions(old, new)
        further = yield from self._further(holder, old, new, asked, seen, written)
        return [action, *following, *further]

    def _of_version(self, holder: Entity, action: Action, old: Fields, new: Fields, item: Item | None) -> Action:
        """The change of a holder by its schema version: one that was seen to be older is written back upgraded."""
        upgrader = self.preparing.kinds.upgrader(holder)
        if upgrader is not None and item is not None and upgrader.is_older(item):
            whole = upgrader.upgraded(item)
            if values_of(holder, self.preparing.kinds.decoder(holder).read(whole)) == old:
                return upgrading.written_back(self.reader.design, upgrader, holder, action, item, (whole, new))
        return replace(action, guards=(*action.guards, *upgrading.is_current(self.reader.design, holder)))

    def found(self, copy: Copy, holder: Entity, source: Fields) -> Steps[list[dict[str, Any]]]:
        """The fields of every item that repeats a source with these values."""
        plan = self._plan(copy, holder)
        arguments = {ours: source[theirs] for theirs, ours in copy.by.items()}
        options = Options(consistent=True if plan.strong_possible else None, expired=True)
        pages_of = pages.query_all(self.reader, plan, arguments, options)
        found: list[dict[str, Any]] = []
        while (objects := (yield from pages.next_objects(self.reader, plan, pages_of, options))) is not None:
            found += [values_of(holder, each) for each in objects]
        return found

    def stale(self, source: Entity, new: Fields, asked: int, seen: Seen) -> Steps[list[list[Action]]]:
        """What still repeats other values than the source has: written while the source was being changed."""
        late: list[list[Action]] = []
        for holder, values, changed in (yield from self._repeating(source, None, new)):
            if changed != values:
                late.append((yield from self.changed(holder, values, changed, asked, seen, {})))
        return late

    def _plan(self, copy: Copy, holder: Entity) -> Plan:
        which = (copy.source, holder.cls, *sorted(copy.by.items()))  # one may repeat two items of one entity
        known = self._plans.get(which)
        if known is None:
            outcome = plan_holders(self.reader.design, copy, holder)
            if isinstance(outcome, Refusal):
                message = (
                    f"{holder.label} repeats {copy.source.__name__}, but cannot be found from it: {outcome.reason}"
                )
                remedy = f"Give {holder.label} a key or an index that begins with {', '.join(copy.by.values())}."
                raise DesignError(Problem(message, holder.location, remedy))
            known = self._plans[which] = outcome
        return known


def refuse_repeating_what_changes(
    core: Iterable[Action], following: Iterable[Action], wanted: Sequence[Wanted]
) -> None:
    """Refuses to write what repeats an item that changes in turn because of another write of the transaction."""
    changed = {(key_id(each.key), str(change.path.steps[0])) for each in following for change in each.changes}
    for check in core:
        if check.kind == "ConditionCheck" and not check.is_main:
            looked_at = {(key_id(check.key), str(path.steps[0])) for guard in check.guards for path in paths(guard)}
            if not changed.isdisjoint(looked_at):
                raise _repeats_what_changes(wanted[check.asked])


def _repeats_what_changes(wanted: Wanted) -> ArgumentRefused:
    return ArgumentRefused(
        f"the transaction writes {wanted.shown}, which repeats an item that changes by another of its writes; "
        "make them in two transactions"
    )


def may_go_in_parts(keepings: Mapping[type, Keeping], sources: Iterable[Entity]) -> bool:
    """Whether all that repeats these sources may be changed by several transactions."""
    return all(copy.in_parts for source in sources for copy, _ in keepings[source.cls].given)
