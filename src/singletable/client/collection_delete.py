"""Deletion of a whole item collection: every item in the partition of a root, counted items first, the root last.

The deletion reads the partition in passes and deletes page by page, so an interrupted call leaves a smaller collection.
The root stays until nothing else is left: it shows that a deletion is not finished, and the same call continues it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from singletable.client.answers import Item, read_page
from singletable.client.batch_result import BatchFailure, BatchProgress, BatchResult
from singletable.client.items.decoder import key_value
from singletable.client.key import Key
from singletable.client.open_table import OpenTable
from singletable.client.reading.by_keys import batch_get, identity
from singletable.client.steps import Call, Steps, pause
from singletable.client.write.bulk import delete_many
from singletable.client.write.conditions import all_of
from singletable.client.write.intent import WriteIntent, shown
from singletable.errors import (
    ArgumentRefused,
    ConditionFailed,
    ItemRefused,
    KeyRefused,
    TransactionCancelled,
)
from singletable.model.entity import Entity
from singletable.model.keeping import Keeping
from singletable.planner.items import key_of, values_of

NAME = "delete_collection"
PASSES_WITHOUT_HEADWAY_MAX = 3

RawKey = Mapping[str, Any]
"""The key attributes of an item in DynamoDB JSON."""
CollectionKey = Key[Any] | RawKey
"""The key of an item, or its raw key where the model cannot tell its fields."""
Failure = BatchFailure[CollectionKey]
Progress = Callable[[BatchProgress], None]


def delete_collection(
    opened: OpenTable, root: Key[Any], progress: Progress | None
) -> Steps[BatchResult[CollectionKey]]:
    """Deletes every item in the partition of the root, and then the root."""
    return _Deletion(opened, root, progress).run()


@dataclass
class _Pass:
    """One reading of the partition: the items that it found, and what became of them."""

    items: int = 0
    """How many items it found, without the root."""
    deleted: int = 0
    has_root: bool = False
    next_rank: int | None = None
    """The lowest rank of the items that it left for a later pass."""
    failed: list[Failure] = field(default_factory=list)

    @property
    def is_stuck(self) -> bool:
        """Whether another pass would find the same: nothing was deleted, and the model cannot delete the rest."""
        if self.deleted or not self.failed:
            return False
        return all(isinstance(failure.reason, ItemRefused) for failure in self.failed)


@dataclass(frozen=True)
class _Mirror:
    """An item that is written with its source, and the key of the source."""

    entity: Entity
    item: Item
    values: Mapping[str, Any]
    source: Entity
    source_key: Item


class _Deletion:
    """The passes that delete one collection."""

    def __init__(self, opened: OpenTable, root: Key[Any], progress: Progress | None) -> None:
        self._opened, self._root, self._progress = opened, root, progress
        self._reader, self._keeping = opened.reader, opened.writer.preparer.keeping
        self._design, self._kinds = opened.reader.design, opened.reader.kinds
        self._entity = entity = opened.entities.of_key(root)
        _reject_mirror(entity, self._keeping(entity))
        _reject_shared_partition(entity)
        self._key = key_of(entity, root.values)
        self._ranks = _ranks(self._design.entities, self._keeping)
        self._deleted = 0

    def run(self) -> Steps[BatchResult[CollectionKey]]:
        """Deletes the collection; an error says how much was deleted before it."""
        try:
            return (yield from self._passes())
        except Exception as problem:
            problem.add_note(f"{NAME} had deleted {self._deleted} items before; the same call continues from there.")
            raise

    def _passes(self) -> Steps[BatchResult[CollectionKey]]:
        rank = fruitless = 0
        fewest: int | None = None
        while (done := (yield from self._pass(rank))).items:
            if done.next_rank is not None:
                rank = done.next_rank
                continue
            fruitless = 0 if fewest is None or done.items < fewest else fruitless + 1
            fewest = done.items if fewest is None else min(fewest, done.items)
            if done.is_stuck or fruitless >= PASSES_WITHOUT_HEADWAY_MAX:
                return self._unfinished(done)
            if fruitless:
                yield from pause(self._reader.retries.pause(fruitless))
        if done.has_root:
            yield from self._delete([self._root], done)
        return BatchResult(self._deleted, tuple(done.failed))

    def _unfinished(self, done: _Pass) -> BatchResult[CollectionKey]:
        """The result of a deletion that leaves items, and therefore the root."""
        failed = list(done.failed)
        if done.has_root or not failed:
            why = f"{len(failed)} items of its collection could not be deleted"
            if not failed:
                why = "others keep adding items to its collection; stop those writes and call again"
            kept = ConditionFailed(f"{shown(self._entity, self._root.values)} was not deleted: {why}")
            failed.append(BatchFailure(self._root, kept))
        return BatchResult(self._deleted, tuple(failed))

    def _pass(self, rank: int) -> Steps[_Pass]:
        """Reads the whole partition and deletes the items up to a rank, page by page."""
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
            call = Call("Query", {**call.parameters, "ExclusiveStartKey": page.last_evaluated_key})

    def _query(self) -> Call:
        """A consistent Query of the partition, of whole items only where keys are not enough."""
        partition = self._design.table.partition[0].name
        names = {"#p": partition}
        added: dict[str, Any] = {}
        if not any(self._needs_whole_items(entity) for entity in self._design.entities):
            wanted = (*self._design.table.key_attributes, self._design.settings.type_attribute)
            names = {"#p": partition, **{f"#{n}": name for n, name in enumerate(wanted) if name is not None}}
            added["ProjectionExpression"] = ", ".join(alias for alias in names if alias != "#p")
        parameters = {
            "TableName": self._reader.name,
            "KeyConditionExpression": "#p = :p",
            "ExpressionAttributeNames": names,
            "ExpressionAttributeValues": {":p": self._key[partition]},
            "ConsistentRead": True,
            "ReturnConsumedCapacity": "TOTAL",
        }
        return Call("Query", {**parameters, **added})

    def _needs_whole_items(self, entity: Entity) -> bool:
        """Whether items of an entity can be in the partition, and cannot be deleted by their key attributes alone."""
        base = entity.base
        try:
            for part in base.partition:
                part.decode(key_value(self._key[part.attribute]))
        except KeyRefused:
            return False
        return self._keeping(entity).why is not None or not base.fields <= base.exact_fields

    def _targets(self, items: Sequence[Item], rank: int, done: _Pass) -> Steps[list[Any]]:
        """The keys and objects of a page that are deleted now."""
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
                if (source := self._keeping(entity).mirror_of) is not None:
                    mirrors.append(self._mirror(entity, item, source))
                else:
                    targets.append(self._target(entity, item))
            except ItemRefused as problem:
                done.failed.append(BatchFailure(self._failed_key(entity, item), problem))
        if mirrors:
            targets += yield from self._sources(mirrors, done)
        return targets

    def _known_child(self, item: Item, done: _Pass) -> Entity | None:
        """The entity of an item; None for the root, for the library's own items and for unknown items."""
        entity = self._kinds.entity_of(item)
        if entity is self._entity and self._has_key(item, self._key):
            done.has_root = True
            return None
        if entity is None and self._kinds.is_marker(item):
            return None
        done.items += 1
        if entity is None:
            key = self._raw_key(item)
            unknown = ItemRefused(
                f"the item {key} belongs to none of {self._design.name}'s entities and was not deleted.\n"
                "  Delete it with DeleteItem, or add its entity to the model."
            )
            done.failed.append(BatchFailure(key, unknown))
        return entity

    def _target(self, entity: Entity, item: Item) -> Any:
        """An item as its key, or as its object where derived data follows; raises ItemRefused."""
        key, keeping = self._item_key(entity, item), self._keeping(entity)
        if keeping.why is None:
            return key
        try:
            value = self._kinds.decoder(entity).read(item)
        except ItemRefused:
            if keeping.follows_existence:
                raise
            return key  # nothing else depends on the fields of a deleted item
        self._require_key(entity, values_of(entity, value), item)
        return value

    def _item_key(self, entity: Entity, item: Item) -> Key[Any]:
        """The key of an item by its fields; raises ItemRefused for a key that the entity does not write."""
        try:
            values = entity.base.decode({part.attribute: key_value(item[part.attribute]) for part in entity.base.parts})
        except KeyRefused as problem:
            raise ItemRefused(
                f"the item {self._raw_key(item)} has the type {entity.name!r}, but another key: {problem}"
            ) from problem
        if not entity.base.fields <= values.keys():  # a derived value hides a field of the key
            values = values_of(entity, self._kinds.decoder(entity).read(item))
        self._require_key(entity, values, item)
        return _key(entity, values)

    def _require_key(self, entity: Entity, values: Mapping[str, Any], item: Item) -> None:
        """Rejects an item whose fields would name another item, which must not be deleted in its place."""
        key = self._key_of(entity, values, item)
        if not self._has_key(item, key):
            raise ItemRefused(f"the item {self._raw_key(item)} has the fields of another {entity.label}, at {key}")

    def _key_of(self, entity: Entity, values: Mapping[str, Any], item: Item) -> Item:
        try:
            return key_of(entity, values)
        except (ArgumentRefused, KeyRefused) as problem:
            raise ItemRefused(f"the item {self._raw_key(item)} has no key of a {entity.label}: {problem}") from problem

    def _has_key(self, item: Item, key: Item) -> bool:
        return self._identity(item) == self._identity(key)

    def _identity(self, item: Item) -> Hashable:
        return identity(item, self._design.table.key_attributes)

    def _raw_key(self, item: Item) -> RawKey:
        return {name: item[name] for name in self._design.table.key_attributes}

    def _failed_key(self, entity: Entity, item: Item) -> CollectionKey:
        try:
            return self._item_key(entity, item)
        except ItemRefused:
            return self._raw_key(item)

    def _delete(self, targets: Sequence[Any], done: _Pass) -> Steps[None]:
        """Deletes items with their derived data."""
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

    # Mirrors, which are deleted with their sources

    def _mirror(self, entity: Entity, item: Item, source: Entity) -> _Mirror:
        if hidden := sorted(source.base.fields - entity.fields.keys()):
            raise ItemRefused(
                f"the item {self._raw_key(item)} mirrors a {source.label} and does not have its {', '.join(hidden)}.\n"
                f"  Delete the {source.label}."
            )
        values = values_of(entity, self._kinds.decoder(entity).read(item))
        self._require_key(entity, values, item)
        return _Mirror(entity, item, values, source, self._key_of(source, values, item))

    def _sources(self, mirrors: Sequence[_Mirror], done: _Pass) -> Steps[list[Any]]:
        """The sources of mirrors, to be deleted; a mirror without a source is deleted by itself.

        A source in the same partition is left out, because the pass finds it there.
        """
        keys = {self._identity(mirror.source_key): mirror.source_key for mirror in mirrors}
        found = yield from batch_get(self._reader, keys.values(), NAME, {"ConsistentRead": True})
        targets: dict[Hashable, Any] = {}
        for mirror in mirrors:
            source = self._identity(mirror.source_key)
            is_near = self._is_in_partition(mirror.source_key)
            stored = found.get(source)
            try:
                value = None if stored is None else self._kinds.decoder(mirror.source).read(stored)
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
        return identity(key, names) == identity(self._key, names)

    def _is_mirrored_as(self, mirror: _Mirror, source: Any) -> bool:
        values = {name: getattr(source, name) for name in mirror.entity.fields}
        return self._has_key(mirror.item, key_of(mirror.entity, values))

    def _delete_orphan(self, mirror: _Mirror, source: Any, done: _Pass) -> Steps[None]:
        """Deletes a mirror that its source does not have, if the source is still missing or unchanged."""
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


def _reject_mirror(entity: Entity, keeping: Keeping) -> None:
    if keeping.mirror_of is not None:
        raise ArgumentRefused(
            f"{NAME}: {entity.label} mirrors {keeping.mirror_of.label} and is deleted with it.\n"
            "  Pass the key of another item of the partition."
        )


def _reject_shared_partition(entity: Entity) -> None:
    """Rejects an entity of which one partition can hold several items: the others would be deleted too."""
    own = frozenset[str]().union(*(part.exact_fields for part in entity.base.partition))
    if shared := sorted(entity.base.fields - own):
        partition = ", ".join(str(part) for part in entity.base.partition)
        raise ArgumentRefused(
            f"{NAME}: {entity.label} has no partition of its own: its partition key {partition!r} does not contain "
            f"{', '.join(shared)}, so other {entity.label} items can be in the same partition.\n"
            "  Pass the key of an item whose partition key contains its whole identity, or query the items and "
            "pass them to delete_many."
        )


def _ranks(entities: Sequence[Entity], keeping_of: Callable[[Entity], Keeping]) -> dict[type, int]:
    """The order of deletion: an entity has a higher rank than those that it counts, and a mirror that of its source."""
    owners = {each.cls: {owner.cls for _, owner in keeping_of(each).counted} for each in entities}

    def rank(entity: Entity, above: tuple[type, ...] = ()) -> int:
        seen = (*above, entity.cls)  # entities may count each other
        counted = [each for each in entities if entity.cls in owners[each.cls] and each.cls not in seen]
        return max((1 + rank(each, seen) for each in counted), default=0)

    return {each.cls: rank(keeping_of(each).mirror_of or each) for each in entities}
