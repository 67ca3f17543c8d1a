"""Execution of writes: one request for a single item, or one transaction if derived data changes too.

If the items that a write has read change meanwhile, the write is planned again. Each attempt uses the items that
DynamoDB returned for the previous attempt.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any

import msgspec

from singletable.client.reading.table_reader import TableReader
from singletable.client.request_steps import Steps, pause
from singletable.client.responses import Item
from singletable.client.write.derived_actions import (
    DerivedData,
    actions_with_derived_data,
    copied_fields,
    with_counter_rules,
)
from singletable.client.write.direct_requests import DirectRequest, DirectRequests
from singletable.client.write.item_actions import Contradiction, ItemAction, KeyId, Requirement, key_id, merge_actions
from singletable.client.write.prepare_actions import PreparedWrite, Preparer
from singletable.client.write.request_sender import Sender, attempts_exhausted, requirement_error
from singletable.client.write.second_forms import with_both_forms
from singletable.client.write.stored_expressions import attribute_equals
from singletable.client.write.token_markers import TransactionReplayed
from singletable.client.write.update_copies import CopyUpdater, reject_copies_of_copies
from singletable.client.write.write_intents import WriteIntent
from singletable.errors import ArgumentRefused, ConditionFailed, InvalidValue, RequestRefused, SingletableError
from singletable.lazy_dataclass import dataclass, replace
from singletable.model.derived_data import Copy
from singletable.model.entity import Entity
from singletable.planner.stored_items import key_of
from singletable.values.limits import TRANSACTION_ACTIONS_MAX

ATTEMPTS_MAX = 20


@dataclass
class Attempt:
    """The stored items that writes depend on, collected over all attempts."""

    intents: Sequence[WriteIntent]
    old_items: dict[int, Item | None] = field(default_factory=dict)
    """The stored items, by the position of their intent."""
    sources: dict[KeyId, Item] = field(default_factory=dict)
    """Items for which a guard failed, and the sources of copies that were read."""
    missing_items: set[KeyId] = field(default_factory=set)
    """Items that do not exist. The transaction can omit the actions on them."""


@dataclass(frozen=True)
class CommitResult:
    """The result of committed writes."""

    prepared: Sequence[PreparedWrite]
    attributes: msgspec.Raw | None
    """The attributes in the response to a single request."""
    is_transaction: bool
    result: Any = None
    """The object of a put or create in one request, or the objects of a transaction of such writes as a tuple."""
    is_replay: bool = False
    """Whether an earlier transaction with the same token has already made the changes."""


@dataclass
class Executor:
    """Executes the writes of one table."""

    reader: TableReader
    preparer: Preparer
    direct: DirectRequests
    copies: CopyUpdater
    sender: Sender

    def commit(
        self,
        intents: Sequence[WriteIntent],
        *,
        source: str,
        is_transaction: bool = False,
        token: ItemAction | None = None,
        rejection: RequestRefused | None = None,
    ) -> Steps[CommitResult]:
        """Commit all writes or none. `is_transaction` sends a transaction even for one write.

        `token` is the put of an idempotency token's marker, which becomes part of the transaction. `rejection` is the
        error of a single write, if the caller has already sent its request.
        """
        attempt = Attempt(intents)
        if not is_transaction and len(intents) == 1:
            done = yield from self._commit_directly(attempt, source, rejection)
        else:
            done = None if token is not None else (yield from self._commit_independent(attempt, source))
        if done is not None:
            return done
        yield from self._read_sources(attempt, source)
        for number in range(ATTEMPTS_MAX):
            if number > 1:  # the first retry is immediate
                yield from pause(self.reader.retries.pause(number))
            yield from self._read_old_items(attempt, source)
            try:
                prepared = self._prepare_all(attempt)
                actions, in_parts = yield from self._actions(attempt, prepared)
            except (Contradiction, SingletableError) as problem:
                if token is not None and (yield from self._is_replay(token, source)):
                    return CommitResult((), None, True, is_replay=True)
                if not isinstance(problem, Contradiction):
                    raise
                failure = (problem.requirement, problem.item)
                raise requirement_error(intents, [failure], is_transaction=is_transaction) from None
            if token is not None:
                actions = [*actions, token]
                self._reject_too_many(actions)
            try:
                attributes, was_transaction = yield from self.sender.send(actions, source, is_transaction)
            except RequestRefused as problem:
                try:
                    yield from self._learn_from_failure(
                        attempt, actions, problem, token, is_transaction=is_transaction, source=source
                    )
                except TransactionReplayed:
                    return CommitResult(prepared, None, True, is_replay=True)
                continue
            yield from self._update_late_copies(prepared, source, in_parts=in_parts)
            return CommitResult(prepared, attributes, was_transaction)
        raise attempts_exhausted(intents, ATTEMPTS_MAX, is_transaction=is_transaction)

    def _is_replay(self, token: ItemAction, source: str) -> Steps[bool]:
        """Return whether a transaction with this token was already committed. This would explain a planning error."""
        item = yield from self.sender.read_item(token.key, source, token.table)
        return any(isinstance(each.error(item), TransactionReplayed) for each in token.failures(item))

    def _commit_directly(
        self, attempt: Attempt, source: str, rejection: RequestRefused | None
    ) -> Steps[CommitResult | None]:
        """Send a write as one request. Return None if it needs a read or other items, or if its conditions failed."""
        (intent,) = attempt.intents
        if rejection is None:
            direct = self.direct.of(intent)
            if direct is None:
                return None
            try:
                attributes = yield from self.sender.send_request(direct, source)
            except RequestRefused as problem:
                rejection = problem
            else:
                return CommitResult((), attributes, False, direct.result)
        prepared = self.preparer.prepare(intent, 0, None, {})
        yield from self._learn_from_failure(
            attempt, [prepared.action], rejection, None, is_transaction=False, source=source
        )
        return None

    def _commit_independent(self, attempt: Attempt, source: str) -> Steps[CommitResult | None]:
        """Send writes that need no reads and no other items as one transaction.

        The result is None if another kind of write is among them, or if DynamoDB cancels the transaction.
        """
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
        except RequestRefused as rejection:
            intents = enumerate(attempt.intents)
            actions = [self.preparer.prepare(intent, number, None, {}).action for number, intent in intents]
            yield from self._learn_from_failure(attempt, actions, rejection, None, is_transaction=True, source=source)
            return None
        return CommitResult((), None, True, tuple(request.result for request in requests))

    def _actions(self, attempt: Attempt, prepared: Sequence[PreparedWrite]) -> Steps[tuple[list[ItemAction], bool]]:
        """Return one action for each item, and whether the copies need separate transactions."""
        own = self._own_actions(attempt, prepared)
        copied = yield from self._copy_actions(attempt, prepared)
        reject_copies_of_copies(own, copied, attempt.intents)
        actions = self._merge([*own, *copied])
        in_parts = False
        if len(actions) > self.reader.transaction_items_max:
            sources = [each.intent.entity for each in prepared if each.is_known]
            if copied and self.copies.may_update_in_parts(sources):
                actions, in_parts = self._merge(own), True
            self._reject_too_many(actions)
        return [action for action in actions if key_id(action.key) not in attempt.missing_items], in_parts

    def _merge(self, actions: Sequence[ItemAction]) -> list[ItemAction]:
        """Merge the actions into one action per item, and add the conditions for the bounds of counters."""
        return [with_counter_rules(self.preparer, each) for each in merge_actions(actions)]

    def _read_old_items(self, attempt: Attempt, source: str) -> Steps[None]:
        """Read the stored items that the writes depend on, if they are not known yet."""
        unknown = [
            number
            for number, each in enumerate(attempt.intents)
            if number not in attempt.old_items
            and (self.preparer.needs_item(each) is not None or self._may_copy(each, attempt.intents))
        ]
        if unknown:
            items = yield from self.sender.read_items([self.preparer.key(attempt.intents[n]) for n in unknown], source)
            attempt.old_items |= dict(zip(unknown, items, strict=True))

    def _read_sources(self, attempt: Attempt, source: str) -> Steps[None]:
        """Read the sources of the copies that an object leaves empty.

        Without their values, the transaction would fail.
        """
        keys: dict[KeyId, Item] = {}
        for each in attempt.intents:
            if each.kind in ("put", "create", "upsert") and self.preparer.derived_data(each.entity).copies:
                keys |= {key_id(key): key for key in self._sources_to_fill_in(each)}
        if not keys:
            return
        for each in attempt.intents:
            keys.pop(key_id(self.preparer.key(each)), None)
        if keys:
            found = yield from self.sender.read_items(list(keys.values()), source)
            attempt.sources |= {key: item for key, item in zip(keys, found, strict=True) if item is not None}

    def _sources_to_fill_in(self, intent: WriteIntent) -> Iterator[Item]:
        """Yield the keys of the sources whose copies the object leaves empty."""
        entity, values = intent.entity, intent.values
        for copy, source in self.preparer.derived_data(entity).copies:
            source_key = {theirs: values[ours] for theirs, ours in copy.by.items()}
            is_open = all(entity.fields[ours].is_default(values[ours]) for ours in copy.fields.values())
            if is_open and None not in source_key.values():
                yield key_of(source, source_key)

    def _may_copy(self, intent: WriteIntent, others: Sequence[WriteIntent]) -> bool:
        """Return whether an updated item may copy an item that another write of the transaction changes."""
        if intent.kind != "update" or len(others) == 1:
            return False
        sources = {source.cls for _, source in self.preparer.derived_data(intent.entity).copies}
        return not sources.isdisjoint(each.entity.cls for each in others if each.kind not in ("delete", "check"))

    def _prepare_all(self, attempt: Attempt) -> list[PreparedWrite]:
        """Prepare the writes, and return them in order.

        A write is prepared after the writes of the sources that it copies.
        """
        made: dict[int, PreparedWrite] = {}
        order = sorted(range(len(attempt.intents)), key=lambda n: self._depth(attempt.intents[n].entity, ()))
        for number in order:
            intent = attempt.intents[number]
            copied = self._copied_values(attempt, intent, number, made)
            old = attempt.old_items.get(number)
            write = self.preparer.prepare(intent, number, old, copied)
            made[number] = with_both_forms(write, self.preparer.derived_data(intent.entity), old)
        return [made[number] for number in range(len(attempt.intents))]

    def _depth(self, entity: Entity, seen: tuple[type, ...]) -> int:
        """Return the length of the longest chain of copies that starts at an entity."""
        sources = [source for _, source in self.preparer.derived_data(entity).copies if source.cls not in seen]
        return max((1 + self._depth(source, (*seen, entity.cls)) for source in sources), default=0)

    def _copied_values(
        self, attempt: Attempt, intent: WriteIntent, number: int, made: Mapping[int, PreparedWrite]
    ) -> dict[str, Any]:
        """Return the known values of the fields that a write copies from other items."""
        copied: dict[str, Any] = {}
        held = self.preparer.derived_data(intent.entity).copies
        if intent.kind in ("delete", "check") or not held:
            return copied
        values = self._values_after(attempt, intent, number)
        for copy, source in held:
            if values is None or any(values[ours] is None for ours in copy.by.values()):
                continue
            has_new_source = intent.kind != "update" or not intent.changed.isdisjoint(copy.by.values())
            key = key_id(key_of(source, {theirs: values[ours] for theirs, ours in copy.by.items()}))
            written = next((each for each in made.values() if key_id(each.action.key) == key and each.is_known), None)
            if written is not None and written.new is not None:
                copied |= copied_fields(copy, written.new)
            elif has_new_source and key in attempt.sources:
                copied |= copied_fields(copy, self.preparer.read_fields(source, attempt.sources[key]))
        return copied

    def _values_after(self, attempt: Attempt, intent: WriteIntent, number: int) -> Mapping[str, Any] | None:
        if intent.kind != "update":
            return intent.values
        old = attempt.old_items.get(number)
        if old is None:
            return None
        known = self.preparer.prepare(intent, number, old, {})
        return known.new or self.preparer.read_fields(intent.entity, old)

    def _own_actions(self, attempt: Attempt, prepared: Sequence[PreparedWrite]) -> list[ItemAction]:
        """Return the actions of the writes and of their derived data, except the updates of their copies."""
        actions: list[ItemAction] = []
        written = {key_id(each.action.key): each for each in prepared}
        for each in prepared:
            derived_data = self.preparer.derived_data(each.intent.entity)
            actions += actions_with_derived_data(self.preparer, each)
            if derived_data.copies:
                actions += self._source_checks(attempt, each, written)
        return actions

    def _source_checks(
        self, attempt: Attempt, each: PreparedWrite, written: Mapping[KeyId, PreparedWrite]
    ) -> list[ItemAction]:
        entity, kind = each.intent.entity, each.intent.kind
        if each.new is None or kind in ("delete", "check"):
            return []
        checks: list[ItemAction] = []
        derived = DerivedData(self.preparer, entity, each.action.intent)
        for copy, copied, action in derived.source_checks(each.new):
            if kind == "update" and not each.intent.changed & set(copy.by.values()):
                continue
            source = written.get(key_id(action.key))
            if source is not None and source.intent.kind == "delete":
                raise Contradiction(action.requirements[0])
            if source is None or not source.is_known:
                checks.append(self._check_as_seen(attempt, copy, copied, action))
        return checks

    def _check_as_seen(self, attempt: Attempt, copy: Copy, source: Entity, check: ItemAction) -> ItemAction:
        """Return the check of a source.

        If the source was read, the check requires that its stored attributes are unchanged.
        """
        seen = attempt.sources.get(key_id(check.key))
        if seen is None:
            return check
        names = [source.attributes[name] for name in copy.fields]
        return replace(check, guards=tuple(attribute_equals(name, seen.get(name)) for name in names))

    def _copy_actions(self, attempt: Attempt, prepared: Sequence[PreparedWrite]) -> Steps[list[ItemAction]]:
        """Return the changes of the items that copy the written items."""
        copied: list[ItemAction] = []
        given = [
            each for each in prepared if each.is_known and self.preparer.derived_data(each.intent.entity).copied_by
        ]
        if given:
            written = {key_id(each.action.key): each.intent for each in prepared if each.intent.kind != "check"}
            for each in given:
                copied += yield from self.copies.actions(each, attempt.sources, written)
        return copied

    def _update_late_copies(self, prepared: Sequence[PreparedWrite], source: str, *, in_parts: bool) -> Steps[None]:
        """Update copies that were written while their source changed, or that did not fit into the transaction."""
        for each in prepared:
            entity, old, new = each.intent.entity, each.old, each.new
            given = self.preparer.derived_data(entity).copied_by
            if not each.is_known or new is None or not given:
                continue
            if old is not None and all(old[name] == new[name] for copy, _ in given for name in copy.fields):
                continue
            if old is None and not in_parts:
                continue  # no item copies a new item
            seen: dict[KeyId, Item] = {}
            for _ in range(ATTEMPTS_MAX):
                try:
                    groups = yield from self.copies.stale_copies(entity, new, each.action.intent, seen)
                except InvalidValue as problem:
                    written = f"{each.intent.label} was written, but a copy created meanwhile cannot be updated"
                    raise ConditionFailed(f"{written}: {problem.entity}.{problem.field}: {problem.rule}") from problem
                if not groups or not (yield from self._catch_up(entity, new, groups, seen, source)):
                    break

    def _catch_up(
        self,
        entity: Entity,
        new: Mapping[str, Any],
        groups: Sequence[Sequence[ItemAction]],
        seen: dict[KeyId, Item],
        source: str,
    ) -> Steps[bool]:
        """Update late copies. Return False if the source has changed again, because the newer write updates them.

        Copies that have changed since the query are added to `seen`.
        """
        key = key_of(entity, new)
        room = self.reader.transaction_items_max - 1
        batch: list[ItemAction] = []
        batches: list[list[ItemAction]] = [batch]
        for group in groups:
            if batch and len(merge_actions([*batch, *group])) > room:
                batch = []
                batches.append(batch)
            batch += group
        fields = {name for copy, _ in self.preparer.derived_data(entity).copied_by for name in copy.fields}
        unchanged = self.preparer.unchanged(entity, new, fields)
        for each in batches:
            check = ItemAction("ConditionCheck", key, 0, guards=unchanged)
            actions = merge_actions([check, *each])
            try:
                yield from self.sender.send(actions, source, True)
            except RequestRefused as rejection:
                failed = yield from self.sender.failed_actions(actions, rejection, source)
                seen |= {key_id(action.key): item for action, item in failed if item is not None}
                return not any(key_id(action.key) == key_id(key) for action, _ in failed)
        return True

    def _reject_too_many(self, actions: Sequence[ItemAction]) -> None:
        if len(actions) > TRANSACTION_ACTIONS_MAX:
            raise ArgumentRefused(
                f"the transaction would write {len(actions)} items, but the limit is {TRANSACTION_ACTIONS_MAX}; split "
                "the transaction, or declare copy(..., in_parts=True) to update copies in separate transactions"
            )

    def _learn_from_failure(
        self,
        attempt: Attempt,
        actions: Sequence[ItemAction],
        rejection: RequestRefused,
        token: ItemAction | None,
        *,
        is_transaction: bool,
        source: str,
    ) -> Steps[None]:
        """Record why DynamoDB rejected the writes, so that they can be planned again.

        Raise if a requirement is not met.
        """
        failed = yield from self.sender.failed_actions(actions, rejection, source)
        failures: list[tuple[Requirement, Item | None]] = []
        for action, item in failed:
            broken = action.failures(item)
            if action is token and broken:
                raise broken[0].error(item)
            if action.is_requested and self._is_older(attempt, action.intent, item):
                continue  # its requirements apply to the upgraded item
            is_dispensable = action.is_dispensable and item is None
            if is_dispensable or (action.kind == "Delete" and not action.is_requested):
                attempt.missing_items.add(key_id(action.key))
            else:
                failures += [(requirement, item) for requirement in broken]
        if failures:
            raise requirement_error(attempt.intents, failures, is_transaction=is_transaction)
        for action, item in failed:
            if action.is_requested:
                attempt.old_items[action.intent] = item
            elif action.guards and item is not None:
                attempt.sources[key_id(action.key)] = item
        for action, item in failed:  # the caller's action on an item can also be a check of a source
            if action.is_requested and item is not None:
                attempt.sources[key_id(action.key)] = item

    def _is_older(self, attempt: Attempt, number: int, item: Item | None) -> bool:
        """Return whether an item has an older schema version that the attempt has not recorded."""
        return self.preparer.is_older(attempt.intents[number], item) and attempt.old_items.get(number) != item
