"""Move a subtree: give a node and its descendants another path, in a resumable sequence of transactions.

Each transaction deletes nodes under their old keys and creates them under their new keys, so every node exists at
exactly one of the two paths. After an interruption, repeat the call to move the remaining nodes. An attribute of the
top node stores its old path, which distinguishes an interrupted move from another node at the new path.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from singletable.client.batch_result import BatchProgress
from singletable.client.connected_table import ConnectedTable
from singletable.client.items.decoder import decoded_class, key_identity, make
from singletable.client.key import Key
from singletable.client.reading.both_keys import reject_while_items_move
from singletable.client.reading.key_reads import transaction_get
from singletable.client.reading.table_reader import ReadOptions
from singletable.client.request_steps import Steps, pause
from singletable.client.responses import Item, read_page
from singletable.client.write.stored_expressions import all_of, attribute_equals, exists
from singletable.client.write.write_execution import ATTEMPTS_MAX
from singletable.client.write.write_intents import WriteIntent, item_label
from singletable.errors import AlreadyExists, ArgumentRefused, ConditionFailed, NotFound, TransactionCancelled
from singletable.model.derived_data import DerivedDataRules
from singletable.model.entity import Entity
from singletable.model.parameter_types import Subtree
from singletable.planner.plan import Plan, UnsupportedPattern
from singletable.planner.plan_reads import path_fields
from singletable.planner.planned_requests import read_requests
from singletable.planner.planner import plan_subtree_query
from singletable.planner.stored_items import key_of, values_of
from singletable.values.item_size import item_size
from singletable.values.limits import TRANSACTION_ACTIONS_MAX, TRANSACTION_BYTES_MAX

METRIC = "move_subtree"
MOVED_FROM = "_moved_from"
"""The attribute that stores the old path in the moved top node; it identifies an interrupted move."""
# A transaction counts each node three times: its put, its delete, and the condition of the delete.
NODE_BYTES_AT_ONCE = TRANSACTION_BYTES_MAX // 3
_ALL = ReadOptions(expired=True)

Path = tuple[str, ...]
Progress = Callable[[BatchProgress], None]
Change = Callable[[Any], Any]


def move_subtree(
    opened: ConnectedTable, node: Key[Any], to: Path, change: Change | None, progress: Progress | None
) -> Steps[int]:
    """Move a node and its descendants to another path; return the number of moved nodes."""
    return opened.write_steps(lambda table: _move(table, node, to, change, progress))


def _move(
    opened: ConnectedTable, node: Key[Any], to: Path, change: Change | None, progress: Progress | None
) -> Steps[int]:
    moving = _SubtreeMove(opened, node, to, change)
    yield from moving.check_places()
    moved = failed_rounds = 0
    while nodes := (yield from moving.nodes()):
        waiting, before = len(nodes), moved
        for chunk in moving.chunks(nodes):
            try:
                is_moved = yield from moving.move(chunk)
            except Exception as problem:
                problem.add_note(
                    f"This call moved {moved} nodes before the error; repeat the call to continue the move."
                )
                raise
            if not is_moved:
                break  # another writer has changed a node, so the loop reads all nodes again
            moved, waiting = moved + len(chunk), waiting - len(chunk)
            if progress is not None:
                progress(BatchProgress(moved, 0, waiting))
        failed_rounds = 0 if moved > before else failed_rounds + 1
        if failed_rounds >= ATTEMPTS_MAX:
            raise ConditionFailed(
                f"{moving.described(moving.old)}: other writers changed the subtree {ATTEMPTS_MAX} times; repeat the "
                "call"
            )
        if failed_rounds > 1:  # the first retry does not wait
            yield from pause(opened.reader.retries.pause(failed_rounds))
    return moved


class _SubtreeMove:
    """The move of one subtree."""

    def __init__(self, opened: ConnectedTable, node: Key[Any], to: Path, change: Change | None) -> None:
        reject_while_items_move(opened, METRIC)
        self._reader, self._writer = opened.reader, opened.writer
        self._design = opened.reader.design
        self._entity = entity = opened.entities.of_class(node.entity)
        self._derived_data = self._writer.preparer.derived_data(entity)
        self._path = _path_of(entity)
        self._values: dict[str, Any] = {name: node.values.get(name) for name in entity.base.fields}
        self._old_key, self._new_key = key_of(entity, self._values), key_of(entity, self._at(to))
        self.old: Path = self._values[self._path]
        self._new, self._change = to, change
        _reject_overlap(self.old, to)
        _reject_references(entity, self._derived_data)
        self._known = self._known_attributes()
        self._mark = {"L": [{"S": name} for name in self.old]}
        self._plan = self._planned()

    def described(self, path: Path) -> str:
        """Return a description of the node at a path, for use in messages."""
        return item_label(self._entity, self._at(path))

    def check_places(self) -> Steps[None]:
        """Raise NotFound or AlreadyExists unless a new or an interrupted move is possible."""
        # Read both nodes in one transaction, because another call may be moving the same subtree.
        keys, targets = (self._old_key, self._new_key), (self.described(self.old), self.described(self._new))
        found = yield from transaction_get(self._reader, keys, METRIC, targets)
        old, new = (found.get(key_identity(key, self._design.table.key_attributes)) for key in keys)
        if old is not None and new is not None:
            raise AlreadyExists(
                f"{self.described(self._new)} already exists, so {self.old!r} cannot be moved there.\n"
                "  Move or delete the existing node first, or move to another path."
            )
        if old is None and (new is None or new.get(MOVED_FROM) != self._mark):
            raise NotFound(
                f"{self.described(self.old)} does not exist.\n"
                "  If another writer has replaced the top node after an interrupted move, move each remaining child "
                "with a call of its own."
            )

    def nodes(self) -> Steps[list[Item]]:
        """Return the next nodes at the old path, parents before children. Return an empty list if no nodes remain."""
        arguments = {**self._values, self._path: Subtree(self.old)}
        (request,) = read_requests(self._design, self._plan, arguments)
        call = self._reader.call(request, self._plan, _ALL)
        while True:
            (body,) = yield (call,)
            response = read_page(body)
            self._reader.count_capacity(self._plan, response.consumed_capacity)
            found = self._reader.matching(response.items, self._plan, _ALL)
            if found or response.last_evaluated_key is None:
                return found
            call.parameters["ExclusiveStartKey"] = response.last_evaluated_key

    def chunks(self, nodes: Sequence[Item]) -> Iterator[list[Item]]:
        """Split nodes into chunks that fit into one transaction, in order."""
        rules = self._derived_data
        derived_actions = 2 * len(rules.uniques) + 2 * len(rules.mirrors) + len(rules.counted) + len(rules.copies)
        nodes_max = max(1, TRANSACTION_ACTIONS_MAX // (2 + derived_actions))
        chunk: list[Item] = []
        size = 0
        for node in nodes:
            node_bytes = item_size(node)
            if chunk and (len(chunk) == nodes_max or size + node_bytes > NODE_BYTES_AT_ONCE):
                yield chunk
                chunk, size = [], 0
            chunk.append(node)
            size += node_bytes
        yield chunk

    def move(self, nodes: Sequence[Item]) -> Steps[bool]:
        """Move some nodes in one transaction; return False if another writer has changed one of them."""
        intents = [each for node in nodes for each in self._intents(node)]
        try:
            yield from self._writer.executor.commit(intents, source=METRIC, is_transaction=True)
        except TransactionCancelled as cancelled:
            errors = [reason.error for reason in cancelled.reasons]
            pairs = list(zip(errors[::2], errors[1::2], strict=True))
            for (gone, made), created in zip(pairs, intents[1::2], strict=True):
                if gone is None and type(made) is AlreadyExists:
                    raise AlreadyExists(
                        f"{item_label(self._entity, created.values)} already exists and was not created by this "
                        "move.\n  Move or delete the existing node, and repeat the call."
                    ) from cancelled
            # If the old node is missing or changed, another call may have moved it.
            if not any(isinstance(gone, ConditionFailed | NotFound) for gone, _ in pairs):
                raise
            return False
        return True

    def _intents(self, item: Item) -> tuple[WriteIntent, WriteIntent]:
        """Return the writes of one node. They delete the old item if it is unchanged, and create the new item."""
        entity = self._entity
        upgrader = self._reader.item_types.upgrader(entity)
        whole = upgrader.upgraded(item) if upgrader is not None and upgrader.is_older(item) else item
        values = values_of(entity, self._reader.item_types.decoder(entity).read(item))
        unknown = {name: value for name, value in whole.items() if name not in self._known}
        seen = {*entity.attributes.values(), *unknown} - self._old_key.keys()
        same = (attribute_equals(name, whole.get(name)) for name in sorted(seen))
        path: Path = values[self._path]
        moved = self._changed({**values, self._path: self._new + path[len(self.old) :]})
        if path == self.old:
            unknown[MOVED_FROM] = self._mark
        unchanged = all_of(exists(self._writer.preparer.partition), *same)
        gone = WriteIntent("delete", entity, values, Key(entity.cls, self._at(path)), unchanged=unchanged)
        made = WriteIntent("create", entity, moved, Key(entity.cls, self._at(moved[self._path])), unknown=unknown)
        return gone, made

    def _changed(self, values: dict[str, Any]) -> dict[str, Any]:
        """Apply the caller's `change` to a node with its new path."""
        if self._change is None:
            return values
        entity, node = self._entity, make(decoded_class(self._entity), values)
        changed = self._change(node)
        if type(changed) is not entity.cls or key_of(entity, values_of(entity, changed)) != key_of(entity, values):
            raise ArgumentRefused(
                f"change= returned {changed!r} for {node!r}; it must return a {entity.label} with the same key"
            )
        return values_of(entity, changed)

    def _at(self, path: Any) -> dict[str, Any]:
        return {**self._values, self._path: path}

    def _known_attributes(self) -> frozenset[str]:
        """Return the attributes that the move recomputes. The move copies all other attributes unchanged."""
        entity, settings = self._entity, self._design.settings
        keys = {part.attribute for placement in entity.placements.values() for part in placement.parts}
        known = {*keys, *entity.attributes.values(), settings.type_attribute or ""}
        if MOVED_FROM in known:
            raise ArgumentRefused(
                f"{entity.label} stores a field as {MOVED_FROM!r}, which is reserved for subtree moves.\n"
                "  Store the field under another name: attributes={...}."
            )
        if entity.declaration.schema_version is not None:
            known.add(settings.schema_version_attribute)
        return frozenset({*known, MOVED_FROM})

    def _planned(self) -> Plan:
        outcome = plan_subtree_query(self._design, self._entity, self._path, METRIC)
        if isinstance(outcome, UnsupportedPattern) or not outcome.index.is_table or len(outcome.fan_outs) > 0:
            reason = (
                outcome.reason
                if isinstance(outcome, UnsupportedPattern)
                else "the subtree spans several partitions or is in an index"
            )
            raise ArgumentRefused(
                f"the subtree of a {self._entity.label} cannot be moved, because one Query cannot read it: {reason}"
            )
        return outcome


def _path_of(entity: Entity) -> str:
    """Return the path field of an entity."""
    paths = path_fields(entity.base)
    if len(paths) != 1:
        found = f"two paths, {' and '.join(paths)}" if paths else "no path"
        raise ArgumentRefused(
            f"{entity.label} is not a tree: its key has {found}.\n"
            '  Key it by its path, such as key=("TREE#{tree}", "NODE#{path}"), with path: tuple[str, ...].'
        )
    return paths[0]


def _reject_overlap(old: Path, new: Path) -> None:
    """Reject a new path that overlaps the old one, because moved nodes would mix with nodes that are not moved yet."""
    if old == new:
        raise ArgumentRefused(f"the node is already at {old!r}; pass another path as to=")
    if new[: len(old)] == old:
        raise ArgumentRefused(f"{new!r} is below {old!r}; a node cannot be moved below itself")
    if old[: len(new)] == new:
        raise ArgumentRefused(
            f"{new!r} is above {old!r}: moved nodes would mix with nodes still to move.\n"
            "  Move the node to an unrelated path first."
        )


def _reject_references(entity: Entity, rules: DerivedDataRules) -> None:
    """Reject an entity whose path other items contain, because a move would leave stale references."""
    if rules.mirror_of is not None:
        mirrored = rules.mirror_of.label
        raise ArgumentRefused(f"{entity.label} mirrors {mirrored}; move the {mirrored} instead")
    references = [f"{entity.label}.{name} counts items" for name in sorted(rules.counters)]
    references += [f"{holder.label} copies its values" for _, holder in rules.copied_by]
    if references:
        raise ArgumentRefused(
            f"the subtree of a {entity.label} cannot be moved, because other items refer to its nodes by path: "
            f"{' and '.join(references)}.\n  Write each node under its new path, parents first. Then write the items "
            "that refer to the node, and delete the old node."
        )
