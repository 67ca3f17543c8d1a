"""Carries out writes: one request where one item is written, one transaction where derived data follows.

A write that depends on what was read is planned again when that has changed; each attempt knows more than the last.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec

from singletable.client.answers import Item
from singletable.client.reading.reader import Reader
from singletable.client.steps import Steps, pause
from singletable.client.write.actions import Action, Contradiction, KeyId, Requirement, key_id, merged
from singletable.client.write.conditions import attribute_equals
from singletable.client.write.copies import CopyHolders, reject_copies_of_copies
from singletable.client.write.derived import DerivedData, actions_of, copied_fields, with_counter_rules
from singletable.client.write.direct import DirectRequest, DirectRequests
from singletable.client.write.failures import exhausted, unmet
from singletable.client.write.intent import WriteIntent
from singletable.client.write.prepare import PreparedWrite, Preparer
from singletable.client.write.sender import Sender
from singletable.client.write.tokens import Replayed
from singletable.errors import ArgumentRefused, ConditionFailed, InvalidValue, RequestRefused, SingletableError
from singletable.model.copies import Copy
from singletable.model.entity import Entity
from singletable.planner.items import key_of
from singletable.values.limits import TRANSACTION_ACTIONS_MAX

ATTEMPTS_MAX = 20


@dataclass
class Attempt:
    """What is known of the items of some writes; more with every attempt."""

    intents: Sequence[WriteIntent]
    olds: dict[int, Item | None] = field(default_factory=dict)
    """The stored items, by the numbers of the intents."""
    sources: dict[KeyId, Item] = field(default_factory=dict)
    """The items that others copy, where an assumption about them was wrong."""
    missing: set[KeyId] = field(default_factory=set)
    """Items that do not exist and that the others do not need."""


@dataclass(frozen=True)
class Done:
    """Writes that were carried out."""

    prepared: Sequence[PreparedWrite]
    attributes: msgspec.Raw | None
    """The attributes that a single request returned."""
    is_transaction: bool
    result: Any = None
    """The object of a put or a create in one request; of a transaction of such writes, those of all."""
    is_replay: bool = False
    """Whether the token's transaction had happened before."""


@dataclass
class Executor:
    """Carries out the writes of one table."""

    reader: Reader
    preparer: Preparer
    direct: DirectRequests
    copies: CopyHolders
    sender: Sender

    def commit(
        self,
        intents: Sequence[WriteIntent],
        *,
        source: str,
        is_transaction: bool = False,
        token: Action | None = None,
        refusal: RequestRefused | None = None,
    ) -> Steps[Done]:
        """Carries out all of the writes or none; `is_transaction` sends a transaction even for one write.

        `token` is the put of an idempotency token's marker, which joins the transaction. `refusal` is DynamoDB's answer
        to the one request of a single write, where the caller has sent it already.
        """
        attempt = Attempt(intents)
        if not is_transaction and len(intents) == 1:
            done = yield from self._commit_directly(attempt, source, refusal)
        else:
            done = None if token is not None else (yield from self._commit_independent(attempt, source))
        if done is not None:
            return done
        yield from self._read_sources(attempt, source)
        for number in range(ATTEMPTS_MAX):
            if number > 1:  # the first retry follows at once
                yield from pause(self.reader.retries.pause(number))
            yield from self._read_olds(attempt, source)
            try:
                prepared = self._prepared(attempt)
                actions, in_parts = yield from self._actions(attempt, prepared)
            except (Contradiction, SingletableError) as problem:
                if token is not None and (yield from self._is_replay(token, source)):
                    return Done((), None, True, is_replay=True)
                if not isinstance(problem, Contradiction):
                    raise
                failure = (problem.requirement, problem.item)
                raise unmet(intents, [failure], is_transaction=is_transaction) from None
            if token is not None:
                actions = [*actions, token]
                self._reject_too_many(actions)
            try:
                attributes, was_transaction = yield from self.sender.send(actions, source, is_transaction)
            except RequestRefused as problem:
                try:
                    yield from self._learn(
                        attempt, actions, problem, token, is_transaction=is_transaction, source=source
                    )
                except Replayed:
                    return Done(prepared, None, True, is_replay=True)
                continue
            yield from self._update_late_copies(prepared, source, in_parts=in_parts)
            return Done(prepared, attributes, was_transaction)
        raise exhausted(intents, ATTEMPTS_MAX, is_transaction=is_transaction)

    def _is_replay(self, token: Action, source: str) -> Steps[bool]:
        """Whether the token's transaction has happened: then it cannot be prepared on the items that it has written."""
        item = yield from self.sender.item(token.key, source)
        return any(isinstance(each.error(item), Replayed) for each in token.failures(item))

    def _commit_directly(self, attempt: Attempt, source: str, refusal: RequestRefused | None) -> Steps[Done | None]:
        """One write by its finished request; None where it needs a read or other items, or its conditions failed."""
        (intent,) = attempt.intents
        if refusal is None:
            direct = self.direct.of(intent)
            if direct is None:
                return None
            try:
                attributes = yield from self.sender.send_request(direct, source)
            except RequestRefused as problem:
                refusal = problem
            else:
                return Done((), attributes, False, direct.result)
        prepared = self.preparer.prepared(intent, 0, None, {})
        yield from self._learn(attempt, [prepared.action], refusal, None, is_transaction=False, source=source)
        return None

    def _commit_independent(self, attempt: Attempt, source: str) -> Steps[Done | None]:
        """A transaction of writes that need neither reads nor other items; None for others, or if it was cancelled."""
        requests: list[DirectRequest] = []
        for intent in attempt.intents:
            request = self.direct.of(intent) if intent.kind != "check" else None
            if request is None:
                return None
            requests.append(request)
        keys = {request.key for request in requests}
        if None in keys or len(keys) < len(requests) or len(requests) > TRANSACTION_ACTIONS_MAX:
            return None
        try:
            yield from self.sender.send_transaction([request.entry() for request in requests], source)
        except RequestRefused as refusal:
            intents = enumerate(attempt.intents)
            actions = [self.preparer.prepared(intent, number, None, {}).action for number, intent in intents]
            yield from self._learn(attempt, actions, refusal, None, is_transaction=True, source=source)
            return None
        return Done((), None, True, tuple(request.result for request in requests))

    def _actions(self, attempt: Attempt, prepared: Sequence[PreparedWrite]) -> Steps[tuple[list[Action], bool]]:
        """All actions, one for each item; and whether copies have to follow in further transactions."""
        core = self._core(attempt, prepared)
        following = yield from self._following(attempt, prepared)
        reject_copies_of_copies(core, following, attempt.intents)
        actions = self._merged([*core, *following])
        in_parts = False
        if len(actions) > TRANSACTION_ACTIONS_MAX:
            sources = [each.intent.entity for each in prepared if each.is_known]
            if following and self.copies.may_follow_in_parts(sources):
                actions, in_parts = self._merged(core), True
            self._reject_too_many(actions)
        return [action for action in actions if key_id(action.key) not in attempt.missing], in_parts

    def _merged(self, actions: Sequence[Action]) -> list[Action]:
        """One action for each item, with the rules of counters."""
        return [with_counter_rules(self.preparer, each) for each in merged(actions)]

    def _read_olds(self, attempt: Attempt, source: str) -> Steps[None]:
        """Reads the stored items that the writes depend on, as far as they are not known."""
        unknown = [
            number
            for number, each in enumerate(attempt.intents)
            if number not in attempt.olds
            and (self.preparer.needs_item(each) is not None or self._may_copy(each, attempt.intents))
        ]
        if unknown:
            items = yield from self.sender.items([self.preparer.key(attempt.intents[n]) for n in unknown], source)
            attempt.olds |= dict(zip(unknown, items, strict=True))

    def _read_sources(self, attempt: Attempt, source: str) -> Steps[None]:
        """Reads the sources of copies that objects leave open; a transaction on a guess would fail."""
        keys: dict[KeyId, Item] = {}
        for each in attempt.intents:
            if each.kind in ("put", "create", "upsert") and self.preparer.keeping(each.entity).held:
                keys |= {key_id(key): key for key in self._open_sources(each)}
        if not keys:
            return
        for each in attempt.intents:
            keys.pop(key_id(self.preparer.key(each)), None)
        if keys:
            found = yield from self.sender.items(list(keys.values()), source)
            attempt.sources |= {key: item for key, item in zip(keys, found, strict=True) if item is not None}

    def _open_sources(self, intent: WriteIntent) -> Iterator[Item]:
        """The keys of the sources whose copies an object has not filled in."""
        entity, values = intent.entity, intent.values
        for copy, source in self.preparer.keeping(entity).held:
            found_by = {theirs: values[ours] for theirs, ours in copy.by.items()}
            is_open = all(entity.fields[ours].is_default(values[ours]) for ours in copy.fields.values())
            if is_open and None not in found_by.values():
                yield key_of(source, found_by)

    def _may_copy(self, intent: WriteIntent, others: Sequence[WriteIntent]) -> bool:
        """Whether an update is of an item that may copy what another write of the transaction changes."""
        if intent.kind != "update" or len(others) == 1:
            return False
        sources = {source.cls for _, source in self.preparer.keeping(intent.entity).held}
        return not sources.isdisjoint(each.entity.cls for each in others if each.kind not in ("delete", "check"))

    def _prepared(self, attempt: Attempt) -> list[PreparedWrite]:
        """The writes in their order; those that copy others are prepared last, with the values that are written."""
        made: dict[int, PreparedWrite] = {}
        order = sorted(range(len(attempt.intents)), key=lambda n: self._depth(attempt.intents[n].entity, ()))
        for number in order:
            intent = attempt.intents[number]
            copied = self._copied(attempt, intent, number, made)
            made[number] = self.preparer.prepared(intent, number, attempt.olds.get(number), copied)
        return [made[number] for number in range(len(attempt.intents))]

    def _depth(self, entity: Entity, seen: tuple[type, ...]) -> int:
        """How many entities stand behind the values that an entity copies."""
        sources = [source for _, source in self.preparer.keeping(entity).held if source.cls not in seen]
        return max((1 + self._depth(source, (*seen, entity.cls)) for source in sources), default=0)

    def _copied(
        self, attempt: Attempt, intent: WriteIntent, number: int, made: Mapping[int, PreparedWrite]
    ) -> dict[str, Any]:
        """The values that a write copies, where they are known to differ from what it says."""
        copied: dict[str, Any] = {}
        held = self.preparer.keeping(intent.entity).held
        if intent.kind in ("delete", "check") or not held:
            return copied
        values = self._after(attempt, intent, number)
        for copy, source in held:
            if values is None or any(values[ours] is None for ours in copy.by.values()):
                continue
            has_new_source = intent.kind != "update" or not intent.changed.isdisjoint(copy.by.values())
            key = key_id(key_of(source, {theirs: values[ours] for theirs, ours in copy.by.items()}))
            written = next((each for each in made.values() if key_id(each.action.key) == key and each.is_known), None)
            if written is not None and written.new is not None:
                copied |= copied_fields(copy, written.new)
            elif has_new_source and key in attempt.sources:
                copied |= copied_fields(copy, self.preparer.fields(source, attempt.sources[key]))
        return copied

    def _after(self, attempt: Attempt, intent: WriteIntent, number: int) -> Mapping[str, Any] | None:
        if intent.kind != "update":
            return intent.values
        old = attempt.olds.get(number)
        if old is None:
            return None
        known = self.preparer.prepared(intent, number, old, {})
        return known.new or self.preparer.fields(intent.entity, old)

    def _core(self, attempt: Attempt, prepared: Sequence[PreparedWrite]) -> list[Action]:
        """The writes with their derived data, except for copies of them."""
        actions: list[Action] = []
        written = {key_id(each.action.key): each for each in prepared}
        for each in prepared:
            keeping = self.preparer.keeping(each.intent.entity)
            actions += actions_of(self.preparer, each)
            if keeping.held:
                actions += self._source_checks(attempt, each, written)
        return actions

    def _source_checks(
        self, attempt: Attempt, each: PreparedWrite, written: Mapping[KeyId, PreparedWrite]
    ) -> list[Action]:
        entity, kind = each.intent.entity, each.intent.kind
        if each.new is None or kind in ("delete", "check"):
            return []
        checks: list[Action] = []
        derived = DerivedData(self.preparer, entity, each.action.intent)
        for copy, copied, action in derived.source_checks(each.new):
            if kind == "update" and not each.intent.changed & set(copy.by.values()):
                continue
            source = written.get(key_id(action.key))
            if source is not None and source.intent.kind == "delete":
                raise Contradiction(action.requirements[0])
            if source is None or not source.is_known:
                checks.append(self._as_seen(attempt, copy, copied, action))
        return checks

    def _as_seen(self, attempt: Attempt, copy: Copy, source: Entity, check: Action) -> Action:
        """The check of a source that was read: it is unchanged, whatever its schema version."""
        seen = attempt.sources.get(key_id(check.key))
        if seen is None:
            return check
        names = [source.attributes[name] for name in copy.fields]
        return replace(check, guards=tuple(attribute_equals(name, seen.get(name)) for name in names))

    def _following(self, attempt: Attempt, prepared: Sequence[PreparedWrite]) -> Steps[list[Action]]:
        """The changes of the items that copy those which are written."""
        following: list[Action] = []
        given = [each for each in prepared if each.is_known and self.preparer.keeping(each.intent.entity).given]
        if given:
            written = {key_id(each.action.key): each.intent for each in prepared if each.intent.kind != "check"}
            for each in given:
                following += yield from self.copies.actions(each, attempt.sources, written)
        return following

    def _update_late_copies(self, prepared: Sequence[PreparedWrite], source: str, *, in_parts: bool) -> Steps[None]:
        """Updates copies that were written while their source changed, and those that no transaction could hold."""
        for each in prepared:
            entity, old, new = each.intent.entity, each.old, each.new
            given = self.preparer.keeping(entity).given
            if not each.is_known or new is None or not given:
                continue
            if old is not None and all(old[name] == new[name] for copy, _ in given for name in copy.fields):
                continue
            if old is None and not in_parts:
                continue  # nothing copies an item that did not exist
            seen: dict[KeyId, Item] = {}
            for _ in range(ATTEMPTS_MAX):
                try:
                    groups = yield from self.copies.stale(entity, new, each.action.intent, seen)
                except InvalidValue as problem:
                    written = f"{each.intent.shown} was written, but a copy of it that was made meanwhile cannot follow"
                    raise ConditionFailed(f"{written}: {problem.entity}.{problem.field}: {problem.rule}") from problem
                if not groups or not (yield from self._catch_up(entity, new, groups, seen, source)):
                    break

    def _catch_up(
        self,
        entity: Entity,
        new: Mapping[str, Any],
        groups: Sequence[Sequence[Action]],
        seen: dict[KeyId, Item],
        source: str,
    ) -> Steps[bool]:
        """Updates late copies; returns False when the source has changed again, since that write updates them.

        Copies that were not as they were found are added to `seen`.
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
        fields = {name for copy, _ in self.preparer.keeping(entity).given for name in copy.fields}
        unchanged = self.preparer.unchanged(entity, new, fields)
        for each in batches:
            check = Action("ConditionCheck", key, 0, guards=unchanged)
            actions = merged([check, *each])
            try:
                yield from self.sender.send(actions, source, True)
            except RequestRefused as refusal:
                failed = yield from self.sender.failed(actions, refusal, source)
                seen |= {key_id(action.key): item for action, item in failed if item is not None}
                return not any(key_id(action.key) == key_id(key) for action, _ in failed)
        return True

    def _reject_too_many(self, actions: Sequence[Action]) -> None:
        if len(actions) > TRANSACTION_ACTIONS_MAX:
            raise ArgumentRefused(
                f"the transaction would write {len(actions)} items, and DynamoDB accepts {TRANSACTION_ACTIONS_MAX}; "
                "split it, or declare copies that may follow it with copy(..., in_parts=True)"
            )

    def _learn(
        self,
        attempt: Attempt,
        actions: Sequence[Action],
        refusal: RequestRefused,
        token: Action | None,
        *,
        is_transaction: bool,
        source: str,
    ) -> Steps[None]:
        """Notes why DynamoDB rejected the writes, so that they can be planned again; raises when they cannot."""
        failed = yield from self.sender.failed(actions, refusal, source)
        failures: list[tuple[Requirement, Item | None]] = []
        for action, item in failed:
            broken = action.failures(item)
            if action is token and broken:
                raise broken[0].error(item)
            if action.is_requested and self._is_older(attempt, action.intent, item):
                continue  # the requirements apply to its upgraded form
            is_dispensable = action.is_dispensable and item is None
            if is_dispensable or (action.kind == "Delete" and not action.is_requested):
                attempt.missing.add(key_id(action.key))
            else:
                failures += [(requirement, item) for requirement in broken]
        if failures:
            raise unmet(attempt.intents, failures, is_transaction=is_transaction)
        for action, item in failed:
            if action.is_requested:
                attempt.olds[action.intent] = item
            elif action.guards and item is not None:
                attempt.sources[key_id(action.key)] = item
        for action, item in failed:  # a requested action may also check a source
            if action.is_requested and item is not None:
                attempt.sources[key_id(action.key)] = item

    def _is_older(self, attempt: Attempt, number: int, item: Item | None) -> bool:
        """Whether an item turns out to be of an older schema version, which its write did not know."""
        return self.preparer.is_older(attempt.intents[number], item) and attempt.olds.get(number) != item
