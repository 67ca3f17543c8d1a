"""Delete a whole item collection: all items in the partition of a root item, counted items first and the root last.

Each pass reads the partition and deletes page by page, so an interrupted call leaves a smaller collection. The root is
deleted only when the partition contains no other item. While the root exists, you can repeat the call to continue the
deletion.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import field
from typing import Any

from singletable.client.batch_result import BatchFailure, BatchProgress, BatchResult
from singletable.client.connected_table import ConnectedTable
from singletable.client.items.decoder import key_identity, key_value
from singletable.client.key import Key
from singletable.client.reading.both_keys import reject_while_items_move
from singletable.client.reading.key_reads import batch_get
from singletable.client.request_steps import Call, Steps, pause
from singletable.client.responses import Item, read_page
from singletable.client.write.bulk_writes import delete_many
from singletable.client.write.stored_expressions import all_of
from singletable.client.write.write_intents import WriteIntent, item_label
from singletable.errors import (
    ArgumentRefused,
    ConditionFailed,
    ItemRefused,
    KeyRefused,
    TransactionCancelled,
)
from singletable.lazy_dataclass import dataclass, replace
from singletable.model.derived_data import DerivedDataRules
from singletable.model.entity import Entity
from singletable.planner.stored_items import key_of, values_of

NAME = "delete_collection"
PASSES_WITHOUT_PROGRESS_MAX = 3

RawKey = Mapping[str, Any]
"""The key attributes of an item in DynamoDB JSON."""
CollectionKey = Key[Any] | RawKey
"""The key of an item, or its raw key if the model cannot decode it."""
Failure = BatchFailure[CollectionKey]
Progress = Callable[[BatchProgress], None]


def delete_collection(
    opened: ConnectedTable, root: Key[Any], progress: Progress | None
) -> Steps[BatchResult[CollectionKey]]:
    """Delete every other item in the partition of the root, then the root."""
    return opened.write_steps(lambda table: _Deletion(table, root, progress).run())


@dataclass
class _Pass:
    """The result of one pass over the partition: the numbers of found and deleted items, and the failures."""

    items: int = 0
    """The number of items found, excluding the root."""
    deleted: int = 0
    has_root: bool = False
    next_rank: int | None = None
    """The lowest deletion rank among the items that a later pass must delete."""
    failed: list[Failure] = field(default_factory=list)

    @property
    def is_stuck(self) -> bool:
        """Whether another pass is useless: this pass deleted nothing, and the model cannot delete the other items."""
        if self.deleted or not self.failed:
            return False
        return all(isinstance(failure.reason, ItemRefused) for failure in self.failed)


@dataclass(frozen=True)
class _Mirror:
    """A mirror item, and the key of its source."""

    entity: Entity
    item: Item
    values: Mapping[str, Any]
    source: Entity
    source_key: Item


class _Deletion:
    """The deletion of one collection, in passes."""

    def __init__(self, opened: ConnectedTable, root: Key[Any], progress: Progress | None) -> None:
        self._opened, self._root, self._progress = opened, root, progress
        self._reader, self._derived_data = opened.reader, opened.writer.preparer.derived_data
        self._design, self._item_types = opened.reader.design, opened.reader.item_types
        self._entity = entity = opened.entities.of_key(root)
        reject_while_items_move(opened, NAME)
        _reject_mirror(entity, self._derived_data(entity))
        _reject_shared_partition(entity)
        self._key = key_of(entity, root.values)
        self._ranks = _ranks(self._design.entities, self._derived_data)
        self._deleted = 0

    def run(self) -> Steps[BatchResult[CollectionKey]]:
        """Delete the collection; if it fails, add a note with the number of deleted items to the error."""
        try:
            return (yield from self._passes())
        except Exception as problem:
            problem.add_note(f"{NAME} deleted {self._deleted} items before this error; repeat the call to continue.")
            raise

    def _passes(self) -> Steps[BatchResult[CollectionKey]]:
        rank = without_progress = 0
        fewest_items: int | None = None
        while (done := (yield from self._pass(rank))).items:
            if done.next_rank is not None:
                rank = done.next_rank
                continue
            without_progress = 0 if fewest_items is None or done.items < fewest_items else without_progress + 1
            fewest_items = done.items if fewest_items is None else min(fewest_items, done.items)
            if done.is_stuck or without_progress >= PASSES_WITHOUT_PROGRESS_MAX:
                return self._unfinished(done)
            if without_progress:
                yield from pause(self._reader.retries.pause(without_progress))
        if done.has_root:
            yield from self._delete([self._root], done)
        return BatchResult(self._deleted, tuple(done.failed))

    def _unfinished(self, done: _Pass) -> BatchResult[CollectionKey]:
        """Return the result of an incomplete deletion. Some items remain, so the root remains too."""
        failed = list(done.failed)
        if done.has_root or not failed:
            why = f"{len(failed)} items of its collection could not be deleted"
            if not failed:
                why = "other writers keep adding items to its collection; stop these writers and call the method again"
            error = ConditionFailed(f"{item_label(self._entity, self._root.values)} was not deleted: {why}")
            failed.append(BatchFailure(self._root, error))
        return BatchResult(self._deleted, tuple(failed))

    def _pass(self, rank: int) -> Steps[_Pass]:
        """Read the whole partition page by page, and delete the items whose deletion rank is at most `rank`."""
        done = _Pass()
        call = self._query()
        while True:
            (body,) = yield (call,)
            page = read_page(body)
            if page.consumed_capacity is not None:
                self._reader.metrics.read(NAME, page.consumed_capacity.capacity_units)
            targets = yield from self._targets(page.items, rank, done)
            if targets:
                yield from self._delete(targets, done)
            if page.last_evaluated_key is None:
                return done
            call = Call("Query", {**call.parameters, "ExclusiveStartKey": page.last_evaluated_key}, source=NAME)

    def _query(self) -> Call:
        """Return a strongly consistent Query of the partition.

        It reads whole items only if their keys are not enough for the deletion.
        """
        partition = self._design.table.partition[0].name
        names = {"#p": partition}
        added: dict[str, Any] = {}
        if not any(self._needs_whole_items(entity) for entity in self._design.entities):
            names_read = (*self._design.table.key_attributes, self._design.settings.type_attribute)
            names = {"#p": partition, **{f"#{n}": name for n, name in enumerate(names_read) if name is not None}}
            added["ProjectionExpression"] = ", ".join(alias for alias in names if alias != "#p")
        parameters = {
            "TableName": self._reader.name,
            "KeyConditionExpression": "#p = :p",
            "ExpressionAttributeNames": names,
            "ExpressionAttributeValues": {":p": self._key[partition]},
            "ConsistentRead": True,
            "ReturnConsumedCapacity": "TOTAL",
        }
        return Call("Query", {**parameters, **added}, source=NAME)

    def _needs_whole_items(self, entity: Entity) -> bool:
        """Return whether the partition can contain items of an entity whose deletion needs more than the key."""
        base = entity.base
        try:
            for part in base.partition:
                part.decode(key_value(self._key[part.attribute]))
        except KeyRefused:
            return False
        return self._derived_data(entity).reason is not None or not base.fields <= base.exact_fields

    def _targets(self, items: Sequence[Item], rank: int, done: _Pass) -> Steps[list[Any]]:
        """Return the keys and objects on a page that this pass deletes."""
        targets: list[Any] = []
        mirrors: list[_Mirror] = []
        for item in items:
            entity = self._known_child(item, done)
            if entity is None:
                continue
            if (own_rank := self._ranks[entity.cls]) > rank:
                done.next_rank = min(own_rank, done.next_rank or own_rank)
                continue
            try:
                if (source := self._derived_data(entity).mirror_of) is not None:
                    mirrors.append(self._mirror(entity, item, source))
                else:
                    targets.append(self._target(entity, item))
            except ItemRefused as problem:
                done.failed.append(BatchFailure(self._failed_key(entity, item), problem))
        if mirrors:
            targets += yield from self._sources(mirrors, done)
        return targets

    def _known_child(self, item: Item, done: _Pass) -> Entity | None:
        """Return the entity of an item; None for the root, for internal items, and for items of an unknown type."""
        entity = self._item_types.entity_of(item)
        if entity is self._entity and self._has_key(item, self._key):
            done.has_root = True
            return None
        if entity is None and self._item_types.is_marker(item):
            return None
        done.items += 1
        if entity is None:
            key = self._raw_key(item)
            unknown = ItemRefused(
                f"the item {key} belongs to no entity of {self._design.name} and was not deleted.\n"
                "  Delete it with DeleteItem, or add its entity to the model."
            )
            done.failed.append(BatchFailure(key, unknown))
        return entity

    def _target(self, entity: Entity, item: Item) -> Any:
        """Return an item's key, or its object if the entity has derived data; raise ItemRefused if it is invalid."""
        key, rules = self._item_key(entity, item), self._derived_data(entity)
        if rules.reason is None:
            return key
        try:
            value = self._item_types.decoder(entity).read(item)
        except ItemRefused:
            if rules.tracks_existence:
                raise
            return key  # deleting it changes no other item, so the key is enough
        self._require_key(entity, values_of(entity, value), item)
        return value

    def _item_key(self, entity: Entity, item: Item) -> Key[Any]:
        """Decode the key attributes of an item into its key fields.

        Raise ItemRefused if they do not match the entity.
        """
        try:
            values = entity.base.decode({part.attribute: key_value(item[part.attribute]) for part in entity.base.parts})
        except KeyRefused as problem:
            raise ItemRefused(
                f"the item {self._raw_key(item)} has the type {entity.name!r}, but its key does not match: {problem}"
            ) from problem
        # a field of the key is stored as a derived value, which cannot be decoded
        if not entity.base.fields <= values.keys():
            values = values_of(entity, self._item_types.decoder(entity).read(item))
        self._require_key(entity, values, item)
        return _key(entity, values)

    def _require_key(self, entity: Entity, values: Mapping[str, Any], item: Item) -> None:
        """Raise ItemRefused if the fields of an item produce the key of another item, which must not be deleted."""
        key = self._key_of(entity, values, item)
        if not self._has_key(item, key):
            raise ItemRefused(f"the item {self._raw_key(item)} has the fields of the {entity.label} with the key {key}")

    def _key_of(self, entity: Entity, values: Mapping[str, Any], item: Item) -> Item:
        try:
            return key_of(entity, values)
        except (ArgumentRefused, KeyRefused) as problem:
            raise ItemRefused(
                f"the fields of the item {self._raw_key(item)} do not form the key of a {entity.label}: {problem}"
            ) from problem

    def _has_key(self, item: Item, key: Item) -> bool:
        return self._identity(item) == self._identity(key)

    def _identity(self, item: Item) -> Hashable:
        return key_identity(item, self._design.table.key_attributes)

    def _raw_key(self, item: Item) -> RawKey:
        return {name: item[name] for name in self._design.table.key_attributes}

    def _failed_key(self, entity: Entity, item: Item) -> CollectionKey:
        try:
            return self._item_key(entity, item)
        except ItemRefused:
            return self._raw_key(item)

    def _delete(self, targets: Sequence[Any], done: _Pass) -> Steps[None]:
        """Delete items and their derived data."""
        before, failed_before = self._deleted, len(done.failed)

        def report(so_far: BatchProgress) -> None:
            self._deleted = before + so_far.written
            if self._progress is not None:
                self._progress(BatchProgress(self._deleted, failed_before + so_far.failed, so_far.waiting))

        result = yield from delete_many(self._opened, targets, report)
        self._deleted = before + result.written
        done.deleted += result.written
        for each in result.failed:
            entity, values = self._opened.entities.named(each.value)
            done.failed.append(BatchFailure(_key(entity, values), each.reason))

    # A mirror is deleted together with its source.

    def _mirror(self, entity: Entity, item: Item, source: Entity) -> _Mirror:
        if hidden := sorted(source.base.fields - entity.fields.keys()):
            raise ItemRefused(
                f"the item {self._raw_key(item)} mirrors a {source.label}, but does not contain its "
                f"{', '.join(hidden)}, so the {source.label} cannot be found.\n"
                f"  Delete the {source.label} itself."
            )
        values = values_of(entity, self._item_types.decoder(entity).read(item))
        self._require_key(entity, values, item)
        return _Mirror(entity, item, values, source, self._key_of(source, values, item))

    def _sources(self, mirrors: Sequence[_Mirror], done: _Pass) -> Steps[list[Any]]:
        """Return the source items of the mirrors, for the caller to delete. Delete each mirror that has no source.

        The result omits sources in the same partition, because the pass over the partition also finds them.
        """
        keys = {self._identity(mirror.source_key): mirror.source_key for mirror in mirrors}
        found = yield from batch_get(self._reader, keys.values(), NAME, {"ConsistentRead": True})
        targets: dict[Hashable, Any] = {}
        for mirror in mirrors:
            source = self._identity(mirror.source_key)
            is_near = self._is_in_partition(mirror.source_key)
            stored = found.get(source)
            try:
                value = None if stored is None else self._item_types.decoder(mirror.source).read(stored)
            except ItemRefused as problem:
                if not is_near:
                    done.failed.append(BatchFailure(self._failed_key(mirror.entity, mirror.item), problem))
                continue
            if value is None or not self._is_mirrored_as(mirror, value):
                yield from self._delete_orphan(mirror, value, done)
            elif not is_near:
                targets[source] = value
        return list(targets.values())

    def _is_in_partition(self, key: Item) -> bool:
        names = [attribute.name for attribute in self._design.table.partition]
        return key_identity(key, names) == key_identity(self._key, names)

    def _is_mirrored_as(self, mirror: _Mirror, source: Any) -> bool:
        values = {name: getattr(source, name) for name in mirror.entity.fields}
        return self._has_key(mirror.item, key_of(mirror.entity, values))

    def _delete_orphan(self, mirror: _Mirror, source: Any, done: _Pass) -> Steps[None]:
        """Delete a mirror whose source is missing or has another mirror, unless the source has changed meanwhile."""
        writer, of = self._opened.writer, mirror.source
        key, source_key = _key(mirror.entity, mirror.values), _key(of, mirror.values)
        deletion = WriteIntent("delete", mirror.entity, key.values, key)
        check = WriteIntent("check", of, source_key.values, source_key, absent=source is None)
        if source is not None:
            same = writer.preparer.unchanged(of, values_of(of, source), mirror.entity.fields)
            check = replace(check, unchanged=all_of(*same))
        try:
            yield from writer.executor.commit([deletion, check], source=NAME, is_transaction=True)
        except TransactionCancelled as problem:
            done.failed.append(BatchFailure(key, problem))
        else:
            self._deleted += 1
            done.deleted += 1


def _key(entity: Entity, values: Mapping[str, Any]) -> Key[Any]:
    return Key(entity.cls, {name: values[name] for name in sorted(entity.base.fields)})


def _reject_mirror(entity: Entity, rules: DerivedDataRules) -> None:
    if rules.mirror_of is not None:
        raise ArgumentRefused(
            f"{NAME}: {entity.label} mirrors {rules.mirror_of.label} and is deleted with it.\n"
            "  Pass the key of another item of the partition."
        )


def _reject_shared_partition(entity: Entity) -> None:
    """Reject an entity of which one partition can contain several items, because the call would delete all of them."""
    own = frozenset[str]().union(*(part.exact_fields for part in entity.base.partition))
    if shared := sorted(entity.base.fields - own):
        partition = ", ".join(str(part) for part in entity.base.partition)
        raise ArgumentRefused(
            f"{NAME}: {entity.label} has no partition of its own: its partition key {partition!r} does not contain "
            f"{', '.join(shared)}, so other {entity.label} items can be in the same partition.\n"
            "  Pass the key of an item whose partition key contains its whole identity, or query the items and "
            "pass them to delete_many."
        )


def _ranks(entities: Sequence[Entity], rules_of: Callable[[Entity], DerivedDataRules]) -> dict[type, int]:
    """Return the rank of each entity in the deletion order. Counted entities precede their owners."""
    owners = {each.cls: {owner.cls for _, owner in rules_of(each).counted} for each in entities}

    def rank(entity: Entity, above: tuple[type, ...] = ()) -> int:
        seen = (*above, entity.cls)  # two entities can count each other
        counted = [each for each in entities if entity.cls in owners[each.cls] and each.cls not in seen]
        return max((1 + rank(each, seen) for each in counted), default=0)

    return {each.cls: rank(rules_of(each).mirror_of or each) for each in entities}
