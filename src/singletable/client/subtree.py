"""Subtrees moved: a node and everything below it brought under another path, in steps that can be taken up again.

Each step is one transaction, in which nodes appear under their new keys and go from their old ones. So a node is at
either place at any moment, never at both or at none, and whoever calls again moves what is still at the old one. The
first node carries where it came from, by which a move that was interrupted is told from a place that is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from singletable.client.answers import Item, read_page
from singletable.client.batch_result import BatchProgress
from singletable.client.items.decoder import made_of, make
from singletable.client.key import Key
from singletable.client.open_table import OpenTable
from singletable.client.options import Options
from singletable.client.reading.by_keys import identity, transaction_get
from singletable.client.steps import Steps, pause
from singletable.client.write.conditions import all_of, attribute_equals, exists
from singletable.client.write.execute import ATTEMPTS_MAX
from singletable.client.write.intent import WriteIntent, shown
from singletable.errors import AlreadyExists, ArgumentRefused, ConditionFailed, NotFound, TransactionCancelled
from singletable.model.entity import Entity
from singletable.model.keeping import Keeping
from singletable.model.ranges import Subtree
from singletable.planner.ancestors import paths_in
from singletable.planner.bind import read_requests
from singletable.planner.items import key_of, values_of
from singletable.planner.plan import Plan, Refusal
from singletable.planner.subtree import plan_subtree
from singletable.values.item_size import item_size
from singletable.values.limits import TRANSACTION_ACTIONS_MAX, TRANSACTION_BYTES_MAX

SOURCE = "move_subtree"
MOVED_FROM = "_moved_from"
"""The attribute of the first node that was moved: the path it had before, by which an interrupted move is known."""
# A node is in its transaction as what is written, what is deleted, and what it is compared with.
NODE_BYTES_AT_ONCE = TRANSACTION_BYTES_MAX // 3
_ALL = Options(expired=True)

Path = tuple[str, ...]
Progress = Callable[[BatchProgress], None]
Change = Callable[[Any], Any]


def move_subtree(
    opened: OpenTable, node: Key[Any], to: Path, change: Change | None, progress: Progress | None
) -> Steps[int]:
    """Moves a node and everything below it to another path; says how many were moved."""
    moving = _Moving(opened, node, to, change)
    yield from moving.refuse_taken()
    moved = fruitless = 0
    while nodes := (yield from moving.nodes()):
        waiting, before = len(nodes), moved
        for chunk in moving.chunks(nodes):
            try:
                is_moved = yield from moving.move(chunk)
            except Exception as problem:
                problem.add_note(f"{moved} were moved by this call; the same call goes on from there.")
                raise
            if not is_moved:
                break  # somebody else has changed a node: all of them are looked at again
            moved, waiting = moved + len(chunk), waiting - len(chunk)
            if progress is not None:
                progress(BatchProgress(moved, 0, waiting))
        fruitless = 0 if moved > before else fruitless + 1
        if fruitless >= ATTEMPTS_MAX:
            raise ConditionFailed(f"{moving.said(moving.old)} was changed by others {ATTEMPTS_MAX} times; call again")
        if fruitless > 1:  # once is bad luck, twice is a crowd
            yield from pause(opened.reader.retries.pause(fruitless))
    return moved


class _Moving:
    """A subtree on its way from one path to another."""

    def __init__(self, opened: OpenTable, node: Key[Any], to: Path, change: Change | None) -> None:
        self._reader, self._writer = opened.reader, opened.writer
        self._design = opened.reader.design
        self._entity = entity = opened.entities.of_class(node.entity)
        self._keeping = self._writer.preparer.keeping(entity)
        self._path = _path_of(entity)
        self._values: dict[str, Any] = {name: node.values.get(name) for name in entity.base.fields}
        self._old_key, self._new_key = key_of(entity, self._values), key_of(entity, self._at(to))
        self.old: Path = self._values[self._path]
        self._new, self._change = to, change
        _refuse_detour(self.old, to)
        _refuse_left_behind(entity, self._keeping)
        self._known = self._known_attributes()
        self._mark = {"L": [{"S": name} for name in self.old]}
        self._plan = self._planned()

    def said(self, path: Path) -> str:
        """A node in words."""
        return shown(self._entity, self._at(path))

    def refuse_taken(self) -> Steps[None]:
        """Refuses a start where nothing is, and a place that another node has, unless a move was interrupted."""
        # Both as they are at one moment: somebody else may be moving the same subtree.
        keys, targets = (self._old_key, self._new_key), (self.said(self.old), self.said(self._new))
        found = yield from transaction_get(self._reader, keys, SOURCE, targets)
        old, new = (found.get(identity(key, self._design.table.key_attributes)) for key in keys)
        if old is not None and new is not None:
            raise AlreadyExists(
                f"{self.said(self._new)} is there already, so {self.old!r} cannot be moved there.\n"
                "  Move or delete that one first, or move to another path."
            )
        if old is None and (new is None or new.get(MOVED_FROM) != self._mark):
            raise NotFound(
                f"there is no {self.said(self.old)} that could be moved.\n"
                "  If others have replaced a node that an interrupted move had brought to its place, move what it left "
                "behind by a call for each child."
            )

    def nodes(self) -> Steps[list[Item]]:
        """The first of the nodes that are still at the old place, parents before their children; none at the end."""
        arguments = {**self._values, self._path: Subtree(self.old)}
        (request,) = read_requests(self._design, self._plan, arguments)
        call = self._reader.call(request, self._plan, _ALL)
        while True:
            (body,) = yield (call,)
            answer = read_page(body)
            self._reader.consumed(self._plan, answer.consumed_capacity)
            found = self._reader.wanted(answer.items, self._plan, _ALL)
            if found or answer.last_evaluated_key is None:
                return found
            call.parameters["ExclusiveStartKey"] = answer.last_evaluated_key

    def chunks(self, nodes: Sequence[Item]) -> Iterator[list[Item]]:
        """The nodes in their order, as many together as one transaction takes."""
        keeping = self._keeping
        beside = 2 * len(keeping.uniques) + 2 * len(keeping.mirrors) + len(keeping.counted) + len(keeping.held)
        most = max(1, TRANSACTION_ACTIONS_MAX // (2 + beside))
        chunk: list[Item] = []
        size = 0
        for node in nodes:
            node_bytes = item_size(node)
            if chunk and (len(chunk) == most or size + node_bytes > NODE_BYTES_AT_ONCE):
                yield chunk
                chunk, size = [], 0
            chunk.append(node)
            size += node_bytes
        yield chunk

    def move(self, nodes: Sequence[Item]) -> Steps[bool]:
        """Moves some nodes in one transaction; False when one of them is not as it was read any more."""
        wanted = [each for node in nodes for each in self._moved(node)]
        try:
            yield from self._writer.executor.commit(wanted, source=SOURCE, is_transaction=True)
        except TransactionCancelled as cancelled:
            errors = [reason.error for reason in cancelled.reasons]
            pairs = list(zip(errors[::2], errors[1::2], strict=True))
            for (gone, made), created in zip(pairs, wanted[1::2], strict=True):
                if gone is None and type(made) is AlreadyExists:
                    raise AlreadyExists(
                        f"{shown(self._entity, created.values)} is there already, and was not moved by this move.\n"
                        "  Move or delete that one, and call again."
                    ) from cancelled
            # Where the old node is gone or changed, what is at its new place may be its own, moved by somebody else.
            if not any(isinstance(gone, ConditionFailed | NotFound) for gone, _ in pairs):
                raise
            return False
        return True

    def _moved(self, item: Item) -> tuple[WriteIntent, WriteIntent]:
        """The two writes of one node: it goes, if it is as it was read, and comes, if nothing is there."""
        entity = self._entity
        upgrader = self._reader.kinds.upgrader(entity)
        whole = upgrader.upgraded(item) if upgrader is not None and upgrader.is_older(item) else item
        values = values_of(entity, self._reader.kinds.decoder(entity).read(item))
        beside = {name: value for name, value in whole.items() if name not in self._known}
        seen = {*entity.attributes.values(), *beside} - self._old_key.keys()
        same = (attribute_equals(name, whole.get(name)) for name in sorted(seen))
        path: Path = values[self._path]
        moved = self._changed({**values, self._path: self._new + path[len(self.old) :]})
        if path == self.old:
            beside[MOVED_FROM] = self._mark
        unchanged = all_of(exists(self._writer.preparer.partition), *same)
        gone = WriteIntent("delete", entity, values, Key(entity.cls, self._at(path)), unchanged=unchanged)
        made = WriteIntent("create", entity, moved, Key(entity.cls, self._at(moved[self._path])), unknown=beside)
        return gone, made

    def _changed(self, values: dict[str, Any]) -> dict[str, Any]:
        """What the caller makes of a node that has its new path already."""
        if self._change is None:
            return values
        entity, node = self._entity, make(made_of(self._entity), values)
        changed = self._change(node)
        if type(changed) is not entity.cls or key_of(entity, values_of(entity, changed)) != key_of(entity, values):
            raise ArgumentRefused(
                f"change= made {changed!r} of {node!r}; it returns the same {entity.label}, with other fields than "
                "those of its key"
            )
        return values_of(entity, changed)

    def _at(self, path: Any) -> dict[str, Any]:
        return {**self._values, self._path: path}

    def _known_attributes(self) -> frozenset[str]:
        """The attributes that are made anew for a node; others, which the model does not know, go with it."""
        entity, settings = self._entity, self._design.settings
        keys = {part.attribute for placement in entity.placements.values() for part in placement.parts}
        known = {*keys, *entity.attributes.values(), settings.type_attribute or ""}
        if MOVED_FROM in known:
            raise ArgumentRefused(
                f"{entity.label} stores a field as {MOVED_FROM!r}, which marks a subtree that is being moved.\n"
                "  Store the field under another name: attributes={...}."
            )
        if entity.declaration.schema_version is not None:
            known.add(settings.schema_version_attribute)
        return frozenset({*known, MOVED_FROM})

    def _planned(self) -> Plan:
        outcome = plan_subtree(self._design, self._entity, self._path, SOURCE)
        if isinstance(outcome, Refusal) or not outcome.index.is_table or len(outcome.spreads) > 0:
            reason = outcome.reason if isinstance(outcome, Refusal) else "the table does not keep it together"
            raise ArgumentRefused(
                f"the subtree of a {self._entity.label} cannot be moved: it cannot be read from the table: {reason}"
            )
        return outcome


def _path_of(entity: Entity) -> str:
    """The field that is the path of an entity's items."""
    paths = paths_in(entity.base)
    if len(paths) != 1:
        found = f"two paths, {' and '.join(paths)}" if paths else "no path"
        raise ArgumentRefused(
            f"{entity.label} is no tree: its key has {found}.\n"
            '  Key it by its path, such as key=("TREE#{tree}", "NODE#{path}"), with path: tuple[str, ...].'
        )
    return paths[0]


def _refuse_detour(old: Path, new: Path) -> None:
    """Refuses paths between which nodes would meet those that are still to be moved."""
    if old == new:
        raise ArgumentRefused(f"{old!r} is there already; give to= another path")
    if new[: len(old)] == old:
        raise ArgumentRefused(f"{new!r} is below {old!r} itself, which cannot be moved below itself")
    if old[: len(new)] == new:
        raise ArgumentRefused(
            f"{new!r} is above {old!r}: what is moved would lie among what is still to be moved.\n"
            "  Move it to a path beside it first."
        )


def _refuse_left_behind(entity: Entity, keeping: Keeping) -> None:
    """Refuses entities whose items others name by their path, which a move would leave behind."""
    if keeping.mirror_of is not None:
        mirrored = keeping.mirror_of.label
        raise ArgumentRefused(f"{entity.label} mirrors {mirrored}, and is written with it; move the {mirrored}")
    behind = [f"{entity.label}.{name} counts items" for name in sorted(keeping.counters)]
    behind += [f"{holder.label} repeats values of it" for _, holder in keeping.given]
    if behind:
        raise ArgumentRefused(
            f"the subtree of a {entity.label} cannot be moved: {' and '.join(behind)}, which name it by its old path.\n"
            "  Write each node under its new path, then what names it, then delete the old one, parents first."
        )
