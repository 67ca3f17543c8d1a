"""Writes carried out: as one request where one item is written, as one transaction where others follow from it."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from singletable.client.answers import Item, read_get, read_transaction, read_write
from singletable.client.reading.reader import Reader
from singletable.client.steps import Call, Steps, pause
from singletable.client.writing.action import Action, Contradiction, Requirement, key_id
from singletable.client.writing.consequences import Consequences, all_actions, repeated_of
from singletable.client.writing.holders import Holders, may_go_in_parts, refuse_repeating_what_changes
from singletable.client.writing.merging import merged
from singletable.client.writing.preparing import Prepared, Preparing
from singletable.client.writing.stored_tree import attribute_equals
from singletable.client.writing.telling import broken_requirements, cancelled, exhausted, token_used
from singletable.client.writing.wanted import Wanted, refuse_misuse
from singletable.errors import ArgumentRefused, RequestRefused
from singletable.model.copies import Copy
from singletable.model.entity import Entity
from singletable.model.keeping import Keeping
from singletable.planner.items import key_of, values_of
from singletable.values.limits import TRANSACTION_ACTIONS_MAX

# A write that depends on what was read is made anew when that has changed; others may be quicker so often.
TRIES_MAX = 20
CONDITION_FAILED = "ConditionalCheckFailedException"
CANCELLED = "TransactionCanceledException"
TOKEN_USED = "IdempotentParameterMismatchException"  # noqa: S105  # the name of an error


@dataclass
class Attempt:
    """What is known of the items that writes are about; more of it with every attempt."""

    wanted: Sequence[Wanted]
    olds: dict[int, Item | None] = field(default_factory=dict)
    sources: dict[tuple[tuple[str, str, str], ...], Item] = field(default_factory=dict)
    """The items that are repeated, by their keys, where what was supposed of them was wrong."""
    missing: set[tuple[tuple[str, str, str], ...]] = field(default_factory=set)
    """Items that others can do without, and that are not there."""


@dataclass(frozen=True)
class Done:
    """Writes that happened: what was prepared, and the attributes that a single request answered with."""

    prepared: Sequence[Prepared]
    attributes: Item | None
    is_transaction: bool


@dataclass
class Committing:
    """Carries out writes on one table."""

    reader: Reader
    preparing: Preparing
    holders: Holders
    is_told: bool
    """Whether the server tells the item for which a condition does not hold; DynamoDB does, and not all others."""

    @property
    def keepings(self) -> Mapping[type, Keeping]:
        """What each entity's writes keep right."""
        return self.preparing.keepings

    def commit(
        self, wanted: Sequence[Wanted], *, source: str, together: bool = False, token: str | None = None
    ) -> Steps[Done]:
        """Carries out all of the writes or none; `together` asks for a transaction even where one write is enough."""
        for each in wanted:
            refuse_misuse(each, self.keepings[each.entity.cls])
        attempt = Attempt(wanted)
        yield from self._read_sources(attempt, source)
        for number in range(TRIES_MAX):
            if number > 1:  # once is bad luck, twice is a crowd
                yield from pause(self.reader.retries.pause(number))
            yield from self._read_olds(attempt, source)
            try:
                prepared = self._prepared(attempt)
                actions, in_parts = yield from self._actions(attempt, prepared)
            except Contradiction as broken:
                raise broken_requirements(wanted, [(broken.requirement, broken.item)], together=together) from None
            try:
                attributes, is_transaction = yield from self._send(actions, source, together=together, token=token)
            except RequestRefused as refusal:
                yield from self._learn(attempt, actions, refusal, together=together, source=source)
                continue
            yield from self._settle(prepared, source, in_parts=in_parts)
            return Done(prepared, attributes, is_transaction)
        raise exhausted(wanted, TRIES_MAX, together=together)

    def _actions(self, attempt: Attempt, prepared: Sequence[Prepared]) -> Steps[tuple[list[Action], bool]]:
        """Everything that is written and looked at, each item once; and whether copies have to follow later."""
        core = self._core(attempt, prepared)
        following = yield from self._following(attempt, prepared)
        refuse_repeating_what_changes(core, following, attempt.wanted)
        actions = merged([*core, *following])
        in_parts = False
        if len(actions) > TRANSACTION_ACTIONS_MAX:
            sources = [each.wanted.entity for each in prepared if each.is_known]
            if following and may_go_in_parts(self.keepings, sources):
                actions, in_parts = merged(core), True
            self._refuse_too_many(actions)
        return [action for action in actions if key_id(action.key) not in attempt.missing], in_parts

    def _read_olds(self, attempt: Attempt, source: str) -> Steps[None]:
        """Reads the items that must be known, as far as they are not."""
        unknown = [
            number
            for number, each in enumerate(attempt.wanted)
            if number not in attempt.olds and (self.preparing.needs_old(each) or self._repeats(each, attempt.wanted))
        ]
        if unknown:
            keys = [key_of(attempt.wanted[number].entity, attempt.wanted[number].values) for number in unknown]
            items = yield from self._items(keys, source)
            attempt.olds |= dict(zip(unknown, items, strict=True))

    def _read_sources(self, attempt: Attempt, source: str) -> Steps[None]:
        """Reads what objects repeat and leave to be filled in; to suppose it would be a transaction in vain."""
        keys: dict[Any, Item] = {}
        for each in attempt.wanted:
            if each.kind in ("put", "create", "upsert"):
                keys |= {key_id(key): key for key in self._left_open(each)}
        for each in attempt.wanted:
            keys.pop(key_id(key_of(each.entity, each.values)), None)
        if keys:
            found = yield from self._items(list(keys.values()), source)
            attempt.sources |= {key: item for key, item in zip(keys, found, strict=True) if item is not None}

    def _left_open(self, wanted: Wanted) -> Iterator[Item]:
        """The keys of the sources whose copies an object has not filled in."""
        entity, values = wanted.entity, wanted.values
        for copy, source in self.keepings[entity.cls].held:
            found_by = {theirs: values[ours] for theirs, ours in copy.by.items()}
            is_open = all(entity.fields[ours].is_default(values[ours]) for ours in copy.fields.values())
            if is_open and None not in found_by.values():
                yield key_of(source, found_by)

    def _repeats(self, wanted: Wanted, others: Sequence[Wanted]) -> bool:
        """Whether an update is of an item that may repeat what another write of the transaction changes."""
        sources = {source.cls for _, source in self.keepings[wanted.entity.cls].held}
        written = (each.entity.cls for each in others if each.kind not in ("delete", "check"))
        return wanted.kind == "update" and not sources.isdisjoint(written)

    def item(self, key: Item, source: str) -> Steps[Item | None]:
        """An item as it is."""
        (found,) = yield from self._items([key], source)
        return found

    def _items(self, keys: Sequence[Item], source: str) -> Steps[list[Item | None]]:
        calls = [
            Call(
                "GetItem",
                {
                    "TableName": self.reader.name,
                    "Key": key,
                    "ConsistentRead": True,
                    "ReturnConsumedCapacity": "TOTAL",
                },
            )
            for key in keys
        ]
        items: list[Item | None] = []
        for body in (yield calls):
            answer = read_get(body)
            if answer.consumed_capacity is not None:
                self.reader.metrics.read(source, answer.consumed_capacity.capacity_units)
            items.append(answer.item)
        return items

    def _prepared(self, attempt: Attempt) -> list[Prepared]:
        """The writes in their order; those that repeat others are made last, since the others may be written too."""
        made: dict[int, Prepared] = {}
        order = sorted(range(len(attempt.wanted)), key=lambda n: self._depth(attempt.wanted[n].entity, ()))
        for number in order:
            wanted = attempt.wanted[number]
            repeated = self._repeated(attempt, wanted, number, made)
            made[number] = self.preparing.prepared(wanted, number, attempt.olds.get(number), repeated)
        return [made[number] for number in range(len(attempt.wanted))]

    def _depth(self, entity: Entity, seen: tuple[type, ...]) -> int:
        """How many entities stand behind the values that an entity repeats."""
        sources = [source for _, source in self.keepings[entity.cls].held if source.cls not in seen]
        return max((1 + self._depth(source, (*seen, entity.cls)) for source in sources), default=0)

    def _repeated(self, attempt: Attempt, wanted: Wanted, number: int, made: Mapping[int, Prepared]) -> dict[str, Any]:
        """The values that a write repeats, where they are known to be others than it says."""
        repeated: dict[str, Any] = {}
        if wanted.kind in ("delete", "check"):
            return repeated
        held = self.keepings[wanted.entity.cls].held
        values = self._after(attempt, wanted, number) if held else None
        for copy, source in held:
            if values is None or any(values[ours] is None for ours in copy.by.values()):
                continue
            is_found_anew = wanted.kind != "update" or not wanted.changed.isdisjoint(copy.by.values())
            key = key_id(key_of(source, {theirs: values[ours] for theirs, ours in copy.by.items()}))
            written = next((each for each in made.values() if key_id(each.action.key) == key and each.is_known), None)
            if written is not None and written.new is not None:
                repeated |= repeated_of(copy, source, written.new)
            elif is_found_anew and key in attempt.sources:
                known = values_of(source, self.reader.kinds.decoder(source).read(attempt.sources[key]))
                repeated |= repeated_of(copy, source, known)
        return repeated

    def _after(self, attempt: Attempt, wanted: Wanted, number: int) -> Mapping[str, Any] | None:
        if wanted.kind != "update":
            return wanted.values
        old = attempt.olds.get(number)
        if old is None:
            return None
        known = self.preparing.prepared(wanted, number, old, {})
        return known.new or self.preparing.fields(wanted.entity, old)

    def _core(self, attempt: Attempt, prepared: Sequence[Prepared]) -> list[Action]:
        """The writes with what follows from them, but for the items that repeat them."""
        actions: list[Action] = []
        written = {key_id(each.action.key): each for each in prepared}
        for each in prepared:
            actions += all_actions(self.reader.design, self.keepings, self.reader.now, each)
            actions += self._checks(attempt, each, written)
        return actions

    def _checks(self, attempt: Attempt, each: Prepared, written: Mapping[Any, Prepared]) -> list[Action]:
        entity, kind = each.wanted.entity, each.wanted.kind
        keeping = self.keepings[entity.cls]
        if each.new is None or kind in ("delete", "check"):
            return []
        checks: list[Action] = []
        consequences = Consequences(self.reader.design, entity, keeping, each.action.asked, self.reader.now)
        for copy, repeated, action in consequences.checks(each.new):
            if kind == "update" and not each.wanted.changed & set(copy.by.values()):
                continue
            source = written.get(key_id(action.key))
            if source is not None and source.wanted.kind == "delete":
                raise Contradiction(action.requirements[0])
            if source is None or not source.is_known:
                checks.append(self._as_seen(attempt, copy, repeated, action))
        return checks

    def _as_seen(self, attempt: Attempt, copy: Copy, source: Entity, check: Action) -> Action:
        """A look at a source that was seen before: that it is still what was seen, whatever its version."""
        seen = attempt.sources.get(key_id(check.key))
        if seen is None:
            return check
        names = [source.attributes[name] for name in copy.fields]
        return replace(check, guards=tuple(attribute_equals(name, seen.get(name)) for name in names))

    def _following(self, attempt: Attempt, prepared: Sequence[Prepared]) -> Steps[list[Action]]:
        """What changes in the items that repeat those which are written."""
        following: list[Action] = []
        written = {key_id(each.action.key): each.wanted for each in prepared if each.wanted.kind != "check"}
        for each in prepared:
            if each.is_known and self.keepings[each.wanted.entity.cls].given:
                following += yield from self.holders.actions(each, attempt.sources, written)
        return following

    def _settle(self, prepared: Sequence[Prepared], source: str, *, in_parts: bool) -> Steps[None]:
        """Changes what was written as a copy while its source was being changed, and what no transaction could hold."""
        for each in prepared:
            entity, old, new = each.wanted.entity, each.old, each.new
            given = self.keepings[entity.cls].given
            if not each.is_known or new is None or not given:
                continue
            if old is not None and all(old[name] == new[name] for copy, _ in given for name in copy.fields):
                continue
            if old is None and not in_parts:
                continue  # nothing was written that repeats what is not there
            seen: dict[tuple[tuple[str, str, str], ...], Item] = {}
            for _ in range(TRIES_MAX):
                groups = yield from self.holders.stale(entity, new, each.action.asked, seen)
                if not groups or not (yield from self._catch_up(entity, new, groups, seen, source)):
                    break

    def _catch_up(
        self,
        entity: Entity,
        new: Mapping[str, Any],
        groups: Sequence[Sequence[Action]],
        seen: dict[tuple[tuple[str, str, str], ...], Item],
        source: str,
    ) -> Steps[bool]:
        """Changes late copies; False when the source has changed again, and whoever changed it will see to them.

        Copies that were not as they were found are noted as they are.
        """
        key = key_of(entity, new)
        room = TRANSACTION_ACTIONS_MAX - 1
        batch: list[Action] = []
        batches: list[list[Action]] = [batch]
        for group in groups:
            if batch and len(merged([*batch, *group])) > room:
                batch = []
                batches.append(batch)
            batch += group
        fields = {name for copy, _ in self.keepings[entity.cls].given for name in copy.fields}
        still = self.preparing.unchanged(entity, new, fields)
        for each in batches:
            check = Action("ConditionCheck", key, 0, guards=still)
            actions = merged([check, *each])
            try:
                yield from self._send(actions, source, together=True, token=None)
            except RequestRefused as refusal:
                failed = yield from self._failed(actions, refusal, source)
                seen |= {key_id(action.key): item for action, item in failed if item is not None}
                return not any(key_id(action.key) == key_id(key) for action, _ in failed)
        return True

    def _refuse_too_many(self, actions: Sequence[Action]) -> None:
        if len(actions) > TRANSACTION_ACTIONS_MAX:
            raise ArgumentRefused(
                f"the transaction would write {len(actions)} items, and DynamoDB takes {TRANSACTION_ACTIONS_MAX} at "
                "most; split it, or declare copies that may follow it with copy(..., in_parts=True)"
            )

    def _send(
        self, actions: Sequence[Action], source: str, *, together: bool, token: str | None
    ) -> Steps[tuple[Item | None, bool]]:
        name, metrics = self.reader.name, self.reader.metrics
        if len(actions) == 1 and not together and actions[0].kind != "ConditionCheck":
            action = actions[0]
            sent = {"TableName": name, **action.parameters(), "ReturnConsumedCapacity": "TOTAL"}
            # A lost answer leaves open whether it happened; only what may happen twice is asked for again.
            is_repeatable = action.kind != "Update" and action.condition is None
            (body,) = yield (Call(action.operation, sent, is_repeatable),)
            answer = read_write(body)
            if answer.consumed_capacity is not None:
                metrics.write(source, answer.consumed_capacity.capacity_units)
            return answer.attributes, False
        request = {
            "TransactItems": [action.entry(name) for action in actions],
            "ClientRequestToken": token or uuid.uuid4().hex,
            "ReturnConsumedCapacity": "TOTAL",
        }
        (body,) = yield (Call("TransactWriteItems", request),)
        metrics.write(source, sum(each.capacity_units for each in read_transaction(body).consumed_capacity))
        return None, True

    def _learn(
        self, attempt: Attempt, actions: Sequence[Action], refusal: RequestRefused, *, together: bool, source: str
    ) -> Steps[None]:
        """Takes in why writes were refused, so that they can be made anew; raises when they cannot."""
        failed = yield from self._failed(actions, refusal, source)
        failures: list[tuple[Requirement, Item | None]] = []
        for action, item in failed:
            broken = action.failures(item)
            if action.is_main and self._is_news(attempt, action.asked, item):
                continue  # what is required of it is required of its upgraded form
            is_dispensable = action.is_dispensable and item is None
            if is_dispensable or (action.kind == "Delete" and not action.is_main):
                attempt.missing.add(key_id(action.key))
            else:
                failures += [(requirement, item) for requirement in broken]
        if failures:
            raise broken_requirements(attempt.wanted, failures, together=together)
        for action, item in failed:
            if action.is_main:
                attempt.olds[action.asked] = item
            elif action.guards and item is not None:
                attempt.sources[key_id(action.key)] = item
        for action, item in failed:  # a main action may also look at a source
            if action.is_main and item is not None:
                attempt.sources[key_id(action.key)] = item

    def _is_news(self, attempt: Attempt, number: int, item: Item | None) -> bool:
        """Whether an item turns out to be of an older schema version, which its write did not know of."""
        return self.preparing.is_older(attempt.wanted[number], item) and attempt.olds.get(number) != item

    def _failed(
        self, actions: Sequence[Action], refusal: RequestRefused, source: str
    ) -> Steps[list[tuple[Action, Item | None]]]:
        """The actions whose conditions did not hold, each with its item as it is."""
        if refusal.code == CONDITION_FAILED:
            found = [(actions[0], refusal.fields.get("Item"))]
        elif refusal.code == CANCELLED:
            reasons: list[dict[str, Any]] = refusal.fields.get("CancellationReasons") or []
            if any(each.get("Code") not in ("None", None, "ConditionalCheckFailed") for each in reasons):
                raise cancelled(actions, refusal, reasons)
            found = [
                (action, reason.get("Item"))
                for action, reason in zip(actions, reasons, strict=True)
                if reason.get("Code") == "ConditionalCheckFailed"
            ]
        elif refusal.code == TOKEN_USED:
            raise token_used() from refusal
        else:
            raise refusal
        self.is_told = self.is_told or any(item is not None for _, item in found)
        unseen = [action.key for action, item in found if item is None]
        if unseen and not self.is_told:
            items = {
                key_id(key): item for key, item in zip(unseen, (yield from self._items(unseen, source)), strict=True)
            }
            found = [(action, item or items.get(key_id(action.key))) for action, item in found]
        return found
