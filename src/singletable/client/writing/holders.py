"""The items that repeat a source: found when the source changes, and changed with it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from singletable.client.options import Options
from singletable.client.reading import pages
from singletable.client.reading.reader import Reader
from singletable.client.steps import Steps
from singletable.client.writing.action import Action
from singletable.client.writing.consequences import Consequences, repeated_of
from singletable.client.writing.preparing import Preparing, changes_to
from singletable.errors import DesignError, Problem
from singletable.model.copies import Copy
from singletable.model.entity import Entity
from singletable.model.keeping import Keeping
from singletable.planner.holders import plan_holders
from singletable.planner.items import key_of, values_of
from singletable.planner.plan import Plan, Refusal

Fields = Mapping[str, Any]


@dataclass
class Holders:
    """Finds what repeats a source, and says how it changes."""

    reader: Reader
    preparing: Preparing
    _plans: dict[tuple[type, type], Plan] = field(default_factory=dict)

    @property
    def keepings(self) -> Mapping[type, Keeping]:
        """What each entity's writes keep right."""
        return self.preparing.keepings

    def actions(self, source: Entity, old: Fields | None, new: Fields | None, asked: int) -> Steps[list[Action]]:
        """What a change of a source changes in the items that repeat it, and in what repeats those."""
        actions: list[Action] = []
        if new is None:
            return actions
        for copy, holder in self.keepings[source.cls].given:
            if old is not None and all(old[theirs] == new[theirs] for theirs in copy.fields):
                continue
            for values in (yield from self.found(copy, holder, new)):
                changed = {**values, **repeated_of(copy, source, new)}
                actions += yield from self.changed(holder, values, changed, asked)
        return actions

    def changed(self, holder: Entity, old: Fields, new: Fields, asked: int) -> Steps[list[Action]]:
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
        following = Consequences(self.reader.design, holder, keeping, asked, self.reader.now).actions(old, new)
        further = yield from self.actions(holder, old, new, asked)
        return [action, *following, *further]

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

    def stale(self, source: Entity, new: Fields, asked: int) -> Steps[list[list[Action]]]:
        """What still repeats other values than the source has: written while the source was being changed."""
        late: list[list[Action]] = []
        for copy, holder in self.keepings[source.cls].given:
            for values in (yield from self.found(copy, holder, new)):
                changed = {**values, **repeated_of(copy, source, new)}
                if changed != values:
                    late.append((yield from self.changed(holder, values, changed, asked)))
        return late

    def _plan(self, copy: Copy, holder: Entity) -> Plan:
        known = self._plans.get((copy.source, holder.cls))
        if known is None:
            outcome = plan_holders(self.reader.design, copy, holder)
            if isinstance(outcome, Refusal):
                message = (
                    f"{holder.label} repeats {copy.source.__name__}, but cannot be found from it: {outcome.reason}"
                )
                remedy = f"Give {holder.label} a key or an index that begins with {', '.join(copy.by.values())}."
                raise DesignError(Problem(message, holder.location, remedy))
            known = self._plans[copy.source, holder.cls] = outcome
        return known


def may_go_in_parts(keepings: Mapping[type, Keeping], sources: Iterable[Entity]) -> bool:
    """Whether all that repeats these sources may be changed by several transactions."""
    return all(copy.in_parts for source in sources for copy, _ in keepings[source.cls].given)
